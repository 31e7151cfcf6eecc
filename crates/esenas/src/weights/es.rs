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

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::WeightOptimizer;
use super::active::{Segment, segments};
use super::buffer::Buffer;
use super::schedule::Schedule;
use super::start;
use super::step::{Memory, StepRule, norm};
use super::turn::Turn;
use crate::base::Shared;
use crate::optimizer::{Statistics, told};
use crate::setting::SettingError;
use crate::shaping::Normalize;
use crate::{BLOCK, Base, Bounds, Noise, Optimizer, Probe, Stream, Theta, Used, simd};

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
    /// What they use.
    used: Used,
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
            used: Used::default(),
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

    /// Pairs that came back whole: row and vᵢ⁺, vᵢ⁻, normalized.
    ///
    /// A pair missing either value says nothing about its direction and is left out.
    fn pairs(&self, values: &[Option<f64>]) -> Vec<(u32, [f64; 2])> {
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
        pairs.iter().zip(values.as_chunks().0).map(|((row, ..), v)| (*row, *v)).collect()
    }

    /// ĝ = (1/σn) Σᵢ vᵢ gᵢ with vᵢ = ½(vᵢ⁺ − vᵢ⁻); of a coordinate that not all used, over those
    /// that did (`active.rs`).
    fn estimate(&self, pairs: &[(u32, [f64; 2])], used: &Used, gradient: &mut [f64]) {
        let points: Vec<u32> = pairs.iter().flat_map(|(row, _)| [2 * row, 2 * row + 1]).collect();
        let segments = segments(used, gradient.len(), &points).into_iter();
        let shares: Vec<_> = segments.map(|segment| self.share(segment, pairs)).collect();
        let block = |(block, sum): (usize, &mut [f64])| {
            let (start, end) = (block * BLOCK, block * BLOCK + sum.len());
            let from = shares.partition_point(|share| share.range.end <= start);
            let to = shares.partition_point(|share| share.range.start < end);
            let mut sums = Aligned([0.0; BLOCK]);
            let sums = &mut sums.0[..sum.len()];
            match &shares[from..to] {
                [share] if self.add_kept(block, &share.weights, sums) => {}
                [share] => self.add_drawn(block, &share.weights, sums),
                shares => self.add_parts(block, shares, sums),
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

    /// What each direction counts for the coordinates of a segment.
    fn share(&self, segment: Segment, pairs: &[(u32, [f64; 2])]) -> Share {
        let Segment { range, users } = segment;
        if users.len() == 2 * pairs.len() {
            let scale = 1.0 / (self.sigma() * pairs.len() as f64);
            let weight =
                |&(row, [plus, minus]): &(u32, [f64; 2])| (row, scale * (0.5 * plus - 0.5 * minus));
            return Share { range, weights: pairs.iter().map(weight).collect() };
        }
        let value = |at: &usize| pairs[at / 2].1[at % 2];
        // Only differences among the users say something: a lone half of a pair differs from their
        // mean.
        let mean = users.iter().map(value).sum::<f64>() / users.len().max(1) as f64;
        let (own, all) = (0.5 * users.len() as f64, pairs.len() as f64);
        let scale = 1.0 / (self.sigma() * (own * all).sqrt());
        let mut weights: Vec<(u32, f64)> = Vec::new();
        for at in &users {
            let (row, sign) = (pairs[at / 2].0, if at % 2 == 0 { 0.5 } else { -0.5 });
            let weight = scale * sign * (value(at) - mean);
            match weights.last_mut() {
                Some((last, sum)) if *last == row => *sum += weight,
                _ => weights.push((row, weight)),
            }
        }
        Share { range, weights }
    }

    /// Adds a block whose coordinates count different directions.
    fn add_parts(&self, block: usize, shares: &[Share], sums: &mut [f64]) {
        let (start, len) = (block * BLOCK, sums.len());
        let mut rows: Vec<u32> = shares.iter().flat_map(|it| &it.weights).map(|it| it.0).collect();
        rows.sort_unstable();
        rows.dedup();
        let numbers = self.base.directions(&rows, block, len);
        for Share { range, weights } in shares {
            let here = range.start.max(start) - start..range.end.min(start + len) - start;
            for &(row, weight) in weights {
                let at = rows.partition_point(|other| *other < row) * len;
                let row = &numbers[at..at + len][here.clone()];
                simd::add_scaled(&mut sums[here.clone()], [weight], [row]);
            }
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

/// What directions count for coordinates of a range, by row.
struct Share {
    range: Range<usize>,
    weights: Vec<(u32, f64)>,
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
        let pairs = self.pairs(values);
        let used = std::mem::take(&mut self.used);
        self.pending = 0;
        if pairs.is_empty() {
            return;
        }
        let mut gradient = std::mem::take(&mut self.gradient);
        let step = gradient.room(self.base.centre.len());
        self.estimate(&pairs, &used, step);
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

    /// θ moves to a point that leads.
    fn learn(&mut self, point: &Theta, _: f64, leads: bool) {
        if leads {
            self.base.change().centre = point.to_vec();
        }
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

    fn used(&mut self, used: Used) {
        self.used = used;
    }

    fn antithetic(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
