//! Restarts: a new beginning whenever nothing improves any more.
//!
//! A run ends when its optimizer says so ([`Stop`](super::Stop)), or when its best value has not
//! improved for 50 + max(100, 5 d) d/λ iterations: of the best, since in a product with a
//! controller the values of a batch differ for reasons that are not θ's. (With a third of that at d
//! = 20, and without the second d at 100, runs on ill-conditioned functions were ended before they
//! had learned their scales, of which there are d²/2.) The next one begins anywhere in the box, or
//! without one a few σ from the first start, with another population:
//!
//! - [`Regime::Ipop`]: each time twice as large (Auger and Hansen 2005).
//! - [`Regime::Bipop`]: the same, and in between as many evaluations go to runs with small
//!   populations, λ₀ · (½ λ/λ₀)^(u²), and σ₀ · 10^(−2v), u and v uniform (Hansen 2009).
//!
//! Nothing is forgotten that matters: who searches keeps the best point. What is learned beside θ
//! is told to begin anew as well ([`WeightOptimizer::restarts`]).

use serde::{Deserialize, Serialize};

use super::{Inner, WeightOptimizer, Weights, WeightsConfig};
use crate::optimizer::told;
use crate::setting::SettingError;
use crate::{Bounds, Noise, Optimizer, Statistics, Stream, Theta, Used};

/// No population is larger.
const LARGEST: usize = 1 << 20;

/// Populations of the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Regime {
    /// Larger every time.
    #[default]
    Ipop,
    /// Larger, and small ones in between.
    Bipop,
}

/// Hyperparameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RestartsConfig {
    /// What is begun anew; its population is that of the first run.
    pub weights: Inner,
    /// Populations of the runs.
    pub regime: Regime,
    /// By what factor a population is larger.
    pub growth: f64,
}

impl Default for RestartsConfig {
    fn default() -> Self {
        let weights = WeightsConfig::CmaEs(Default::default()).into();
        Self { weights, regime: Regime::default(), growth: 2.0 }
    }
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restarts {
    config: RestartsConfig,
    /// The first start.
    start: Vec<f64>,
    bounds: Option<Bounds>,
    weights: Box<Weights>,
    /// Runs that have ended.
    ended: u32,
    /// λ₀, and that of the last run with a large population.
    populations: (usize, usize),
    /// Evaluations of the runs with large populations, and of those with small ones.
    spent: [u64; 2],
    /// Whether this run is one of the latter.
    small: bool,
    run: Run,
    asked: usize,
}

/// What is known of the present run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Run {
    best: Option<f64>,
    /// Iterations without an improvement.
    idle: u64,
    over: bool,
}

impl Restarts {
    /// Starts at `theta`.
    pub fn new(
        config: RestartsConfig,
        theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SettingError> {
        let growth = config.growth;
        if !(1.0..=10.0).contains(&growth) {
            let accepted = "be from 1 to 10";
            return Err(SettingError::must("growth", accepted, growth));
        }
        let weights = config.weights.get().build(theta.clone(), bounds.clone());
        let weights = weights.map_err(|error| error.under("weights"))?;
        let first = weights.population();
        Ok(Self {
            config,
            start: theta,
            bounds,
            weights: Box::new(weights),
            ended: 0,
            populations: (first, first),
            spent: [0; 2],
            small: false,
            run: Run::default(),
            asked: 0,
        })
    }

    /// Has the first run begin at `theta`, with its own σ: whoever found it may have come to look
    /// too near.
    pub(crate) fn begin_at(&mut self, mut theta: Vec<f64>) {
        if let Some(bounds) = &self.bounds {
            bounds.clip(0, &mut theta);
        }
        // Settings are those that were accepted before.
        if let Ok(weights) = self.config.weights.get().build(theta, self.bounds.clone()) {
            *self.weights = weights;
        }
    }

    /// What is begun anew.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    fn begin(&mut self, stream: &mut Stream) {
        let config = self.config.weights.get();
        let theta = self.anywhere(config.first_sigma(), stream);
        let bipop = self.config.regime == Regime::Bipop;
        self.small = bipop && self.ended > 0 && self.spent[1] < self.spent[0];
        let (first, large) = self.populations;
        let config = if self.small {
            let (u, v) = (stream.unit(), stream.unit());
            let factor = (0.5 * large as f64 / first as f64).max(1.0).powf(u * u);
            let sigma = config.first_sigma() * 10f64.powf(-2.0 * v);
            config.with_population((first as f64 * factor) as usize).with_sigma(sigma)
        } else {
            let larger = ((large as f64 * self.config.growth).round() as usize).min(LARGEST);
            self.populations.1 = larger;
            config.with_population(larger)
        };
        // A point in the box and settings like those of the first run are accepted, as those were.
        if let Ok(weights) = config.build(theta, self.bounds.clone()) {
            *self.weights = weights;
        }
        self.ended = self.ended.saturating_add(1);
        self.run = Run::default();
    }

    fn anywhere(&self, sigma: f64, stream: &mut Stream) -> Vec<f64> {
        let dim = self.start.len();
        let bounded = |j: usize| self.bounds.as_ref().filter(|bounds| bounds.is_bounded(j));
        let near = if (0..dim).all(|j| bounded(j).is_some()) {
            Vec::new()
        } else {
            let row = Noise::Gaussian(stream.bits()).row(0, dim);
            let near = self.start.iter().zip(row).map(|(x, z)| x + sigma * f64::from(z));
            near.map(|x| if x.is_finite() { x } else { 0.0 }).collect()
        };
        let mut place = |j| match bounded(j) {
            Some(bounds) => {
                let (low, high) = bounds.interval(j);
                (low + stream.unit() * (high - low)).clamp(low, high)
            }
            None => near[j],
        };
        (0..dim).map(&mut place).collect()
    }
}

impl Run {
    fn watch(&mut self, values: &[f64], patience: u64) {
        let Some(best) = values.iter().copied().reduce(f64::max) else { return };
        if self.best.is_none_or(|before| best > before) {
            (self.best, self.idle) = (Some(best), 0);
        } else {
            self.idle += 1;
        }
        self.over = self.idle > patience;
    }
}

impl Optimizer for Restarts {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        if self.run.over {
            self.begin(stream);
        }
        self.asked = n;
        self.weights.ask(n, stream)
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let asked = std::mem::take(&mut self.asked);
        self.spent[usize::from(self.small)] += asked as u64;
        let known: Vec<f64> = (0..asked).filter_map(|index| told(values, index)).collect();
        let dim = self.start.len() as u64;
        let window =
            dim.saturating_mul(5).max(100).saturating_mul(dim) / (known.len() as u64).max(1);
        self.run.watch(&known, window.saturating_add(50));
        self.weights.tell(values);
        self.run.over |= asked > 0 && self.weights.stop().is_some();
    }

    /// The run goes on from a point that leads, also if it was over.
    fn learn(&mut self, point: &Theta, value: f64, leads: bool) {
        if leads {
            self.run = Run { best: Some(value), ..Run::default() };
        }
        self.weights.learn(point, value, leads);
    }

    /// The next iteration begins a new run.
    fn restart(&mut self) {
        self.run.over = true;
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = self.weights.statistics();
        statistics.push(("restarts", self.ended.into()));
        statistics
    }
}

impl WeightOptimizer for Restarts {
    // When a run is over, the population of the next one is not known yet.
    pass_on!(centre -> Theta, population -> usize, antithetic -> bool);

    fn used(&mut self, used: Used) {
        self.weights.used(used);
    }

    fn restarts(&self) -> u32 {
        self.ended
    }
}
