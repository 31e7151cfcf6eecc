//! `show`, `list` and `best` of a directory that is made here, record by record.

use std::path::Path;

use esenas::Dna;
use esenas_store::{
    Best, BestRecord, Centre, EvaluationRecord, Header, Iteration, IterationRecord, Options,
    Outcome, Role, Summary, Timings, Writer,
};
use serde_json::{Value, json};

use crate::harness::Place;

pub(crate) const ITERATIONS: u64 = 12;

/// Every third of four evaluations fails; the last iteration finds the best.
pub(crate) fn make(dir: &Path) {
    let header = Header {
        spec: "seed = 1\n\n[stop]\niterations = 20\n\n[problem]\nkind = \"other\"\n".to_owned(),
        fingerprint: "f".to_owned(),
        program: "test".to_owned(),
        created: 1_700_000_000,
    };
    let mut writer = Writer::create(dir, &header, Options::default()).unwrap();
    for iteration in 0..ITERATIONS {
        let evaluations: Vec<EvaluationRecord> = (0..4).map(|i| evaluation(iteration, i)).collect();
        let best = best(iteration);
        writer
            .commit(&Iteration {
                record: &record(iteration),
                timings: Timings { ask: 0.25, evaluate: 0.5, tell: 0.125, store: 0.125 },
                evaluations: &evaluations,
                checkpoint: b"state",
                best: Some(&best),
                belief: None,
            })
            .unwrap();
    }
}

fn record(iteration: u64) -> IterationRecord {
    let x = iteration as f64;
    IterationRecord {
        iteration,
        evaluations: 4,
        total_evaluations: 4 * (iteration + 1),
        failures: 1,
        total_failures: iteration + 1,
        values: Some(Summary { min: x - 1.0, mean: x, max: x + 0.1, std: 0.5 }),
        centre: iteration.is_multiple_of(2).then_some(Centre { mean: 0.1 + 0.2, std: 1e-300 }),
        best: Some(x + 0.1),
        statistics: statistics(iteration),
    }
}

/// One of them is known every other time.
fn statistics(iteration: u64) -> esenas_store::Named {
    let x = iteration as f64;
    let odd = (iteration % 2 == 1).then(|| ("odd".to_owned(), x));
    let always = [
        ("sigma".to_owned(), 1.0 / (1.0 + x)),
        ("gradient_norm".to_owned(), -0.0),
        ("entropy, \"nats\"".to_owned(), 2.5 - x),
    ];
    always.into_iter().chain(odd).collect()
}

fn evaluation(iteration: u64, index: u64) -> EvaluationRecord {
    let value = iteration as f64 + 0.1 * index as f64;
    let metrics = (index == 1).then(|| [("steps".to_owned(), 1e300)].into());
    let outcome = match index {
        2 => Outcome::Failed { reason: "not finite: the value is NaN,\n\"said\" it".to_owned() },
        _ => Outcome::Done { value, score: (index == 3).then_some(-value), metrics },
    };
    let dna = Dna::from([index as u32, 300]).to_bytes();
    let role = if index == 3 { Role::Centre } else { Role::Probe };
    EvaluationRecord { index, role, dna, numbers: vec![], outcome }
}

pub(crate) fn theta() -> Vec<f64> {
    vec![0.1, -0.0, 1e-310, f64::MAX, -7.25]
}

fn best(iteration: u64) -> Best {
    let model = json!({ "cell": { "kind": "conv", "size": 3 }, "edges": [1, 4] });
    Best {
        record: BestRecord {
            iteration,
            index: 1,
            value: iteration as f64 + 0.1,
            score: Some(0.5),
            violation: None,
            dna: Dna::from([1, 300]).to_bytes(),
            model: model.to_string(),
            dimension: 5,
        },
        theta: theta(),
    }
}

#[test]
fn a_study_is_shown() {
    let place = Place::new();
    make(&place.path("runs/a"));
    let said = place.ok("show runs/a");
    for words in [
        "runs/a  stopped\n  12 of 20 iterations, 48 evaluations\n",
        "problem.kind     \"other\"",
        "best             0.1 ▁▂▂▃▄▄▅▅▆▇▇█ 11.1\n",
        "best  0.5, value 11.1  (iteration 11, index 1; d = 5)\n  dna [1,300]\n",
        "├─ cell   kind \"conv\", size 3\n  └─ edges  [1, 4]\n",
        "failures  12 (25.0 % of the evaluations)\n",
        "0–11",
        "not finite: the value is NaN, \"said\" it",
    ] {
        assert!(said.contains(words), "no `{words}` in\n{said}");
    }
}

#[test]
fn studies_are_listed() {
    let place = Place::new();
    make(&place.path("runs/b"));
    make(&place.path("runs/a"));
    place.write("runs/c/notes.txt", "no study");
    let listed = "\
study   iterations  evaluations  failed  best  state
runs/a       12/20           48  25.0 %   0.5  stopped
runs/b       12/20           48  25.0 %   0.5  stopped
";
    assert_eq!(place.ok("list"), listed);
    assert_eq!(place.ok("list runs/a").lines().count(), 2);
    place.write("empty/notes.txt", "");
    assert_eq!(place.ok("list empty"), "empty holds no studies\n");
}

#[test]
fn the_best_is_json_of_the_study_alone() {
    let place = Place::new();
    make(&place.path("a"));
    make(&place.path("elsewhere/b"));
    let said = place.ok("best a --json");
    assert_eq!(said, place.ok("best elsewhere/b --json"));
    let best: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(best["dna"], json!([1, 300]));
    assert_eq!(best["model"]["cell"]["size"], 3);
    assert_eq!((best["iteration"].as_u64(), best["index"].as_u64()), (Some(11), Some(1)));
    let bits = |x: &Value| x.as_f64().unwrap().to_bits();
    let read: Vec<u64> = best["theta"].as_array().unwrap().iter().map(bits).collect();
    assert_eq!(read, theta().iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    assert!(place.ok("best a").contains("weights    5, norm"));
}

#[test]
fn a_study_without_a_best_says_so() {
    let place = Place::new();
    let header = Header {
        spec: "seed = 1\n".to_owned(),
        fingerprint: String::new(),
        program: "test".to_owned(),
        created: 0,
    };
    drop(Writer::create(&place.path("a"), &header, Options::default()).unwrap());
    place.run("best a").refused(2, &["a has no best model yet"]);
    assert!(place.ok("show a").contains("no best model yet"));
    assert!(place.ok("export a --format csv").starts_with("iteration,evaluations,"));
}
