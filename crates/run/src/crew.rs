//! What each worker is doing, for whoever watches. Nobody waits for it, and nothing follows from
//! it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The workers of a study while it runs.
#[derive(Debug)]
pub struct Crew {
    start: Instant,
    members: Mutex<Vec<Member>>,
}

/// What is known of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Evaluations that it answered.
    pub evaluations: u64,
    /// Those that came to nothing, by an error of the objective or with the worker's end.
    pub failures: u64,
    /// How often it was started again.
    pub restarts: u64,
    /// How long it has evaluated.
    pub busy: Duration,
    /// Since when it evaluates; `None` while it is idle.
    pub since: Option<Instant>,
}

impl Default for Crew {
    fn default() -> Self {
        Self { start: Instant::now(), members: Mutex::new(Vec::new()) }
    }
}

impl Crew {
    /// Everybody as of now, and how long they have been watched. What lasts counts as busy too.
    pub fn members(&self) -> (Vec<Member>, Duration) {
        let mut members = self.lock().clone();
        for member in &mut members {
            member.busy += member.since.map_or(Duration::ZERO, |since| since.elapsed());
        }
        (members, self.start.elapsed())
    }

    /// The `at`-th worker begins an evaluation, which lasts until the turn is ended or dropped.
    pub(crate) fn begin(&self, at: usize) -> Turn<'_> {
        self.started(at);
        Turn { crew: self, at }
    }

    pub(crate) fn started(&self, at: usize) {
        self.with(at, |member| member.since = Some(Instant::now()));
    }

    /// It answered, or it did not.
    pub(crate) fn ended(&self, at: usize, failed: bool) {
        self.with(at, |member| {
            if let Some(since) = member.since.take() {
                member.busy += since.elapsed();
                member.evaluations += 1;
                member.failures += u64::from(failed);
            }
        });
    }

    pub(crate) fn restarted(&self, at: usize) {
        self.with(at, |member| member.restarts += 1);
    }

    fn with(&self, at: usize, change: impl FnOnce(&mut Member)) {
        let mut members = self.lock();
        if members.len() <= at {
            members.resize(at + 1, Member::default());
        }
        change(&mut members[at]);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An evaluation that goes on. Dropped by a panic, it has failed.
pub(crate) struct Turn<'a> {
    crew: &'a Crew,
    at: usize,
}

impl Turn<'_> {
    pub(crate) fn end(self, failed: bool) {
        self.crew.ended(self.at, failed);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.crew.ended(self.at, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_counted_once_however_they_end() {
        let crew = Crew::default();
        crew.begin(1).end(false);
        crew.begin(1).end(true);
        drop(crew.begin(1));
        let lasting = crew.begin(0);
        crew.restarted(0);
        let (members, watched) = crew.members();
        let counts: Vec<_> =
            members.iter().map(|m| (m.evaluations, m.failures, m.restarts)).collect();
        assert_eq!(counts, [(0, 0, 1), (3, 2, 0)]);
        assert!(members[0].since.is_some() && members[1].since.is_none());
        assert!(members.iter().all(|member| member.busy <= watched));
        lasting.end(false);
        assert_eq!(crew.members().0[0].evaluations, 1);
    }
}
