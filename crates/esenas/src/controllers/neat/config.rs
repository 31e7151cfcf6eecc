//! What NEAT is set to, and what it accepts.

use serde::{Deserialize, Serialize};

use crate::Compatibility;
use crate::setting::{SettingError, within};

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

impl NeatConfig {
    /// Whether these are counts, shares and distances.
    pub(super) fn check(&self) -> Result<(), SettingError> {
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
        for (name, count) in counts {
            within(name, count as f64, 1.0..=f64::MAX, "be at least 1")?;
        }
        for (name, share) in shares {
            within(name, share, 0.0..=1.0, "be from 0 to 1")?;
        }
        for (name, distance) in distances {
            within(name, distance, 0.0..=f64::MAX, "be zero or positive and finite")?;
        }
        Ok(())
    }
}
