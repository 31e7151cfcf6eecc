//! Evaluations as bytes: whatever carries them, the outcomes are those of this process.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use esenas_run::dispatcher::{Limits, WorkerId};
use esenas_run::remote::{Pool, WireError, Work, Worker, WorkerError};
use esenas_run::{Asked, Control, Evaluator, Failure, FailureKind, Outcome, Running, Spec, Study};
use proptest::prelude::*;

const PROBLEMS: [&str; 3] = [
    r#"problem = { kind = "synthetic", dimension = 30 }"#,
    r#"problem = { kind = "bbob", function = "Rastrigin", d_cat = 3, d_con = 5 }"#,
    r#"problem = { kind = "rl", env = "Pendulum", horizon = 10, policy = { kind = "toeplitz", hidden = [3] } }"#,
];

/// Every sort of θ: addresses, with a spread, with written rows, and points that are none.
const SEARCHES: [&str; 6] = [
    r#"weights = { kind = "es", directions = 5 }"#,
    r#"weights = { kind = "es", directions = 5, sampling = "orthogonal" }"#,
    r#"weights = { kind = "sep-cma-es" }"#,
    r#"weights = { kind = "cma-es" }"#,
    r#"weights = { kind = "lm-ma-es" }"#,
    "hybrid = { population = 7 }",
];

fn spec(problem: &str, search: &str) -> Spec {
    let text =
        format!("seed = 3\npreset = \"paper\"\nstop = {{ iterations = 3 }}\n{problem}\n{search}");
    Spec::parse("test", &text, Path::new(""), &[]).unwrap()
}

fn running(spec: &Spec) -> Running<'static> {
    Study::built_in(spec.clone(), NonZeroUsize::new(1)).unwrap().start()
}

fn work(spec: &Spec, asked: &Asked, state: &[u8], pool: Pool) -> Work {
    Work::new(&asked.batch(&asked.jobs()), &spec.fingerprint(), state, pool)
}

/// All of an iteration, in chunks of `size` by two workers that take turns.
fn elsewhere(spec: &Spec, asked: &Asked, state: &[u8], pool: Pool, size: usize) -> Vec<Outcome> {
    let mut work = work(spec, asked, state, pool);
    let text = spec.to_toml();
    let mut ends: Vec<(WorkerId, Worker)> =
        (1..3).map(|n| (work.join(), Worker::new(&text, NonZeroUsize::new(n)).unwrap())).collect();
    while !work.is_complete() {
        for (id, worker) in &mut ends {
            let Some((lease, chunk)) = work.lease(*id, size) else { continue };
            let answer = worker.evaluate(work.shared(), &chunk).unwrap();
            assert_eq!(work.done(*id, lease.id, &answer), Ok(lease.indices.len()));
            assert_eq!(work.done(*id, lease.id, &answer), Ok(0), "the second time is one too many");
        }
    }
    work.finish().0
}

/// Red when a candidate is not rebuilt from its address, or the objective's state stays at home.
#[test]
fn outcomes_elsewhere_are_those_of_this_process() {
    for (problem, search) in PROBLEMS.iter().flat_map(|p| SEARCHES.map(|s| (p, s))) {
        let spec = spec(problem, search);
        let (mut running, mut own) = (running(&spec), spec.evaluator(None).unwrap());
        for size in [1, 4, 1000] {
            let asked: Arc<Asked> = running.ask();
            let here = own.evaluate(&asked.batch(&asked.jobs())).unwrap();
            let there = elsewhere(&spec, &asked, &own.state(), Pool::new(Limits::default()), size);
            assert_eq!(here, there, "{problem}, {search}, {size}");
            let moments: Vec<_> =
                there.iter().flatten().filter_map(|it| it.moments.clone()).collect();
            own.absorb(&moments).unwrap();
            running.tell(there, &mut |_| Control::Continue).unwrap();
        }
    }
}

/// θ goes out once; a candidate is its model and an address, whatever d is.
#[test]
fn bytes_grow_with_d_and_not_with_d_times_candidates() {
    let problem = r#"problem = { kind = "synthetic", dimension = 10000 }"#;
    let spec = spec(problem, r#"weights = { kind = "es", directions = 100 }"#);
    let asked = running(&spec).ask();
    let mut work = work(&spec, &asked, &[], Pool::new(Limits::default()));
    assert!((80_000..81_000).contains(&work.shared().len()), "{}", work.shared().len());
    let worker = work.join();
    let (lease, chunk) = work.lease(worker, 1000).unwrap();
    assert_eq!(lease.indices.len(), 208);
    assert!(chunk.len() < 40 * 208, "{} bytes", chunk.len());
}

/// A worker that dies, one that lies, and one that is quick: the same outcomes.
#[test]
fn losses_and_lies_change_nothing() {
    let spec = spec(PROBLEMS[0], SEARCHES[0]);
    let asked = running(&spec).ask();
    let expected = elsewhere(&spec, &asked, &[], Pool::new(Limits::default()), 3);
    let mut work = work(&spec, &asked, &[], Pool::new(Limits::default()));
    let mut worker = Worker::new(&spec.to_toml(), NonZeroUsize::new(1)).unwrap();
    let (mortal, liar, honest) = (work.join(), work.join(), work.join());
    work.lease(mortal, 5).unwrap();
    work.worker_lost(mortal, Failure::new(FailureKind::WorkerLost, "gone"));
    let (lease, chunk) = work.lease(liar, 4).unwrap();
    let truth = worker.evaluate(work.shared(), &chunk).unwrap();
    assert!(work.done(liar, lease.id, &truth[..truth.len() - 1]).is_err());
    assert!(work.done(liar, lease.id, &[]).is_err());
    while let Some((lease, chunk)) = work.lease(honest, 2) {
        let answer = worker.evaluate(work.shared(), &chunk).unwrap();
        work.done(honest, lease.id, &answer).unwrap();
    }
    assert!(work.is_complete());
    assert_eq!(work.finish().0, expected);
}

/// An answer for other evaluations than those of the lease is none.
#[test]
fn answers_to_other_questions_are_refused() {
    let spec = spec(PROBLEMS[0], SEARCHES[0]);
    let asked = running(&spec).ask();
    let mut work = work(&spec, &asked, &[], Pool::new(Limits::default()));
    let mut worker = Worker::new(&spec.to_toml(), NonZeroUsize::new(1)).unwrap();
    let (one, other) = (work.join(), work.join());
    let ((first, chunk), (second, _)) =
        (work.lease(one, 2).unwrap(), work.lease(other, 2).unwrap());
    let answer = worker.evaluate(work.shared(), &chunk).unwrap();
    assert!(work.done(other, second.id, &answer).is_err());
    assert_eq!(work.done(other, first.id, &answer), Ok(0), "of a lease that was another's");
    assert_eq!(work.done(one, first.id, &answer), Ok(2));
}

#[test]
fn versions_and_studies_must_agree() {
    let (ours, theirs) = (spec(PROBLEMS[0], SEARCHES[0]), spec(PROBLEMS[0], SEARCHES[2]));
    let asked = running(&ours).ask();
    let mut work = work(&ours, &asked, &[], Pool::new(Limits::default()));
    let id = work.join();
    let (_, chunk) = work.lease(id, 3).unwrap();
    let mut stranger = Worker::new(&theirs.to_toml(), None).unwrap();
    let refused = stranger.evaluate(work.shared(), &chunk).unwrap_err();
    assert!(matches!(refused, WorkerError::Wire(WireError::Study { .. })), "{refused}");
    let mut newer = work.shared().to_vec();
    newer[3] += 1;
    let mut worker = Worker::new(&ours.to_toml(), None).unwrap();
    let refused = worker.evaluate(&newer, &chunk).unwrap_err().to_string();
    assert!(refused.contains("different versions: form 6 there, form 5 here"), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Nothing that comes from outside makes either end panic.
    #[test]
    fn any_bytes_are_refused(
        junk in proptest::collection::vec(any::<u8>(), 0..60),
        at: prop::sample::Index,
        flip in 0..8u32,
        whole: bool,
    ) {
        let spec = spec(PROBLEMS[0], SEARCHES[0]);
        let asked = running(&spec).ask();
        let mut work = work(&spec, &asked, &[], Pool::new(Limits::default()));
        let mut worker = Worker::new(&spec.to_toml(), NonZeroUsize::new(1)).unwrap();
        let id = work.join();
        let (lease, chunk) = work.lease(id, 3).unwrap();
        let broken = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            let at = at.index(bytes.len());
            if whole { bytes.truncate(at); bytes.extend(&junk) } else { bytes[at] ^= 1 << flip }
            bytes
        };
        let shared = work.shared().to_vec();
        prop_assert!(worker.evaluate(&broken(&shared), &chunk).is_err());
        prop_assert!(worker.evaluate(&shared, &broken(&chunk)).is_err());
        let answer = worker.evaluate(&shared, &chunk).unwrap();
        prop_assert!(work.done(id, lease.id, &broken(&answer)).is_err());
    }
}
