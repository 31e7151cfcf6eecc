//! Executors that this crate does not have: Ray is reached from Python alone.

use std::num::NonZeroUsize;

use esenas_run::{Evaluator, Spec};
use thiserror::Error;

/// Whoever calls this crate may know more ways to evaluate.
pub trait Engines {
    /// Evaluates on a Ray cluster.
    fn ray(&self, spec: &Spec, ray: &Ray<'_>) -> Result<Box<dyn Evaluator>, Refused>;
}

/// What the flags say of Ray.
#[derive(Clone, Copy, Debug)]
pub struct Ray<'a> {
    /// Where the cluster is; one is started here, if nowhere.
    pub address: Option<&'a str>,
    /// Whether it may be elsewhere and have no token.
    pub insecure: bool,
    /// Whether Ray is to keep its own messages to itself.
    pub quiet: bool,
    /// How many evaluations at a time on each node; one per core, if that is not said.
    pub workers: Option<NonZeroUsize>,
}

/// Why there is no such engine.
#[derive(Debug, Error)]
pub enum Refused {
    /// Asking differently would help.
    #[error("{0}")]
    BadInput(String),
    /// It would not.
    #[error("{0}")]
    Failed(String),
}
