//! Ctrl-C, once and twice; a pipe that breaks.

use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Place, Said};

/// Sends what Ctrl-C sends, to this process alone.
fn press(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// Waits until the study says something.
fn first_line(stream: &mut impl BufRead) -> String {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    line
}

#[test]
fn ctrl_c_finishes_the_iteration_and_says_how_to_go_on() {
    let place = Place::with_study();
    let settings = "--set stop.iterations=5000";
    let mut child = place.command(&format!("run study.toml {settings}")).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains("iterations   evaluations") {
        said += &first_line(&mut out);
    }
    press(&child);
    out.read_to_string(&mut said).unwrap();
    let ended = Said::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130);
    assert!(ended.err.contains("finishing the iteration; Ctrl-C again stops at once"), "{ended:?}");
    assert!(said.contains("\ninterrupted: "), "{said}");
    assert!(said.contains("go on    esenas resume runs/study\n"), "{said}");
    assert!(place.ok("list").contains("stopped"));
    // What is said is true, and the end is the same as without the interruption.
    let resumed = place.ok("resume runs/study");
    assert!(resumed.contains("runs/study: going on after "), "{resumed}");
    place.ok(&format!("run study.toml --quiet --out straight {settings}"));
    assert!(place.ok("best runs/study --json") == place.ok("best straight --json"));
}

/// A study whose iterations last much longer than this test is allowed to.
const SLOW: &str = r#"
[stop]
iterations = 2
[problem]
kind = "command"
argv = ["sh", "-c", "read line; sleep 10"]
space = { oneof = [1, 2] }
dimension = 2
"#;

#[test]
fn a_second_ctrl_c_stops_at_once() {
    let place = Place::new();
    place.write("slow.toml", SLOW);
    let mut child = place.command("run slow.toml --workers 1").spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut err = BufReader::new(child.stderr.take().unwrap());
    first_line(&mut out);
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    press(&child);
    let said = first_line(&mut err);
    assert!(said.contains("Ctrl-C again stops at once"), "{said}");
    assert!(child.try_wait().unwrap().is_none(), "once is not at once");
    press(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(place.ok("list").contains("stopped"));
}

#[test]
fn a_broken_pipe_is_no_error() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet --set stop.iterations=500");
    // More than a pipe holds.
    let words = "export runs/study --format jsonl --rows evaluations";
    let mut child = place.command(words).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    assert!(first_line(&mut out).starts_with('{'));
    drop(out);
    let ended = Said::from(child.wait_with_output().unwrap());
    assert_eq!((ended.code, &*ended.err), (0, ""));
}
