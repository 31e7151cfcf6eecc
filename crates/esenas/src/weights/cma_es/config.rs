//! What CMA-ES is set to, and the constants that follow from it.

use serde::{Deserialize, Serialize};

use super::super::mirror::Boundary;
use super::super::mirrored::paired;
use super::super::recombination::{Recombination, damping, log_weights, normalize};
use super::super::stop::Tolerances;

/// Hyperparameters. σ defaults to that of the ES-ENAS paper, Appendix A.2.2, the rest to Hansen's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CmaEsConfig {
    /// σ to start with.
    pub sigma: f64,
    /// λ; 4 + ⌊3 ln d⌋ when left out.
    pub population: Option<usize>,
    /// Whether the worst points count against their directions.
    pub active: bool,
    /// Which points move the mean.
    pub recombination: Recombination,
    /// Whether points come in pairs m ± σ y.
    pub mirrored: bool,
    /// What keeps points in a box.
    pub boundary: Boundary,
    /// When [`stop`](crate::WeightOptimizer::stop) speaks up.
    pub stop: Tolerances,
}

impl Default for CmaEsConfig {
    fn default() -> Self {
        Self {
            sigma: 0.5,
            population: None,
            active: true,
            recombination: Recombination::default(),
            mirrored: false,
            boundary: Boundary::default(),
            stop: Tolerances::default(),
        }
    }
}

/// What follows from d and the number of values told (Hansen 2016, Table 1).
pub(super) struct Params {
    /// Of the steps that count, best first.
    pub(super) weights: Vec<f64>,
    pub(super) mu: usize,
    /// Those that move the mean, and their μ_eff.
    pub(super) mean: Vec<f64>,
    pub(super) mean_mu_eff: f64,
    pub(super) c_sigma: f64,
    pub(super) d_sigma: f64,
    pub(super) c_c: f64,
    pub(super) c_1: f64,
    pub(super) c_mu: f64,
}

impl Params {
    /// `pairs` of the points told have both their values.
    pub(super) fn new(dim: usize, told: usize, pairs: usize, config: &CmaEsConfig) -> Self {
        let d = dim as f64;
        let mut weights = log_weights((told as f64 + 1.0) / 2.0, told); // (49)
        let mu = (told / 2).max(1);
        let (positive, negative) = weights.split_at_mut(mu);
        let mu_eff = normalize(positive);
        let mean = config.recombination.weights(positive, told);
        let mean_mu_eff = paired(&mean, told, pairs);
        let c_c = (4.0 + mu_eff / d) / (d + 4.0 + 2.0 * mu_eff / d); // (56)
        let c_1 = 2.0 / ((d + 1.3).powi(2) + mu_eff); // (57)
        let c_mu = 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((d + 2.0).powi(2) + mu_eff);
        let c_mu = c_mu.min(1.0 - c_1); // (58)
        let total: f64 = -negative.iter().sum::<f64>();
        if config.active && c_mu > 0.0 && total > 0.0 {
            let mu_eff_minus = total * total / negative.iter().map(|w| w * w).sum::<f64>();
            let sum = (1.0 + c_1 / c_mu) // (50): the negative weights undo the decay of C
                .min(1.0 + 2.0 * mu_eff_minus / (mu_eff + 2.0)) // (51)
                .min((1.0 - c_1 - c_mu) / (d * c_mu)); // (52): C stays positive definite
            negative.iter_mut().for_each(|w| *w *= sum / total); // (53)
        } else {
            negative.fill(0.0);
            weights.truncate(mean.len());
        }
        let c_sigma = (mean_mu_eff + 2.0) / (d + mean_mu_eff + 5.0); // (55)
        let d_sigma = damping(dim, mean_mu_eff, c_sigma);
        Self { weights, mu, mean, mean_mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu }
    }
}
