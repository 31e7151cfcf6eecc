//! A pool of threads in this process.
//!
//! It has no use for the dispatcher. A thread cannot be lost without losing us, it cannot be
//! stopped from outside when it is late, and a copy of its work would only compete with it for
//! the same cores. What remains is handing out indices, and for that a counter will do.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};
use thiserror::Error;

use super::{Executor, ExecutorError, run};
use crate::Outcome;

/// Evaluates on a fixed number of threads, which live as long as this does: what an objective
/// keeps per thread (a simulator, buffers) is built once.
#[derive(Debug)]
pub struct Threads {
    pool: ThreadPool,
}

/// Why [`Threads::new`] refused.
#[derive(Debug, Error)]
#[error("cannot start {workers} worker threads: {source}; ask for fewer workers")]
pub struct ThreadsError {
    workers: usize,
    source: rayon::ThreadPoolBuildError,
}

impl Threads {
    /// Starts `workers` threads.
    pub fn new(workers: NonZeroUsize) -> Result<Self, ThreadsError> {
        let name = |i| format!("esenas-worker-{i}");
        let builder = ThreadPoolBuilder::new().num_threads(workers.get()).thread_name(name);
        let pool =
            builder.build().map_err(|source| ThreadsError { workers: workers.get(), source })?;
        Ok(Self { pool })
    }

    /// As many workers as there are cores to run them.
    pub fn available() -> NonZeroUsize {
        available_parallelism().unwrap_or(NonZeroUsize::MIN)
    }

    /// How many threads there are.
    pub fn workers(&self) -> usize {
        self.pool.current_num_threads()
    }
}

impl Executor for Threads {
    type Job = Outcome;

    fn evaluate(
        &mut self,
        jobs: usize,
        job: &(dyn Fn(usize) -> Outcome + Sync),
    ) -> Result<Vec<Outcome>, ExecutorError> {
        let next = AtomicUsize::new(0);
        // Two at a time, where there are plenty: a pair ±g is then evaluated by one thread, which
        // draws g once.
        let stride = if 16 * self.workers() <= jobs { 2 } else { 1 };
        let take = || {
            let first = next.fetch_add(stride, Ordering::Relaxed);
            (first < jobs).then(|| first..jobs.min(first + stride))
        };
        // One task per thread, each drawing from the counter, and not one task per index: a
        // thread that waits inside an objective's own parallel loop would otherwise start another
        // evaluation on top of it.
        let shares: Vec<Vec<(usize, Outcome)>> = self.pool.broadcast(|_| {
            std::iter::from_fn(take).flatten().map(|index| (index, run(job, index))).collect()
        });
        Ok(in_order(jobs, shares))
    }
}

/// Puts everyone's share where it belongs. Each share ascends, so this is a merge.
fn in_order(jobs: usize, shares: Vec<Vec<(usize, Outcome)>>) -> Vec<Outcome> {
    let mut shares: Vec<_> = shares.into_iter().map(|s| s.into_iter().peekable()).collect();
    let mut take = |index| shares.iter_mut().find_map(|s| s.next_if(|(i, _)| *i == index));
    (0..jobs).filter_map(&mut take).map(|(_, outcome)| outcome).collect()
}
