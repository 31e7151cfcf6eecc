//! SNES: separable natural evolution strategies.
//!
//! Schaul, Glasmachers, Schmidhuber 2011, "High dimensions and heavy tails for natural evolution
//! strategies", Algorithm 2 (SNES); Wierstra et al. 2014, "Natural evolution strategies", §3.2,
//! §4. Points are x = m + s ∘ z with z ~ N(0, I); every coordinate has a step size s of its own and
//! follows the natural gradient of expected utility, in O(d) time per point and O(d) memory:
//!
//! ```text
//! uₖ = max(0, ln(λ/2 + 1) − ln k) / Σⱼ max(0, ln(λ/2 + 1) − ln j) − 1/λ        (1)
//! m ← m + η_m s ∘ Σₖ uₖ zₖ                                                    (2)
//! s ← s ∘ exp(η_s/2 Σₖ uₖ (zₖ² − 1))                                          (3)
//! ```
//!
//! with k the rank, best first; η_m = 1, η_s = (3 + ln d) / (5 √d), λ = 4 + ⌊3 ln d⌋.
//!
//! - λ is the number of values told: utilities follow each iteration. A missing value leaves its
//!   point out; fewer than two values, or equal ones, teach nothing.
//! - With bounds, points are clipped to the box, z is that of the clipped point, and m stays in
//!   the box.
//! - Coordinates that not all points used have the utilities of their users, and what fewer than
//!   two used stays where it is (`active.rs`).
//! - Coordinates on a grid are rounded where they are evaluated, z is as drawn, and s is kept wide
//!   enough to leave the cell of m (`margin.rs`).

use serde::{Deserialize, Serialize};

use super::active::{Segment, segments};
use super::buffer::Buffer;
use super::diagonal::{Share, Weighed, moments};
use super::margin;
use super::recombination::{default_population, effective, informs, ranked};
use super::start::{self, SIGMA};
use crate::base::Shared;
use crate::setting::SettingError;
use crate::{
    Base, Bounds, Noise, Optimizer, Probe, Statistics, Stream, Theta, Used, WeightOptimizer,
};

/// Hyperparameters. The rates default to those of Schaul et al. 2011, Table 1; σ to that of the
/// ES-ENAS paper, Appendix A.2.2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SnesConfig {
    /// The standard deviation to start with, in every coordinate.
    pub sigma: f64,
    /// λ; 4 + ⌊3 ln d⌋ when left out.
    pub population: Option<usize>,
    /// η_m
    pub step_size: f64,
    /// η_s; (3 + ln d) / (5 √d) when left out.
    pub sigma_rate: Option<f64>,
}

impl Default for SnesConfig {
    fn default() -> Self {
        Self { sigma: 0.5, population: None, step_size: 1.0, sigma_rate: None }
    }
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snes {
    config: SnesConfig,
    /// m is its centre, s its spread; its noise is that of the last `ask`.
    base: Shared,
    /// How many points wait for their values.
    asked: usize,
    /// What they used.
    used: Used,
    /// Σ uₖ zₖ, then Σ uₖ zₖ²
    #[serde(skip)]
    moments: Buffer,
}

impl Snes {
    /// Starts at `theta`.
    pub fn new(
        config: SnesConfig,
        mut theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SettingError> {
        start::check(&theta, config.sigma, config.population, bounds.as_ref())?;
        let rates = [("step_size", Some(config.step_size)), ("sigma_rate", config.sigma_rate)];
        for (name, rate) in rates {
            if let Some(value) = rate.filter(|rate| !(0.0 < *rate && *rate <= 2.0)) {
                let accepted = "be above 0 and at most 2";
                return Err(SettingError::must(name, accepted, value));
            }
        }
        let mut spread = vec![config.sigma; theta.len()];
        let population = config.population.unwrap_or_else(|| default_population(theta.len()));
        margin::keep(bounds.as_ref(), population, &mut theta, &mut spread, |_| 1.0);
        let base = Shared::new(Base::new(theta, Some(spread), bounds));
        Ok(Self { config, base, asked: 0, used: Used::default(), moments: Buffer::default() })
    }

    fn dim(&self) -> usize {
        self.base.centre.len()
    }

    /// s
    pub fn spread(&self) -> &[f64] {
        self.base.spread.as_deref().unwrap_or_default()
    }

    fn sigma_rate(&self) -> f64 {
        let d = self.dim() as f64;
        self.config.sigma_rate.unwrap_or((3.0 + d.ln()) / (5.0 * d.sqrt()))
    }
}

/// uₖ, best first (Eq. 1).
fn utilities(count: usize) -> Vec<f64> {
    let half = (count as f64 / 2.0 + 1.0).ln();
    let raw = |rank: usize| (half - (rank as f64).ln()).max(0.0);
    let sum: f64 = (1..=count).map(raw).sum();
    (1..=count).map(|rank| raw(rank) / sum - 1.0 / count as f64).collect()
}

impl Optimizer for Snes {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        self.base.change().redirect(Noise::Gaussian(stream.bits()), n);
        self.asked = n;
        let probe = |row| Theta::probe(self.base.share(), Probe { row, scale: 1.0 });
        (0..n as u32).map(probe).collect()
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let rows = ranked(std::mem::take(&mut self.asked), values);
        let used = std::mem::take(&mut self.used);
        if !informs(&rows) {
            return;
        }
        let point = |((row, _), u): ((u32, f64), f64)| {
            let (sign, weight, of_square) = (1.0, u, u);
            Weighed { row, sign, weight, of_square }
        };
        let all = effective(&utilities(rows.len()));
        let share = |segment: Segment| {
            let users = segment.ranked(&rows).unwrap_or_default();
            let mut utilities = utilities(users.len());
            let factor = (effective(&utilities) / all).sqrt();
            utilities.iter_mut().for_each(|u| *u *= factor);
            let points = users.into_iter().zip(utilities).map(point).collect();
            Share { range: segment.range, points }
        };
        let told: Vec<u32> = rows.iter().map(|(index, _)| *index).collect();
        let shares: Vec<_> = segments(&used, self.dim(), &told).into_iter().map(share).collect();
        // Σ uₖ = 0, so that Σ uₖ (zₖ² − 1) is Σ uₖ zₖ².
        let (step, rate) = (self.config.step_size, 0.5 * self.sigma_rate());
        let dim = self.dim();
        let (first, second) = self.moments.room(2 * dim).split_at_mut(dim);
        moments(&self.base, 1.0, &shares, first, second);
        let base = self.base.change();
        let Some(spread) = &mut base.spread else { return };
        let coordinates = base.centre.iter_mut().zip(&mut *spread).zip(first.iter().zip(&*second));
        for ((m, s), (first, second)) in coordinates {
            *m += step * (*s * first); // Eq. 2
            *s = (*s * (rate * second).min(1.0).exp()).clamp(SIGMA.0, SIGMA.1); // Eq. 3
        }
        let bounds = base.bounds.as_ref();
        bounds.inspect(|bounds| bounds.clip_continuous(&mut base.centre));
        margin::keep(bounds, rows.len(), &mut base.centre, spread, |_| 1.0);
    }

    /// m moves to a point that leads.
    fn learn(&mut self, point: &Theta, _: f64, leads: bool) {
        if leads {
            self.base.change().centre = point.to_vec();
        }
    }

    fn statistics(&self) -> Statistics {
        let mean_log = self.spread().iter().map(|s| s.ln()).sum::<f64>() / self.dim() as f64;
        vec![("sigma", mean_log.exp())]
    }
}

impl WeightOptimizer for Snes {
    fn used(&mut self, used: Used) {
        self.used = used;
    }

    fn centre(&self) -> Theta {
        Theta::centre(self.base.share())
    }

    fn population(&self) -> usize {
        self.config.population.unwrap_or_else(|| default_population(self.dim()))
    }
}
