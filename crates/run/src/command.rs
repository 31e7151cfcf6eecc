//! Objectives in any language: a pool of programs, spoken to in JSON lines.
//!
//! The pool starts N copies of a command line and keeps them. For each candidate one of them
//! reads one line on its standard input,
//!
//! ```json
//! {"id":17,"model":{"layers":[32,16]},"theta":[0.25,-1.5],"seed":4011}
//! ```
//!
//! and, when it has evaluated it, writes one line to its standard output, and flushes:
//!
//! ```json
//! {"id":17,"value":-3.5,"score":12.0,"metrics":{"steps":1000}}
//! ```
//!
//! - `id` is to be given back. It numbers the questions, not the candidates: it differs between
//!   runs, so nothing may be computed from it. Randomness comes from `seed` (64 bits: mind
//!   languages whose only number is a double).
//! - `theta` is inline up to [`CommandConfig::inline`] numbers. Above that there is `theta_file`
//!   instead, the path of a file of little-endian doubles, which is gone once it is answered.
//!   Numbers are written in the shortest form that reads back as the same bits.
//! - `score` and `metrics` are optional. `{"id":17,"error":"…"}` says that the candidate cannot
//!   be evaluated: that is final, whereas a program that dies is tried again.
//! - A program ends when its standard input does, and not before: if it does so between two
//!   candidates, the second is counted as lost with it. The environment variable `ESENAS_WORKER`
//!   tells the copies apart, from 0 (to pick a GPU, say).
//! - Standard error is free for use, and so is standard output for plain text: the last of it is
//!   shown when the program dies or is late. A line on standard output that starts with `{`, or is
//!   any other JSON, is taken for an answer.
//!
//! What a program does wrong costs it the evaluation, never the study: see [`FailureKind`]. A
//! program that dies or is late is restarted, after a pause that doubles from one death to the
//! next until there is an answer; past [`CommandConfig::restarts`] it is given up, and when all
//! are, the batch ends in [`ExecutorError::NoWorkers`].
//!
//! Each program leads a process group of its own. Ctrl-C in a terminal therefore does not reach
//! it, and what it started goes down with it: when it dies or is late, when the pool is dropped,
//! and when this process is killed, by a shell that outlives it for this. Unix only.
//!
//! [`FailureKind`]: crate::FailureKind
//! [`ExecutorError::NoWorkers`]: crate::ExecutorError::NoWorkers

mod config;
mod gate;
mod lines;
mod pool;
mod process;
mod scratch;
mod slot;
mod tail;
mod watchdog;
pub mod wire;

pub use config::{CommandConfig, CommandError};
pub use pool::CommandPool;
pub use wire::Request;
