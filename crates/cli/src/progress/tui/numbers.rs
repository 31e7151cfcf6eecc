//! What the study says of itself as it goes.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use esenas_run::{IterationReport, Member};
use esenas_store::{IterationRecord, Timings};

use super::super::Pace;

/// At most this many rates are drawn.
const RATES: usize = 240;

/// The newest numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    pub(super) dir: String,
    pub(super) workers: usize,
    /// What each of them does, as far as that is known, and since when they are watched.
    pub(super) crew: (Vec<Member>, Duration),
    pub(super) record: Option<IterationRecord>,
    pub(super) centre: Option<f64>,
    pub(super) wanted: Option<u64>,
    pub(super) share: Option<f64>,
    pub(super) left: Option<Duration>,
    pub(super) elapsed: Duration,
    pub(super) rate: f64,
    /// Evaluations per second over time.
    pub(super) rates: VecDeque<u64>,
    /// Where the time of this run went.
    pub(super) spent: Timings,
    /// Somebody asked for the end.
    pub(super) stopping: bool,
}

impl Numbers {
    pub(super) fn new(dir: &Path, workers: usize) -> Self {
        Self { dir: dir.display().to_string(), workers, ..Self::default() }
    }

    pub(super) fn iteration(&mut self, report: &IterationReport<'_>, pace: &Pace) {
        let record = report.record;
        self.centre = record.centre.map(|centre| centre.mean).or(self.centre);
        (self.wanted, self.share) = (pace.iterations(), pace.share(report));
        (self.left, self.elapsed) = (pace.left(report), report.elapsed);
        if self.rate != pace.rate() {
            self.rate = pace.rate();
            self.rates.push_back(self.rate as u64);
            self.rates.drain(..self.rates.len().saturating_sub(RATES));
        }
        let (all, more) = (&mut self.spent, report.timings);
        all.ask += more.ask;
        all.evaluate += more.evaluate;
        all.tell += more.tell;
        all.store += more.store;
        self.record = Some(record.clone());
    }
}
