//! The normalized optimality gap (section 3.1): how far a value is from the best one, as a share of
//! the largest absolute value that random search saw, so that functions can be averaged.

use std::num::NonZeroU32;

use esenas::{Purpose, Seed};
use serde::{Deserialize, Serialize};

use crate::{Hybrid, HybridBuffer};

/// What gaps are divided by, and how that was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// How many points random search evaluated.
    pub budget: NonZeroU32,
    /// Its seed.
    pub seed: Seed,
    /// The largest |f − f*| it saw.
    pub largest: f64,
    /// f*, the least cost there is in the box.
    pub least: f64,
}

impl Scale {
    /// Runs random search on `problem`.
    pub fn new(problem: &Hybrid, budget: NonZeroU32, seed: Seed) -> Self {
        let least = problem.instance().least();
        let mut buffer = HybridBuffer::default();
        let mut stream = seed.stream(Purpose::Start, 1, 0);
        let mut size = || {
            let dna = problem.space().sample(&mut stream);
            let theta = problem.weights(&mut stream);
            (problem.value(dna.genes(), &theta, &mut buffer) + least).abs()
        };
        let largest = (0..budget.get()).map(|_| size()).fold(0.0, f64::max);
        Self { budget, seed, largest, least }
    }

    /// The gap of a value of f(m, θ): 0 is best, 1 is the worst that random search saw.
    pub fn gap(&self, value: f64) -> f64 {
        let gap = -value - self.least;
        // A constant function has nothing to divide by.
        if self.largest > 0.0 { gap / self.largest } else { gap }
    }
}
