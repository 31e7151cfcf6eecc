//! One rule, one test. The whole is model-checked in `tests/dispatcher_model/`.

use super::*;
use crate::Evaluation;

fn at(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn value(x: f64) -> Outcome {
    Ok(Evaluation::new(x))
}

fn crash() -> Failure {
    Failure::new(FailureKind::WorkerLost, "crashed")
}

/// A dispatcher over `jobs` jobs, and `N` workers that joined it.
fn setup<const N: usize>(jobs: usize, limits: Limits) -> (Dispatcher, [WorkerId; N]) {
    let mut workers = Workers::default();
    let ids = std::array::from_fn(|_| workers.join());
    (Dispatcher::new(jobs, limits, workers), ids)
}

#[test]
fn outcomes_come_in_the_order_of_the_indices() {
    let (mut work, [a, b]) = setup(3, Limits::default());
    let first = work.lease(a, 2, at(0)).unwrap();
    let second = work.lease(b, 2, at(0)).unwrap();
    assert_eq!((first.indices.as_slice(), second.indices.as_slice()), (&[0, 1][..], &[2][..]));
    assert_eq!(work.lease(b, 2, at(0)), None);
    for (lease, index) in [(&second, 2), (&first, 1), (&first, 0)] {
        let receipt = work.done(lease.worker, lease.id, index, value(index as f64), at(1));
        assert_eq!(receipt, Receipt::Accepted);
    }
    assert!(work.is_complete());
    assert_eq!(work.finish().0, [value(0.0), value(1.0), value(2.0)]);
}

#[test]
fn an_answer_counts_once_and_only_from_whom_it_was_asked() {
    let (mut work, [a, b]) = setup(2, Limits::default());
    let lease = work.lease(a, 1, at(0)).unwrap();
    let wrong = [(b, lease.id, 0), (a, LeaseId(99), 0), (a, lease.id, 1), (a, lease.id, 99)];
    for (worker, lease, index) in wrong {
        assert_eq!(work.done(worker, lease, index, value(9.0), at(1)), Receipt::Unknown);
    }
    assert_eq!(work.done(a, lease.id, 0, value(1.0), at(1)), Receipt::Accepted);
    assert_eq!(work.done(a, lease.id, 0, value(2.0), at(1)), Receipt::Duplicate);
    assert_eq!(work.finish().0[0], value(1.0));
}

#[test]
fn a_lost_evaluation_is_tried_again_and_given_up_after_its_attempts() {
    let (mut work, []) = setup(1, Limits::default());
    for attempt in 1..=3 {
        assert!(!work.is_complete(), "before attempt {attempt}");
        let worker = work.join();
        assert!(work.lease(worker, 1, at(0)).is_some());
        work.worker_lost(worker, crash());
    }
    let reason = "given up after 3 attempts: crashed";
    assert_eq!(work.finish().0, [Err(Failure::new(FailureKind::WorkerLost, reason))]);
}

#[test]
fn what_the_objective_says_is_final_unless_failures_are_retried() {
    let failed = || Err(Failure::new(FailureKind::Failed, "no"));
    for retry_failed in [false, true] {
        let (mut work, [a]) = setup(1, Limits { retry_failed, ..Limits::default() });
        let mut attempts = 0;
        while let Some(lease) = work.lease(a, 1, at(0)) {
            assert_eq!(work.done(a, lease.id, 0, failed(), at(1)), Receipt::Accepted);
            attempts += 1;
        }
        assert_eq!(attempts, if retry_failed { 3 } else { 1 });
        let failure = work.finish().0[0].clone().unwrap_err();
        assert_eq!(failure.kind, FailureKind::Failed);
        assert!(failure.reason.ends_with("no"));
    }
}

#[test]
fn values_that_are_not_finite_are_failures() {
    let (mut work, [a]) = setup(1, Limits { retry_failed: true, ..Limits::default() });
    let lease = work.lease(a, 1, at(0)).unwrap();
    work.done(a, lease.id, 0, value(f64::NAN), at(1));
    assert_eq!(work.finish().0[0].clone().unwrap_err().kind, FailureKind::NonFinite);
}

#[test]
fn one_poisoned_evaluation_does_not_take_its_chunk_along() {
    for attempts in 1..5 {
        for chunk in 1..5 {
            let attempts = std::num::NonZeroU32::new(attempts).unwrap();
            let (mut work, []) = setup(4, Limits { attempts, ..Limits::default() });
            while !work.is_complete() {
                let worker = work.join();
                while let Some(lease) = work.lease(worker, chunk, at(0)) {
                    let healthy = lease.indices.iter().take_while(|i| **i != 1);
                    for &index in healthy {
                        work.done(worker, lease.id, index, value(index as f64), at(1));
                    }
                    if lease.indices.contains(&1) {
                        work.worker_lost(worker, crash());
                    }
                }
            }
            let failed: Vec<bool> = work.finish().0.iter().map(Result::is_err).collect();
            assert_eq!(failed, [false, true, false, false], "{attempts} attempts of {chunk}");
        }
    }
}

#[test]
fn a_straggler_is_copied_and_the_first_answer_wins() {
    let (mut work, [a, b]) = setup(2, Limits::default());
    let slow = work.lease(a, 1, at(0)).unwrap();
    let quick = work.lease(b, 1, at(0)).unwrap();
    work.done(b, quick.id, 1, value(1.0), at(200));
    // The mean is 200 ms, so a lease straggles once it is older than a second.
    assert_eq!(work.tick(at(1000)), []);
    assert_eq!(work.lease(b, 1, at(1000)), None);
    let wake = work.wake().unwrap();
    assert!(at(1000) < wake && wake < at(1001));
    assert_eq!(work.tick(wake), [Action::Suspected { worker: a, lease: slow.id }]);
    assert_eq!(work.tick(wake), []);
    let copy = work.lease(b, 1, wake).unwrap();
    assert_eq!(copy.indices, [0]);
    assert_eq!(work.done(b, copy.id, 0, value(0.0), at(1300)), Receipt::Accepted);
    assert_eq!(work.done(a, slow.id, 0, value(9.0), at(1400)), Receipt::Duplicate);
    assert_eq!(work.finish().0, [value(0.0), value(1.0)]);
}

#[test]
fn a_copy_is_not_copied_before_it_straggles_too() {
    let (mut work, [a, b, c]) = setup(1, Limits::default());
    work.lease(a, 1, at(0)).unwrap();
    work.tick(at(31_000));
    assert!(work.lease(b, 1, at(31_000)).is_some());
    assert_eq!(work.lease(c, 1, at(31_000)), None);
    work.tick(at(62_000));
    assert!(work.lease(c, 1, at(62_000)).is_some());
}

#[test]
fn suspicion_outlives_the_iteration_and_ends_with_an_answer() {
    let (mut work, [a, b]) = setup(1, Limits::default());
    let slow = work.lease(a, 1, at(0)).unwrap();
    work.tick(at(31_000));
    let copy = work.lease(b, 1, at(31_000)).unwrap();
    work.done(b, copy.id, 0, value(0.0), at(32_000));
    let (_, workers) = work.finish();
    assert_eq!(workers.suspected(), BTreeSet::from([a]));

    let mut work = Dispatcher::new(2, Limits::default(), workers);
    assert_eq!(work.lease(a, 1, at(33_000)), None);
    // The answer to the old lease is no answer to the new index 0, but it is a sign of life.
    assert_eq!(work.done(a, slow.id, 0, value(9.0), at(34_000)), Receipt::Stale);
    assert!(work.lease(a, 1, at(34_000)).is_some());
    assert!(work.finish().0[0].is_err());
}

#[test]
fn a_lease_runs_out_of_time_even_when_its_iteration_is_over() {
    let limits = Limits { timeout: Some(at(40_000)), ..Limits::default() };
    let (mut work, [a, b]) = setup(1, limits);
    let hung = work.lease(a, 1, at(0)).unwrap();
    work.tick(at(31_000));
    let copy = work.lease(b, 1, at(31_000)).unwrap();
    work.done(b, copy.id, 0, value(0.0), at(32_000));
    let mut work = Dispatcher::new(1, limits, work.finish().1);
    assert_eq!(work.tick(at(39_000)), []);
    assert_eq!(work.wake(), Some(at(40_000)));
    let expired = [Action::Expired { worker: a, lease: hung.id }];
    assert_eq!(work.tick(at(40_000)), expired);
    assert_eq!(work.tick(at(40_000)), expired);
    work.lost(hung.id, crash());
    assert_eq!(work.tick(at(40_000)), []);
}

#[test]
fn a_late_answer_is_good_while_there_is_no_other() {
    let limits = Limits { timeout: Some(at(100)), ..Limits::default() };
    let (mut work, [a, b]) = setup(1, limits);
    let slow = work.lease(a, 1, at(0)).unwrap();
    assert_eq!(work.tick(at(100)), [Action::Expired { worker: a, lease: slow.id }]);
    work.lost(slow.id, Failure::new(FailureKind::TimedOut, "late"));
    assert_eq!(work.lease(a, 1, at(100)), None, "suspected");
    let again = work.lease(b, 1, at(100)).unwrap();
    assert_eq!(work.done(a, slow.id, 0, value(1.0), at(110)), Receipt::Accepted);
    assert_eq!(work.done(b, again.id, 0, value(2.0), at(120)), Receipt::Duplicate);
    assert_eq!(work.finish().0, [value(1.0)]);
}

#[test]
fn if_no_one_is_trusted_a_suspect_gets_one_lease() {
    let (mut work, [a]) = setup(2, Limits::default());
    let lease = work.lease(a, 1, at(0)).unwrap();
    work.lost(lease.id, crash());
    assert!(work.lease(a, 1, at(1)).is_some());
    assert_eq!(work.lease(a, 1, at(1)), None);
}

#[test]
fn with_nobody_left_everything_open_fails_with_the_reason() {
    let (mut work, [a]) = setup(2, Limits::default());
    let lease = work.lease(a, 1, at(0)).unwrap();
    work.done(a, lease.id, 0, value(0.0), at(1));
    work.worker_lost(a, crash());
    assert!(work.workers().is_empty() && work.open() == 1);
    let gone = Failure::new(FailureKind::WorkerLost, "all 1 workers are gone");
    work.abandon(&gone);
    assert_eq!(work.finish().0, [value(0.0), Err(gone)]);
}

#[test]
fn a_retry_that_was_answered_late_in_the_meantime_is_not_leased() {
    let (mut work, [a, b]) = setup(2, Limits::default());
    let slow = work.lease(a, 1, at(0)).unwrap();
    work.lost(slow.id, crash());
    assert_eq!(work.done(a, slow.id, 0, value(0.0), at(1)), Receipt::Accepted);
    assert_eq!(work.lease(b, 1, at(2)).unwrap().indices, [1]);
}

#[test]
fn a_retry_may_straggle_and_be_copied_like_any_other() {
    let (mut work, [a, b, c]) = setup(1, Limits::default());
    let slow = work.lease(a, 1, at(0)).unwrap();
    work.tick(at(31_000));
    work.lost(slow.id, crash());
    assert!(work.lease(b, 1, at(31_000)).is_some());
    work.tick(at(62_000));
    assert!(work.lease(c, 1, at(62_000)).is_some());
}
