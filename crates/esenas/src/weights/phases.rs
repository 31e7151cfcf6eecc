//! One optimizer to begin with, and another from where it arrived.
//!
//! In many dimensions a batch of any size says little of a gradient at first, and an optimizer of few
//! points and many, bold steps is ahead; later one that learns scales and correlations is. The second
//! begins at the centre of the first, with its σ.

use serde::{Deserialize, Serialize};

use super::{EsConfig, Inner, StartError, Trail, WeightOptimizer, Weights, WeightsConfig};
use crate::{Bounds, Optimizer, Statistics, Stream, Theta, Used};

/// Hyperparameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PhasesConfig {
    /// What begins.
    pub first: Inner,
    /// How many evaluations it has; 15 d when left out.
    pub evaluations: Option<u64>,
    /// What takes over. Its σ is that which the first ended with, if that has one.
    pub then: Inner,
}

impl Default for PhasesConfig {
    fn default() -> Self {
        let first = WeightsConfig::Es(EsConfig { directions: 8, ..EsConfig::default() }).into();
        Self { first, evaluations: None, then: WeightsConfig::CmaEs(Default::default()).into() }
    }
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// What takes over, until it has.
    then: Option<Inner>,
    /// Evaluations until then.
    left: u64,
    asked: u64,
    bounds: Option<Bounds>,
    antithetic: bool,
    weights: Box<Weights>,
}

impl Phases {
    /// Starts at `theta`.
    pub fn new(
        config: PhasesConfig,
        theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, StartError> {
        let PhasesConfig { first, evaluations, then } = config;
        if evaluations == Some(0) {
            let accepted = "be at least 1";
            return Err(StartError::Setting { name: "evaluations", accepted, value: 0.0 });
        }
        let left = evaluations.unwrap_or(15 * theta.len() as u64);
        // What could not take over is refused at once.
        let later = then.get().build(theta.clone(), bounds.clone())?;
        let weights = Box::new(first.get().build(theta, bounds.clone())?);
        let antithetic = weights.antithetic() && later.antithetic();
        Ok(Self { then: Some(then), left, asked: 0, bounds, antithetic, weights })
    }

    /// Whichever it is at present.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    fn take_over(&mut self) {
        let Some(then) = self.then.take() else { return };
        let then = then.get().succeeding(&self.weights);
        // A centre in the box and a σ within limits are accepted, as the start was.
        if let Ok(later) = then.build(self.weights.centre().to_vec(), self.bounds.clone()) {
            *self.weights = later;
        }
    }
}

impl Optimizer for Phases {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        self.asked = n as u64;
        self.weights.ask(n, stream)
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        self.left = self.left.saturating_sub(std::mem::take(&mut self.asked));
        self.weights.tell(values);
        if self.left == 0 {
            self.take_over();
        }
    }

    fn restart(&mut self) {
        self.weights.restart();
    }

    fn statistics(&self) -> Statistics {
        self.weights.statistics()
    }
}

impl WeightOptimizer for Phases {
    fn centre(&self) -> Theta {
        self.weights.centre()
    }

    fn population(&self) -> usize {
        self.weights.population()
    }

    fn used(&mut self, used: Used) {
        self.weights.used(used);
    }

    fn antithetic(&self) -> bool {
        self.antithetic
    }

    fn restarts(&self) -> u32 {
        self.weights.restarts()
    }

    fn asked_centre(&self) -> Option<usize> {
        self.weights.asked_centre()
    }

    fn trail(&self) -> Trail {
        self.weights.trail()
    }
}
