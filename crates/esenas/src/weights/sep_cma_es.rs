//! sep-CMA-ES: CMA-ES with a diagonal covariance matrix.
//!
//! Ros and Hansen 2008, "A simple modification in CMA-ES achieving linear time and space
//! complexity". Points are x = m + σ s ∘ z with z ~ N(0, I) and s² the diagonal of C. Linear in d
//! in time and memory, so it serves d up to millions, and where C is diagonal it learns
//! (d + 2)/3 times faster than CMA-ES. With i the rank, best first, and sums over i = 1 … μ:
//!
//! ```text
//! wᵢ = ln(μ + 1) − ln i, scaled to Σ wᵢ = 1;  μ = ⌊λ/2⌋;  μ_eff = 1/Σ wᵢ²            (1)
//! m ← m + σ s ∘ Σ wᵢ zᵢ                                                           (2)
//! p_σ ← (1 − c_σ) p_σ + √(c_σ (2 − c_σ) μ_eff) Σ wᵢ zᵢ                            (3)
//! σ ← σ exp(c_σ/d_σ (‖p_σ‖/E‖N(0, I)‖ − 1))                                       (4)
//! p_c ← (1 − c_c) p_c + h_σ √(c_c (2 − c_c) μ_eff) s ∘ Σ wᵢ zᵢ                    (5)
//! s² ← (1 − c_cov) s² + c_cov/μ_eff (p_c² + (1 − h_σ) c_c (2 − c_c) s²)
//!      + c_cov (1 − 1/μ_eff) s² ∘ Σ wᵢ zᵢ²                                        (6)
//! c_cov = (d + 2)/3 (2/(μ_eff (d + √2)²) + (1 − 1/μ_eff) min(1, (2μ_eff − 1)/((d + 2)² + μ_eff)))
//! c_c = 4/(d + 4);  c_σ = (μ_eff + 2)/(d + μ_eff + 3)
//! d_σ = 1 + 2 max(0, √((μ_eff − 1)/(d + 1)) − 1) + c_σ                            (7)
//! ```
//!
//! h_σ is 0 while ‖p_σ‖ is exceptionally long, else 1. c_cov is cut at 1, which the published
//! formula passes when the population is large.
//!
//! - λ is the number of values told: the constants follow each iteration. A missing value leaves
//!   its point out; fewer than two values, or equal ones, teach nothing.
//! - Mirrored, points come in pairs m ± σ s ∘ z, half the numbers to draw, and Eqs. 3, 5 and 7 have
//!   the μ_eff of pairs (`mirrored.rs`).
//! - With bounds, points are clipped to the box, z is that of the clipped point, and m stays in
//!   the box.
//! - Coordinates that not all points used have the weights, rates and μ_eff of their users, and
//!   what fewer than two used stays where it is (`active.rs`).
//! - Coordinates on a grid are rounded where they are evaluated, z is as drawn, and σ s is kept
//!   wide enough to leave the cell of m (`margin.rs`).

use serde::{Deserialize, Serialize};

use super::active::{Segment, segments};
use super::buffer::Buffer;
use super::diagonal::{Share, Weighed, moments};
use super::margin;
use super::mirrored::{directions, paired, pairs, place};
use super::recombination::{
    Recombination, cumulate, damping, default_population, expected_norm, informs, log_weights,
    normalize, ranked, rescaled, stalls,
};
use super::start::{self, SIGMA};
use crate::base::Shared;
use crate::setting::SettingError;
use crate::{
    Base, Bounds, Noise, Optimizer, Probe, Statistics, Stream, Theta, Used, WeightOptimizer, simd,
};

/// Hyperparameters. σ defaults to that of the ES-ENAS paper, Appendix A.2.2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SepCmaEsConfig {
    /// σ to start with.
    pub sigma: f64,
    /// λ; 4 + ⌊3 ln d⌋ when left out.
    pub population: Option<usize>,
    /// Which points move the mean.
    pub recombination: Recombination,
    /// Whether points come in pairs m ± σ s ∘ z.
    pub mirrored: bool,
}

impl Default for SepCmaEsConfig {
    fn default() -> Self {
        let recombination = Recombination::default();
        Self { sigma: 0.5, population: None, recombination, mirrored: false }
    }
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SepCmaEs {
    config: SepCmaEsConfig,
    /// m is its centre, s its spread; its noise is that of the last `ask`.
    base: Shared,
    sigma: f64,
    /// p_σ
    sigma_path: Vec<f64>,
    /// p_c
    path: Vec<f64>,
    /// How often it has learned.
    iteration: u64,
    /// How many points wait for their values.
    asked: usize,
    /// What they used.
    used: Used,
    /// Σ wᵢ zᵢ, then Σ wᵢ zᵢ²
    #[serde(skip)]
    moments: Buffer,
}

/// What follows from d and the number of values told.
struct Params {
    /// Of the mean, and of the variances.
    weights: Vec<(f64, f64)>,
    mean_mu_eff: f64,
    c_sigma: f64,
    d_sigma: f64,
    c_c: f64,
    c_1: f64,
    c_mu: f64,
}

impl Params {
    /// With these points, best first.
    fn of(dim: usize, ranked: &[(u32, f64)], config: &SepCmaEsConfig) -> Self {
        let pairs = pairs(config.mirrored, ranked);
        Self::new(dim, ranked.len(), pairs, config.recombination)
    }

    /// `pairs` of those told are the two halves of one.
    fn new(dim: usize, told: usize, pairs: usize, recombination: Recombination) -> Self {
        let d = dim as f64;
        let mu = (told / 2).max(1);
        let mut weights = log_weights(mu as f64 + 1.0, mu); // Eq. 1
        let mu_eff = normalize(&mut weights);
        let mean = recombination.weights(&weights, told);
        let mean_mu_eff = paired(&mean, told, pairs);
        let c_sigma = (mean_mu_eff + 2.0) / (d + mean_mu_eff + 3.0); // Eq. 7
        let d_sigma = damping(dim, mean_mu_eff, c_sigma);
        let rank_one = 2.0 / (mu_eff * (d + std::f64::consts::SQRT_2).powi(2));
        let rank_mu = ((2.0 * mu_eff - 1.0) / ((d + 2.0).powi(2) + mu_eff)).min(1.0);
        let full = rank_one + (1.0 - 1.0 / mu_eff) * rank_mu;
        let c_cov = ((d + 2.0) / 3.0 * full).min(1.0);
        let (c_1, c_mu) = (c_cov / mu_eff, c_cov * (1.0 - 1.0 / mu_eff));
        weights.resize(mean.len(), 0.0);
        let weights = mean.into_iter().zip(weights).collect();
        Self { weights, mean_mu_eff, c_sigma, d_sigma, c_c: 4.0 / (d + 4.0), c_1, c_mu }
    }
}

impl SepCmaEs {
    /// Starts at `theta`.
    pub fn new(
        config: SepCmaEsConfig,
        mut theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SettingError> {
        start::check(&theta, config.sigma, config.population, bounds.as_ref())?;
        let dim = theta.len();
        let mut spread = vec![1.0; dim];
        let population = config.population.unwrap_or_else(|| default_population(dim));
        margin::keep(bounds.as_ref(), population, &mut theta, &mut spread, |_| config.sigma);
        let mut base = Base::new(theta, Some(spread), bounds);
        base.pairs = config.mirrored;
        Ok(Self {
            config,
            base: Shared::new(base),
            sigma: config.sigma,
            sigma_path: vec![0.0; dim],
            path: vec![0.0; dim],
            iteration: 0,
            asked: 0,
            used: Used::default(),
            moments: Buffer::default(),
        })
    }

    fn dim(&self) -> usize {
        self.base.centre.len()
    }

    /// What the coordinates of a segment are learned with, if they are, and from which points.
    fn learned(&self, segment: Segment, ranked: &[(u32, f64)]) -> (Option<Params>, Share) {
        let Some(users) = segment.ranked(ranked) else {
            return (None, Share { range: segment.range, points: Vec::new() });
        };
        let p = Params::of(self.dim(), &users, &self.config);
        let point = |(&(index, _), &(weight, of_square)): (&(u32, f64), &(f64, f64))| {
            let (row, sign) = place(self.config.mirrored, index);
            Weighed { row, sign, weight, of_square }
        };
        let mut points: Vec<_> = users.iter().zip(&p.weights).map(point).collect();
        if self.config.mirrored {
            points.sort_by_key(|point| point.row);
        }
        (Some(p), Share { range: segment.range, points })
    }

    /// σ
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// s: standard deviations are σ s.
    pub fn spread(&self) -> &[f64] {
        self.base.spread.as_deref().unwrap_or_default()
    }
}

/// One step of what each coordinate has of its own.
struct Update<'a> {
    p: &'a Params,
    /// What remains of s², and what comes to p_c.
    keep: f64,
    push: f64,
    sigma: f64,
    /// By how much the step of few users is shortened.
    factor: f64,
    m: &'a mut [f64],
    s: &'a mut [f64],
    path: &'a mut [f64],
    z: &'a [f64],
    z_squared: &'a [f64],
}

impl pulp::WithSimd for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { p: &Params { c_c, c_1, c_mu, .. }, keep, push, sigma, factor, .. } = self;
        let coordinates = self.m.iter_mut().zip(self.s).zip(self.path);
        for (((m, s), path), (z, z_squared)) in coordinates.zip(self.z.iter().zip(self.z_squared)) {
            let step = *s * z;
            *m += sigma * (factor * step); // Eq. 2
            *path = (1.0 - c_c) * *path + push * step; // Eq. 5
            let variance = *s * *s;
            let learned = c_1 * *path * *path + c_mu * (variance * z_squared);
            *s = simd::clamp((keep * variance + learned).sqrt(), SIGMA.0, SIGMA.1); // Eq. 6
        }
    }
}

impl Optimizer for SepCmaEs {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        let rows = directions(self.config.mirrored, n);
        self.base.change().redirect(Noise::Gaussian(stream.bits()), rows);
        self.asked = n;
        let probe = |index| {
            let (row, sign) = place(self.config.mirrored, index);
            Theta::probe(self.base.share(), Probe { row, scale: sign * self.sigma })
        };
        (0..n as u32).map(probe).collect()
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let rows = ranked(std::mem::take(&mut self.asked), values);
        let used = std::mem::take(&mut self.used);
        if !informs(&rows) {
            return;
        }
        let dim = self.dim();
        let told: Vec<u32> = rows.iter().map(|(index, _)| *index).collect();
        let segments = segments(&used, dim, &told);
        let (learned, shares): (Vec<_>, Vec<_>) =
            segments.into_iter().map(|segment| self.learned(segment, &rows)).unzip();
        let p = Params::of(dim, &rows, &self.config);
        self.iteration += 1;

        let (z, z_squared) = self.moments.room(2 * dim).split_at_mut(dim);
        moments(&self.base, self.sigma, &shares, z, z_squared);
        for (own, Share { range, .. }) in learned.iter().zip(&shares) {
            let Some(own) = own else { continue };
            let (path, z) = (&mut self.sigma_path[range.clone()], &z[range.clone()]);
            cumulate(path, p.c_sigma, own.mean_mu_eff, z); // Eq. 3
        }

        let length = simd::squared_norm(&self.sigma_path).sqrt() / expected_norm(dim);
        let stalled = stalls(length, p.c_sigma, self.iteration, dim);
        let mu_eff = p.mean_mu_eff;
        let base = self.base.change();
        let Some(spread) = &mut base.spread else { return };
        for (own, Share { range, .. }) in learned.iter().zip(&shares) {
            let Some(p) = own else { continue };
            let turn = p.c_c * (2.0 - p.c_c);
            let at = || range.clone();
            simd::run(Update {
                p,
                keep: 1.0 - p.c_1 - p.c_mu + if stalled { p.c_1 * turn } else { 0.0 },
                push: if stalled { 0.0 } else { (turn * p.mean_mu_eff).sqrt() },
                sigma: self.sigma,
                factor: (p.mean_mu_eff / mu_eff).sqrt(),
                m: &mut base.centre[at()],
                s: &mut spread[at()],
                path: &mut self.path[at()],
                z: &z[at()],
                z_squared: &z_squared[at()],
            });
        }
        let bounds = base.bounds.as_ref();
        if let Some(bounds) = bounds {
            bounds.clip_continuous(&mut base.centre);
        }
        self.sigma = rescaled(self.sigma, p.c_sigma / p.d_sigma * (length - 1.0)); // Eq. 4
        margin::keep(bounds, rows.len(), &mut base.centre, spread, |_| self.sigma);
    }

    /// m moves to a point that leads.
    fn learn(&mut self, point: &Theta, _: f64, leads: bool) {
        if leads {
            self.base.change().centre = point.to_vec();
        }
    }

    fn statistics(&self) -> Statistics {
        let largest = self.spread().iter().copied().fold(0.0, f64::max);
        let smallest = self.spread().iter().copied().fold(f64::INFINITY, f64::min);
        vec![("sigma", self.sigma), ("axis_ratio", largest / smallest)]
    }
}

impl WeightOptimizer for SepCmaEs {
    fn centre(&self) -> Theta {
        Theta::centre(self.base.share())
    }

    fn population(&self) -> usize {
        self.config.population.unwrap_or_else(|| default_population(self.dim()))
    }

    fn used(&mut self, used: Used) {
        self.used = used;
    }

    fn antithetic(&self) -> bool {
        self.config.mirrored
    }
}
