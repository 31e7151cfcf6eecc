//! Programs that crash, hang, talk nonsense or never end: the rest is evaluated all the same.

use std::fs;
use std::num::NonZeroU32;
use std::process::Command;
use std::time::{Duration, Instant};

use esenas_run::command::{CommandConfig, CommandError, CommandPool, Request};
use esenas_run::{Executor, ExecutorError, FailureKind};

use crate::program::*;

#[test]
fn a_candidate_that_kills_the_program_fails_by_itself() {
    let program = with_vice("echo x >> deaths; echo 'no layer 7' >&2; exit 3;");
    let failure = only_failure(&program.run(12));
    assert_eq!(failure.kind, FailureKind::WorkerLost);
    let reason = "given up after 2 attempts: \
                  the program ended (exit status: 3) before it answered; \
                  its last words:\n  no layer 7";
    assert_eq!(failure.reason, reason);
    assert_eq!(program.lines("deaths").len(), 2);
    // With a single worker, which dies of it, the outcome is the same to the letter.
    assert_eq!(only_failure(&program.workers(1).run(12)).reason, reason);
}

#[test]
fn a_program_that_dies_once_is_not_noticed() {
    let vice = format!("if [ -e died ]; then {ANSWER}; else touch died; kill -9 $$; fi;");
    let outcomes = with_vice(&vice).run(6);
    assert_eq!(outcomes, (0..6).map(value).collect::<Vec<_>>());
}

#[test]
fn a_program_that_hangs_is_stopped_with_all_that_it_started() {
    let program = with_vice("echo thinking >&2; sleep 1000 & echo $! > child; wait;");
    let start = Instant::now();
    let failure = only_failure(&program.timeout(1000).run(6));
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert!(failure.reason.contains("after 2 attempts: no answer within 1s"), "{failure}");
    assert!(failure.reason.ends_with("its last words:\n  thinking"), "{failure}");
}

#[test]
fn what_a_hanging_program_started_is_gone() {
    let program = with_vice("sleep 1000 & echo $! >> child; wait;").timeout(1000);
    only_failure(&program.run(4));
    let children = program.lines("child");
    assert_eq!(children.len(), 2);
    assert!(children.iter().all(|pid| ends(pid)));
}

/// Leaves its group with all three pipes, and dies.
const LEAVES: &str = "setsid sleep 8 <&0 & echo so long >&2; exit 1;";

#[test]
fn a_death_is_noticed_at_once_whoever_holds_the_pipes() {
    let start = Instant::now();
    let failure = only_failure(&with_vice(LEAVES).run(6));
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(failure.kind, FailureKind::WorkerLost);
    assert!(failure.reason.contains("the program ended (exit status: 1)"), "{failure}");
    assert!(failure.reason.ends_with("its last words:\n  so long"), "{failure}");
}

const CHILD: &str = "ESENAS_TEST_RESTARTS";

#[test]
fn restarts_child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let count = |of| fs::read_dir(format!("/proc/self/{of}")).unwrap().count();
    let mut program = script(LEAVES).workers(1);
    program.config.restarts = 40;
    program.config.longest_backoff = Duration::from_millis(5);
    program.config.limits.attempts = NonZeroU32::new(1000).unwrap();
    let mut pool = program.pool();
    let before = [count("task"), count("fd")];
    // A line that no pipe has room for.
    let large = |index| Request { theta: vec![1.0 / 3.0; 10_000], ..candidate(index) };
    let error = pool.evaluate(1, &large).unwrap_err().to_string();
    assert!(error.contains("restarted 40 times"), "{error}");
    std::thread::sleep(Duration::from_millis(300));
    let after = [count("task"), count("fd")];
    assert!(after[0] <= before[0] && after[1] <= before[1], "{before:?}, then {after:?}");
    println!("reached the end");
}

/// In a process of its own, whose threads and files are this test's alone.
#[test]
#[cfg(target_os = "linux")]
fn nothing_is_kept_of_the_dead() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "vices::restarts_child", "--nocapture"]).env(CHILD, "1");
    let said = child.output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    let errors = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success() && text.contains("reached the end"), "{text}{errors}");
}

#[test]
fn text_is_no_answer_but_shown_when_there_is_none() {
    let failure = only_failure(&with_vice("echo 'value: 3';").timeout(1000).run(4));
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert!(failure.reason.ends_with("its last words:\n  value: 3"), "{failure}");
    let chatty = looping(&format!("echo hello; echo '[info] ok'; {ANSWER}; echo bye"));
    assert_eq!(chatty.run(4), (0..4).map(value).collect::<Vec<_>>());
}

#[test]
fn garbage_is_a_failure_without_waiting_for_the_time_out() {
    for garbage in ["{\"id\":", "3.5", "{\"value\":1}", "[]"] {
        let failure = only_failure(&with_vice(&format!("echo '{garbage}';")).run(4));
        assert_eq!(failure.kind, FailureKind::Malformed, "{garbage}");
        assert!(failure.reason.ends_with(&format!("it wrote: {garbage}")), "{failure}");
    }
}

#[test]
fn a_worker_that_spews_garbage_fails_nothing_that_others_can_evaluate() {
    let spews = "if [ $ESENAS_WORKER = 0 ]; then while :; do echo '{'; done; fi";
    let mut program = looping(&format!("{spews}; sleep 0.02; {ANSWER}"));
    program.config.limits.attempts = NonZeroU32::new(10).unwrap();
    assert_eq!(program.run(20), (0..20).map(value).collect::<Vec<_>>());
}

#[test]
fn a_value_that_is_not_finite_is_a_failure() {
    for x in ["NaN", "-inf", "1e400", "null"] {
        let vice = format!(r#"echo "{{\"id\":$id,\"value\":{x}}}";"#);
        let failure = only_failure(&with_vice(&vice).run(4));
        assert_eq!(failure.kind, FailureKind::NonFinite, "{x}");
    }
}

#[test]
fn answering_twice_changes_nothing() {
    let again = r#"; echo "{\"id\":$id,\"value\":-1}""#;
    let outcomes = looping(&format!("{ANSWER}{again}")).run(20);
    assert_eq!(outcomes, (0..20).map(value).collect::<Vec<_>>());
}

#[test]
fn an_answer_for_an_unknown_id_is_a_failure() {
    let failure = only_failure(&with_vice(r#"echo '{"id":4711,"value":1}';"#).run(4));
    assert_eq!(failure.kind, FailureKind::Malformed);
    assert!(failure.reason.ends_with("it answered for id 4711, which it was never asked"));
}

#[test]
fn a_line_without_end_is_a_failure() {
    let failure = only_failure(&with_vice("tr '\\0' x < /dev/zero;").run(4));
    assert_eq!(failure.kind, FailureKind::Malformed);
    assert!(failure.reason.contains("a line of more than 1048576 bytes"), "{failure}");
}

#[test]
fn closing_standard_output_is_the_end_of_a_program() {
    let failure = only_failure(&with_vice("echo so long >&2; exec >&-; sleep 1000;").run(4));
    assert_eq!(failure.kind, FailureKind::WorkerLost);
    assert!(failure.reason.contains("closed its standard output"), "{failure}");
    assert!(failure.reason.ends_with("so long"), "{failure}");
}

#[test]
fn a_gigabyte_on_standard_error_is_neither_kept_nor_waited_for() {
    let peak = || {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map(str::trim);
        peak.map_or(0, |kb| kb.trim_end_matches(" kB").parse::<usize>().unwrap())
    };
    let before = peak();
    let noisy = with_vice(&format!("head -c 1000000000 /dev/zero >&2; {ANSWER};"));
    assert_eq!(noisy.run(4), (0..4).map(value).collect::<Vec<_>>());
    assert!(peak() < before + (200 << 10), "{before} kB, then {} kB", peak());
}

#[test]
fn a_program_that_never_reads_does_not_hold_us_up() {
    let program = script("sleep 1000").timeout(300).workers(1);
    let large = |index| Request { theta: vec![1.0 / 3.0; 10_000], ..candidate(index) };
    let start = Instant::now();
    let outcomes = program.pool().evaluate(1, &large).unwrap();
    assert_eq!(outcomes[0].clone().unwrap_err().kind, FailureKind::TimedOut);
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_program_that_cannot_be_started_is_refused_before_anything_runs() {
    let start = |argv: &[&str]| {
        let argv = argv.iter().map(|&a| a.to_owned()).collect();
        CommandPool::start(CommandConfig::new(argv)).unwrap_err()
    };
    assert!(matches!(start(&[]), CommandError::Empty));
    let error = start(&["no-such-program-anywhere"]).to_string();
    assert!(
        error.starts_with("cannot start \"no-such-program-anywhere\": No such file"),
        "{error}"
    );
    assert!(error.contains("on the PATH"), "{error}");
    assert!(matches!(start(&["/"]), CommandError::Start { .. }));
}

#[test]
fn a_program_that_always_dies_is_given_up_with_its_last_words() {
    let mut program = script("echo 'no module named frobnicate' >&2; exit 1");
    program.config.restarts = 4;
    program.config.limits.attempts = NonZeroU32::new(100).unwrap();
    let mut pool = program.pool();
    for _ in 0..2 {
        let error = pool.evaluate(5, &candidate).unwrap_err();
        let ExecutorError::NoWorkers { open: 5, jobs: 5, .. } = error else { panic!("{error}") };
        let message = error.to_string();
        assert!(message.contains("restarted 4 times"), "{message}");
        assert!(message.contains("exit status: 1"), "{message}");
        assert!(message.contains("no module named frobnicate"), "{message}");
    }
}

#[test]
fn a_silent_worker_is_worked_around_and_not_asked_again() {
    let silent = format!(
        "echo x >> asked.$ESENAS_WORKER; if [ $ESENAS_WORKER = 0 ]; then sleep 1000; fi; {ANSWER}"
    );
    let mut program = looping(&silent);
    program.config.limits.timeout = None;
    let mut pool = program.pool();
    for _ in 0..3 {
        let start = Instant::now();
        let outcomes = pool.evaluate(6, &candidate).unwrap();
        assert_eq!(outcomes, (0..6).map(value).collect::<Vec<_>>());
        assert!(start.elapsed() < Duration::from_secs(5));
    }
    assert_eq!(program.lines("asked.0").len(), 1);
    assert_eq!(program.lines("asked.1").len(), 18);
}

#[test]
fn programs_end_with_the_pool_whether_they_want_to_or_not() {
    let stubborn = looping(&format!("echo $$ >> pids; {ANSWER}; trap '' TERM HUP INT PIPE"));
    let text = fs::read_to_string(stubborn.path("program.sh")).unwrap();
    let text = format!("{text}\nsleep 1000 & echo $! >> pids; while :; do wait; done");
    fs::write(stubborn.path("program.sh"), text).unwrap();
    let mut pool = stubborn.pool();
    pool.evaluate(8, &candidate).unwrap();
    let start = Instant::now();
    drop(pool);
    assert!(start.elapsed() < Duration::from_secs(3));
    let pids = stubborn.lines("pids");
    assert!(!pids.is_empty() && pids.iter().all(|pid| ends(pid)));
}

#[test]
fn programs_that_end_with_their_input_are_not_killed() {
    let polite = script(&format!(
        "while IFS= read -r line; do id=${{line#*:}}; id=${{id%%,*}}; n=1; {ANSWER}; done; echo bye > end.$ESENAS_WORKER"
    ));
    let mut pool = polite.pool();
    pool.evaluate(1, &candidate).unwrap();
    drop(pool);
    assert_eq!(
        (polite.lines("end.0"), polite.lines("end.1")),
        (vec!["bye".into()], vec!["bye".into()])
    );
}
