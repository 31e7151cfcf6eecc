//! Directories that cannot be written, are being written or were damaged; objectives that fail.

use std::fs;
use std::io::{BufRead, BufReader};

use esenas_store::{Options, Writer};

use crate::harness::Place;

/// Nobody makes directories in the kernel's, not even root, whom permissions do not stop.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let said = Place::with_study().run("run study.toml --out /sys/esenas");
    said.refused(2, &["/sys/esenas", "cannot be written", "choose another directory"]);
}

#[test]
fn a_study_that_is_being_written_is_refused_and_read() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet");
    let writer = Writer::open(&place.path("runs/study"), Options::default()).unwrap();
    place.run("run study.toml").refused(2, &["is being written", "wait for it or stop it"]);
    place.run("run study.toml --fresh").refused(2, &["is being written"]);
    assert!(place.ok("list").contains("running"));
    drop(writer);
    place.ok("run study.toml");
}

/// SQLite takes a database whose log was removed for a whole one; the seal does not.
#[test]
fn lost_commits_are_told_and_accepted_on_request() {
    let place = Place::with_study();
    let settings = "--set stop.iterations=3000";
    let mut child = place.command(&format!("run study.toml {settings}")).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains("evals/s") {
        assert_ne!(out.read_line(&mut said).unwrap(), 0, "{said}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_file(place.path("runs/study/esenas.db-wal")).unwrap();
    let advice = "esenas resume runs/study --accept-loss";
    for words in ["show runs/study", "resume runs/study", &format!("run study.toml {settings}")] {
        place.run(words).refused(1, &["lost commits", advice]);
    }
    place.ok("resume runs/study --accept-loss --quiet");
    place.ok(&format!("run study.toml --quiet --out straight {settings}"));
    assert!(place.ok("best runs/study --json") == place.ok("best straight --json"));
}

#[test]
fn a_study_is_rewound_on_request_and_arrives_at_the_same_end() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet");
    let best = place.ok("best runs/study --json");
    let said = place.ok("resume runs/study --rewind 27");
    assert!(said.contains("going on after 28 iterations"), "{said}");
    assert_eq!(place.ok("best runs/study --json"), best);
    let said = place.run("resume runs/study --rewind 3");
    said.refused(2, &["iteration 3", "checkpoints of iterations 27, 28, 29"]);
}

#[test]
fn a_damaged_database_is_an_error_and_left_alone() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet");
    let path = place.path("runs/study/esenas.db");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes.truncate(middle);
    fs::write(&path, &bytes).unwrap();
    for command in ["resume", "run study.toml --out", "show"] {
        let said = place.run(&format!("{command} runs/study"));
        said.refused(1, &["runs/study"]);
    }
    let said = place.run("list");
    said.refused(1, &["runs/study"]);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

fn program(script: &str, share: f64) -> String {
    format!(
        "seed = 1\npreset = \"paper\"\n[stop]\niterations = 3\n[problem]\nkind = \"command\"\n\
         argv = [\"sh\", \"-c\", '''{script}''']\n\
         space = {{ oneof = [1, 2, 3] }}\ndimension = 2\nattempts = 1\n\
         [weights]\nkind = \"es\"\ndirections = 4\n[failures]\nshare = {share}\n"
    )
}

/// Answers every question; what follows `"id":N,` is `$answer`.
const ANSWERING: &str = r#"
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $((id % 4)) in 0) answer='"error":"the bearing is worn"';; *) answer='"value":1.5';; esac
  echo "{\"id\":$id,$answer}"
done"#;

#[test]
fn failures_are_recorded_and_shown_with_their_share() {
    let place = Place::new();
    place.write("study.toml", &program(ANSWERING, 0.9));
    let said = place.ok("run study.toml --workers 2");
    assert!(said.contains("\nfailed: "), "{said}");
    let shown = place.ok("show runs/study");
    assert!(shown.contains("the bearing is worn"), "{shown}");
    assert!(shown.contains("25.0 %"), "{shown}");
    assert!(place.ok("list").contains("25.0 %"));
}

#[test]
fn too_many_failures_stop_the_study_with_code_1() {
    let place = Place::new();
    place.write("study.toml", &program(ANSWERING, 0.1));
    let said = place.run("run study.toml --workers 2 --quiet");
    said.refused(1, &["failures.share", "the bearing is worn", "resume"]);
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    let place = Place::new();
    let study = program("true", 0.5).replace("\"sh\"", "\"no-such-program\"");
    place.write("study.toml", &study);
    place.run("run study.toml").refused(2, &["study.toml", "problem.argv", "no-such-program"]);
}
