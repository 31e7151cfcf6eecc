//! The front of a study with several goals, as it is drawn.

use esenas_report::{Along, Data, charts};
use esenas_store::{
    EvaluationRecord, Header, Iteration, IterationRecord, Named, Options, Outcome, Reader, Role,
    Timings, Writer,
};

/// Speed is maximized, mass minimized, and heat at most 1.
const STUDY: &str = "objectives = [\"speed\", \"-mass\"]\n[constraints.heat]\nat_most = 1\n";

fn evaluation(index: u64, (speed, mass, heat): (f64, f64, f64)) -> EvaluationRecord {
    let numbers = [("speed", speed), ("mass", mass), ("heat", heat)];
    let metrics: Named = numbers.map(|(name, x)| (name.to_owned(), x)).into();
    let outcome = Outcome::Done { value: speed, score: None, metrics: Some(metrics) };
    let numbers = Vec::new();
    EvaluationRecord { index, role: Role::Probe, dna: Vec::new(), numbers, outcome }
}

/// Red when a sign is lost, a design that exceeds a limit is drawn, or what is new is not read.
#[test]
fn a_front_is_of_feasible_designs_and_grows() {
    let dir = tempfile::tempdir().unwrap();
    let header = Header {
        spec: STUDY.to_owned(),
        fingerprint: "0".to_owned(),
        program: "test".to_owned(),
        created: 0,
    };
    let mut writer = Writer::create(dir.path(), &header, Options::default()).unwrap();
    let mut commit = |iteration: u64, measured: &[(f64, f64, f64)]| {
        let evaluations: Vec<_> =
            (0..).zip(measured).map(|(at, numbers)| evaluation(at, *numbers)).collect();
        let record = IterationRecord {
            iteration,
            evaluations: measured.len() as u64,
            total_evaluations: if iteration == 0 { 4 } else { 6 },
            statistics: [("hypervolume".to_owned(), iteration as f64)].into(),
            ..IterationRecord::default()
        };
        let iteration = Iteration {
            record: &record,
            timings: Timings::default(),
            evaluations: &evaluations,
            checkpoint: b"state",
            best: None,
            belief: None,
        };
        writer.commit(&iteration).unwrap();
    };
    let lines = |data: &Data| {
        let all = charts(std::slice::from_ref(data), Along::Evaluations);
        let chart = all.into_iter().find(|it| it.name == "front").unwrap();
        chart.svg().unwrap();
        chart.figure.rows[0][0].lines.clone()
    };
    commit(0, &[(1.0, 1.0, 0.0), (3.0, 5.0, 1.0), (2.0, 6.0, 0.0), (9.0, 0.1, 1.1)]);
    let reader = Reader::open(dir.path()).unwrap();
    let mut data = Data::read("a", &reader).unwrap();
    assert_eq!(lines(&data)[2].points, [(1.0, 1.0), (3.0, 5.0)]);
    commit(1, &[(2.0, 2.0, 0.5), (4.0, 5.0, 0.0)]);
    data.update(&reader).unwrap();
    let drawn = lines(&data);
    assert_eq!(drawn[2].points, [(1.0, 1.0), (2.0, 2.0), (4.0, 5.0)]);
    assert_eq!(drawn[0].points, [(1.0, 1.0)]);
    assert_eq!(drawn[2].label, "in the end");
}
