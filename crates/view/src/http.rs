//! One request, one answer: `GET`, no body, the connection is closed. Limits keep a silent or a
//! talkative client from holding anything.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::query::Query;

/// A head is not longer.
const HEAD: usize = 16 * 1024;
/// Nor does it have more lines.
const LINES: usize = 100;
/// A client that says nothing for so long is left.
const PATIENCE: Duration = Duration::from_secs(10);

/// Scripts, styles, pictures and answers of this server alone; nothing inline, nothing framed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What was asked.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) query: Query,
    pub(crate) host: Option<String>,
    pub(crate) cookies: String,
    pub(crate) authorization: String,
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: &'static str,
    kind: &'static str,
    body: Vec<u8>,
    more: Vec<(&'static str, String)>,
}

impl Answer {
    pub(crate) fn new(status: &'static str, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, kind, body: body.into(), more: Vec::new() }
    }

    pub(crate) fn html(body: String) -> Self {
        Self::new("200 OK", "text/html; charset=utf-8", body)
    }

    pub(crate) fn text(status: &'static str, said: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{said}\n"))
    }

    pub(crate) fn nothing_new() -> Self {
        Self::new("204 No Content", "", "")
    }

    /// With another header.
    pub(crate) fn with(mut self, name: &'static str, value: String) -> Self {
        self.more.push((name, value));
        self
    }
}

/// Why there is nothing to answer to.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The client went away, or said nothing.
    Gone,
    /// What it said is not HTTP, or too much of it.
    Nonsense,
}

impl From<io::Error> for Refusal {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// Reads a head.
pub(crate) fn read(stream: &mut TcpStream) -> Result<Request, Refusal> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut bytes = Vec::new();
    let mut piece = [0; 2048];
    while bytes.len() < HEAD {
        let count = stream.read(&mut piece)?;
        if count == 0 {
            return Err(Refusal::Gone);
        }
        bytes.extend_from_slice(&piece[..count]);
        if let Some(request) = parse(&bytes)? {
            return Ok(request);
        }
    }
    Err(Refusal::Nonsense)
}

/// The request, if its head is whole.
fn parse(bytes: &[u8]) -> Result<Option<Request>, Refusal> {
    let mut lines = [httparse::EMPTY_HEADER; LINES];
    let mut head = httparse::Request::new(&mut lines);
    match head.parse(bytes) {
        Err(_) => return Err(Refusal::Nonsense),
        Ok(status) if status.is_partial() => return Ok(None),
        Ok(_) => {}
    }
    let find = |name: &str| {
        let line = head.headers.iter().find(|line| line.name.eq_ignore_ascii_case(name));
        line.map(|line| String::from_utf8_lossy(line.value).into_owned())
    };
    Ok(Some(Request {
        method: head.method.unwrap_or_default().to_owned(),
        query: Query::parse(head.path.unwrap_or_default()),
        host: find("host"),
        cookies: find("cookie").unwrap_or_default(),
        authorization: find("authorization").unwrap_or_default(),
    }))
}

/// Writes an answer.
pub(crate) fn write(stream: &mut TcpStream, answer: &Answer) -> io::Result<()> {
    let mut head =
        format!("HTTP/1.1 {}\r\nContent-Length: {}\r\n", answer.status, answer.body.len());
    if !answer.kind.is_empty() {
        head += &format!("Content-Type: {}\r\n", answer.kind);
    }
    let fixed = [
        ("Connection", "close"),
        ("Cache-Control", "no-store"),
        ("Content-Security-Policy", POLICY),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ];
    let more = answer.more.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in fixed.into_iter().chain(more) {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all((head + "\r\n").as_bytes())?;
    stream.write_all(&answer.body)?;
    stream.flush()
}
