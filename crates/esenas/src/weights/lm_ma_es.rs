//! LM-MA-ES: matrix adaptation with limited memory.
//!
//! Loshchilov, Glasmachers and Beyer 2019, "Large scale black-box optimization by limited-memory
//! matrix adaptation", Algorithm 3. A point is x = m + σ T z with z ~ N(0, I), where T is a product
//! of q = O(log d) rank-one updates of the identity, so that it learns correlations at O(d log d)
//! per point, for d of 10⁴ and more. With i the rank, best first, and sums over i = 1 … μ:
//!
//! ```text
//! wᵢ = ln(μ + ½) − ln i, scaled to Σ wᵢ = 1;  μ = ⌊λ/2⌋;  μ_eff = 1/Σ wᵢ²        (1)
//! T = F_q ⋯ F₁;  F_j = (1 − d_j) I + d_j v_j v_jᵀ                              (2)
//! m ← m + σ T Σ wᵢ zᵢ                                                         (3)
//! p_σ ← (1 − c_σ) p_σ + √(c_σ (2 − c_σ) μ_eff) Σ wᵢ zᵢ                        (4)
//! v_j ← (1 − c_j) v_j + √(c_j (2 − c_j) μ_eff) Σ wᵢ zᵢ                        (5)
//! σ ← σ exp(c_σ/2 (‖p_σ‖²/d − 1))                                             (6)
//! c_σ = 2λ/d;  d_j = 1/(1.5^(j−1) d);  c_j = λ/(4^(j−1) d);  q = 4 + ⌊3 ln d⌋   (7)
//! ```
//!
//! In iteration t only the first min(t, q) vectors are used. Rates are cut at ½ (c_σ, d_j) and 1
//! (c_j), which the formulas pass in small dimensions.
//!
//! T is applied to many z at once: every intermediate vector is α z + Σ β_j v_j, and the products
//! v_jᵀ(…) of Eq. 2 follow from Vᵀz and VᵀV. That leaves matrix products where the published loop
//! has 2qλ passes over vectors of length d.
//!
//! - λ is the number of values told: the constants follow each iteration. A missing value leaves
//!   its point out; fewer than two values, or equal ones, teach nothing.
//! - With bounds, all of this happens in the coordinates of `mirror.rs`, which maps points into the
//!   box: an optimum on the boundary is then like any other. Coordinates on a grid are rounded,
//!   their mean stays in the box, and that is all: there are no margins, and they may stall where σ
//!   is small beside the grid's step.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use serde::{Deserialize, Serialize};

use super::buffer::{Buffer, Points};
use super::mirror::{Boundary, out_of_box};
use super::recombination::{
    cumulate, default_population, informs, log_weights, normalize, ranked, rescaled, write_rows,
};
use super::start;
use crate::noise::BLOCK;
use crate::setting::SettingError;
use crate::{Bounds, Noise, Optimizer, Statistics, Stream, Theta, WeightOptimizer, simd};

/// Points transformed at a time: enough to make matrix products of it, few enough to hold.
const GROUP: usize = 16;

/// Hyperparameters. σ defaults to that of the ES-ENAS paper, Appendix A.2.2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LmMaEsConfig {
    /// σ to start with.
    pub sigma: f64,
    /// λ; 4 + ⌊3 ln d⌋ when left out.
    pub population: Option<usize>,
    /// q, the number of direction vectors; 4 + ⌊3 ln d⌋ when left out.
    pub vectors: Option<usize>,
}

impl Default for LmMaEsConfig {
    fn default() -> Self {
        Self { sigma: 0.5, population: None, vectors: None }
    }
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LmMaEs {
    config: LmMaEsConfig,
    bounds: Option<Bounds>,
    /// m, in the coordinates that are learned in
    mean: Vec<f64>,
    sigma: f64,
    /// p_σ
    sigma_path: Vec<f64>,
    /// v₁, v₂, … one after the other.
    vectors: Vec<f64>,
    /// How often it has learned.
    iteration: u64,
    /// The noise of the last `ask`, and how many of its rows wait for their values.
    noise: Noise,
    asked: usize,
    #[serde(skip)]
    buffer: Buffer,
    #[serde(skip)]
    points: Points,
}

impl LmMaEs {
    /// Starts at `theta`.
    pub fn new(
        config: LmMaEsConfig,
        mut theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SettingError> {
        start::check(&theta, config.sigma, config.population, bounds.as_ref())?;
        out_of_box(bounds.as_ref(), &mut theta);
        let dim = theta.len();
        let count = config.vectors.unwrap_or_else(|| default_population(dim));
        if !(1..=1000).contains(&count) {
            let (name, accepted) = ("vectors", "lie between 1 and 1000");
            return Err(SettingError::must(name, accepted, count as f64));
        }
        Ok(Self {
            config,
            bounds,
            mean: theta,
            sigma: config.sigma,
            sigma_path: vec![0.0; dim],
            vectors: vec![0.0; dim * count],
            iteration: 0,
            noise: Noise::default(),
            asked: 0,
            buffer: Buffer::default(),
            points: Points::default(),
        })
    }

    /// σ
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The vectors in use, in the order they are applied.
    fn factors(&self) -> Factors<'_> {
        let dim = self.mean.len();
        let used = (self.vectors.len() / dim).min(self.iteration.try_into().unwrap_or(usize::MAX));
        Factors { dim, used, vectors: &self.vectors[..used * dim] }
    }

    /// Σ wᵢ zᵢ, drawn again from the noise.
    fn mean_draw(&self, rows: &[(u32, f64)], sum: &mut [f64]) {
        sum.fill(0.0);
        let mut z = [0.0_f32; BLOCK];
        for (block, sum) in sum.chunks_mut(BLOCK).enumerate() {
            let z = &mut z[..sum.len()];
            for &(row, weight) in rows {
                self.noise.fill(row, block, z);
                simd::add_scaled(sum, [weight], [z]);
            }
        }
    }
}

/// T, by its factors.
struct Factors<'a> {
    dim: usize,
    used: usize,
    vectors: &'a [f64],
}

impl Factors<'_> {
    /// d_j, for j from 0.
    fn rate(&self, j: usize) -> f64 {
        (1.0 / (1.5_f64.powi(j as i32) * self.dim as f64)).min(0.5) // Eq. 7
    }

    /// z ← T z for each of the vectors `z` holds (Eq. 2).
    fn apply(&self, z: &mut [f64]) {
        let (dim, used, columns) = (self.dim, self.used, z.len() / self.dim);
        if used == 0 {
            return;
        }
        let v = MatRef::from_column_major_slice(self.vectors, dim, used);
        let mut gram = vec![0.0; used * used];
        let into = MatMut::from_column_major_slice_mut(&mut gram, used, used);
        matmul(into, Accum::Replace, v.transpose(), v, 1.0, Par::Seq);
        let mut shares = vec![0.0; used * columns];
        let into = MatMut::from_column_major_slice_mut(&mut shares, used, columns);
        let from = MatRef::from_column_major_slice(z, dim, columns);
        matmul(into, Accum::Replace, v.transpose(), from, 1.0, Par::Seq);

        // Before factor j a vector is α z + Σ_{k<j} β_k v_k; `shares` holds v_jᵀz, then β_j.
        let mut alpha = 1.0;
        for shares in shares.chunks_exact_mut(used) {
            alpha = 1.0;
            for j in 0..used {
                let (earlier, rate) = (&gram[j * used..j * used + j], self.rate(j));
                let along: f64 = shares[..j].iter().zip(earlier).map(|(b, g)| b * g).sum();
                let along = alpha * shares[j] + along;
                alpha *= 1.0 - rate;
                shares[..j].iter_mut().for_each(|b| *b *= 1.0 - rate);
                shares[j] = rate * along;
            }
        }
        z.iter_mut().for_each(|z| *z *= alpha);
        let shares = MatRef::from_column_major_slice(&shares, used, columns);
        let into = MatMut::from_column_major_slice_mut(z, dim, columns);
        matmul(into, Accum::Add, v, shares, 1.0, Par::Seq);
    }
}

impl Optimizer for LmMaEs {
    type Point = Theta;

    /// Points are written out: T has no address.
    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        self.noise = Noise::Gaussian(stream.bits());
        self.asked = n;
        let dim = self.mean.len();
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut points = Vec::with_capacity(n);
        for start in (0..n).step_by(GROUP) {
            let rows = start..n.min(start + GROUP);
            let steps = buffer.room(dim * rows.len());
            write_rows(&self.noise, start, dim, steps);
            self.factors().apply(steps);

            let place = (Boundary::Mirror, self.bounds.as_ref(), &[][..]);
            points.extend(self.points.write(start, &self.mean, self.sigma, steps, place));
        }
        self.buffer = buffer;
        points
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let mut rows = ranked(std::mem::take(&mut self.asked), values);
        if !informs(&rows) {
            return;
        }
        let (dim, d, told) = (self.mean.len(), self.mean.len() as f64, rows.len() as f64);
        let mu = (rows.len() / 2).max(1);
        let mut weights = log_weights(mu as f64 + 0.5, mu); // Eq. 1
        let mu_eff = normalize(&mut weights);
        rows.truncate(mu);
        rows.iter_mut().zip(&weights).for_each(|(row, weight)| row.1 = *weight);

        let mut buffer = std::mem::take(&mut self.buffer);
        let (z, step) = buffer.room(2 * dim).split_at_mut(dim);
        self.mean_draw(&rows, z);
        step.copy_from_slice(z);
        self.factors().apply(step); // T is linear: T Σ wᵢ zᵢ = Σ wᵢ T zᵢ
        self.mean.iter_mut().zip(&*step).for_each(|(m, y)| *m += self.sigma * y); // Eq. 3
        if let Some(bounds) = &self.bounds {
            bounds.clip_grid(&mut self.mean);
        }
        let c_sigma = (2.0 * told / d).min(0.5); // Eq. 7
        cumulate(&mut self.sigma_path, c_sigma, mu_eff, z); // Eq. 4
        for (j, v) in self.vectors.chunks_exact_mut(dim).enumerate() {
            let rate = (told / (4.0_f64.powi(j as i32) * d)).min(1.0);
            cumulate(v, rate, mu_eff, z); // Eq. 5
        }
        self.buffer = buffer;
        let longer = simd::squared_norm(&self.sigma_path) / d - 1.0;
        self.sigma = rescaled(self.sigma, 0.5 * c_sigma * longer); // Eq. 6
        self.iteration += 1;
    }

    /// m moves to a point that leads.
    fn learn(&mut self, point: &Theta, _: f64, leads: bool) {
        if leads {
            self.mean = point.to_vec();
            out_of_box(self.bounds.as_ref(), &mut self.mean);
        }
    }

    fn statistics(&self) -> Statistics {
        vec![("sigma", self.sigma)]
    }
}

impl WeightOptimizer for LmMaEs {
    fn centre(&self) -> Theta {
        let mut centre = self.mean.clone();
        Boundary::Mirror.settle(self.bounds.as_ref(), &mut centre);
        Theta::settled(centre, self.bounds.as_ref())
    }

    fn population(&self) -> usize {
        self.config.population.unwrap_or_else(|| default_population(self.mean.len()))
    }
}
