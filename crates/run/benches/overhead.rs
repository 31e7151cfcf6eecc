//! What the driver and the store cost: evaluations per second of an objective that costs nothing,
//! the commit of an iteration at d = 1000, and how a busy objective scales with workers.
//!
//! `bash bench/overhead.sh` runs it with the peers' own loops beside it, in the same run: the
//! Python that has them is named by `PEERS_PYTHON`. Without that, `cargo bench -p esenas-run
//! --bench overhead` prints what `bench/peers/run.sh` measured earlier, if it did.

use std::num::NonZeroUsize;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use esenas::Space;
use esenas_run::spec::{CallableProblem, ProblemConfig};
use esenas_run::{Control, InProcess, Objective, Point, Report, Spec, Study};
use serde_json::Value;

fn spec(dimension: usize, iterations: u32) -> Spec {
    let layer = || Space::oneof([16, 32, 64, 128]);
    let layers = (0..8).map(|_| layer().expect("four candidates"));
    let space = Space::list(layers).expect("eight layers");
    Spec::new(ProblemConfig::Callable(CallableProblem::new(space, dimension)), iterations)
}

/// Runs in a directory of its own; returns the report, the time, and the mean commit.
fn run(spec: Spec, workers: usize, objective: impl Objective) -> (Report, f64, f64) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let evaluator = InProcess::new(objective, NonZeroUsize::new(workers));
    let study = Study::with(spec, evaluator).expect("the spec is sound");
    let study = study.create(directory.path(), Default::default()).expect("an empty directory");
    let (start, mut store) = (Instant::now(), 0.0);
    let report = study.run(&AtomicBool::new(false), |report| {
        store += report.timings.store;
        Control::Continue
    });
    let report = report.expect("nothing fails here");
    let commit = store / report.iterations as f64;
    (report, start.elapsed().as_secs_f64(), commit)
}

fn free(point: &Point<'_>) -> f64 {
    point.theta[0]
}

fn busy(point: &Point<'_>) -> f64 {
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(1) {
        std::hint::spin_loop();
    }
    point.theta[0]
}

/// What others reach with SQLite: measured now, or what was measured earlier.
fn peers(ours: f64) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let measured = match std::env::var_os("PEERS_PYTHON") {
        Some(python) => {
            let script = format!("{root}/bench/peers/storage.py");
            let output = Command::new(python).arg(script).output().expect("PEERS_PYTHON runs");
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        None => std::fs::read_to_string(format!("{root}/target/peers/storage.jsonl"))
            .unwrap_or_default(),
    };
    for line in measured.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let lib = line["lib"].as_str().unwrap_or("?");
        match (line["evaluations_per_second"].as_f64(), &line["evaluations"]) {
            (Some(theirs), count) => println!(
                "    {lib}: {theirs:.1} evaluations/s, over {count}; ours {:.0}×",
                ours / theirs
            ),
            (None, _) => println!("    {lib}: {}", line["skipped"]),
        }
    }
}

fn main() {
    let mut rates = Vec::new();
    for dimension in [100, 1000] {
        let (report, seconds, commit) = run(spec(dimension, 2000), 1, free);
        rates.push(report.evaluations as f64 / seconds);
        println!(
            "free objective, d = {dimension}, every evaluation recorded, 1 worker: {:.0} evaluations/s, {:.2} ms per commit of {} evaluations",
            report.evaluations as f64 / seconds,
            1e3 * commit,
            report.evaluations / report.iterations,
        );
    }
    let rate = |workers| {
        let (report, seconds, _) = run(spec(100, 30), workers, busy);
        report.evaluations as f64 / seconds
    };
    let (one, two) = (rate(1), rate(2));
    println!(
        "busy objective of 1 ms: {one:.0}/s with 1 worker, {two:.0}/s with 2: {:.2}×",
        two / one
    );
    println!("ask, tell and keep by others, free objective, d = 100");
    peers(rates[0]);
}
