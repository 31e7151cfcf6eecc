//! Who gets what: retries, then fresh work, then copies of what straggles.

use std::time::Duration;

use super::{Dispatcher, Speculation, WorkerId};

impl Dispatcher {
    pub(super) fn may_work(&self, worker: WorkerId, held: &[usize]) -> bool {
        let is_alone = |&at: &usize| {
            let mut unanswered = self.grants[at].unanswered.iter();
            unanswered.any(|&index| self.jobs[index].alone)
        };
        let on_probation =
            || self.workers.contains(worker) && !self.workers.trusts_anyone() && held.is_empty();
        !held.iter().any(is_alone) && (self.workers.trusts(worker) || on_probation())
    }

    /// Retries come first: when a worker dies of a few poisoned evaluations, good answers should
    /// lie between its deaths, and not all the deaths at the end. They go, alone, to a worker
    /// that has nothing else.
    pub(super) fn take(&mut self, held: &[usize], most: usize) -> Option<Vec<usize>> {
        while let Some(index) = self.retry.pop_front_if(|_| held.is_empty()) {
            if self.jobs[index].is_open() {
                return Some(vec![index]);
            }
        }
        if self.fresh < self.jobs.len() {
            let end = self.jobs.len().min(self.fresh.saturating_add(most));
            let indices = (self.fresh..end).collect();
            self.fresh = end;
            return Some(indices);
        }
        self.copy(held, most)
    }

    /// Part of the oldest straggling lease that a worker with these grants can help with.
    fn copy(&self, held: &[usize], most: usize) -> Option<Vec<usize>> {
        let attempts = self.limits.attempts.get();
        let has = |i: usize| held.iter().any(|&at| self.grants[at].unanswered.contains(&i));
        let wanted = |i: &usize| self.jobs[*i].wants_copy(attempts) && !has(*i);
        self.live.iter().find_map(|&at| {
            let unanswered = self.grants[at].unanswered.iter().copied();
            let (alone, mut indices): (Vec<usize>, Vec<usize>) =
                unanswered.filter(wanted).partition(|&i| self.jobs[i].alone);
            indices.truncate(most);
            if indices.is_empty() && held.is_empty() {
                indices.extend(alone.first());
            }
            (!indices.is_empty()).then_some(indices)
        })
    }

    pub(super) fn held_by(&self, worker: WorkerId) -> Vec<usize> {
        self.live.iter().copied().filter(|&at| self.grants[at].worker == worker).collect()
    }

    pub(super) fn patience(&self) -> Duration {
        let patience = |s: Speculation| s.patience(self.workers.mean());
        self.limits.speculation.map_or(Duration::MAX, patience)
    }
}
