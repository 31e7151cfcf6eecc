//! CMA-ES: evolution strategy with covariance matrix adaptation.
//!
//! Hansen 2016, "The CMA evolution strategy: a tutorial", arXiv 1604.00772; equation numbers are
//! its own. Points are x = m + σ y with y = B D z ~ N(0, C), z ~ N(0, I), C = B D² Bᵀ. The i-th
//! best of λ points has weight wᵢ; positive weights (i ≤ μ) sum to one, negative ones make the
//! update of C active:
//!
//! ```text
//! m ← m + σ y_w,  y_w = Σ_{i≤μ} wᵢ yᵢ                                             (41, 42)
//! p_σ ← (1 − c_σ) p_σ + √(c_σ (2 − c_σ) μ_eff) C^(−½) y_w                         (43)
//! σ ← σ exp(c_σ/d_σ (‖p_σ‖/E‖N(0, I)‖ − 1))                                       (44)
//! p_c ← (1 − c_c) p_c + h_σ √(c_c (2 − c_c) μ_eff) y_w                            (45)
//! wᵢ° = wᵢ · (1 if wᵢ ≥ 0 else d / ‖C^(−½) yᵢ‖²)                                   (46)
//! C ← (1 + c₁ δ(h_σ) − c₁ − c_μ Σ wᵢ) C + c₁ p_c p_cᵀ + c_μ Σ wᵢ° yᵢ yᵢᵀ           (47)
//! ```
//!
//! - C is decomposed anew when the last decomposition has fallen behind by half a unit of d (c₁ +
//!   c_μ), the gap of pycma's `purecma`, or from d = 50 on, where it is most of the work, by a
//!   whole one: O(d²) per point on average, not O(d³). (On BBOB functions with d = 80 and 100 the
//!   larger gap made no difference.)
//! - λ is the number of values told: the constants follow each iteration. A missing value leaves
//!   its point out; fewer than two values, or equal ones, teach nothing.
//! - With bounds, all of this happens in the coordinates of `mirror.rs`, which maps points into the
//!   box: an optimum on the boundary is then like any other. If points are clipped instead, those
//!   that were do not count against their directions: (46) takes ‖C^(−½) y‖² for that of a draw,
//!   and what the box has shortened would weigh the more. LinearSlope, whose optimum is a corner,
//!   stalled on it.
//! - Coordinates on a grid are drawn as x = m + σ A y, rounded where they are evaluated, and A is
//!   kept wide enough to leave the cell of m (`margin.rs`); what is learned from is y, and no box
//!   cuts it.
//! - Whatever is told, the state stays finite: σ changes by at most a factor e and stays within
//!   fixed limits, the condition number of C is kept below 10¹⁵, and a C of extreme size is
//!   rescaled against σ.

mod config;

use faer::diag::DiagMut;
use faer::dyn_stack::MemStack;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};
use serde::{Deserialize, Serialize};

pub use self::config::CmaEsConfig;
use self::config::Params;
use super::buffer::{Buffer, Points, Workspace};
use super::margin;
use super::mirror::{Boundary, out_of_box};
use super::mirrored::{directions, pairs, unfold};
use super::recombination::{
    cumulate, default_population, expected_norm, informs, ranked, rescaled, stalls, write_rows,
};
use super::start::{self, SIGMA};
use super::stop::{History, Stop};
use crate::setting::SettingError;
use crate::{Bounds, Noise, Optimizer, Statistics, Stream, Theta, WeightOptimizer, simd};

/// The largest d: beyond, the two matrices take more than 1.6 GB and an iteration minutes.
const MAX_DIM: usize = 10_000;

/// How far B and D may fall behind C.
fn gap(dim: usize) -> f64 {
    if dim < 50 { 0.5 } else { 1.0 }
}

/// The state of the algorithm. Matrices are stored by columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CmaEs {
    config: CmaEsConfig,
    bounds: Option<Bounds>,
    /// m, in the coordinates that are learned in
    mean: Vec<f64>,
    sigma: f64,
    /// p_σ
    sigma_path: Vec<f64>,
    /// p_c
    path: Vec<f64>,
    /// C; only its lower half is kept up to date.
    covariance: Vec<f64>,
    /// B, of the C last decomposed
    axes: Vec<f64>,
    /// D, ascending
    lengths: Vec<f64>,
    /// A: how many times wider coordinates on a grid are drawn; empty without a grid, where it is
    /// the identity.
    factors: Vec<f64>,
    /// Σ d (c₁ + c_μ) since then.
    staleness: f64,
    /// How often it has learned.
    iteration: u64,
    /// The steps y that wait for their values.
    steps: Vec<f64>,
    history: History,
    #[serde(skip)]
    ranked: Buffer,
    #[serde(skip)]
    room: Buffer,
    #[serde(skip)]
    workspace: Workspace,
    #[serde(skip)]
    points: Points,
}

impl CmaEs {
    /// Starts at `theta`.
    pub fn new(
        config: CmaEsConfig,
        mut theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SettingError> {
        start::check(&theta, config.sigma, config.population, bounds.as_ref())?;
        if config.boundary == Boundary::Mirror {
            out_of_box(bounds.as_ref(), &mut theta);
        }
        let (dim, has_grid) = (theta.len(), bounds.as_ref().is_some_and(Bounds::has_grid));
        if dim > MAX_DIM {
            let what = format!(
                "\"cma-es\" holds d × d matrices: d must be at most {MAX_DIM}, got {dim}; \
                 use sep-cma-es, lm-ma-es, snes or es"
            );
            return Err(SettingError::new("kind", what));
        }
        let mut factors = vec![1.0; if has_grid { dim } else { 0 }];
        let population = config.population.unwrap_or_else(|| default_population(dim));
        margin::keep(bounds.as_ref(), population, &mut theta, &mut factors, |_| config.sigma);
        // What is drawn wider by A alone moves m by the narrower y: a first σ below the step is a
        // matter for C.
        let mut covariance = identity(dim);
        for (j, a) in factors.iter_mut().enumerate() {
            let learned = a.min(1e6);
            covariance[j * (dim + 1)] = learned * learned;
            *a /= learned;
        }
        Ok(Self {
            config,
            bounds,
            mean: theta,
            sigma: config.sigma,
            sigma_path: vec![0.0; dim],
            path: vec![0.0; dim],
            covariance,
            axes: identity(dim),
            lengths: vec![1.0; dim],
            factors,
            staleness: if has_grid { gap(dim) } else { 0.0 },
            iteration: 0,
            steps: Vec::new(),
            history: History::default(),
            ranked: Buffer::default(),
            room: Buffer::default(),
            workspace: Workspace::default(),
            points: Points::default(),
        })
    }

    /// σ
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The standard deviation of each coordinate, σ A_j √C_jj.
    pub fn deviations(&self) -> impl Iterator<Item = f64> + '_ {
        self.learned().zip(self.factors()).map(|(deviation, factor)| factor * deviation)
    }

    /// The same without what margins add: σ √C_jj.
    fn learned(&self) -> impl Iterator<Item = f64> + '_ {
        let diagonal = self.covariance.iter().step_by(self.mean.len() + 1);
        diagonal.map(|variance| self.sigma * variance.max(0.0).sqrt())
    }

    /// A
    fn factors(&self) -> impl Iterator<Item = f64> + '_ {
        self.factors.iter().copied().chain(std::iter::repeat(1.0))
    }

    /// Brings B and D up to date with C.
    fn decompose(&mut self) {
        let dim = self.mean.len();
        let covariance = MatRef::from_column_major_slice(&self.covariance, dim, dim);
        let axes = MatMut::from_column_major_slice_mut(&mut self.axes, dim, dim);
        let vectors = ComputeEigenvectors::Yes;
        let request = self_adjoint_evd_scratch::<f64>(dim, vectors, Par::Seq, Default::default());
        let stack = MemStack::new(self.workspace.room(request.unaligned_bytes_required()));
        let lengths = DiagMut::from_slice_mut(&mut self.lengths);
        let settings = Default::default();
        let done =
            self_adjoint_evd(covariance, lengths, Some(axes), Par::Seq, stack, settings).is_ok();
        if !(done && self.axes.iter().chain(&self.lengths).all(|x| x.is_finite())) {
            self.forget_correlations();
        }
        self.limit_condition();
        self.lengths.iter_mut().for_each(|x| *x = x.sqrt());
        self.limit_scale();
        self.staleness = 0.0;
    }

    /// What remains when C cannot be decomposed: its diagonal.
    fn forget_correlations(&mut self) {
        let dim = self.mean.len();
        let diagonal = self.covariance.iter().step_by(dim + 1);
        let usable = |x: &f64| if x.is_finite() && *x > 0.0 { *x } else { 1.0 };
        let mut order: Vec<(f64, usize)> = diagonal.map(usable).zip(0..).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.covariance.fill(0.0);
        self.axes.fill(0.0);
        for (column, (variance, j)) in order.into_iter().enumerate() {
            self.covariance[j * dim + j] = variance;
            self.axes[column * dim + j] = 1.0;
            self.lengths[column] = variance;
        }
    }

    /// Adds to the diagonal what keeps the condition number below 10¹⁵ (pycma's
    /// `limit_condition`); rounding may have made an eigenvalue negative. `lengths` is still D².
    fn limit_condition(&mut self) {
        const LIMIT: f64 = 1e15;
        let dim = self.mean.len();
        let (smallest, largest) = (self.lengths[0], self.lengths[dim - 1]);
        let short = (largest - LIMIT * smallest) / (LIMIT - 1.0);
        if short > 0.0 {
            self.covariance.iter_mut().step_by(dim + 1).for_each(|x| *x += short);
            self.lengths.iter_mut().for_each(|x| *x += short);
        } else if largest <= 0.0 {
            self.covariance = identity(dim);
            self.axes = identity(dim);
            self.lengths.fill(1.0);
        }
    }

    /// σ² C stays what it is, but C within reach: the factor is a power of two, so no bit is lost.
    fn limit_scale(&mut self) {
        let longest = self.lengths[self.mean.len() - 1];
        if (1e-20..1e20).contains(&longest) {
            return;
        }
        let factor = longest.log2().round().exp2();
        self.sigma = (self.sigma * factor).clamp(SIGMA.0, SIGMA.1);
        self.lengths.iter_mut().chain(&mut self.path).for_each(|x| *x /= factor);
        self.covariance.iter_mut().for_each(|x| *x /= factor * factor);
    }

    /// Learns C from the ranked `steps`, the last of which is p_c. The z of those that count
    /// against their directions begin `room`, which is used up.
    fn learn(&mut self, p: &Params, stalled: bool, steps: &[f64], room: &mut [f64]) {
        let (dim, columns) = (self.mean.len(), p.weights.len() + 1);
        let mut shares: Vec<f64> = p.weights.iter().map(|w| p.c_mu * w).collect();
        let lengths = room.chunks_exact(dim).map(|z| simd::squared_norm(z).max(1e-20));
        let (_, against) = shares.split_at_mut(p.mu);
        against.iter_mut().zip(lengths).for_each(|(share, x)| *share *= dim as f64 / x); // (46)
        shares.push(p.c_1);
        let scaled = room.chunks_exact_mut(dim).zip(steps.chunks_exact(dim)).zip(&shares);
        for ((out, step), share) in scaled {
            out.iter_mut().zip(step).for_each(|(out, y)| *out = share * y);
        }
        let lost = if stalled { p.c_1 * p.c_c * (2.0 - p.c_c) } else { 0.0 };
        let keep = 1.0 + lost - p.c_1 - p.c_mu * p.weights.iter().sum::<f64>();
        for (j, column) in self.covariance.chunks_exact_mut(dim).enumerate() {
            column[j..].iter_mut().for_each(|x| *x *= keep);
        }
        triangular::matmul(
            MatMut::from_column_major_slice_mut(&mut self.covariance, dim, dim),
            BlockStructure::TriangularLower,
            Accum::Add,
            MatRef::from_column_major_slice(steps, dim, columns),
            BlockStructure::Rectangular,
            MatRef::from_column_major_slice(room, dim, columns).transpose(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        ); // (47)
    }

    /// Writes z = D⁻¹Bᵀy for each of the vectors in `steps`.
    fn whiten(&self, steps: &[f64], out: &mut [f64]) {
        let (dim, columns) = (self.mean.len(), steps.len() / self.mean.len());
        let axes = MatRef::from_column_major_slice(&self.axes, dim, dim);
        let from = MatRef::from_column_major_slice(steps, dim, columns);
        let into = MatMut::from_column_major_slice_mut(out, dim, columns);
        matmul(into, Accum::Replace, axes.transpose(), from, 1.0, Par::Seq);
        for out in out.chunks_exact_mut(dim) {
            out.iter_mut().zip(&self.lengths).for_each(|(z, length)| *z /= length);
        }
    }
}

fn identity(dim: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; dim * dim];
    matrix.iter_mut().step_by(dim + 1).for_each(|x| *x = 1.0);
    matrix
}

/// The sum of the first columns, weighted.
fn combine(weights: &[f64], columns: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (weight, column) in weights.iter().zip(columns.chunks_exact(out.len())) {
        out.iter_mut().zip(column).for_each(|(out, x)| *out += weight * x);
    }
}

impl Optimizer for CmaEs {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        if self.staleness >= gap(self.mean.len()) {
            self.decompose();
        }
        let dim = self.mean.len();
        let noise = Noise::Gaussian(stream.bits());
        let columns = directions(self.config.mirrored, n);
        let draws = self.ranked.room(dim * columns); // D z
        write_rows(&noise, 0, dim, draws);
        for draw in draws.chunks_exact_mut(dim) {
            draw.iter_mut().zip(&self.lengths).for_each(|(z, length)| *z *= length);
        }
        let mut steps = std::mem::take(&mut self.steps);
        steps.resize(dim * n, 0.0);
        let axes = MatRef::from_column_major_slice(&self.axes, dim, dim);
        let from = MatRef::from_column_major_slice(draws, dim, columns);
        let into = MatMut::from_column_major_slice_mut(&mut steps[..dim * columns], dim, columns);
        matmul(into, Accum::Replace, axes, from, 1.0, Par::Seq); // (39): y = B D z
        if self.config.mirrored {
            unfold(dim, &mut steps);
        }
        let (boundary, bounds) = (self.config.boundary, self.bounds.as_ref());
        for step in steps.chunks_exact_mut(dim) {
            boundary.shorten(bounds, &self.mean, self.sigma, step);
        }
        let place = (boundary, bounds, &self.factors[..]);
        let points = self.points.write(0, &self.mean, self.sigma, &steps, place).collect(); // (40)
        self.steps = steps;
        points
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let dim = self.mean.len();
        let ranking = ranked(self.steps.len() / dim, values);
        self.history.record(&self.config.stop, dim, &ranking);
        if !informs(&ranking) {
            self.steps.clear();
            return;
        }
        let pairs = pairs(self.config.mirrored, &ranking);
        let mut p = Params::new(dim, ranking.len(), pairs, &self.config);
        self.iteration += 1;
        self.staleness += dim as f64 * (p.c_1 + p.c_mu);

        // The steps that count, best first, and room for one more.
        let mut ranked = std::mem::take(&mut self.ranked);
        let mut room = std::mem::take(&mut self.room);
        let size = dim * p.weights.len();
        let (steps, last) = ranked.room(size + dim).split_at_mut(size);
        for ((index, _), step) in ranking.iter().zip(steps.chunks_exact_mut(dim)) {
            let at = *index as usize * dim;
            step.copy_from_slice(&self.steps[at..at + dim]);
        }
        let (boundary, bounds) = (self.config.boundary, self.bounds.as_ref());
        for (weight, step) in p.weights.iter_mut().zip(steps.chunks_exact(dim)).skip(p.mu) {
            if boundary.meets(bounds, &self.mean, self.sigma, step) {
                *weight = 0.0;
            }
        }
        combine(&p.mean, steps, last); // (41)
        let (mean, rest) = room.room(size + dim).split_at_mut(dim);
        self.whiten(last, mean);
        let axes = MatRef::from_column_major_slice(&self.axes, dim, dim);
        let from = MatRef::from_column_major_slice(mean, dim, 1);
        let into = MatMut::from_column_major_slice_mut(&mut rest[..dim], dim, 1);
        matmul(into, Accum::Replace, axes, from, 1.0, Par::Seq); // C^(−½) y_w = B z_w
        cumulate(&mut self.sigma_path, p.c_sigma, p.mean_mu_eff, &rest[..dim]); // (43)
        let length = simd::squared_norm(&self.sigma_path).sqrt() / expected_norm(dim);
        let stalled = stalls(length, p.c_sigma, self.iteration, dim); // h_σ = 0

        self.mean.iter_mut().zip(&*last).for_each(|(m, y)| *m += self.sigma * y); // (42)
        if let (Boundary::Clip, Some(bounds)) = (self.config.boundary, &self.bounds) {
            bounds.clip_continuous(&mut self.mean);
        }
        if stalled {
            self.path.iter_mut().for_each(|path| *path *= 1.0 - p.c_c);
        } else {
            cumulate(&mut self.path, p.c_c, p.mean_mu_eff, last); // (45)
        }
        last.copy_from_slice(&self.path);
        let against = &steps[p.mu * dim..];
        self.whiten(against, &mut room.room(size + dim)[..against.len()]);
        self.learn(&p, stalled, ranked.room(size + dim), room.room(size + dim));
        self.steps.clear();
        (self.ranked, self.room) = (ranked, room);

        self.sigma = rescaled(self.sigma, p.c_sigma / p.d_sigma * (length - 1.0)); // (44)
        let deviation = |j: usize| self.sigma * self.covariance[j * (dim + 1)].max(0.0).sqrt();
        let (bounds, told) = (self.bounds.as_ref(), ranking.len());
        margin::keep(bounds, told, &mut self.mean, &mut self.factors, deviation);
    }

    /// m moves to a point that leads.
    fn learn(&mut self, point: &Theta, _: f64, leads: bool) {
        if leads {
            self.mean = point.to_vec();
            if self.config.boundary == Boundary::Mirror {
                out_of_box(self.bounds.as_ref(), &mut self.mean);
            }
        }
    }

    fn statistics(&self) -> Statistics {
        let ratio = self.lengths[self.mean.len() - 1] / self.lengths[0];
        vec![("sigma", self.sigma), ("axis_ratio", ratio)]
    }
}

impl WeightOptimizer for CmaEs {
    fn centre(&self) -> Theta {
        let mut centre = self.mean.clone();
        self.config.boundary.settle(self.bounds.as_ref(), &mut centre);
        Theta::settled(centre, self.bounds.as_ref())
    }

    fn population(&self) -> usize {
        self.config.population.unwrap_or_else(|| default_population(self.mean.len()))
    }

    fn antithetic(&self) -> bool {
        self.config.mirrored
    }

    fn stop(&self) -> Option<Stop> {
        let (dim, tolerances) = (self.mean.len(), &self.config.stop);
        // On a grid equal values are no end yet: a cell beside that of the mean comes up once in 2d
        // iterations.
        if !self.factors.is_empty() && self.history.idle() < 6 * dim as u64 {
            return None;
        }
        if let Some(stop) = self.history.stop(tolerances, dim) {
            return Some(stop);
        }
        let (shortest, longest) = (self.lengths[0], self.lengths[dim - 1]);
        let axis = (self.iteration % dim as u64) as usize;
        let along = 0.1 * self.sigma * self.lengths[axis];
        let axis = &self.axes[axis * dim..(axis + 1) * dim];
        let still = |m: &f64, step: f64| *m == *m + step;
        let mut moves = self.mean.iter().zip(axis).zip(self.factors());
        let criteria = [
            (
                Stop::TolX,
                self.learned().all(|x| x < tolerances.tolx)
                    && self.path.iter().all(|p| self.sigma * p.abs() < tolerances.tolx),
            ),
            (Stop::TolFacUpX, self.learned().any(|x| x > self.config.sigma * tolerances.tolfacupx)),
            (Stop::TolUpSigma, self.sigma / longest > self.config.sigma * tolerances.tolupsigma),
            (Stop::ConditionCov, longest > tolerances.tolconditioncov.sqrt() * shortest),
            (
                Stop::NoEffectCoord,
                self.mean.iter().zip(self.deviations()).any(|(m, x)| still(m, 0.2 * x)),
            ),
            (Stop::NoEffectAxis, moves.all(|((m, b), a)| still(m, along * b * a))),
        ];
        criteria.into_iter().find(|(_, holds)| *holds).map(|(stop, _)| stop)
    }
}
