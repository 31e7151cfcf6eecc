//! `auto` beside the paper's algorithms and a peer of which only the records are there.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use esenas_bbob::Function;
use esenas_bench::bbob::Preset;
use esenas_bench::peers::{self, Plan};

fn plan() -> Plan {
    Plan {
        functions: vec![Function::Sphere, Function::BentCigar],
        sizes: vec![(0, 8), (3, 60)],
        seeds: 2,
        budgets: vec![150, 400],
        ..Plan::new(Preset::Smoke)
    }
}

fn report(folder: &Path, threads: usize) -> String {
    let stop = AtomicBool::new(false);
    let threads = NonZeroUsize::new(threads);
    let results = peers::run(&plan(), folder, threads, &stop, |_| {}).unwrap().unwrap();
    peers::report(&results, folder).unwrap().0
}

/// The tables without their last column: how long it took.
fn untimed(report: &str) -> String {
    let row = |line: &str| match line.starts_with('|') {
        true => line.trim_end_matches(" |").rsplit_once('|').map(|(row, _)| row.to_owned()),
        false => Some(line.to_owned()),
    };
    report.lines().filter_map(row).collect::<Vec<_>>().join("\n")
}

/// Red when a cell depends on anything but its key, or `auto` does not learn.
#[test]
fn stopped_and_resumed_is_never_stopped() {
    let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let expected = report(whole.path(), 1);
    let stop = AtomicBool::new(false);
    let show =
        |progress: esenas_bench::pool::Progress| stop.store(progress.done >= 9, Ordering::Relaxed);
    let stopped = peers::run(&plan(), parts.path(), NonZeroUsize::new(2), &stop, show).unwrap();
    assert!(stopped.is_none());
    assert_eq!(untimed(&report(parts.path(), 3)), untimed(&expected));
    for words in ["0 × 8, 150 evaluations (4 runs)", "3 × 60, 400", "esenas CMA-ENAS", "p = "] {
        assert!(expected.contains(words), "{words}\n{expected}");
    }
    // Small problems of few evaluations, where the paper has made one update: auto is first in all.
    let first = expected.split("\n## ").skip(1).filter_map(|table| table.lines().nth(4));
    assert!(first.clone().all(|row| row.starts_with("| esenas auto")), "{expected}");
    assert_eq!(first.count(), 4);
}

/// A peer is ranked over the runs that all ranked have made, has no rank where it made less than
/// half of them, and is left out where it lacks a function.
#[test]
fn peers_are_read_from_their_records() {
    let place = tempfile::tempdir().unwrap();
    let line = |name: &str, function: &str, cost: f64| {
        format!(
            "{{\"key\": [\"{name}\", \"{function}\", 0, 8, 1], \"budget\": 400, \"costs\": {{\"400\": {cost}}}, \
             \"evaluations\": 400, \"seconds\": 0.04, \"failed\": null}}\n"
        )
    };
    let records = [
        line("oracle", "Sphere", 0.0),
        line("oracle", "BentCigar", 0.0),
        line("partial", "Sphere", 0.0),
    ];
    std::fs::write(place.path().join("peers.jsonl"), records.concat()).unwrap();
    let text = report(place.path(), 2);
    let table = text.split("\n## ").find(|table| table.starts_with("0 × 8, 400")).unwrap();
    assert!(table.starts_with("0 × 8, 400 evaluations (2 runs)"), "{table}");
    let oracle = table.lines().find(|row| row.starts_with("| oracle")).unwrap();
    assert!(
        oracle.contains("1.00") && oracle.trim_end_matches(" |").ends_with("100.0"),
        "{oracle}"
    );
    assert!(!table.contains("partial") && !text.contains("× 60, 400 evaluations (2 runs)"));
    let mut larger = plan();
    larger.seeds = 5;
    let results = peers::run(&larger, place.path(), None, &AtomicBool::new(false), |_| {});
    let (text, _) = peers::report(&results.unwrap().unwrap(), place.path()).unwrap();
    let table = text.split("\n## ").find(|table| table.starts_with("0 × 8, 400")).unwrap();
    assert!(table.starts_with("0 × 8, 400 evaluations (10 runs)"), "{table}");
    let oracle = table.lines().last().unwrap();
    assert!(oracle.starts_with("| oracle ") && oracle.contains("|           | "), "{oracle}");
    assert!(oracle.contains(" 0–2, p = 0.500"), "{oracle}");
    let csv = std::fs::read_to_string(place.path().join("functions.csv")).unwrap();
    assert!(csv.contains("0,8,400,Sphere,partial,1,"), "{csv}");
}
