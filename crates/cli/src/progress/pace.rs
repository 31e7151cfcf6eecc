//! How fast a study goes and how far it is.

use std::time::{Duration, Instant};

use esenas_run::IterationReport;
use esenas_run::spec::StopConfig;

/// The rate is taken over at least this long.
const WINDOW: Duration = Duration::from_millis(500);

/// How fast and how far. Of this run: what was done before it says nothing of the speed.
pub(crate) struct Pace {
    stop: StopConfig,
    start: Instant,
    /// The share that was done when the first iteration of this run was, and when that was.
    first: Option<(f64, Instant)>,
    window: (Instant, u64),
    rate: Option<f64>,
}

impl Pace {
    pub(crate) fn new(stop: StopConfig) -> Self {
        let now = Instant::now();
        Self { stop, start: now, first: None, window: (now, 0), rate: None }
    }

    /// How many iterations there will be, if that is known.
    pub(crate) fn iterations(&self) -> Option<u64> {
        self.stop.iterations.map(u64::from)
    }

    /// Takes note of an iteration.
    pub(crate) fn iteration(&mut self, report: &IterationReport<'_>) {
        let now = Instant::now();
        if self.first.is_none() {
            self.first = Some((self.share(report).unwrap_or(0.0), now));
        }
        self.window.1 += report.record.evaluations;
        let (since, evaluations) = self.window;
        let spent = now.duration_since(since);
        if WINDOW <= spent {
            let rate = evaluations as f64 / spent.as_secs_f64();
            // Half of the new and half of the old: lively, not nervous.
            self.rate = Some(self.rate.map_or(rate, |old| (old + rate) / 2.0));
            self.window = (now, 0);
        }
    }

    /// Evaluations per second.
    pub(crate) fn rate(&self) -> f64 {
        let (_, evaluations) = self.window;
        let seconds = self.start.elapsed().as_secs_f64().max(1e-9);
        self.rate.unwrap_or(evaluations as f64 / seconds)
    }

    /// How much of the study is done, by whichever end comes first; nothing if no end is a number.
    pub(crate) fn share(&self, report: &IterationReport<'_>) -> Option<f64> {
        let (stop, record) = (&self.stop, report.record);
        let of = |part: f64, whole: Option<f64>| whole.map(|whole| part / whole);
        let shares = [
            of((record.iteration + 1) as f64, stop.iterations.map(f64::from)),
            of(record.total_evaluations as f64, stop.evaluations.map(|n| n as f64)),
            of(report.elapsed.as_secs_f64(), stop.wall_time.map(|limit| limit.0)),
        ];
        let share = shares.into_iter().flatten().fold(f64::NEG_INFINITY, f64::max);
        share.is_finite().then(|| share.clamp(0.0, 1.0))
    }

    /// The time left, if it can be told.
    pub(crate) fn left(&self, report: &IterationReport<'_>) -> Option<Duration> {
        let (share, (first, since)) = (self.share(report)?, self.first?);
        let seconds = since.elapsed().as_secs_f64() * (1.0 - share) / (share - first);
        Duration::try_from_secs_f64(seconds).ok()
    }
}

#[cfg(test)]
mod tests {
    use esenas_run::spec::Seconds;
    use esenas_store::{IterationRecord, Timings};

    use super::*;

    fn share(stop: StopConfig, record: &IterationRecord, elapsed: u64) -> Option<f64> {
        let elapsed = Duration::from_secs(elapsed);
        let timings = Timings::default();
        let (evaluations, best) = (&[], None);
        let report =
            IterationReport { record, evaluations, timings, elapsed, best, improved: false };
        Pace::new(stop).share(&report)
    }

    #[test]
    fn the_nearest_end_counts() {
        let record =
            IterationRecord { iteration: 9, total_evaluations: 600, ..IterationRecord::default() };
        let stop = StopConfig {
            iterations: Some(100),
            evaluations: Some(1000),
            wall_time: Some(Seconds(50.0)),
            ..StopConfig::default()
        };
        assert_eq!(share(stop.clone(), &record, 0), Some(0.6));
        assert_eq!(share(stop.clone(), &record, 40), Some(0.8));
        assert_eq!(share(stop, &record, 60), Some(1.0));
    }

    #[test]
    fn a_target_has_no_share() {
        let stop = StopConfig { target: Some(1.0), ..StopConfig::default() };
        assert_eq!(share(stop, &IterationRecord::default(), 1), None);
    }
}
