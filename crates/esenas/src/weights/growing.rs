//! A population that grows with the evaluations spent.
//!
//! ```text
//! λ = λ₀ · max(1, (evaluations / after)^exponent)
//! ```
//!
//! A small population is the faster one at first and on smooth functions, a large one sees past
//! local optima and averages noise out, and no fixed one is both (Nishida and Akimoto 2018 adapt it
//! to how much of a step is noise; this needs only a count, and serves any optimizer beneath). The
//! constants of CMA-ES and its kin follow the number of values they are told, so growing is all
//! there is to do.

use serde::{Deserialize, Serialize};

use super::{Inner, Stop, WeightOptimizer, Weights, WeightsConfig};
use crate::setting::SettingError;
use crate::{Bounds, Optimizer, Statistics, Stream, Theta, Used};

/// Hyperparameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GrowingConfig {
    /// What grows; λ₀ is its own population.
    pub weights: Inner,
    /// Evaluations before it does; 50 d when left out.
    pub after: Option<u64>,
    /// How fast: 0 never grows, with 1 each iteration of the later ones is a fixed share of all.
    pub exponent: f64,
}

impl Default for GrowingConfig {
    fn default() -> Self {
        let weights = WeightsConfig::CmaEs(Default::default()).into();
        Self { weights, after: None, exponent: 0.5 }
    }
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growing {
    after: u64,
    exponent: f64,
    /// How many values were told.
    evaluations: u64,
    asked: u64,
    weights: Box<Weights>,
}

impl Growing {
    /// Starts at `theta`.
    pub fn new(
        config: GrowingConfig,
        theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SettingError> {
        let GrowingConfig { weights, after, exponent } = config;
        if !(0.0..=1.0).contains(&exponent) {
            let accepted = "be from 0 to 1";
            return Err(SettingError::must("exponent", accepted, exponent));
        }
        if after == Some(0) {
            let accepted = "be at least 1";
            return Err(SettingError::must("after", accepted, 0.0));
        }
        let after = after.unwrap_or(50 * theta.len().max(1) as u64);
        let weights =
            Box::new(weights.get().build(theta, bounds).map_err(|error| error.under("weights"))?);
        Ok(Self { after, exponent, evaluations: 0, asked: 0, weights })
    }

    /// What grows.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }
}

impl Optimizer for Growing {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        self.asked = n as u64;
        self.weights.ask(n, stream)
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        self.evaluations = self.evaluations.saturating_add(std::mem::take(&mut self.asked));
        self.weights.tell(values);
    }

    fn learn(&mut self, point: &Theta, value: f64, leads: bool) {
        self.weights.learn(point, value, leads);
    }

    fn restart(&mut self) {
        self.weights.restart();
    }

    pass_on!(statistics -> Statistics);
}

impl WeightOptimizer for Growing {
    pass_on!(centre -> Theta, antithetic -> bool, restarts -> u32, stop -> Option<Stop>);

    fn used(&mut self, used: Used) {
        self.weights.used(used);
    }

    fn population(&self) -> usize {
        let spent = self.evaluations as f64 / self.after as f64;
        let factor = spent.max(1.0).powf(self.exponent);
        let first = self.weights.population() as f64;
        // An even number, for those that come in pairs.
        2 * (0.5 * first * factor).round().clamp(1.0, 5e6) as usize
    }
}
