//! Line-ES: an evolution strategy that looks along its steps.
//!
//! Where there are few evaluations per weight, what an evolution strategy learns too slowly is how
//! far to go: the path of CMA-ES's step-size control forgets in about d/3 iterations, and the whole
//! run may have no more. Here two points of every iteration lie on the line of the last step, one
//! shorter and one longer, as in the two-point step-size adaptation of Hansen 2008 ("CMA-ES with
//! two-point step-size adaptation"). But m moves too: to where the parabola through the three is
//! highest. The direction is that of all points, weighed by rank with both signs (Arnold 2006,
//! "Weighted multirecombination evolution strategies"). With wᵢ = ln(λ/2 + 1) − ln i, i the rank,
//! best first, and u the direction of the last step:
//!
//! ```text
//! xᵢ = m + σ s ∘ zᵢ                                                            (1)
//! L = σ √d / c                                                                (2)
//! a = argmax v(a) in [1/r, r],  v(a) = f(m + (a − 1) L u) for a ∈ {1/r, 1, r}   (3)
//! m ← m + (a − 1) L u,  σ ← b a^p σ,  L likewise                               (4)
//! u = s ∘ g/‖g‖,  g = Σ_{i ≤ λ/2} wᵢ (z_{i:λ} − z_{λ+1−i:λ})                    (5)
//! m ← m + L u                                                                 (6)
//! ```
//!
//! where v is the parabola through these values; one without a top is highest at the better end.
//!
//! *Directions.* The zᵢ go on from iteration to iteration through an orthogonal basis, then through
//! another ([`Noise::Cosine`]). A step takes m to where the values along it are best, so that on a
//! sphere nothing is left to be found in the directions of the batch. Independent directions would
//! ask for part of it again: they reach the optimum in 2 d evaluations times a logarithm, where a
//! basis needs d (`tests/line_es.rs`).
//!
//! *Going back.* On a rugged landscape steps follow the trend, and m is never at the bottom of a
//! hollow. So m returns to the best point, with shorter steps, when nothing better was found for
//! some iterations:
//!
//! ```text
//! five iterations without a better point: m ← x_best,  σ ← σ q,  no u           (7)
//! ```
//!
//! *Sides of the box.* A coordinate that steps keep pushing out of it has an s of 0 in most
//! iterations (`rests.rs`): it stays where it is, and probes are about the others.
//!
//! Steps have the length L whatever the values are, so that a good length is found within a few
//! iterations. The constants were chosen on rotated and shifted functions in 20 to 100 dimensions;
//! each is flat around its value. Nothing is learned of scales and correlations: for that there is
//! CMA-ES. Every comparison is believed: this is not for noisy values.
//!
//! - λ + 3 points make an iteration: probes first, then the shorter and the longer step, then m
//!   itself. There is nothing to look along before the first step, after going back, and of fewer
//!   than five points.
//! - A missing value leaves its point out; of the three on the line the best that is left counts.
//!   Fewer than two probes, or equal ones, teach nothing but that it is time to go back, if that is
//!   to a better point.
//! - With bounds, points are clipped to the box, z is that of the clipped point, and m stays
//!   inside.
//! - Coordinates that not all probes used are learned from those that did, and what fewer than two
//!   used stays where it is (`active.rs`).
//! - Coordinates on a grid are rounded where they are evaluated, and s, which elsewhere is 1 or 0,
//!   is kept wide enough to leave the cell of m (`margin.rs`). That takes the tails of a Gaussian,
//!   so with a grid zᵢ ~ N(0, I); likewise for d < 3, where bases have hardly any directions.
//! - Values must be comparable from iteration to iteration. Where models differ from point to point
//!   the best point is a lucky model's: this is made for [`Alternating`](crate::Alternating), or
//!   for spaces of one model.

use serde::{Deserialize, Serialize};

use super::active::{Segment, segments};
use super::buffer::{Buffer, Points};
use super::diagonal::{Share, Weighed, moments};
use super::margin;
use super::mirror::Boundary;
use super::recombination::{
    Recombination, default_population, informs, log_weights, ranked, rescaled,
};
use super::rests::{self, Rests};
use super::start;
use crate::base::Shared;
use crate::optimizer::told;
use crate::setting::SettingError;
use crate::{
    Base, Bounds, Noise, Optimizer, Probe, Statistics, Stream, Theta, Used, WeightOptimizer, simd,
};

/// c: a probe is this many steps away.
const REACH: f64 = 1.7;
/// r: how much shorter and longer the two looks are, and the most that a step changes by.
const RATIO: f64 = 1.45;
/// p: how much of that change the next step keeps.
const PACE: f64 = 0.4;
/// b: steps become shorter unless longer ones are better.
const DECAY: f64 = 0.96;
/// Iterations without a better point after which it goes back.
const PATIENCE: u32 = 5;
/// q: how much shorter steps are after going back.
const CLOSER: f64 = 0.3;
/// In fewer dimensions a cosine basis has hardly any directions to offer: four in two.
const LEAST_FOR_BASES: u32 = 3;
/// The points of an iteration that are no probes.
const LOOKS: usize = 3;
/// a of the two looks.
const LOOKED: [f64; 2] = [1.0 / RATIO, RATIO];

/// Hyperparameters. σ defaults to that of the ES-ENAS paper, Appendix A.2.2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LineEsConfig {
    /// σ to start with.
    pub sigma: f64,
    /// λ + 3, at least 5; 7 + ⌊3 ln d⌋ when left out.
    pub population: Option<usize>,
}

impl Default for LineEsConfig {
    fn default() -> Self {
        Self { sigma: 0.5, population: None }
    }
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineEs {
    config: LineEsConfig,
    /// m is its centre, s its spread; its noise is that of the last `ask`.
    base: Shared,
    sigma: f64,
    /// Which coordinates rest: those have an s of 0.
    rests: Rests,
    /// u; empty before the first step, and after going back.
    direction: Vec<f64>,
    /// The address of the bases, if there are any, once there was an ask.
    key: Option<u64>,
    /// How many directions of the bases were used.
    used: u64,
    best: Option<Best>,
    trail: Trail,
    /// How many points wait for their values: probes, those along the last step, and the centre.
    asked: [usize; 3],
    /// Which coordinates these points use.
    users: Used,
    /// Of how many coordinates the last step was.
    active: usize,
    /// Σ wᵢ zᵢ and room beside it, then the way to the points on the line.
    #[serde(skip)]
    room: Buffer,
    #[serde(skip)]
    points: Points,
}

/// How the search for better points went: what holds a model for them goes back when line-ES does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trail {
    /// How often a point was better than all before.
    pub(crate) bests: u64,
    /// How often line-ES went back to the last of these.
    pub(crate) returns: u64,
}

/// The best point, where it was evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Best {
    theta: Vec<f64>,
    value: f64,
    /// Iterations since.
    age: u32,
}

impl LineEs {
    /// Starts at `theta`.
    pub fn new(
        config: LineEsConfig,
        mut theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SettingError> {
        start::check(&theta, config.sigma, config.population, bounds.as_ref())?;
        if let Some(population) = config.population.filter(|points| *points < LOOKS + 2) {
            let (name, accepted) = ("population", "be at least 5");
            return Err(SettingError::must(name, accepted, population as f64));
        }
        let dim = theta.len();
        let mut spread = vec![1.0; dim];
        let population = config.population.unwrap_or_else(|| usual(dim));
        margin::keep(bounds.as_ref(), population, &mut theta, &mut spread, |_| config.sigma);
        Ok(Self {
            config,
            base: Shared::new(Base::new(theta, Some(spread), bounds)),
            sigma: config.sigma,
            rests: Rests::default(),
            direction: Vec::new(),
            key: None,
            used: 0,
            best: None,
            trail: Trail::default(),
            asked: [0; 3],
            users: Used::default(),
            active: dim,
            room: Buffer::default(),
            points: Points::default(),
        })
    }

    /// Which point of the last ask is m itself, if one is.
    pub(crate) fn asked_centre(&self) -> Option<usize> {
        let [probes, looks, centre] = self.asked;
        (centre > 0).then_some(probes + looks)
    }

    /// What was found, and whether it went back there.
    pub(crate) fn trail(&self) -> Trail {
        self.trail
    }

    /// The best point.
    pub(crate) fn best(&self) -> Option<&[f64]> {
        self.best.as_ref().map(|best| &best.theta[..])
    }

    fn dim(&self) -> usize {
        self.base.centre.len()
    }

    /// σ
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// L (Eq. 2)
    fn length(&self) -> f64 {
        self.sigma * (self.active as f64).sqrt() / REACH
    }

    /// How many of `n` points are of which kind.
    fn parts(&self, n: usize) -> [usize; 3] {
        match n {
            0..=4 => [n, 0, 0],
            _ if self.direction.is_empty() => [n - 1, 0, 1],
            _ => [n - LOOKS, 2, 1],
        }
    }

    /// a (Eq. 3), by the values of the points that are no probes; 1 where nothing is known to be
    /// better.
    fn better(&self, values: &[Option<f64>]) -> f64 {
        let [probes, looks, centre] = self.asked;
        if looks + centre < LOOKS {
            return 1.0;
        }
        let value = |at| told(values, probes + at);
        if let (Some(shorter), Some(longer), Some(own)) = (value(0), value(1), value(2))
            && let Some(top) = top([shorter - own, longer - own])
        {
            return top;
        }
        let lengths = [(1.0, 2), (LOOKED[0], 0), (LOOKED[1], 1)];
        let known = lengths.into_iter().filter_map(|(a, at)| Some((a, value(at)?)));
        best_of(known).map_or(1.0, |(a, _)| a)
    }

    /// The next `n` directions.
    fn directions(&mut self, n: usize, stream: &mut Stream) -> Noise {
        let bits = stream.bits();
        let grid = self.base.bounds.as_ref().is_some_and(Bounds::has_grid);
        let dim = match u32::try_from(self.dim()) {
            Ok(dim) if dim >= LEAST_FOR_BASES && !grid => dim,
            _ => return Noise::Gaussian(bits),
        };
        let (key, first) = (*self.key.get_or_insert(bits), self.used);
        self.used = first.wrapping_add(n as u64);
        Noise::Cosine { key, dim, first }
    }

    /// Those of the probes that count for the coordinates of a segment.
    fn share(segment: Segment, ranked: &[(u32, f64)]) -> Share {
        let users = segment.ranked(ranked).unwrap_or_default();
        let better = log_weights((users.len() / 2) as f64 + 1.0, users.len() / 2);
        let weights = Recombination::All.weights(&better, users.len());
        let point = |((row, _), weight): ((u32, f64), f64)| {
            let (sign, of_square) = (1.0, 0.0);
            Weighed { row, sign, weight, of_square }
        };
        Share { range: segment.range, points: users.into_iter().zip(weights).map(point).collect() }
    }

    /// Keeps a step along the line from moving what the points on it did not use.
    fn stay(&mut self, used: &Used) {
        let [probes, looks, centre] = self.asked;
        let line = probes..probes + looks + centre;
        for part in used.parts().iter().filter(|part| !line.clone().all(|at| part.is_used_by(at))) {
            if let Some(direction) = self.direction.get_mut(part.range.clone()) {
                direction.fill(0.0);
            }
        }
    }

    /// Points on the line of the last step, shorter and longer ones (Eq. 3).
    fn looks(&mut self, ratios: &[f64]) -> Vec<Theta> {
        if ratios.is_empty() {
            return Vec::new();
        }
        let (dim, length) = (self.dim(), self.length());
        let ways = self.room.room(ratios.len() * dim);
        for (way, a) in ways.chunks_exact_mut(dim).zip(ratios) {
            way.iter_mut().zip(&self.direction).for_each(|(y, u)| *y = (a - 1.0) * u);
        }
        let place = (Boundary::Clip, self.base.bounds.as_ref(), &[][..]);
        self.points.write(0, &self.base.centre, length, ways, place).collect()
    }

    /// The point of so many of the last ask.
    fn point(&mut self, at: usize) -> Vec<f64> {
        let [probes, looks, _] = self.asked;
        if at < probes {
            let probe = Probe { row: at as u32, scale: self.sigma };
            return Theta::probe(self.base.share(), probe).to_vec();
        }
        if at < probes + looks {
            return self.looks(&LOOKED[at - probes..][..1])[0].to_vec();
        }
        self.base.centre.clone()
    }

    /// Keeps the best point; says whether it is time to go back to it. Where all is as good as
    /// there, nothing is lost.
    fn watch(&mut self, values: &[Option<f64>], flat: bool) -> bool {
        let known = (0..self.asked.iter().sum()).filter_map(|at| Some((at, told(values, at)?)));
        let Some((at, value)) = best_of(known) else { return false };
        if self.best.as_ref().is_none_or(|best| value > best.value) {
            self.best = Some(Best { theta: self.point(at), value, age: 0 });
            self.trail.bests += 1;
        }
        let Some(best) = &mut self.best else { return false };
        best.age += 1;
        best.age > PATIENCE && !(flat && value == best.value)
    }

    /// Eq. 7. Without a line to look along the first iteration from there does not count.
    fn go_back(&mut self, probes: usize) {
        let Some(best) = &mut self.best else { return };
        best.age = 0;
        self.trail.returns += 1;
        self.sigma = rescaled(self.sigma, CLOSER.ln());
        self.direction.clear();
        let base = self.base.change();
        base.centre.clone_from(&best.theta);
        if let Some(spread) = &mut base.spread {
            if let Some(bounds) = &base.bounds {
                self.rests.wake(bounds, &base.centre, spread);
            }
            margin::keep(base.bounds.as_ref(), probes, &mut base.centre, spread, |_| self.sigma);
        }
    }
}

/// Where the parabola through what was looked at, which is better than m by so much, is highest;
/// none where it has no top.
fn top(better: [f64; 2]) -> Option<f64> {
    let ways = LOOKED.map(|a| a - 1.0);
    let slopes = [better[0] / ways[0], better[1] / ways[1]];
    let bend = (slopes[1] - slopes[0]) / (ways[1] - ways[0]);
    let top = 1.0 - (slopes[1] - bend * ways[1]) / (2.0 * bend);
    (bend < 0.0 && top.is_finite()).then(|| top.clamp(LOOKED[0], LOOKED[1]))
}

/// The first of those with the largest value.
fn best_of<T>(known: impl Iterator<Item = (T, f64)>) -> Option<(T, f64)> {
    known.reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// λ + 3, with Hansen's λ.
fn usual(dim: usize) -> usize {
    default_population(dim) + LOOKS
}

impl Optimizer for LineEs {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        self.asked = self.parts(n);
        let [probes, looks, centre] = self.asked;
        let noise = self.directions(probes, stream);
        self.base.change().redirect(noise, probes);
        let probe = |row| Theta::probe(self.base.share(), Probe { row, scale: self.sigma }); // Eq. 1
        let mut points: Vec<Theta> = (0..probes as u32).map(probe).collect();
        points.extend(self.looks(&LOOKED[..looks]));
        points.extend((0..centre).map(|_| self.centre()));
        points
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let rows = ranked(self.asked[0], values);
        let (a, flat) = (self.better(values), !informs(&rows));
        let stuck = self.watch(values, flat);
        let used = std::mem::take(&mut self.users);
        self.stay(&used);
        self.asked = [0; 3];
        if stuck {
            return self.go_back(rows.len());
        }
        if flat {
            if let Some(spread) = &mut self.base.change().spread {
                self.rests.end(spread);
            }
            return;
        }
        let dim = self.dim();
        let told: Vec<u32> = rows.iter().map(|(index, _)| *index).collect();
        let segments = segments(&used, dim, &told).into_iter();
        let shares: Vec<_> = segments.map(|segment| Self::share(segment, &rows)).collect();
        let mut room = std::mem::take(&mut self.room);
        let (step, rest) = room.room(2 * dim).split_at_mut(dim);
        moments(&self.base, self.sigma, &shares, step, rest);

        let looked = (a - 1.0) * self.length();
        let learned = shares.iter().filter(|share| !share.points.is_empty());
        self.active = learned.map(|share| share.range.len()).sum();
        self.sigma = rescaled(self.sigma, DECAY.ln() + PACE * a.ln()); // Eq. 4
        let length = self.length();
        let base = self.base.change();
        let (m, bounds) = (&mut base.centre, base.bounds.as_ref());
        m.iter_mut().zip(&self.direction).for_each(|(m, u)| *m += looked * u);
        if let Some(bounds) = bounds {
            bounds.clip_continuous(m);
        }
        let Some(spread) = &mut base.spread else { return };
        rests::pass_over(spread, step);
        let norm = simd::squared_norm(step).sqrt(); // Eq. 5
        self.direction.resize(dim, 0.0);
        let coordinates = m.iter_mut().zip(&mut self.direction).zip(step.iter().zip(&*spread));
        for ((m, u), (g, s)) in coordinates {
            *u = if norm > 0.0 { s * (g / norm) } else { 0.0 };
            *m += length * *u; // Eq. 6
        }
        if let Some(bounds) = bounds {
            self.rests.clip(bounds, m, spread);
        }
        rests::pass_over(spread, &mut self.direction);
        margin::keep(bounds, rows.len(), m, spread, |_| self.sigma);
        self.room = room;
    }

    /// m moves to a point that leads, as it goes back to its own best, without shorter steps.
    fn learn(&mut self, point: &Theta, value: f64, leads: bool) {
        if leads {
            let theta = point.to_vec();
            self.direction.clear();
            let base = self.base.change();
            base.centre.clone_from(&theta);
            if let (Some(spread), Some(bounds)) = (&mut base.spread, &base.bounds) {
                self.rests.wake(bounds, &base.centre, spread);
            }
            self.best = Some(Best { theta, value, age: 0 });
        }
    }

    /// Goes on from where it stands, and knows of no better point.
    fn restart(&mut self) {
        self.best = None;
    }

    fn statistics(&self) -> Statistics {
        let returns = self.trail.returns as f64;
        vec![("sigma", self.sigma), ("step", self.length()), ("returns", returns)]
    }
}

impl WeightOptimizer for LineEs {
    fn centre(&self) -> Theta {
        Theta::centre(self.base.share())
    }

    fn population(&self) -> usize {
        self.config.population.unwrap_or_else(|| usual(self.dim()))
    }

    fn used(&mut self, used: Used) {
        self.users = used;
    }
}
