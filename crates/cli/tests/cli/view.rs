//! `esenas view` from the outside; what it shows is tested in `tests/browser` and in its crate.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Place, Said};

#[test]
fn it_prints_its_address_answers_and_ends_with_ctrl_c() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet");
    let mut child = place.command("view").spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut url = String::new();
    out.read_line(&mut url).unwrap();
    let address = url.trim().strip_prefix("http://").and_then(|it| it.strip_suffix('/')).unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /study?name=study HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    for word in ["200 OK", "<div id=\"history\"", "<div id=\"choices\"", "blocks[0]"] {
        assert!(page.contains(word), "no {word} in {page}");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ended = Said::from(child.wait_with_output().unwrap());
    assert_eq!((ended.code, &*ended.err), (0, ""));
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let place = Place::with_study();
    place.run("view").refused(2, &["runs", "is no directory"]);
    place.write("runs/x", "");
    place.run("view runs --token short").refused(2, &["--token", "16 characters"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    place
        .run(&format!("view runs --port {port}"))
        .refused(2, &["cannot listen", &port.to_string()]);
    assert_eq!(place.run("view runs --bind somewhere").code, 2);
}
