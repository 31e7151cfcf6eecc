//! A table that grows downwards, for logs.
//!
//! About twenty lines for a study of known length; where that would leave a reader waiting, one
//! every ten seconds.

use std::time::{Duration, Instant};

use esenas_run::IterationReport;

use super::Pace;
use crate::draw::{count, duration, short};

const LINES: u64 = 20;
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Lines {
    pace: Pace,
    written: Option<Instant>,
    centre: Option<f64>,
    /// The newest line, if it was not due.
    held: Option<String>,
}

impl Lines {
    pub(crate) fn new(pace: Pace) -> Self {
        Self { pace, written: None, centre: None, held: None }
    }

    /// What is to be printed after an iteration.
    pub(super) fn iteration(&mut self, report: &IterationReport<'_>) -> String {
        self.pace.iteration(report);
        self.centre = report.record.centre.map(|centre| centre.mean).or(self.centre);
        let line = self.line(report);
        let waited = self.written.is_none_or(|written| PATIENCE <= written.elapsed());
        if !(waited || self.due(report.record.iteration + 1)) {
            self.held = Some(line);
            return String::new();
        }
        self.held = None;
        match self.written.replace(Instant::now()) {
            Some(_) => line,
            None => format!("{HEADER}{line}"),
        }
    }

    /// The line that is still missing.
    pub(super) fn end(&mut self) -> String {
        self.held.take().unwrap_or_default()
    }

    fn due(&self, iteration: u64) -> bool {
        match self.pace.iterations() {
            Some(iterations) => iteration.is_multiple_of(iterations.div_ceil(LINES).max(1)),
            // 1, 2, 5, 10, 20, 50, …
            None => {
                let decade = 10u64.pow(iteration.ilog10());
                [decade, 2 * decade, 5 * decade].contains(&iteration)
            }
        }
    }

    fn line(&self, report: &IterationReport<'_>) -> String {
        let record = report.record;
        let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), short);
        let (best, centre) = (number(record.best), number(self.centre));
        let (evaluations, failed) = (count(record.total_evaluations), count(record.total_failures));
        let (rate, time) = (count(self.pace.rate() as u64), duration(report.elapsed));
        let iteration = record.iteration + 1;
        format!(
            "{iteration:>10}  {evaluations:>12}  {failed:>6}  {best:>12}  {centre:>12}  {rate:>9}  {time:>8}\n"
        )
    }
}

const HEADER: &str =
    "iterations   evaluations  failed          best        centre    evals/s      time\n";
