//! Antithetic evolution strategies, §2.1.1, and their refinement ARS (Mania et al. 2018).
//!
//! θ ← θ + η_w · (1/n) Σᵢ (f(θ + σgᵢ) − f(θ − σgᵢ)) / 2σ · gᵢ    (Eq. 4, with m held fixed)
//!
//! Points come in pairs θ + σg₁, θ − σg₁, θ + σg₂, …, and share a centre. While they fit into a few
//! megabytes the gᵢ are kept for the update; beyond, nothing of size n·d is ever held and the
//! update draws each gᵢ again from its address, block by block.
//!
//! Coordinates on a grid are rounded where they are evaluated, θ is not. There are no margins:
//! where σ is small beside the grid's step all points round alike, and θ may stall.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::WeightOptimizer;
use super::buffer::Buffer;
use super::schedule::Schedule;
use super::start;
use super::step::{Memory, StepRule, norm};
use super::turn::Turn;
use crate::base::Shared;
use crate::optimizer::{Statistics, told};
use crate::setting::SettingError;
use crate::shaping::Normalize;
use crate::{BLOCK, Base, Bounds, Noise, Optimizer, Probe, Stream, Theta, simd};

/// Hyperparameters; the defaults are the paper's for BBOB (Appendix A.2.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EsConfig {
    /// σ
    pub sigma: Schedule,
    /// η_w
    pub step_size: Schedule,
    /// n, the number of pairs an iteration asks for.
    pub directions: u32,
    /// How gᵢ are drawn.
    pub sampling: Sampling,
    /// How values are normalized.
    pub normalize: Normalize,
    /// Learn from the best pairs only, by their better value (ARS's b); from all when `None`.
    pub top: Option<u32>,
    /// How the gradient becomes a step.
    pub rule: StepRule,
    /// Decoupled weight decay: θ shrinks by η_w times this before each step.
    pub weight_decay: f64,
}

impl Default for EsConfig {
    fn default() -> Self {
        Self {
            sigma: 0.5.into(),
            step_size: 0.5.into(),
            directions: 64,
            sampling: Sampling::default(),
            normalize: Normalize::default(),
            top: None,
            rule: StepRule::default(),
            weight_decay: 0.0,
        }
    }
}

impl EsConfig {
    /// The paper's settings for reinforcement learning (Appendix A.2.2).
    pub fn reinforcement_learning() -> Self {
        Self { sigma: 0.1.into(), step_size: 0.01.into(), directions: 75, ..Self::default() }
    }
}

/// The distribution of the directions; each has covariance I.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// Independent Gaussians (Algorithm 1).
    #[default]
    Gaussian,
    /// Gaussians made orthogonal: less variance, but O(n·d) memory and O(n²·d) time.
    Orthogonal,
    /// Rows of a randomly signed Hadamard matrix: orthogonal if d is a power of two, and cheap.
    Hadamard,
}

/// The state of the algorithm: all of it, and nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Es {
    config: EsConfig,
    /// θ, and the directions of the last `ask`.
    base: Shared,
    memory: Memory,
    /// How many times it was told.
    iteration: u32,
    /// Points asked for and not yet told of.
    pending: usize,
    gradient_norm: f64,
    step_norm: f64,
    turn: Turn,
    /// Space for a gradient; means nothing between calls.
    #[serde(skip)]
    gradient: Buffer,
}

impl Es {
    /// Starts at `theta`.
    pub fn new(
        config: EsConfig,
        theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SettingError> {
        check(&config)?;
        start::check_point(&theta, bounds.as_ref())?;
        Ok(Self {
            config,
            base: Shared::new(Base::new(theta, None, bounds).in_pairs()),
            memory: Memory::default(),
            iteration: 0,
            pending: 0,
            gradient_norm: 0.0,
            step_norm: 0.0,
            turn: Turn::default(),
            gradient: Buffer::default(),
        })
    }

    /// θ
    pub fn theta(&self) -> &[f64] {
        &self.base.centre
    }

    /// σ, as of now.
    pub fn sigma(&self) -> f64 {
        self.config.sigma.at(self.iteration)
    }

    /// Pairs that came back whole: row and vᵢ = ½(vᵢ⁺ − vᵢ⁻), normalized.
    ///
    /// A pair missing either value says nothing about its direction and is left out.
    fn differences(&self, values: &[Option<f64>]) -> Vec<(u32, f64)> {
        let pair =
            |row: usize| Some((row as u32, told(values, 2 * row)?, told(values, 2 * row + 1)?));
        let mut pairs: Vec<_> = (0..self.pending / 2).filter_map(pair).collect();
        if let Some(top) = self.config.top {
            pairs.sort_by(|a, b| b.1.max(b.2).total_cmp(&a.1.max(a.2)));
            pairs.truncate(top as usize);
            pairs.sort_by_key(|(row, ..)| *row);
        }
        let mut values: Vec<f64> =
            pairs.iter().flat_map(|&(_, plus, minus)| [plus, minus]).collect();
        self.config.normalize.apply(&mut values);
        let halves = values.chunks_exact(2).map(|v| 0.5 * v[0] - 0.5 * v[1]);
        pairs.iter().zip(halves).map(|((row, ..), v)| (*row, v)).collect()
    }

    /// ĝ = (1/σn) Σᵢ vᵢ gᵢ
    fn estimate(&self, differences: &[(u32, f64)], gradient: &mut [f64]) {
        let scale = 1.0 / (self.sigma() * differences.len() as f64);
        let weights: Vec<_> = differences.iter().map(|&(row, v)| (row, scale * v)).collect();
        let block = |(block, sum): (usize, &mut [f64])| {
            let mut sums = Aligned([0.0; BLOCK]);
            let sums = &mut sums.0[..sum.len()];
            if !self.add_kept(block, &weights, sums) {
                self.add_drawn(block, &weights, sums);
            }
            sum.copy_from_slice(sums);
        };
        // Each coordinate is summed in the order of the pairs, whichever thread does it.
        if self.base.is_worth_sharing() {
            gradient.par_chunks_mut(BLOCK).enumerate().for_each(block);
        } else {
            gradient.chunks_mut(BLOCK).enumerate().for_each(block);
        }
    }

    /// Adds a block of the directions, if they are kept.
    fn add_kept(&self, block: usize, weights: &[(u32, f64)], sums: &mut [f64]) -> bool {
        let len = sums.len();
        let kept = |(row, _): &(u32, f64)| self.base.kept(*row, block, len);
        if !weights.iter().all(|weight| kept(weight).is_some()) {
            return false;
        }
        for four in weights.chunks(4) {
            let row = |i: usize| four.get(i).and_then(kept).unwrap_or_default();
            add(four, [0, 1, 2, 3].map(row), sums);
        }
        true
    }

    /// Draws a block of the directions, and adds it.
    fn add_drawn(&self, block: usize, weights: &[(u32, f64)], sums: &mut [f64]) {
        let mut rooms = Aligned([[0.0; BLOCK]; 4]);
        let mut rooms = rooms.0.each_mut().map(|room| &mut room[..sums.len()]);
        for four in weights.chunks(4) {
            for (room, (row, _)) in rooms.iter_mut().zip(four) {
                self.base.noise().fill(*row, block, room);
            }
            add(four, rooms.each_ref().map(|room| &**room), sums);
        }
    }
}

/// Adds up to four rows, each times its weight.
fn add(weights: &[(u32, f64)], rows: [&[f32]; 4], sums: &mut [f64]) {
    match weights {
        &[(_, a), (_, b), (_, c), (_, d)] => simd::add_scaled(sums, [a, b, c, d], rows),
        few => few
            .iter()
            .zip(rows)
            .for_each(|(&(_, weight), row)| simd::add_scaled(sums, [weight], [row])),
    }
}

/// Where no vector of a loop lies on two cache lines.
#[repr(align(64))]
struct Aligned<T>(T);

fn check(config: &EsConfig) -> Result<(), SettingError> {
    for sigma in config.sigma.ends() {
        start::check_sigma(sigma)?;
    }
    let setting = |name, value: f64, fits, accepted| {
        if fits { Ok(()) } else { Err(SettingError::must(name, accepted, value)) }
    };
    for step in config.step_size.ends() {
        setting("step_size", step, step.is_finite() && step > 0.0, "be positive and finite")?;
    }
    let (directions, decay) = (config.directions, config.weight_decay);
    setting("directions", directions.into(), directions > 0, "be at least 1")?;
    let fits = decay.is_finite() && decay >= 0.0;
    setting("weight_decay", decay, fits, "be zero or positive, and finite")?;
    if let Some(top) = config.top {
        let fits = (1..=directions).contains(&top);
        setting("top", top.into(), fits, "be from 1 to the number of directions")?;
    }
    config.rule.check()
}

impl Optimizer for Es {
    type Point = Theta;

    /// An odd last point has no partner and is left out of the update.
    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        let (key, sigma, rows) = (stream.bits(), self.sigma(), n.div_ceil(2));
        let base = self.base.change();
        let dim = base.centre.len();
        let noise = match self.config.sampling {
            Sampling::Gaussian => Noise::Gaussian(key),
            Sampling::Hadamard => Noise::hadamard(key, dim),
            Sampling::Orthogonal => Noise::orthogonal(key, rows, dim),
        };
        base.redirect(noise, rows);
        self.pending = n;
        let probe = |i: usize| Probe {
            row: (i / 2) as u32,
            scale: if i.is_multiple_of(2) { sigma } else { -sigma },
        };
        (0..n).map(|i| Theta::probe(self.base.share(), probe(i))).collect()
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let differences = self.differences(values);
        self.pending = 0;
        if differences.is_empty() {
            return;
        }
        let mut gradient = std::mem::take(&mut self.gradient);
        let step = gradient.room(self.base.centre.len());
        self.estimate(&differences, step);
        let length = norm(step);
        // Values too large to square cannot be learned from.
        if length.is_finite() {
            self.turn.follow(step);
            let step_size = self.config.step_size.at(self.iteration);
            self.memory.step(&self.config.rule, step_size, step);
            (self.gradient_norm, self.step_norm) = (length, norm(step));
            let keep = 1.0 - (step_size * self.config.weight_decay).min(1.0);
            let base = self.base.change();
            base.centre.iter_mut().zip(&*step).for_each(|(t, s)| *t = keep * *t + s);
            if let Some(bounds) = &base.bounds {
                bounds.clip(0, &mut base.centre);
            }
            self.iteration = self.iteration.saturating_add(1);
        }
        self.gradient = gradient;
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = vec![
            ("sigma", self.sigma()),
            ("gradient_norm", self.gradient_norm),
            ("step_norm", self.step_norm),
        ];
        statistics.extend(self.turn.cosine().map(|cosine| ("gradient_cosine", cosine)));
        statistics
    }
}

impl WeightOptimizer for Es {
    fn centre(&self) -> Theta {
        Theta::centre(self.base.share())
    }

    fn population(&self) -> usize {
        2 * self.config.directions as usize
    }

    fn antithetic(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
