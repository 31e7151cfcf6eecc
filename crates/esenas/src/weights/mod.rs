//! Optimizers of θ.

use crate::{Optimizer, Theta};

/// An optimizer of θ that knows where it stands.
pub trait WeightOptimizer: Optimizer<Point = Theta> {
    /// The current estimate: θ of Algorithm 1, the mean of a distribution.
    fn centre(&self) -> Theta;

    /// How many points an iteration of it asks for, by its own settings.
    fn population(&self) -> usize;
}
