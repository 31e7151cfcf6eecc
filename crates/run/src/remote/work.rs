//! The driver's end: one iteration that is being evaluated elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use esenas::{Base, Candidate};

use super::WireError;
use super::wire::{self, Address, Kind, Shared};
use crate::dispatcher::{Action, Dispatcher, Lease, LeaseId, Limits, Receipt, WorkerId, Workers};
use crate::evaluator::Batch;
use crate::{Failure, FailureKind, Outcome};

/// Who there is to work, kept from one iteration to the next: suspicion outlives both iterations
/// and studies.
#[derive(Clone, Debug)]
pub struct Pool {
    limits: Limits,
    workers: Workers,
    epoch: Instant,
}

impl Pool {
    /// Nobody yet.
    pub fn new(limits: Limits) -> Self {
        Self { limits, workers: Workers::default(), epoch: Instant::now() }
    }

    /// Admits a new worker, between iterations.
    pub fn join(&mut self) -> WorkerId {
        self.workers.join()
    }
}

/// An iteration, from the first lease to the last outcome. It owns all it needs, so that it can be
/// handed to whoever moves the bytes, in whatever language that is.
#[derive(Clone, Debug)]
pub struct Work {
    jobs: Vec<(u32, Candidate)>,
    base: Option<Arc<Base>>,
    shared: Vec<u8>,
    leases: BTreeMap<LeaseId, Lease>,
    limits: Limits,
    dispatcher: Dispatcher,
    epoch: Instant,
}

impl Work {
    /// The evaluations of `batch` in the study with this fingerprint, whose objective is in this
    /// state.
    pub fn new(batch: &Batch<'_>, study: &str, objective: &[u8], pool: Pool) -> Self {
        let jobs: Vec<_> = batch.jobs.iter().map(|(index, it)| (*index, (*it).clone())).collect();
        let base = common(&jobs);
        let shared = Shared {
            program: wire::PROGRAM.to_owned(),
            study: study.to_owned(),
            iteration: batch.iteration,
            base: base.clone(),
            objective: objective.to_vec(),
        };
        let Pool { limits, workers, epoch } = pool;
        Self {
            shared: wire::seal(Kind::Shared, &shared),
            dispatcher: Dispatcher::new(jobs.len(), limits, workers),
            leases: BTreeMap::new(),
            jobs,
            base,
            limits,
            epoch,
        }
    }

    /// How many evaluations there are.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// What the evaluations have in common: θ and the objective's state. It goes out once.
    pub fn shared(&self) -> &[u8] {
        &self.shared
    }

    /// Whether every evaluation has its outcome.
    pub fn is_complete(&self) -> bool {
        self.dispatcher.is_complete()
    }

    /// How many have none yet.
    pub fn open(&self) -> usize {
        self.dispatcher.open()
    }

    /// Who there is.
    pub fn workers(&self) -> &Workers {
        self.dispatcher.workers()
    }

    /// Admits a new worker.
    pub fn join(&mut self) -> WorkerId {
        self.dispatcher.join()
    }

    /// Hands the worker up to `most` evaluations, with the bytes to send; `None` if it should stay
    /// idle for now.
    pub fn lease(&mut self, worker: WorkerId, most: usize) -> Option<(Lease, Vec<u8>)> {
        let lease = self.dispatcher.lease(worker, most, self.epoch.elapsed())?;
        let address = |&job: &usize| {
            let (index, candidate) = &self.jobs[job];
            Address::new(job, *index, candidate, self.base.as_deref())
        };
        let chunk: Vec<Address> = lease.indices.iter().map(address).collect();
        self.leases.insert(lease.id, lease.clone());
        Some((lease, wire::seal(Kind::Chunk, &chunk)))
    }

    /// The worker answered. Says how many outcomes that settled: none where another was quicker, or
    /// the lease is of an earlier iteration.
    ///
    /// An answer that is none is refused, and the lease is lost with it.
    pub fn done(
        &mut self,
        worker: WorkerId,
        lease: LeaseId,
        answer: &[u8],
    ) -> Result<usize, WireError> {
        let current = self.leases.get(&lease).filter(|it| it.worker == worker);
        let answer = match current {
            Some(Lease { indices, .. }) => wire::read_answer(answer, indices),
            // Of an earlier iteration: of no use but as a sign of life.
            None => wire::unseal(Kind::Answer, answer),
        };
        let answer = answer.inspect_err(|error| {
            let failure = Failure::new(FailureKind::Malformed, error.to_string());
            self.dispatcher.lost(lease, failure);
        })?;
        let now = self.epoch.elapsed();
        let mut accepted = 0;
        for (job, outcome) in answer {
            let receipt = self.dispatcher.done(worker, lease, job as usize, outcome, now);
            accepted += usize::from(receipt == Receipt::Accepted);
        }
        Ok(accepted)
    }

    /// Nothing more will come of the lease.
    pub fn lost(&mut self, lease: LeaseId, failure: Failure) {
        self.dispatcher.lost(lease, failure);
    }

    /// The worker is gone.
    pub fn worker_lost(&mut self, worker: WorkerId, failure: Failure) {
        self.dispatcher.worker_lost(worker, failure);
    }

    /// The worker gave a sign of life other than an answer.
    pub fn answered(&mut self, worker: WorkerId) {
        self.dispatcher.answered(worker);
    }

    /// Looks at the clock.
    pub fn tick(&mut self) -> Vec<Action> {
        self.dispatcher.tick(self.epoch.elapsed())
    }

    /// How long until [`tick`](Self::tick) has something to say, if nothing else happens before.
    pub fn wake(&self) -> Option<Duration> {
        let now = self.epoch.elapsed();
        self.dispatcher.wake().map(|wake| wake.saturating_sub(now))
    }

    /// The outcomes, in the order of the candidates, and who there is. Whatever has no outcome by
    /// now is failed.
    pub fn finish(self) -> (Vec<Outcome>, Pool) {
        let (outcomes, workers) = self.dispatcher.finish();
        (outcomes, Pool { limits: self.limits, workers, epoch: self.epoch })
    }
}

/// The base that most candidates share, if any two do.
fn common(jobs: &[(u32, Candidate)]) -> Option<Arc<Base>> {
    let mut counts: BTreeMap<*const Base, (usize, &Arc<Base>)> = BTreeMap::new();
    for (_, Candidate { theta, .. }) in jobs {
        counts.entry(Arc::as_ptr(theta.base())).or_insert((0, theta.base())).0 += 1;
    }
    let (count, base) = counts.into_values().max_by_key(|(count, _)| *count)?;
    (count > 1 || jobs.len() == 1).then(|| base.clone())
}
