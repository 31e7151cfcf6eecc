//! What NEAT is set to, and what it accepts.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Compatibility;

/// Hyperparameters; the defaults are those of Stanley and Miikkulainen (2002), §4.1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NeatConfig {
    /// Individuals per generation.
    pub population: usize,
    /// The coefficients of the distance δ.
    pub compatibility: Compatibility,
    /// δ_t, if it is to be fixed.
    pub threshold: Option<f64>,
    /// How many species a threshold that is not fixed aims at.
    pub species: usize,
    /// The share of a species, best first, that may be parents.
    pub survival: f64,
    /// The probability that an offspring has two parents.
    pub crossover: f64,
    /// The probability that, having two, it has the second from another species.
    pub interspecies: f64,
    /// The probability that, having two, it is mutated too.
    pub mutation: f64,
    /// A species of more than this many has its champion copied.
    pub champion: usize,
    /// Generations without improvement after which a species has no offspring.
    pub stagnation: u32,
    /// Generations without improvement of the whole beyond which only two species have any.
    pub refocus: u32,
}

impl Default for NeatConfig {
    fn default() -> Self {
        Self {
            population: 150,
            compatibility: Compatibility::default(),
            threshold: None,
            species: 10,
            survival: 0.2,
            crossover: 0.75,
            interspecies: 0.001,
            mutation: 0.8,
            champion: 5,
            stagnation: 15,
            refocus: 20,
        }
    }
}

/// Why [`Neat::new`](super::Neat::new) refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum NeatError {
    /// A count that must not be zero.
    #[error("{0} must be at least 1, got 0")]
    Count(&'static str),
    /// A probability, or a share.
    #[error("{0} must be from 0 to 1, got {1}")]
    Share(&'static str, f64),
    /// A distance, or a coefficient of one.
    #[error("{0} must be zero or positive and finite, got {1}")]
    Distance(&'static str, f64),
}

impl NeatConfig {
    /// Whether these are counts, shares and distances.
    pub(super) fn check(&self) -> Result<(), NeatError> {
        let counts = [
            ("population", self.population),
            ("species", self.species),
            ("stagnation", self.stagnation as usize),
        ];
        let shares = [
            ("survival", self.survival),
            ("crossover", self.crossover),
            ("interspecies", self.interspecies),
            ("mutation", self.mutation),
        ];
        let Compatibility { excess, disjoint, weight } = self.compatibility;
        let distances = [
            ("threshold", self.threshold.unwrap_or(0.0)),
            ("compatibility.excess", excess),
            ("compatibility.disjoint", disjoint),
            ("compatibility.weight", weight),
        ];
        if let Some((name, _)) = counts.into_iter().find(|(_, n)| *n == 0) {
            return Err(NeatError::Count(name));
        }
        if let Some((name, p)) = shares.into_iter().find(|(_, p)| !(0.0..=1.0).contains(p)) {
            return Err(NeatError::Share(name, p));
        }
        let wrong = |(_, d): &(_, f64)| !(d.is_finite() && 0.0 <= *d);
        distances.into_iter().find(wrong).map_or(Ok(()), |(n, d)| Err(NeatError::Distance(n, d)))
    }
}
