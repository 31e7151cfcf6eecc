//! Studies whose candidates may be infeasible: how many are not, and when nothing is left to learn.

use esenas_store::IterationRecord;

use crate::state::State;
use crate::{Outcome, Study};

/// So many iterations may have nothing but infeasible candidates at the beginning.
const EARLY: u32 = 3;

impl Study<'_> {
    /// Whether there is something to learn from. Where candidates may be infeasible all of them may
    /// be, once something came back at all, or so early that nothing had to.
    pub(crate) fn is_enough(&self, outcomes: &[Outcome]) -> bool {
        let State { iteration, evaluations, failures, .. } = self.state;
        let early = iteration < EARLY || failures < evaluations;
        let announced = |outcome: &Outcome| match outcome {
            Ok(_) => true,
            Err(failure) => early && self.spec.is_announced(failure),
        };
        outcomes.iter().any(announced)
    }

    /// Records how many evaluations kept to all limits, where there are any.
    pub(crate) fn count_feasible(
        &mut self,
        summary: &mut IterationRecord,
        outcomes: &[Outcome],
        violations: &[f64],
    ) {
        if self.spec.is_ordered() {
            let done = outcomes.iter().zip(violations);
            let feasible = done.filter(|(outcome, it)| outcome.is_ok() && **it == 0.0).count();
            self.state.feasible += feasible as u64;
            let total = ("total_feasible".to_owned(), self.state.feasible as f64);
            summary.statistics.extend([("feasible".to_owned(), feasible as f64), total]);
        }
    }
}
