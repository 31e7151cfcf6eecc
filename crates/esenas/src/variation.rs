//! What an evolutionary algorithm needs to know of the things it evolves.
//!
//! The same algorithms run over models alone (as controllers, §2.1.2) and over models and weights
//! together (as the paper's baselines, §3): they are written once, over this.

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

use crate::Stream;

/// The verbs of evolution over one kind of genome. None can fail; all results are valid genomes.
pub trait Variation: Clone + Debug + PartialEq + Serialize + DeserializeOwned {
    /// What is evolved.
    type Genome: Clone + Debug + PartialEq + Serialize + DeserializeOwned;

    /// A genome drawn uniformly, whatever the search has seen.
    fn sample(&self, stream: &mut Stream) -> Self::Genome;

    /// A member of the first generation.
    fn initial(&self, stream: &mut Stream) -> Self::Genome {
        self.sample(stream)
    }

    /// A mutant of `parent`: one decision drawn anew, and the weights, if any, perturbed.
    fn mutate(&self, parent: &Self::Genome, stream: &mut Stream) -> Self::Genome;

    /// A child of two parents, each decision from either.
    fn crossover(
        &self,
        one: &Self::Genome,
        other: &Self::Genome,
        stream: &mut Stream,
    ) -> Self::Genome;

    /// NEAT's compatibility distance: zero for equal genomes, symmetric.
    fn distance(&self, one: &Self::Genome, other: &Self::Genome, by: &Compatibility) -> f64;
}

/// The coefficients of NEAT's compatibility distance (Stanley and Miikkulainen 2002, Eq. 1):
/// δ = c₁·E/N + c₂·D/N + c₃·W̄.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compatibility {
    /// c₁, of excess genes.
    pub excess: f64,
    /// c₂, of disjoint genes.
    pub disjoint: f64,
    /// c₃, of the mean difference of matching genes.
    pub weight: f64,
}

impl Default for Compatibility {
    fn default() -> Self {
        Self { excess: 1.0, disjoint: 1.0, weight: 0.4 }
    }
}
