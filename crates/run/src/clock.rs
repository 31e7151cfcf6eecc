//! Where the time of a study goes.

use std::time::{Duration, Instant};

/// Where the time goes.
pub(crate) struct Clock {
    before: Duration,
    start: Instant,
    lap: Instant,
    /// How long the last commit took.
    pub(crate) last_store: f64,
}

impl Clock {
    pub(crate) fn new(before: Duration) -> Self {
        let now = Instant::now();
        Self { before, start: now, lap: now, last_store: 0.0 }
    }

    /// How long the study has run, all its runs together.
    pub(crate) fn elapsed(&self) -> Duration {
        self.before.saturating_add(self.start.elapsed())
    }

    /// Seconds since the last lap.
    pub(crate) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let seconds = now.duration_since(self.lap).as_secs_f64();
        self.lap = now;
        seconds
    }
}
