//! A study of 10⁶ recorded evaluations, as a user runs it:
//! `cargo bench -p esenas-cli --bench million`.
//!
//! Prints the resident memory of `esenas run` on its way, and how long `esenas show`, `best` and
//! `list` then take.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const EVALUATIONS: u64 = 1_000_000;
const STUDY: &str =
    "[stop]\nevaluations = 1_000_000\n[problem]\nkind = \"synthetic\"\ndimension = 100\n";

fn esenas(place: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_esenas"));
    command.current_dir(place).args(words).stdout(Stdio::piped());
    command
}

fn main() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let place = place.path();
    std::fs::write(place.join("study.toml"), STUDY).expect("it can be written");
    let start = Instant::now();
    let mut child =
        esenas(place, &["run", "study.toml", "--json"]).spawn().expect("the program starts");
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut due = [1, 10, 25, 50, 75, 99].into_iter().peekable();
    for line in lines.map_while(Result::ok) {
        let line: serde_json::Value = serde_json::from_str(&line).expect("a JSON object per line");
        let done = line["total_evaluations"].as_u64().expect("a count");
        if let Some(percent) = due.next_if(|percent| EVALUATIONS * percent / 100 <= done) {
            println!("{percent:>4} % of the evaluations: {} kB resident", resident(child.id()));
        }
    }
    assert!(child.wait().expect("it ends").success());
    let seconds = start.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(place.join("runs/study/esenas.db")).map_or(0, |file| file.len());
    println!("{EVALUATIONS} evaluations in {seconds:.1} s, {} MB of records", bytes >> 20);
    for words in [&["show", "runs/study"][..], &["best", "runs/study"], &["list", "runs"]] {
        let start = Instant::now();
        assert!(esenas(place, words).output().expect("the program starts").status.success());
        println!("esenas {}: {:.3} s", words.join(" "), start.elapsed().as_secs_f64());
    }
}

/// Kilobytes of a process in memory, where the system tells.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
