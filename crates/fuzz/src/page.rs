//! The page: a request as it comes over the wire.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use esenas_report::Data;
use esenas_store::{Error, Reader};
use esenas_view::{Access, Knows, Server};
use tempfile::TempDir;

use crate::Target;
use crate::directory::template;

/// What knows of models is fed elsewhere.
struct Nothing;

impl Knows for Nothing {
    fn complete(&self, _: &mut Data, _: &Reader) -> Result<(), Error> {
        Ok(())
    }

    fn films(&self, _: &Data) -> bool {
        true
    }

    fn film(&self, _: &Path) -> Result<Vec<u8>, String> {
        Err("there is no film".into())
    }
}

const TOKEN: &str = "0123456789abcdef";

/// A request to a server on the loopback, and to one that asks for a token.
pub(crate) fn visitor() -> Target {
    let root = TempDir::new().expect("a directory can be made");
    template().write(&root.path().join("a"));
    let server = |token: Option<&str>| {
        let ip = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let access = Access::new(ip, token.map(str::to_owned)).expect("it is long enough");
        let server = Server::bind((ip, 0), access, root.path().to_owned(), Box::new(Nothing));
        let server = server.expect("the loopback has a free port");
        let url = server.url();
        let address = url["http://".len()..].split('/').next().map(str::parse::<SocketAddr>);
        std::thread::spawn(move || server.run(&AtomicBool::new(false)));
        address.expect("a URL has an address").expect("an address is one")
    };
    let servers = [server(None), server(Some(TOKEN))];
    let heads = [
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".to_owned(),
        "GET /study?name=a&name=b&metric=best HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
        "GET /api/study?name=a&since=7 HTTP/1.1\r\nHost: [::1]:80\r\n\r\n".to_owned(),
        format!("GET /api/list?token={TOKEN} HTTP/1.1\r\nCookie: a=b; esenas-1={TOKEN}\r\n\r\n"),
        format!("GET /film?name=%61 HTTP/1.0\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"),
    ];
    Target::new("request", heads.map(String::into_bytes).to_vec(), move |head| {
        // It is there for as long as it is looked at.
        let _root = &root;
        servers.iter().for_each(|server| ask(*server, head));
    })
}

/// An answer is HTTP, and no visitor breaks the server.
fn ask(server: SocketAddr, head: &[u8]) {
    let mut stream = TcpStream::connect(server).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("not zero");
    // It may answer, and close, before it has read all.
    let _ = stream.write_all(head);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    if !answer.is_empty() {
        assert!(answer.starts_with(b"HTTP/1.1 "), "{}", String::from_utf8_lossy(&answer));
    }
}
