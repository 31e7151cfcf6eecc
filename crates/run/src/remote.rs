//! Evaluations somewhere else: what crosses the wire, and both of its ends.
//!
//! ```text
//! driver:  Work ── shared(), once per iteration and place ──→ Worker
//!               ── chunk(lease), addresses of candidates ───→   evaluates on its threads
//!               ←─────────── done(lease, answer), outcomes ──
//! ```
//!
//! Whoever carries the bytes (Ray, Dask, a pool of processes) knows nothing of what is in them, and
//! decides nothing: retry, time-outs, speculation and order are the
//! [`dispatcher`](crate::dispatcher)'s. θ goes out once per iteration and place; a candidate is a
//! few bytes, its model and the address of its direction, except where an algorithm has points that
//! are no addresses (CMA-ES, LM-MA-ES, the baselines): those carry their coordinates.
//!
//! | module | what it knows |
//! |---|---|
//! | `wire` | the bytes: sealed, versioned, checked, of bounded size |
//! | `work` | the driver's end: an iteration that is being evaluated |
//! | `worker` | the other end |

mod wire;
mod work;
mod worker;

use thiserror::Error;

pub use work::{Pool, Work};
pub use worker::{Worker, WorkerError};

/// What driver and worker must agree on: the program's version, and that of the bytes.
pub fn version() -> String {
    format!("{}, form {}", wire::PROGRAM, wire::VERSION)
}

/// Why bytes were refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// Not ours, cut off or damaged.
    #[error("these bytes are not {what}: {reason}")]
    Damaged {
        /// What they should have been.
        what: &'static str,
        /// What is wrong with them.
        reason: String,
    },
    /// The bytes are of another version.
    #[error(
        "driver and worker are of different versions: {there} there, {here} here; \
         install the same esenas on every machine"
    )]
    Version {
        /// What wrote them.
        there: String,
        /// This program.
        here: String,
    },
    /// The bytes are of another study.
    #[error(
        "this worker was made for another study: its fingerprint is {here}, that of the work {there}"
    )]
    Study {
        /// The driver's.
        there: String,
        /// The worker's.
        here: String,
    },
}
