//! What is known of the workers, and outlives the iteration.
//!
//! A worker that stopped answering is still silent in the next iteration. If each iteration began
//! by trusting everybody, a machine cut off from the network would be handed work every time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::lease::Grant;

/// One worker, from joining to leaving. A restarted process is a new worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u64);

/// One lease. Ids are never used twice by the same [`Workers`], so an answer that arrives an
/// iteration late is recognized as such.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(pub u64);

/// The mean follows the last few dozen leases, since what evaluations cost may drift.
const MEMORY: u32 = 64;

/// Who there is, whom to trust, and how long leases take.
#[derive(Clone, Debug, Default)]
pub struct Workers {
    joined: u64,
    pub(super) leased: u64,
    /// Every worker there is, and whether it is suspected of being gone.
    members: BTreeMap<WorkerId, bool>,
    /// Leases of earlier iterations that were answered by someone else in the meantime, while
    /// their own worker has yet to say anything.
    pub(super) carried: BTreeMap<LeaseId, Grant>,
    /// In seconds.
    mean: Option<f64>,
    answered: u32,
}

impl Workers {
    /// Admits a new worker.
    pub fn join(&mut self) -> WorkerId {
        self.joined += 1;
        let worker = WorkerId(self.joined);
        self.members.insert(worker, false);
        worker
    }

    /// Forgets a worker. While a dispatcher is at work, tell it
    /// [`worker_lost`](super::Dispatcher::worker_lost) instead.
    pub fn leave(&mut self, worker: WorkerId) {
        self.members.remove(&worker);
        self.carried.retain(|_, grant| grant.worker != worker);
    }

    /// The worker gave a sign of life: it is trusted again.
    pub fn answered(&mut self, worker: WorkerId) {
        if let Some(suspected) = self.members.get_mut(&worker) {
            *suspected = false;
        }
    }

    /// The workers that owe a sign of life.
    pub fn suspected(&self) -> BTreeSet<WorkerId> {
        self.members.iter().filter(|(_, suspected)| **suspected).map(|(w, _)| *w).collect()
    }

    /// How many workers there are, suspected or not.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether this is one of them.
    pub fn contains(&self, worker: WorkerId) -> bool {
        self.members.contains_key(&worker)
    }

    pub(super) fn trusts(&self, worker: WorkerId) -> bool {
        self.members.get(&worker) == Some(&false)
    }

    pub(super) fn trusts_anyone(&self) -> bool {
        self.members.values().any(|suspected| !suspected)
    }

    pub(super) fn suspect(&mut self, worker: WorkerId) {
        if let Some(suspected) = self.members.get_mut(&worker) {
            *suspected = true;
        }
    }

    /// The mean time in which a lease is answered, in seconds.
    pub(super) fn mean(&self) -> Option<f64> {
        self.mean
    }

    /// A lease was answered in full, `age` after it was granted.
    pub(super) fn learn(&mut self, age: Duration) {
        self.answered = MEMORY.min(self.answered + 1);
        let age = age.as_secs_f64();
        let mean = self.mean.unwrap_or(age);
        self.mean = Some(mean + (age - mean) / f64::from(self.answered));
    }
}
