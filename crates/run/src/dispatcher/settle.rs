//! What becomes of an evaluation when a lease ends.

use std::time::Duration;

use super::Dispatcher;
use super::lease::Phase;
use crate::{Failure, Outcome};

impl Dispatcher {
    /// The lease no longer has this index to answer.
    pub(super) fn release(&mut self, at: usize, index: usize) {
        let job = &mut self.jobs[index];
        job.live -= 1;
        if self.grants[at].phase == Phase::Straggling {
            job.straggling -= 1;
        }
    }

    /// The lease was answered in full.
    pub(super) fn retire(&mut self, at: usize, now: Duration) {
        self.live.remove(&at);
        let grant = &mut self.grants[at];
        grant.phase = Phase::Closed;
        self.workers.learn(now.saturating_sub(grant.granted));
    }

    /// These leases, all of one worker, will not be answered.
    pub(super) fn close(&mut self, grants: &[usize], failure: &Failure) {
        let mut unanswered = Vec::new();
        for &at in grants {
            for index in self.grants[at].unanswered.clone() {
                self.release(at, index);
                unanswered.push(index);
            }
            self.grants[at].phase = Phase::Closed;
            self.live.remove(&at);
        }
        // Any of them may have done it, even one that has its outcome from elsewhere by now.
        let shared = 1 < unanswered.len();
        for index in unanswered {
            let job = &mut self.jobs[index];
            if !job.is_open() {
                continue;
            }
            if shared && !job.alone {
                job.alone = true;
                job.charged -= 1;
            }
            job.last = Some(failure.clone());
            self.settle(index);
        }
    }

    /// Decides what becomes of an open index that one lease fewer is working on.
    pub(super) fn settle(&mut self, index: usize) {
        let attempts = self.limits.attempts.get();
        let job = &mut self.jobs[index];
        if !job.is_open() || 0 < job.live {
            return;
        }
        if job.charged < attempts {
            self.retry.push_back(index);
        } else if let Some(Failure { kind, reason }) = job.last.take() {
            let times = if attempts == 1 { "1 attempt" } else { &format!("{attempts} attempts") };
            // Which it is stands beside it: failures are counted by their reasons.
            let reason = format!("given up after {times}: {reason}");
            self.record(index, Err(Failure { kind, reason }));
        }
    }

    pub(super) fn record(&mut self, index: usize, outcome: Outcome) {
        self.jobs[index].outcome = Some(outcome);
        self.open -= 1;
    }
}
