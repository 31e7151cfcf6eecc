//! The dispatcher against thousands of random fault schedules.
//!
//! A seeded world of workers that crash, hang, answer late, twice, for leases they never had and
//! for iterations long over, that join and leave, under a clock that jumps. Whatever happens:
//! every iteration ends, every index has one outcome, in order, what was answered stays answered,
//! and nothing is tried more often than allowed.

mod world;

use std::num::NonZeroU32;
use std::time::Duration;

use esenas_run::dispatcher::{Dispatcher, Limits, WorkerId, Workers};
use esenas_run::{FailureKind, Outcome};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use world::{Nature, expected, run};

fn random_nature(rng: &mut ChaCha8Rng) -> Nature {
    let mut below = |n: u64| rng.next_u64() % n;
    Nature {
        jobs: below(40) as usize,
        workers: 1 + below(8) as usize,
        chunk: 1 + below(6) as usize,
        leases: 1 + below(2) as usize,
        attempts: 1 + below(4) as u32,
        timeout: Some(Duration::from_secs(10)),
        speculation: below(4) != 0,
        faults: [0, 5, 30, 90][below(4) as usize],
        replaces: below(3) != 0,
        poison: (below(4) == 0).then(|| 2 + below(6) as usize),
    }
}

#[test]
fn every_schedule_ends_with_one_outcome_per_index() {
    for seed in 0..5000 {
        let nature = random_nature(&mut ChaCha8Rng::seed_from_u64(seed));
        run(seed, nature, 3);
    }
}

#[test]
fn with_attempts_enough_no_fault_can_be_seen_in_the_outcomes() {
    for seed in 0..2000 {
        let mut nature = random_nature(&mut ChaCha8Rng::seed_from_u64(seed));
        nature = Nature { attempts: 10_000, replaces: true, poison: None, ..nature };
        for (iteration, outcomes) in run(seed, nature, 3).iter().enumerate() {
            let honest: Vec<Outcome> = (0..nature.jobs).map(|i| expected(iteration, i)).collect();
            assert_eq!(outcomes, &honest, "seed {seed}");
        }
    }
}

#[test]
fn poison_fails_by_itself_for_any_chunk_and_any_number_of_workers() {
    let base = Nature {
        jobs: 30,
        workers: 1,
        chunk: 1,
        leases: 1,
        attempts: 2,
        timeout: Some(Duration::from_secs(10)),
        speculation: true,
        faults: 0,
        replaces: true,
        poison: Some(4),
    };
    let reference = run(0, base, 3);
    let failed: Vec<usize> = (0..30)
        .filter(|&i| reference[0][i].as_ref().is_err_and(|f| f.kind == FailureKind::WorkerLost))
        .collect();
    assert_eq!(failed, [0, 4, 8, 12, 16, 20, 24, 28]);
    for seed in 0..500 {
        let (workers, chunk) = (1 + seed as usize % 9, 1 + seed as usize / 9 % 7);
        let nature = Nature { workers, chunk, leases: 1 + seed as usize % 3, ..base };
        assert_eq!(run(seed, nature, 3), reference, "seed {seed}");
    }
}

/// Without a time-out only speculation gets past a worker that says nothing any more.
#[test]
fn one_living_worker_suffices_however_silent_the_others() {
    for seed in 0..500 {
        let mut workers = Workers::default();
        let members: Vec<WorkerId> = (0..1 + seed % 7).map(|_| workers.join()).collect();
        let healthy = members[seed as usize % members.len()];
        let attempts = NonZeroU32::new(members.len() as u32).unwrap();
        let limits = Limits { attempts, ..Limits::default() };
        let mut now = Duration::ZERO;
        for _ in 0..3 {
            let mut work = Dispatcher::new(10, limits, workers);
            let mut steps = 0;
            while !work.is_complete() {
                steps += 1;
                assert!(steps < 1000, "seed {seed} does not end");
                for &worker in &members {
                    while let Some(lease) = work.lease(worker, 1 + seed as usize % 3, now) {
                        if worker != healthy {
                            break;
                        }
                        now += Duration::from_millis(100);
                        for &index in &lease.indices {
                            work.done(worker, lease.id, index, expected(0, index), now);
                        }
                    }
                }
                now = work.wake().unwrap_or(now).max(now);
                work.tick(now);
            }
            let (outcomes, after) = work.finish();
            assert_eq!(outcomes, (0..10).map(|i| expected(0, i)).collect::<Vec<_>>());
            workers = after;
        }
        let silent = members.iter().filter(|w| **w != healthy).count();
        assert!(workers.suspected().len() <= silent && !workers.suspected().contains(&healthy));
    }
}
