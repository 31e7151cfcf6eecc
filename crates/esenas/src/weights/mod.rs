//! Optimizers of θ.

mod es;
mod schedule;
mod step;

pub use es::{Es, EsConfig, EsError, Sampling};
pub use schedule::{Course, Schedule};
pub use step::{Adam, ClipUp, Momentum, StepRule};

use crate::{Optimizer, Theta};

/// An optimizer of θ that knows where it stands.
pub trait WeightOptimizer: Optimizer<Point = Theta> {
    /// The current estimate: θ of Algorithm 1, the mean of a distribution.
    fn centre(&self) -> Theta;

    /// How many points an iteration of it asks for, by its own settings.
    fn population(&self) -> usize;

    /// Whether points come in pairs θ + δ, θ − δ, one after the other.
    fn antithetic(&self) -> bool {
        false
    }
}
