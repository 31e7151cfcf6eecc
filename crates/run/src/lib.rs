//! Runs studies: from a file to objects, from those through the one loop to records.
//!
//! | module | what it knows |
//! |---|---|
//! | [`spec`] | the study file: read, checked, written |
//! | [`problem`] | objectives in this process; the built-in ones |
//! | [`study`] | a study to run, with or without a directory |
//! | `asked` | the candidates of an iteration, until all of them are told |
//! | `answer` | where a study stands, and how good that is |
//! | `front` | the designs that nobody dominates, of a study with several goals |
//! | `feasible` | how many candidates keep to all limits |
//! | `known` | designs that somebody gives, with their values or to be evaluated |
//! | `warm` | going on from another run |
//! | `table` | recorded evaluations as rows of a table |
//! | `driver` | the one loop: ask, evaluate, tell, save |
//! | [`evaluator`] | who evaluates an iteration |
//! | [`outcome`] | what became of one evaluation, and the door through which all of them pass |
//! | [`dispatcher`] | retry, time-outs, speculation, suspicion: no I/O, no clock |
//! | [`executor`] | how a batch of evaluations gets done: one trait, and the in-process ones |
//! | [`command`] | a pool of programs in any language, spoken to in JSON lines |
//! | [`remote`] | evaluations in other processes and on other machines, as bytes |
//!
//! Outcomes come back in the order of the candidates, whatever happened on the way: 1 thread,
//! 8 threads or a killed worker give the same bits.

#[cfg(not(unix))]
compile_error!(
    "programs are started by the means of Unix: build on Linux or macOS, or on Windows in its \
     Subsystem for Linux. The algorithms alone, the crate `esenas`, build anywhere."
);

mod answer;
mod asked;
mod clock;
pub mod command;
mod crew;
pub mod dispatcher;
mod driver;
pub mod evaluator;
pub mod executor;
mod feasible;
mod front;
mod known;
pub mod outcome;
pub mod problem;
mod record;
pub mod remote;
mod report;
pub mod spec;
mod state;
pub mod study;
mod table;
mod told;
mod warm;

pub use answer::{Answer, Scores, StoredAnswer};
pub use asked::Asked;
pub use crew::{Crew, Member};
pub use driver::Running;
pub use evaluator::{Batch, EvaluateError, Evaluator, InProcess, Programs};
pub use executor::{Executor, ExecutorError, Inline, Threads};
pub use front::{FrontDesign, StoredFront};
pub use known::Known;
pub use outcome::{Evaluation, Failure, FailureKind, Outcome};
pub use problem::{Model, Objective, Point};
pub use report::{Control, End, IterationReport, Report};
pub use spec::{Attempt, Overview, Plan, Spec, SpecError};
pub use study::{Study, StudyError};
pub use table::Rows;
