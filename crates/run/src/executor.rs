//! How a batch of evaluations gets done.
//!
//! An executor only moves work. The driver hands it one batch per iteration and gets the outcomes
//! back in the order of the candidates; nothing the executor does in between can change them.

mod inline;
mod threads;

use std::panic::{AssertUnwindSafe, catch_unwind};

use thiserror::Error;

pub use inline::Inline;
pub use threads::{Threads, ThreadsError};

use crate::outcome::admit;
use crate::{Failure, FailureKind, Outcome};

/// Gets batches of evaluations done.
pub trait Executor {
    /// What is moved. In-process executors run the objective, so a job *is* its [`Outcome`];
    /// others send a description of the candidate to someone who does.
    type Job;

    /// Gets `jobs` evaluations done, of which `job(i)` makes the `i`-th, and returns their
    /// outcomes in the order of their indices.
    ///
    /// `job` is called when its turn comes, once per attempt, from any thread; it must answer
    /// the same whenever it is called, and it should do its heavy work (writing out θ) then and
    /// not before, so that only as many candidates exist as there are workers.
    ///
    /// Evaluations that fail are outcomes. An error means that the batch could not be finished
    /// for a reason that has nothing to do with the candidates, and is best not recorded.
    fn evaluate(
        &mut self,
        jobs: usize,
        job: &(dyn Fn(usize) -> Self::Job + Sync),
    ) -> Result<Vec<Outcome>, ExecutorError>;
}

/// Why a batch could not be finished.
#[derive(Debug, Error)]
pub enum ExecutorError {
    /// There is nobody left to evaluate anything.
    #[error(
        "no worker is left, with {open} of {jobs} evaluations to do: {reason}\n\
         what was finished before this iteration is kept; mend the workers, then resume"
    )]
    NoWorkers {
        /// How many evaluations have no outcome.
        open: usize,
        /// How many there were.
        jobs: usize,
        /// What happened to the last worker.
        reason: String,
    },
    /// A θ file could not be written.
    #[error("cannot write θ to {}: {source}; is the disk full?", path.display())]
    Scratch {
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Runs the objective in this process. A panic is its outcome, and stops nothing else.
fn run(job: &(dyn Fn(usize) -> Outcome + Sync), index: usize) -> Outcome {
    // What the objective leaves half done behind its unwinding is its own: the executor shares
    // no state with it.
    let outcome = catch_unwind(AssertUnwindSafe(|| job(index))).unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("the objective panicked without a message");
        Err(Failure::new(FailureKind::Panicked, said))
    });
    admit(outcome)
}
