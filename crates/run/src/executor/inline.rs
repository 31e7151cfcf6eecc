//! One evaluation after the other, on the calling thread.

use super::{Executor, ExecutorError, run};
use crate::Outcome;

/// Evaluates on the calling thread: for tests, debuggers and objectives that parallelize
/// themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline;

impl Executor for Inline {
    type Job = Outcome;

    fn evaluate(
        &mut self,
        jobs: usize,
        job: &(dyn Fn(usize) -> Outcome + Sync),
    ) -> Result<Vec<Outcome>, ExecutorError> {
        Ok((0..jobs).map(|index| run(job, index)).collect())
    }
}
