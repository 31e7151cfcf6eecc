//! The bookkeeping of one lease and of one evaluation.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{LeaseId, WorkerId};
use crate::{Failure, Outcome};

/// Work handed to a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// To be given back with the answers.
    pub id: LeaseId,
    /// Whose it is.
    pub worker: WorkerId,
    /// What to evaluate, in any order.
    pub indices: Vec<usize>,
}

/// The dispatcher's side of a lease.
#[derive(Clone, Debug)]
pub(super) struct Grant {
    pub(super) worker: WorkerId,
    pub(super) granted: Duration,
    pub(super) deadline: Option<Duration>,
    /// Everything the lease asked for.
    pub(super) indices: Vec<usize>,
    /// What this lease has not answered, whatever other leases did.
    pub(super) unanswered: BTreeSet<usize>,
    pub(super) phase: Phase,
}

/// Where a lease stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// An answer is expected.
    Live,
    /// An answer is still expected, but for too long: its work may be copied.
    Straggling,
    /// Answered, lost or expired. Should it be answered after all, the answer is still good.
    Closed,
}

/// The state of one evaluation.
#[derive(Clone, Debug, Default)]
pub(super) struct Job {
    pub(super) outcome: Option<Outcome>,
    /// Leases that count towards the cap.
    pub(super) charged: u32,
    /// Leases from which an answer is expected, and how many of those straggle.
    pub(super) live: u32,
    pub(super) straggling: u32,
    /// Once it was in a chunk that was lost, it is tried by itself, to tell who is to blame.
    pub(super) alone: bool,
    /// How the last lease ended, if not with an answer.
    pub(super) last: Option<Failure>,
}

impl Job {
    pub(super) fn is_open(&self) -> bool {
        self.outcome.is_none()
    }

    /// A copy would help: everyone who has it is late.
    pub(super) fn wants_copy(&self, attempts: u32) -> bool {
        self.is_open() && self.charged < attempts && 0 < self.live && self.live == self.straggling
    }
}
