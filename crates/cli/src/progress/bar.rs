//! The live bar.

use std::time::{Duration, Instant};

use esenas_run::IterationReport;
use esenas_store::IterationRecord;
use indicatif::{ProgressBar, ProgressStyle};

use super::Pace;
use crate::draw::{count, duration, short};

/// How often the text is made anew: faster than one reads, slower than a fast study iterates.
const REFRESH: Duration = Duration::from_millis(80);

/// A line that redraws itself on the standard error.
pub(crate) struct Bar {
    bar: ProgressBar,
    pace: Pace,
    drawn: Option<Instant>,
    centre: Option<f64>,
}

/// How many evaluations kept to all limits, where there are any.
fn feasible(record: &IterationRecord) -> Option<String> {
    let of = |name| record.statistics.get(name).map(|x| count(*x as u64));
    let total = (count(record.total_evaluations), of("total_feasible")?);
    Some(format!("{} of {} feasible", total.1, total.0))
}

impl Bar {
    pub(crate) fn new(pace: Pace) -> Self {
        let bar = ProgressBar::new(1000);
        let template = "{spinner} {bar:24.cyan} {wide_msg}";
        let style = ProgressStyle::with_template(template).expect("the template is a valid one");
        bar.set_style(style.progress_chars("━╸─"));
        bar.set_message("first iteration");
        // Also while an iteration lasts.
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar, pace, drawn: None, centre: None }
    }

    /// To print above the bar.
    pub(super) fn handle(&self) -> ProgressBar {
        self.bar.clone()
    }

    pub(super) fn iteration(&mut self, report: &IterationReport<'_>) {
        self.pace.iteration(report);
        self.centre = report.record.centre.map(|centre| centre.mean).or(self.centre);
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < REFRESH) {
            return;
        }
        self.drawn = Some(Instant::now());
        let share = self.pace.share(report).unwrap_or(0.0);
        self.bar.set_position((1000.0 * share) as u64);
        self.bar.set_message(self.message(report));
    }

    /// The most important first: what does not fit is cut off at the end.
    fn message(&self, report: &IterationReport<'_>) -> String {
        let record = report.record;
        let of = self.pace.iterations().map_or_else(String::new, |n| format!("/{n}"));
        let mut parts = vec![format!("{}{of}", record.iteration + 1)];
        parts.extend(record.best.map(|best| format!("best {}", short(best))));
        parts.extend(feasible(record));
        parts.extend(self.centre.map(|centre| format!("centre {}", short(centre))));
        parts.push(format!("{} evals/s", count(self.pace.rate() as u64)));
        parts.extend(self.pace.left(report).map(|left| format!("{} left", duration(left))));
        if record.total_failures > 0 {
            parts.push(format!("{} failed", count(record.total_failures)));
        }
        parts.join(" · ")
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
