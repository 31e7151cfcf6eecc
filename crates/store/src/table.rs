//! The tables, one module each: how a record becomes rows, and rows a record again or a [`Fault`].
//!
//! [`Fault`]: crate::error::Fault

pub(crate) mod beliefs;
pub(crate) mod best;
pub(crate) mod checkpoints;
pub(crate) mod evaluations;
pub(crate) mod failures;
pub(crate) mod iterations;
pub(crate) mod study;
pub(crate) mod timings;
