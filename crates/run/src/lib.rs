//! Runs studies.
//!
//! | module | what it knows |
//! |---|---|
//! | [`outcome`] | what became of one evaluation, and the door through which all of them pass |
//! | [`dispatcher`] | retry, time-outs, speculation, suspicion: no I/O, no clock |
//! | [`executor`] | how a batch of evaluations gets done: one trait, and the in-process ones |
//! | [`command`] | a pool of programs in any language, spoken to in JSON lines |
//!
//! Outcomes come back in the order of the candidates, whatever happened on the way: 1 thread,
//! 8 threads or a killed worker give the same bits.

pub mod command;
pub mod dispatcher;
pub mod executor;
pub mod outcome;

pub use executor::{Executor, ExecutorError, Inline, Threads};
pub use outcome::{Evaluation, Failure, FailureKind, Outcome};
