//! The full screen, in a terminal that the test holds the other end of. Whatever ends the program,
//! the terminal is left as it was found; panics are tested beside the code.

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::Place;
use crate::terminal::Session;

fn endless(place: &Place) -> Session {
    let session =
        Session::start(place.command("run study.toml --tui --set stop.iterations=100000000"));
    session.until("evaluations/s");
    session
}

#[test]
fn a_study_that_ends_leaves_its_story() {
    let place = Place::with_study();
    let (code, after) = Session::start(place.command("run study.toml --tui")).end();
    assert_eq!(code, Some(0), "{after}");
    assert!(after.contains("all iterations are done: 30 iterations"), "{after}");
}

#[test]
fn a_key_finishes_the_iteration_and_the_study_can_go_on() {
    for key in [&b"q"[..], b"\x03"] {
        let place = Place::with_study();
        let mut session = endless(&place);
        session.press(key);
        let (code, after) = session.end();
        assert_eq!(code, Some(130), "{after}");
        assert!(after.contains("go on    esenas resume runs/study"), "{after}");
    }
}

#[test]
fn a_signal_ends_it_like_a_key() {
    let place = Place::with_study();
    let session = endless(&place);
    kill_process(Pid::from_child(&session.child), Signal::TERM).unwrap();
    assert_eq!(session.end().0, Some(130));
}

/// The second Ctrl-C ends the process without unwinding.
#[test]
fn stopping_at_once_gives_the_terminal_back_too() {
    let place = Place::new();
    let slow = "[stop]\niterations = 2\n[problem]\nkind = \"command\"\nargv = [\"sh\", \"-c\", \"read l; sleep 60\"]\n\
                space = { oneof = [1, 2] }\ndimension = 2\n";
    place.write("slow.toml", slow);
    let mut session = Session::start(place.command("run slow.toml --tui --workers 1"));
    session.until("first iteration");
    session.press(b"\x03");
    // Only cells that change are written; of this line these are together.
    session.until("stops at once");
    session.press(b"\x03");
    assert_eq!(session.end().0, Some(130));
}

#[test]
fn a_study_that_fails_says_why_on_a_clean_screen() {
    let place = Place::new();
    let failing = "[stop]\niterations = 2\n[problem]\nkind = \"command\"\nargv = [\"sh\", \"-c\", \"exit 3\"]\n\
                   space = { oneof = [1, 2] }\ndimension = 2\n";
    place.write("failing.toml", failing);
    let (code, after) = Session::start(place.command("run failing.toml --tui --workers 1")).end();
    assert_eq!(code, Some(1), "{after}");
    assert!(after.contains("esenas: "), "{after}");
}

#[test]
fn without_a_terminal_it_is_refused() {
    let place = Place::with_study();
    place.run("run study.toml --tui").refused(2, &["--tui", "terminal"]);
    assert!(!place.path("runs").exists(), "before anything is made");
    assert_eq!(place.run("run study.toml --tui --json").code, 2);
}
