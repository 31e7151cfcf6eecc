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

/// Programs that read their input and then nothing, with θ in a file, and end when killed.
const STUBBORN: &str = r#"
[stop]
iterations = 2
[problem]
kind = "command"
argv = ["sh", "-c", "trap '' HUP INT TERM; sleep 100 & echo $$ $! >> pids; while :; do wait; done"]
space = { oneof = [1, 2] }
dimension = 2
inline = 1
"#;

/// Whether the process is there and not only waits to be reaped.
fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.starts_with(" Z"))
}

#[test]
#[cfg(target_os = "linux")]
fn no_program_and_no_file_is_left_however_the_end_comes() {
    for signals in [&[Signal::KILL][..], &[Signal::INT, Signal::INT], &[Signal::TERM, Signal::TERM]]
    {
        let place = Place::new();
        place.write("stubborn.toml", STUBBORN);
        place.write("tmp/mine", "");
        let mut command = place.command("run stubborn.toml --workers 3 --quiet");
        let mut child = command.env("TMPDIR", place.path("tmp")).spawn().unwrap();
        let started = || {
            let pids = std::fs::read_to_string(place.path("pids")).unwrap_or_default();
            let all: Vec<String> = pids.split_whitespace().map(str::to_owned).collect();
            (all.len() == 6 && pids.ends_with('\n')).then_some(all)
        };
        let pids = wait_for("the programs", started);
        let files = || std::fs::read_dir(place.path("tmp")).unwrap().count();
        wait_for("a file of θ", || (files() == 2).then_some(()));
        assert!(pids.iter().all(|pid| lives(pid)));
        for (at, &signal) in signals.iter().enumerate() {
            if 0 < at {
                std::thread::sleep(Duration::from_millis(300));
            }
            kill_process(Pid::from_child(&child), signal).unwrap();
        }
        child.wait().unwrap();
        wait_for("the end of all", || {
            (!pids.iter().any(|pid| lives(pid)) && files() == 1).then_some(())
        });
    }
}

fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "waited for {what} in vain");
        std::thread::sleep(Duration::from_millis(10));
    }
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
