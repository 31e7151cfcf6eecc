//! The in-process executors: the same outcomes on one thread and on eight, panics included.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use esenas_run::{Evaluation, Executor, Failure, FailureKind, Inline, Outcome, Threads};

fn threads(workers: usize) -> Threads {
    Threads::new(NonZeroUsize::new(workers).unwrap()).unwrap()
}

/// An objective of every temper: it fails, diverges, panics, and takes its time now and then.
fn moody(index: usize) -> Outcome {
    match index % 10 {
        3 => Err(Failure::new(FailureKind::Failed, format!("no {index}"))),
        5 => Ok(Evaluation::new(f64::NAN)),
        7 => panic!("bad luck at {index}"),
        8 => std::panic::panic_any(index),
        9 => {
            std::thread::sleep(Duration::from_millis(1));
            Ok(Evaluation { score: Some(1.0), ..Evaluation::new(index as f64) })
        }
        _ => Ok(Evaluation::new((index as f64).sin())),
    }
}

#[test]
fn one_worker_or_eight_give_the_same_outcomes_in_order() {
    let inline = Inline.evaluate(200, &moody).unwrap();
    assert_eq!(inline.len(), 200);
    assert_eq!(inline[3].clone().unwrap_err().reason, "no 3");
    assert_eq!(inline[15].clone().unwrap_err().kind, FailureKind::NonFinite);
    let panicked = |index: usize| inline[index].clone().unwrap_err();
    assert_eq!(panicked(7), Failure::new(FailureKind::Panicked, "bad luck at 7"));
    assert_eq!(panicked(8).kind, FailureKind::Panicked);
    for workers in [1, 2, 8] {
        let mut pool = threads(workers);
        assert_eq!(pool.workers(), workers);
        for _ in 0..5 {
            assert_eq!(pool.evaluate(200, &moody).unwrap(), inline, "{workers} workers");
        }
    }
}

#[test]
fn every_index_is_evaluated_once_for_any_number_of_jobs() {
    let mut pool = threads(8);
    for jobs in [0, 1, 7, 8, 9, 1000] {
        let calls: Vec<AtomicUsize> = (0..jobs).map(|_| AtomicUsize::new(0)).collect();
        let count = |index: usize| {
            calls[index].fetch_add(1, Ordering::Relaxed);
            Ok(Evaluation::new(index as f64))
        };
        let outcomes = pool.evaluate(jobs, &count).unwrap();
        let expected: Vec<Outcome> = (0..jobs).map(|i| Ok(Evaluation::new(i as f64))).collect();
        assert_eq!(outcomes, expected);
        assert!(calls.iter().all(|calls| calls.load(Ordering::Relaxed) == 1));
    }
}

#[test]
fn work_is_shared_out_as_it_is_done_and_not_beforehand() {
    // One evaluation takes as long as 30 others: who has it gets few besides.
    let ran_by = Mutex::new(Vec::new());
    let job = |index: usize| {
        ran_by.lock().unwrap().push((index, std::thread::current().id()));
        let start = std::time::Instant::now();
        while index == 0 && ran_by.lock().unwrap().len() < 31 && start.elapsed().as_secs() < 20 {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(Evaluation::new(0.0))
    };
    threads(2).evaluate(41, &job).unwrap();
    let ran_by = ran_by.into_inner().unwrap();
    let unlucky = ran_by.iter().find(|(index, _)| *index == 0).unwrap().1;
    let share = ran_by.iter().filter(|(_, thread)| *thread == unlucky).count();
    assert!(share <= 12, "it evaluated {share} of 41");
}
