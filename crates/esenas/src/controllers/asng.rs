//! Adaptive stochastic natural gradient (Akimoto, Shirakawa, Yoshinari, Uchida, Saito and Nishida
//! 2019, "Adaptive Stochastic Natural Gradient Method for One-Shot Neural Architecture Search"),
//! with the margin of CatCMA (Hamano, Saito, Nomura, Uchida and Shirakawa 2024).
//!
//! φ is a product of categorical distributions, one per decision (see below for choices of several
//! slots). With utilities uᵢ of the points mᵢ of a batch and e(m) the one-hot vector of what m
//! selects, an iteration is
//!
//! ```text
//! G ← Σᵢ uᵢ (e(mᵢ) − p),  over the mᵢ that made the decision         natural gradient
//! S ← F^½ G = G / √p,  ‖S‖² = Σ G² / p                               F: Fisher information
//! δ ← δ₀ √D / Δ,  β ← min(1, δ / √N)
//! p ← p + δ G / ‖S‖                                                   a step of length δ
//! s ← (1 − β) s + √(β (2 − β)) S / ‖S‖
//! γ ← (1 − β)² γ + β (2 − β)
//! Δ ← Δ exp(β (γ − ‖s‖² / α))
//! ```
//!
//! ‖s‖² beyond αγ says that successive steps agree, and they grow; steps of noise shrink.
//!
//! **Utilities** are centred ranks: best and worst weigh alike, the middle nothing, and equal
//! values share theirs. They sum to zero, so a plateau moves nothing, and only their order counts.
//! (On noisy additive rewards they were level with the paper's quartiles and CMA's logarithmic
//! weights where decisions are few, and ahead where they are many.)
//!
//! With [`Utilities::Logarithmic`] they are CMA-ES's weights of the better half, as in CatCMA, less
//! their mean: what both halves of a product learn from is then the same, and a small batch speaks
//! through its best.
//!
//! **Conditional decisions.** A point that did not make a decision says nothing of it: its branch
//! does not move, and a branch few points took moves little. D is the mean number of decisions
//! a point made, N of free parameters (candidates − 1) it made them with: what the paper has
//! for a space where nothing is conditional.
//!
//! **The step constant.** The paper's δ₀ is the length of the step over all decisions together,
//! so the more decisions, the less each learns. Here δ₀ is per decision: independent decisions add
//! up their squared lengths, hence √D. Measured on additive rewards of 20 decisions of 11, of 736
//! of 17 and of subsets of 64 among 736, one value then serves all of them.
//!
//! **Choices of several slots.**
//!
//! | | the distribution | a selection |
//! |---|---|---|
//! | unsorted, repeating | one per slot | each slot on its own |
//! | unsorted, distinct; permutations | one per slot | slot by slot, without those taken |
//! | sorted, repeating | one for all slots | k independent draws, sorted |
//! | sorted, distinct | one for all slots | the pivotal method, sorted |
//!
//! Of a subset, k·p is the probability of being a member: the pivotal method (Deville and Tillé
//! 1998), in random order, has exactly these probabilities.
//!
//! A sorted choice teaches G = Σ u (c/k − p), c counting what was selected, and has the Fisher
//! information of k draws: ‖S‖² = Σ k G² / p, and of a subset Σ k G² / (p (1 − k p)) (Hájek 1964).
//! For subsets, k draws without replacement (Plackett and Luce) learned markedly less: their
//! members' probabilities are not the ones that are learned. What is learned of a permutation is
//! what each slot selected, whatever had been taken before; counting from the scaled probabilities
//! instead learned less. A repeating sorted choice learns in what shares candidates are selected,
//! no more: independent draws never all agree on a multiset of different ones.
//!
//! **Margin.** With r = 1 − 0.73^(1/decisions), p stays at least r / (n − 1), so a distribution can
//! always unlearn, and once it has converged a point is its mode in all decisions with probability
//! 0.73. Of subsets, r / (n − k) ≤ p ≤ (1 − r) / k. After a step p is the nearest such point:
//! shifted and clamped. (CatCMA's rescaling learned a little less everywhere.)
//!
//! Distributions come to be when their decision is first met, uniform; an iteration costs the
//! genes of its points times their candidates, and all the distributions met so far.

mod margin;
mod model;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Marginals;
use super::marginals::{Layout, key_of};
use crate::optimizer::told;
use crate::setting::{SettingError, within};
use crate::shaping::Normalize;
use crate::space::Surveyed;
use crate::{Dna, ModelOptimizer, Optimizer, Space, Statistics, Stream};
use model::Model;

/// The most probabilities that are kept.
pub const MAX_PROBABILITIES: u64 = 1 << 26;

/// How much of the probability [`Asng::lean`] moves.
const LEANING: f64 = 0.2;

/// Hyperparameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AsngConfig {
    /// δ₀, the length of a step per decision, to begin with. (The paper has 1 for all together.)
    pub step_size: f64,
    /// α: steps grow when their signal exceeds noise by this factor. 1.5, as in the paper.
    pub alpha: f64,
    /// The probability of the mode once all has converged. 0.73, as in CatCMA.
    pub margin: f64,
    /// What the points of a batch weigh.
    pub utilities: Utilities,
}

/// What the points of a batch weigh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Utilities {
    /// Their centred ranks.
    #[default]
    Ranks,
    /// ln((n + 1)/2) − ln i for the i-th best of the better half and nothing for the others, less
    /// the mean.
    Logarithmic,
}

impl Default for AsngConfig {
    fn default() -> Self {
        Self { step_size: 0.35, alpha: 1.5, margin: 0.73, utilities: Utilities::default() }
    }
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asng {
    config: AsngConfig,
    space: Arc<Space>,
    /// φ
    model: Model,
    /// s, beside the probabilities.
    signal: Vec<f64>,
    /// γ, what ‖s‖² would be if steps were noise.
    gamma: f64,
    /// Δ
    delta: f64,
    /// The points of the last ask, until they are told.
    asked: Vec<Dna>,
}

/// What a batch says.
struct Gradient {
    /// G, beside the probabilities.
    natural: Vec<f64>,
    /// D
    decisions: f64,
    /// N
    freedom: f64,
}

impl Asng {
    /// Starts with uniform distributions over `space`.
    pub fn new(config: AsngConfig, space: Arc<Space>) -> Result<Self, SettingError> {
        let AsngConfig { step_size, alpha, margin, .. } = config;
        within("step_size", step_size, f64::MIN_POSITIVE..=100.0, "be above 0 and at most 100")?;
        // Below 1, steps of noise would grow, and forever.
        within("alpha", alpha, 1.0..=f64::MAX, "be finite and at least 1")?;
        // Below ½, a margin could exceed the uniform distribution.
        within("margin", margin, 0.5..=0.9999, "be from 0.5 to 0.9999")?;
        let probabilities = model::bound(&space);
        if probabilities > MAX_PROBABILITIES {
            let what = format!(
                "\"asng\" keeps a probability for each candidate: the space has {probabilities} \
                 candidates over all its decisions; accepted are {MAX_PROBABILITIES}"
            );
            return Err(SettingError::new("kind", what));
        }
        let model = Model::new(&space, margin);
        Ok(Self { config, space, model, signal: vec![], gamma: 0.0, delta: 1.0, asked: vec![] })
    }

    /// The distribution of the decision at `locus`, over its candidates: of a sorted choice, the
    /// one its slots share. None until it is met for the first time, when it will be uniform, and
    /// none where there is nothing to decide.
    pub fn probabilities(&self, locus: u32) -> Option<&[f64]> {
        self.model.probabilities(locus)
    }

    /// Moves a fifth of all probability to what `dna` selects.
    pub fn lean(&mut self, dna: &Dna) {
        self.space.visit(dna, |decision, value| self.model.lean(decision, value, LEANING));
    }

    fn averages(&self, layout: &Layout, n: usize, stream: &mut Stream) -> Vec<f64> {
        let (mut model, mut sums) = (self.model.clone(), vec![0.0; layout.size]);
        for _ in 0..n {
            let mut pending = Vec::new();
            self.space.build(|decision| {
                let together = decision.sorted && decision.slots > 1;
                let times = if together { decision.slots } else { 1 };
                let of = model.expected(decision.locus, decision.arity, times);
                let sums = &mut sums[layout.range(key_of(decision))];
                if !together {
                    let whole: f64 = decision.allowed().map(|value| of[value as usize]).sum();
                    let mut add = |value: usize| sums[value] += of[value] / whole / n as f64;
                    decision.allowed().for_each(|value| add(value as usize));
                } else if decision.slot == 0 {
                    sums.iter_mut().zip(of).for_each(|(sum, p)| *sum += p / n as f64);
                }
                model.draw(decision, &mut pending, stream)
            });
        }
        sums
    }

    fn gradient(&self, points: &[&Dna], utilities: &[f64]) -> Gradient {
        let (blocks, p) = (self.model.blocks(), self.model.flat());
        let mut natural = vec![0.0; p.len()];
        let mut mass = vec![0.0; blocks.len()];
        let (mut decisions, mut freedom) = (0.0, 0.0);
        for (dna, utility) in points.iter().zip(utilities) {
            self.space.visit(dna, |decision, value| {
                let Some(index) = self.model.index(decision) else { return };
                let block = &blocks[index];
                natural[block.start + value as usize] += utility;
                mass[index] += utility;
                decisions += 1.0;
                freedom += f64::from(block.arity - 1) / f64::from(block.slots);
            });
        }
        for (block, mass) in blocks.iter().zip(mass) {
            for at in block.range() {
                natural[at] = (natural[at] - mass * p[at]) / f64::from(block.slots);
            }
        }
        let n = points.len() as f64;
        Gradient { natural, decisions: decisions / n, freedom: freedom / n }
    }

    fn step(&mut self, gradient: &Gradient) {
        let direction = self.model.to_fisher(&gradient.natural); // S
        let norm = direction.iter().map(|s| s * s).sum::<f64>().sqrt();
        if norm == 0.0 {
            return;
        }
        let length = self.config.step_size * gradient.decisions.sqrt() / self.delta; // δ
        let beta = (length / gradient.freedom.sqrt()).min(1.0);
        self.model.advance(&gradient.natural, length / norm);

        let fresh = (beta * (2.0 - beta)).sqrt() / norm;
        self.signal.resize(direction.len(), 0.0);
        let mut squares = 0.0; // ‖s‖²
        for (s, direction) in self.signal.iter_mut().zip(direction) {
            *s = (1.0 - beta) * *s + fresh * direction;
            squares += *s * *s;
        }
        self.gamma = (1.0 - beta).powi(2) * self.gamma + beta * (2.0 - beta);
        self.delta *= (beta * (self.gamma - squares / self.config.alpha)).exp();
    }
}

/// In whole numbers: their sums are exact, so what cancels leaves no rounding error that a step of
/// fixed length would blow up to a direction.
fn utilities(kind: Utilities, mut values: Vec<f64>) -> Vec<f64> {
    Normalize::Ranks.apply(&mut values);
    let last = values.len().saturating_sub(1) as f64;
    values.iter_mut().for_each(|u| *u = (2.0 * last * *u).round());
    if kind == Utilities::Logarithmic && values.iter().any(|u| *u != 0.0) {
        // Of i from 1, the best, on; ties are between two.
        let weight = |u: f64| (0.5 * (last + 2.0)).ln() - (0.5 * (last - u) + 1.0).ln();
        values.iter_mut().for_each(|u| *u = weight(*u).max(0.0));
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter_mut().for_each(|u| *u = (1e6 * (*u - mean)).round());
    }
    values
}

impl Optimizer for Asng {
    type Point = Dna;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        let Self { space, model, .. } = self;
        let mut pending = Vec::new();
        let mut draw = || space.build(|decision| model.draw(decision, &mut pending, stream));
        self.asked = (0..n).map(|_| draw()).collect();
        self.asked.clone()
    }

    /// Points without a value are left out; fewer than two values, or equal ones, teach nothing.
    fn tell(&mut self, values: &[Option<f64>]) {
        let asked = std::mem::take(&mut self.asked);
        let known = asked.iter().enumerate().filter_map(|(at, dna)| Some((dna, told(values, at)?)));
        let (points, values): (Vec<&Dna>, Vec<f64>) = known.unzip();
        let utilities = utilities(self.config.utilities, values);
        if utilities.iter().any(|u| *u != 0.0) {
            let gradient = self.gradient(&points, &utilities);
            self.step(&gradient);
        }
    }

    /// Half of the probability goes to a model that leads: one value says nothing of how far to go.
    fn learn(&mut self, point: &Dna, _: f64, leads: bool) {
        if leads {
            self.space.visit(point, |decision, _| {
                self.model.meet(decision);
            });
            let gradient = self.gradient(&[point], &[1.0]);
            self.model.advance(&gradient.natural, 0.5);
        }
    }

    /// Uniform again.
    fn restart(&mut self) {
        self.model = Model::new(&self.space, self.config.margin);
        (self.signal, self.gamma, self.delta) = (Vec::new(), 0.0, 1.0);
    }

    /// Over the decisions met so far: the mean entropy, 1 when uniform; the mean probability of
    /// what is most probable; and Δ, by which steps have shrunk.
    fn statistics(&self) -> Statistics {
        let (entropy, mode) = self.model.certainty();
        vec![("entropy", entropy), ("mode", mode), ("delta", self.delta)]
    }
}

impl ModelOptimizer for Asng {
    fn likeliest(&self) -> Option<Dna> {
        let mut pending = Vec::new();
        Some(self.space.build(|decision| self.model.likeliest(decision, &mut pending)))
    }

    fn marginals(&self, n: usize, stream: &mut Stream) -> Option<Marginals> {
        let own = |place: &Surveyed, locus: u32| {
            let together = place.sorted && place.slots > 1;
            self.model.expected(locus, place.arity, if together { place.slots } else { 1 })
        };
        Some(Layout::new(&self.space)?.independent(own, |layout| self.averages(layout, n, stream)))
    }
}
