//! Who may look.
//!
//! On the loopback, whoever is on this machine. A page of another site could make a browser ask,
//! through a name of its own that suddenly means 127.0.0.1; so the name that was asked for must be
//! one of the loopback's. Anywhere else a token is asked for, which such a page does not have.

use std::fmt;
use std::hint::black_box;
use std::net::{IpAddr, SocketAddr};

use crate::http::Request;

/// Fewer characters could be guessed.
const SHORTEST: usize = 16;

/// Who may look.
#[derive(Clone)]
pub struct Access(Option<String>);

/// A token that cannot be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenError;

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a token has at least {SHORTEST} characters, each a letter, a digit, - or _")
    }
}

impl std::error::Error for TokenError {}

/// What is made of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is answered.
    Granted,
    /// It brought the token in its address: a cookie keeps it from now on.
    Welcome,
    /// It has no token, or a wrong one.
    TokenMissing,
    /// It asked for a host that this is not.
    WrongHost,
}

impl Access {
    /// To a server on `address`: with this token, else with a new one unless it is the loopback.
    pub fn new(address: IpAddr, token: Option<String>) -> Result<Self, TokenError> {
        let fits = |token: &String| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
            SHORTEST <= token.len() && token.bytes().all(plain)
        };
        match token {
            Some(token) if !fits(&token) => Err(TokenError),
            Some(token) => Ok(Self(Some(token))),
            None if address.is_loopback() => Ok(Self(None)),
            None => Ok(Self(Some(generated()))),
        }
    }

    /// The token, if one is asked for.
    pub fn token(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// What the cookie is called: servers on other ports of a host have others.
    fn cookie_name(server: SocketAddr) -> String {
        format!("esenas-{}", server.port())
    }

    /// What a browser is to keep.
    pub(crate) fn cookie(&self, server: SocketAddr) -> String {
        let token = self.0.as_deref().unwrap_or_default();
        format!("{}={token}; HttpOnly; SameSite=Lax; Path=/", Self::cookie_name(server))
    }

    pub(crate) fn judge(&self, request: &Request, server: SocketAddr) -> Verdict {
        let Some(token) = &self.0 else {
            let local = request.host.as_deref().is_some_and(is_loopback);
            return if local { Verdict::Granted } else { Verdict::WrongHost };
        };
        let kept = request.cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        let name = Self::cookie_name(server);
        let kept = kept.filter(|(known, _)| *known == name).map(|(_, value)| value);
        let header = request.authorization.strip_prefix("Bearer ");
        if request.query.all("token").any(|given| same(given, token)) {
            Verdict::Welcome
        } else if kept.chain(header).any(|given| same(given.trim(), token)) {
            Verdict::Granted
        } else {
            Verdict::TokenMissing
        }
    }
}

/// In a time that does not tell how much of it is right.
fn same(given: &str, token: &str) -> bool {
    let given = given.as_bytes();
    let differs = token.bytes().enumerate().fold(0, |differs, (at, byte)| {
        black_box(differs | (byte ^ given.get(at).copied().unwrap_or(0)))
    });
    differs == 0 && given.len() == token.len()
}

/// Whether a `Host` header names this machine to itself.
fn is_loopback(host: &str) -> bool {
    let bare = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let address = bare.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
    address || bare.eq_ignore_ascii_case("localhost")
}

/// 128 random bits.
fn generated() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness to give");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    const TOKEN: &str = "0123456789abcdef";

    fn request(host: &str, target: &str, cookies: &str, authorization: &str) -> Request {
        Request {
            method: "GET".to_owned(),
            query: Query::parse(target),
            host: Some(host.to_owned()),
            cookies: cookies.to_owned(),
            authorization: authorization.to_owned(),
        }
    }

    fn at(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    #[test]
    fn on_the_loopback_only_its_own_names_are_answered() {
        let access = Access::new(at(1).ip(), None).unwrap();
        let judge = |host: &str| access.judge(&request(host, "/", "", ""), at(1));
        for host in ["localhost:1", "LOCALHOST", "127.0.0.1:1", "127.9.9.9", "[::1]:1", "[::1]"] {
            assert_eq!(judge(host), Verdict::Granted, "{host}");
        }
        for host in
            ["evil.example:1", "127.0.0.1.evil.example", "localhost.evil.example", "", "10.0.0.1"]
        {
            assert_eq!(judge(host), Verdict::WrongHost, "{host}");
        }
        let silent = Request { host: None, ..request("", "/", "", "") };
        assert_eq!(access.judge(&silent, at(1)), Verdict::WrongHost);
    }

    #[test]
    fn elsewhere_a_token_is_made_and_asked_for() {
        let made = |()| Access::new([0, 0, 0, 0].into(), None).unwrap();
        let (one, other) = (made(()), made(()));
        assert_ne!(one.token(), other.token());
        assert_eq!(one.token().map(str::len), Some(32));
        let judged = one.judge(&request("localhost", "/", "", ""), at(1));
        assert_eq!(judged, Verdict::TokenMissing, "also from here");
    }

    #[test]
    fn the_token_comes_in_the_address_a_cookie_or_a_header() {
        let access = Access::new(at(1).ip(), Some(TOKEN.to_owned())).unwrap();
        let judge = |target: &str, cookies: &str, header: &str| {
            access.judge(&request("x", target, cookies, header), at(8))
        };
        let (right, bearer) = (format!("a=b; esenas-8={TOKEN}"), format!("Bearer {TOKEN}"));
        assert_eq!(judge(&format!("/?token={TOKEN}"), "", ""), Verdict::Welcome);
        assert_eq!(judge("/", &right, ""), Verdict::Granted);
        assert_eq!(judge("/", "", &bearer), Verdict::Granted);
        assert!(right.contains(access.cookie(at(8)).split(';').next().unwrap()));
        for wrong in ["", "0", "0123456789abcdeg", "0123456789abcdef0", "0123456789abcde"] {
            let (cookie, header) = (format!("esenas-8={wrong}"), format!("Bearer {wrong}"));
            let judged = judge(&format!("/?token={wrong}"), &cookie, &header);
            assert_eq!(judged, Verdict::TokenMissing, "{wrong}");
        }
        let elsewhere = judge("/", &format!("esenas-9={TOKEN}"), "");
        assert_eq!(elsewhere, Verdict::TokenMissing, "another port's");
    }

    #[test]
    fn tokens_that_are_short_or_odd_are_refused() {
        for bad in ["", "short", "0123456789abcde;", "0123456789 abcdef"] {
            assert!(Access::new(at(1).ip(), Some(bad.to_owned())).is_err(), "{bad}");
        }
    }
}
