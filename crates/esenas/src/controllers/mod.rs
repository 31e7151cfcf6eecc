//! Controllers p_φ: optimizers of m (§2.1.2).
//!
//! | kind | how it learns | reference |
//! |---|---|---|
//! | [`Random`] | not at all | |
//! | [`RegularizedEvolution`] | mutants of tournament winners; the oldest die | Real et al. 2019 |
//! | [`HillClimb`] | mutants of the best | Golovin et al. 2020 |
//! | [`Neat`] | species, shared fitness, crossover | Stanley and Miikkulainen 2002 |
//! | [`Asng`] | a distribution per decision, by natural gradient | Akimoto et al. 2019 |
//! | [`PolicyGradient`] | a pointer network, by PPO | Vinyals et al. 2015 |
//! | [`FactorizedPolicyGradient`] | a softmax per decision, by PPO | Schulman et al. 2017 |
//! | [`OnePlusOne`] | changes every decision with probability 1/n | Droste et al. 2002 |
//! | [`LocalSearch`] | neighbours of one model, by moves that succeeded | Lourenço et al. 2003 |
//! | [`Pyramid`] | climbs, then mixes clusters of decisions | Goldman and Punch 2014 |
//! | [`Sweep`] | one decision after the other; what is better is taken over | |
//! | [`Nsga2`] | a front of value against cost | Deb et al. 2002 |
//!
//! [`Controller`] is any of them, as one value.
//!
//! The evolutionary ones are written over [`Variation`](crate::Variation), so that they are also
//! the paper's baselines over (m, θ) together: see [`HybridVariation`](crate::HybridVariation).

mod any;
mod asng;
mod best;
mod hill_climb;
mod local_search;
mod marginals;
mod neat;
mod nsga2;
mod one_plus_one;
mod policy_gradient;
mod pyramid;
mod random;
mod regularized_evolution;
mod sweep;
#[cfg(test)]
pub(crate) mod testing;

pub use any::{Controller, ControllerConfig, Evolution};
pub use asng::{Asng, AsngConfig, MAX_PROBABILITIES, Utilities};
pub use best::Evidence;
pub use hill_climb::{HillClimb, HillClimbConfig};
pub use local_search::{LocalSearch, LocalSearchConfig};
pub use marginals::{MAX_MARGINALS, Marginals};
pub use neat::{Neat, NeatConfig};
pub use nsga2::{Nsga2, Nsga2Config};
pub use one_plus_one::{OnePlusOne, OnePlusOneConfig};
pub use policy_gradient::{
    FactorizedPolicyGradient, FactorizedPolicyGradientConfig, MAX_WEIGHTS, PolicyGradient,
    PolicyGradientConfig, Training,
};
pub use pyramid::{MAX_LINKED, Pyramid, PyramidConfig};
pub use random::{Random, RandomConfig};
pub use regularized_evolution::{RegularizedEvolution, RegularizedEvolutionConfig};
pub use sweep::{Sweep, SweepConfig};

/// The share of distinct genomes, read off at most 64 of them, evenly spaced: genomes can only be
/// compared for equality, and a figure for the record is not worth a quadratic loop.
fn distinct<'a, G: PartialEq + 'a>(genomes: impl ExactSizeIterator<Item = &'a G>) -> f64 {
    let stride = genomes.len().div_ceil(64).max(1);
    let seen: Vec<&G> = genomes.step_by(stride).collect();
    let fresh = (0..seen.len()).filter(|&at| !seen[..at].contains(&seen[at])).count();
    fresh as f64 / seen.len().max(1) as f64
}

/// The mean of finite values; finite even where their sum is not.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.map(|v| v / n).sum::<f64>().clamp(f64::MIN, f64::MAX)
}
