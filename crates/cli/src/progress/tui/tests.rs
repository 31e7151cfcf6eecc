//! Whatever happens, the terminal is given back.

use std::process::Command;

use esenas_run::spec::StopConfig;

use super::*;

#[allow(dead_code)]
#[path = "../../../tests/cli/terminal.rs"]
mod terminal;

const NAME: &str = "progress::tui::tests::panics_leave_the_terminal_as_it_was";
const WHERE: &str = "ESENAS_TEST_PANIC";

/// Takes the terminal and panics on the thread of the study, or below it.
fn panic_on(thread: &str) {
    let pace = Pace::new(StopConfig::default());
    let tui = Tui::start("nowhere".as_ref(), (1, None), pace).unwrap();
    match thread {
        "study" => panic!("on purpose"),
        _ => drop(thread::spawn(|| panic!("on purpose")).join()),
    }
    drop(tui);
    eprintln!("and goes on");
}

/// Runs itself in a terminal of its own, once for each thread that may panic.
#[test]
fn panics_leave_the_terminal_as_it_was() {
    if let Ok(thread) = std::env::var(WHERE) {
        return panic_on(&thread);
    }
    for (thread, goes_on) in [("study", false), ("worker", true)] {
        let mut itself = Command::new(std::env::current_exe().unwrap());
        itself.args([NAME, "--exact", "--nocapture"]).env(WHERE, thread);
        let (code, after) = terminal::Session::start(itself).end();
        assert!(after.contains("on purpose"), "{thread}: what was said is not lost: {after}");
        assert_eq!(after.contains("and goes on"), goes_on, "{thread}: {after}");
        assert_eq!(code == Some(0), goes_on, "{thread}: {after}");
    }
}
