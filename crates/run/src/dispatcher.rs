//! Who evaluates what, and what to do when they do not: the one place that knows.
//!
//! A dispatcher sees one iteration through. It does no I/O and has no clock: an executor tells it
//! what happened and when (`now`, since any fixed moment), and moves the work it hands out.
//!
//! ```text
//!            lease ──────────────→ done ─→ an outcome, final
//!   pending ───────→ leased ─────→ lost ─→ pending again, or given up after `attempts`
//!            ←tick:   straggling ─→ copied to an idle worker; the first answer wins
//! ```
//!
//! - The objective's own answer, be it a value or an error, is final. A lost worker or a time-out
//!   is tried again, on whoever is free, and given up after [`Limits::attempts`].
//! - A lease may hold several indices, and a worker several leases. When a worker is lost with
//!   more than one nobody knows which did it, so it is not held against any of them (once) and
//!   from then on each is tried alone: one poisoned evaluation fails by itself, whatever the size
//!   of the chunk it came in.
//! - An answer counts whenever it comes, from a lease long given up even, as long as its index
//!   has no outcome; an outcome, once there, never changes.
//! - A worker that is late or loses work is suspected: it gets no more until it answers anything.
//!   Should no one be trusted, suspects get work one lease at a time, since waiting would be worse.
//!
//! If equal questions get equal answers, the outcomes do not depend on the number of workers, the
//! size of the chunks, or the order of events.
//!
//! An executor is a loop around it:
//!
//! ```
//! use std::time::Duration;
//! use esenas_run::dispatcher::{Action, Dispatcher, Limits, Workers};
//! use esenas_run::{Evaluation, Failure, FailureKind};
//!
//! let mut workers = Workers::default(); // kept from one iteration to the next
//! let node = workers.join();
//! let now = Duration::ZERO; // since any fixed moment
//!
//! let mut work = Dispatcher::new(10, Limits::default(), workers);
//! while !work.is_complete() {
//!     // Everyone who is idle gets up to four evaluations. Here, who gets them does them at once;
//!     // elsewhere they are sent, and the answers come as events.
//!     while let Some(lease) = work.lease(node, 4, now) {
//!         for index in lease.indices {
//!             work.done(node, lease.id, index, Ok(Evaluation::new(index as f64)), now);
//!         }
//!     }
//!     // Then the clock is looked at, at the latest when `work.wake()` says so.
//!     for action in work.tick(now) {
//!         if let Action::Expired { lease, .. } = action {
//!             work.lost(lease, Failure::new(FailureKind::TimedOut, "no answer in time"));
//!         }
//!     }
//!     if work.workers().is_empty() {
//!         work.abandon(&Failure::new(FailureKind::WorkerLost, "every node is gone"));
//!     }
//! }
//! let (outcomes, workers) = work.finish();
//! assert_eq!(outcomes[7], Ok(Evaluation::new(7.0)));
//! # assert_eq!(workers.len(), 1);
//! ```

mod assign;
mod lease;
mod limits;
mod settle;
mod workers;

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

pub use lease::Lease;
pub use limits::{Limits, Speculation};
pub use workers::{LeaseId, WorkerId, Workers};

use crate::outcome::admit;
use crate::{Failure, FailureKind, Outcome};
use lease::{Grant, Job, Phase};

/// What [`Dispatcher::done`] made of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// It is the outcome; or, if failures are retried, it will be.
    Accepted,
    /// There was an outcome already, or this lease had answered already.
    Duplicate,
    /// It belongs to an earlier iteration.
    Stale,
    /// That worker was never given that lease with that index.
    Unknown,
}

/// What [`Dispatcher::tick`] wants the executor to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The lease ran out of time. Answer with [`lost`](Dispatcher::lost) or, having stopped the
    /// worker, with [`worker_lost`](Dispatcher::worker_lost); until then it is said again.
    Expired {
        /// Who has it.
        worker: WorkerId,
        /// Which it is; maybe one of an earlier iteration.
        lease: LeaseId,
    },
    /// The lease straggles and its work may be copied. The worker gets nothing more until it
    /// answers: ask it for a sign of life, if that can be done. Said once.
    Suspected {
        /// Who has it.
        worker: WorkerId,
        /// Which it is.
        lease: LeaseId,
    },
}

/// One iteration's evaluations, from the first lease to the last outcome.
#[derive(Clone, Debug)]
pub struct Dispatcher {
    limits: Limits,
    workers: Workers,
    jobs: Vec<Job>,
    /// How many jobs have no outcome.
    open: usize,
    /// The first index that was never leased.
    fresh: usize,
    /// Indices to try again. An entry may have been answered late in the meantime.
    retry: VecDeque<usize>,
    /// The number of the first lease of this iteration; `grants[i]` is lease `first + i`.
    first: u64,
    grants: Vec<Grant>,
    /// The grants that are not closed, oldest first.
    live: BTreeSet<usize>,
}

impl Dispatcher {
    /// Sets out to evaluate `0..jobs` with these workers.
    pub fn new(jobs: usize, limits: Limits, workers: Workers) -> Self {
        Self {
            limits,
            first: workers.leased,
            workers,
            jobs: vec![Job::default(); jobs],
            open: jobs,
            fresh: 0,
            retry: VecDeque::new(),
            grants: Vec::new(),
            live: BTreeSet::new(),
        }
    }

    /// Admits a new worker.
    pub fn join(&mut self) -> WorkerId {
        self.workers.join()
    }

    /// The worker gave a sign of life other than an answer.
    pub fn answered(&mut self, worker: WorkerId) {
        self.workers.answered(worker);
    }

    /// What is known of the workers.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    /// Whether every index has its outcome.
    pub fn is_complete(&self) -> bool {
        self.open == 0
    }

    /// How many indices have no outcome yet.
    pub fn open(&self) -> usize {
        self.open
    }

    /// Hands the worker up to `most` indices; `None` if it should stay idle for now.
    pub fn lease(&mut self, worker: WorkerId, most: usize, now: Duration) -> Option<Lease> {
        let held = self.held_by(worker);
        if !self.may_work(worker, &held) {
            return None;
        }
        let indices = self.take(&held, most.max(1))?;
        for &index in &indices {
            self.jobs[index].charged += 1;
            self.jobs[index].live += 1;
        }
        let id = LeaseId(self.workers.leased);
        self.workers.leased += 1;
        let allowance = self.limits.timeout.map(|t| t.saturating_mul(indices.len() as u32));
        self.live.insert(self.grants.len());
        self.grants.push(Grant {
            worker,
            granted: now,
            deadline: allowance.map(|a| now.saturating_add(a)),
            unanswered: indices.iter().copied().collect(),
            indices: indices.clone(),
            phase: Phase::Live,
        });
        Some(Lease { id, worker, indices })
    }

    /// The worker answered for one index of its lease.
    pub fn done(
        &mut self,
        worker: WorkerId,
        lease: LeaseId,
        index: usize,
        outcome: Outcome,
        now: Duration,
    ) -> Receipt {
        if lease.0 < self.first {
            return self.done_late(worker, lease, index);
        }
        let at = (lease.0 - self.first) as usize;
        let Some(grant) = self.grants.get_mut(at) else { return Receipt::Unknown };
        if grant.worker != worker || !grant.indices.contains(&index) {
            return Receipt::Unknown;
        }
        self.workers.answered(worker);
        if !grant.unanswered.remove(&index) {
            return Receipt::Duplicate;
        }
        let expected = grant.phase != Phase::Closed;
        let answered = grant.unanswered.is_empty();
        if expected {
            self.release(at, index);
            if answered {
                self.retire(at, now);
            }
        }
        if !self.jobs[index].is_open() {
            return Receipt::Duplicate;
        }
        match admit(outcome) {
            Err(failure) if failure.kind == FailureKind::Failed && self.limits.retry_failed => {
                // A lease that was closed has had its retry already.
                if expected {
                    self.jobs[index].last = Some(failure);
                    self.settle(index);
                }
            }
            outcome => self.record(index, outcome),
        }
        Receipt::Accepted
    }

    /// Nothing more will come of the lease. Its worker is suspected.
    pub fn lost(&mut self, lease: LeaseId, failure: Failure) {
        if let Some(grant) = self.workers.carried.remove(&lease) {
            self.workers.suspect(grant.worker);
        }
        let Some(at) = lease.0.checked_sub(self.first) else { return };
        if self.live.contains(&(at as usize)) {
            self.workers.suspect(self.grants[at as usize].worker);
            self.close(&[at as usize], &failure);
        }
    }

    /// The worker is gone, and every lease it had with it.
    pub fn worker_lost(&mut self, worker: WorkerId, failure: Failure) {
        self.workers.leave(worker);
        self.close(&self.held_by(worker), &failure);
    }

    /// Looks at the clock.
    pub fn tick(&mut self, now: Duration) -> Vec<Action> {
        let overdue = |grant: &Grant| grant.deadline.is_some_and(|deadline| deadline <= now);
        let expired = |(&lease, grant): (&LeaseId, &Grant)| {
            overdue(grant).then_some(Action::Expired { worker: grant.worker, lease })
        };
        let mut actions: Vec<Action> = self.workers.carried.iter().filter_map(expired).collect();
        let patience = self.patience();
        for &at in &self.live {
            let grant = &mut self.grants[at];
            let (worker, lease) = (grant.worker, LeaseId(self.first + at as u64));
            if overdue(grant) {
                actions.push(Action::Expired { worker, lease });
            } else if grant.phase == Phase::Live && patience < now.saturating_sub(grant.granted) {
                grant.phase = Phase::Straggling;
                for &index in &grant.unanswered {
                    self.jobs[index].straggling += 1;
                }
                self.workers.suspect(worker);
                actions.push(Action::Suspected { worker, lease });
            }
        }
        actions
    }

    /// The next moment at which [`tick`](Self::tick) will have something to say, if nothing else
    /// happens before.
    pub fn wake(&self) -> Option<Duration> {
        let patience = self.patience();
        let straggles = |grant: &Grant| {
            let after = patience.saturating_add(Duration::from_nanos(1));
            (grant.phase == Phase::Live).then(|| grant.granted.saturating_add(after))
        };
        let carried = self.workers.carried.values().filter_map(|grant| grant.deadline);
        let live = self.live.iter().map(|&at| &self.grants[at]);
        live.flat_map(|grant| [grant.deadline, straggles(grant)]).flatten().chain(carried).min()
    }

    /// Fails everything that has no outcome: there is nobody left to do it.
    pub fn abandon(&mut self, failure: &Failure) {
        for index in 0..self.jobs.len() {
            if self.jobs[index].is_open() {
                self.record(index, Err(failure.clone()));
            }
        }
    }

    /// The outcomes, in the order of the indices, and the workers for the next iteration.
    ///
    /// Whatever has no outcome by now is failed.
    pub fn finish(mut self) -> (Vec<Outcome>, Workers) {
        let early = "the iteration was ended before anyone answered";
        self.abandon(&Failure::new(FailureKind::WorkerLost, early));
        for &at in &self.live {
            let lease = LeaseId(self.first + at as u64);
            self.workers.carried.insert(lease, self.grants[at].clone());
        }
        (self.jobs.into_iter().filter_map(|job| job.outcome).collect(), self.workers)
    }

    /// An answer to a lease of an earlier iteration: its value has no use, but it is a sign of
    /// life.
    fn done_late(&mut self, worker: WorkerId, lease: LeaseId, index: usize) -> Receipt {
        if let Some(grant) = self.workers.carried.get_mut(&lease) {
            if grant.worker != worker || !grant.indices.contains(&index) {
                return Receipt::Unknown;
            }
            grant.unanswered.remove(&index);
            if grant.unanswered.is_empty() {
                self.workers.carried.remove(&lease);
            }
        }
        self.workers.answered(worker);
        Receipt::Stale
    }
}

#[cfg(test)]
mod tests;
