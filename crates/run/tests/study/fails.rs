//! Objectives that fail: recorded, counted, retried, and past a share the end.

use std::sync::atomic::{AtomicU32, Ordering};

use esenas_run::{Evaluation, Failure, FailureKind, InProcess, Objective, Outcome, Point, Study};
use esenas_store::{Reader, State};

use crate::{callable, digest, one, run};

#[test]
fn failures_are_recorded_with_their_reasons_and_counted() {
    let objective = |point: &Point<'_>| match point.seed() % 4 {
        0 => panic!("no such luck"),
        1 => f64::NAN,
        _ => point.theta.iter().sum(),
    };
    let directory = tempfile::tempdir().unwrap();
    let study = Study::with(callable(5), InProcess::new(objective, one())).unwrap();
    let study = study.create(directory.path(), Default::default()).unwrap();
    let report = run(study, 1000).unwrap();
    assert!(report.failures > report.evaluations / 3, "{report:?}");
    let reader = Reader::open(directory.path()).unwrap();
    let reasons = reader.failures(10).unwrap();
    assert_eq!(reasons.len(), 2);
    let counted: u64 = reasons.iter().map(|group| group.count).sum();
    assert_eq!(counted, report.failures);
    assert!(reasons.iter().any(|group| group.reason == "panicked: no such luck"));
    assert!(reasons.iter().any(|group| group.reason == "not finite: the value is NaN"));
}

#[test]
fn too_many_failures_stop_the_study_after_keeping_them() {
    let objective = |point: &Point<'_>| if point.seed() % 4 == 0 { 1.0 } else { f64::INFINITY };
    let directory = tempfile::tempdir().unwrap();
    let mut spec = callable(5);
    spec.failures.share = 0.5;
    let study = Study::with(spec, InProcess::new(objective, one())).unwrap();
    let error = run(study.create(directory.path(), Default::default()).unwrap(), 1000).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("iteration 0: ") && said.contains("failures.share = 0.5"), "{said}");
    assert!(said.contains("× not finite: the value is inf"), "{said}");
    let progress = Reader::open(directory.path()).unwrap().progress().unwrap();
    assert_eq!((progress.iterations, progress.state), (1, State::Stopped));
}

/// Fails for as long as it is told.
struct Flaky<'a>(&'a AtomicU32);

impl Objective for Flaky<'_> {
    fn evaluate(&self, point: &Point<'_>) -> Outcome {
        // Of each iteration of 136 evaluations.
        let before =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        match before {
            Ok(_) => Err(Failure::new(FailureKind::Failed, "the licence server is down")),
            Err(_) => Ok(Evaluation::new(point.theta[0])),
        }
    }
}

#[test]
fn an_iteration_of_which_nothing_came_back_is_tried_again_with_the_same_candidates() {
    let clean = AtomicU32::new(0);
    let flaky = AtomicU32::new(2 * 136);
    let dead = AtomicU32::new(3 * 136);
    let digest_of = |failures: &AtomicU32| {
        let directory = tempfile::tempdir().unwrap();
        let study = Study::with(callable(3), InProcess::new(Flaky(failures), one())).unwrap();
        let study = study.create(directory.path(), Default::default()).unwrap();
        let report = run(study, 1000);
        report.map(|_| digest(directory.path()))
    };
    let expected = digest_of(&clean).unwrap();
    assert_eq!(digest_of(&flaky).unwrap(), expected);
    let said = digest_of(&dead).unwrap_err().to_string();
    let start = "iteration 0: all 136 evaluations failed, 3 times in a row:\n  \
                 136 × failed: the licence server is down\n";
    assert!(said.starts_with(start), "{said}");
}
