//! What an address asks for: a path, and names with values.

/// An address, taken apart and decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) path: String,
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Reads the target of a request, as `/study?name=a%2Fb`.
    pub(crate) fn parse(target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name), decode(value))
        };
        let pairs = query.split('&').filter(|part| !part.is_empty()).map(pair).collect();
        Self { path: decode(path), pairs }
    }

    /// Every value of `name`.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs.iter().filter(move |(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The first value of `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The address again, without `name`.
    pub(crate) fn without(&self, name: &str) -> String {
        let kept = self.pairs.iter().filter(|(known, _)| known != name);
        let pairs: Vec<String> =
            kept.map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        // One slash: two would name another host.
        let path = self.path.trim_start_matches('/').split('/').map(encode);
        let path = format!("/{}", path.collect::<Vec<_>>().join("/"));
        if pairs.is_empty() { path } else { format!("{path}?{}", pairs.join("&")) }
    }
}

/// Text as a part of an address.
pub(crate) fn encode(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                safe.push(byte.into());
            }
            _ => safe += &format!("%{byte:02X}"),
        }
    }
    safe
}

/// As forms encode it. What is no encoding stands for itself.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        let hex = more.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = hex.filter(|two| two.bytes().all(|b| b.is_ascii_hexdigit()));
        match (first, byte.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &more[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(*other),
        }
        rest = more;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_an_address() {
        for name in ["a", "a/b c", "<img src=x onerror=alert(1)>", "ä&=+%20", "../..", "\n", "%"] {
            let query = Query::parse(&format!("/study?name={}&x=1", encode(name)));
            assert_eq!((query.path.as_str(), query.get("name")), ("/study", Some(name)));
        }
        assert_eq!(Query::parse("/?a=1+2").get("a"), Some("1 2"), "as forms write a space");
    }

    #[test]
    fn what_is_no_encoding_stands_for_itself() {
        for (text, read) in
            [("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%+1", "% 1"), ("%ff", "\u{fffd}")]
        {
            assert_eq!(Query::parse(&format!("/?a={text}")).get("a"), Some(read));
        }
    }

    #[test]
    fn an_address_without_a_name_stays_on_this_host() {
        let query = Query::parse("//evil.example/study?token=1&name=a%26b");
        assert_eq!(query.without("token"), "/evil.example/study?name=a%26b");
        assert_eq!(Query::parse("/?token=1").without("token"), "/");
    }
}
