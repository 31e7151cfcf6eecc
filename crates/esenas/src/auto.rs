//! What to search with, where the study does not say: rules from measurements (`docs/auto.md`).
//!
//! | d | what |
//! |---|---|
//! | up to 1000 | line-ES and sweeps by turns; after 100 d evaluations restarts of CMA-ES, `asng` |
//! | beyond, or where branches own many of more than 50 weights | sep-CMA-ES and `asng` |
//!
//! - The number of evaluations decides nothing up to d = 1000, so that more of them are never
//!   worse: what has fewer is where what has more was, with the same points.
//! - At first there is no time to learn a distribution. [`LineEs`](crate::weights::LineEs) learns
//!   how far to go by looking along its steps, and [`Sweep`](crate::controllers::Sweep) changes the
//!   model decision by decision. They [alternate](crate::Alternating), so that each holds still
//!   what the other looks at.
//! - Then CMA-ES times the categorical distributions of [`Asng`](crate::controllers::Asng) takes
//!   over where they stand: one natural gradient, of a Gaussian times categoricals. Points come in
//!   pairs m ± δ. Categories are learned in small steps, from the weights that CMA-ES gives to
//!   points. The worst points do not count against their directions: they may be bad for their
//!   models.
//! - When nothing improves, a run with a larger population begins elsewhere.
//! - Beyond d = 1000 it is sep-CMA-ES, which draws half the numbers. Both halves of a pair have one
//!   model, and categories are learned in bold steps where there is little time.
//! - Where branches own many of more than 50 weights it is sep-CMA-ES too, which learns each from
//!   the points that used it (`examples/supernet.rs`).
//! - A grid changes nothing of the choice: all of these keep margins on it (`weights/margin.rs`).
//!
//! These rules believe every value. For noisy values there is another one (`auto/noisy.rs`), and
//! large batches count as fewer iterations (`auto/batches.rs`).
//!
//! A [`policy`] has no box and noisy returns, and of its hundreds of decisions hardly one is
//! learned in the time there is: what counts is that θ moves. It gets the paper's σ and controller,
//! with pairs of sep-CMA-ES in smaller batches. Without a box, or without θ, the rules are in
//! `auto/open.rs`.

mod batches;
mod noisy;
mod open;
#[cfg(test)]
mod tests;

use crate::controllers::{
    AsngConfig, ControllerConfig, RegularizedEvolutionConfig, SweepConfig, Utilities,
};
use crate::joint::{CentreModels, JointConfig, Pairing};
use crate::weights::{
    Boundary, CmaEsConfig, EsConfig, LineEsConfig, RestartsConfig, SepCmaEsConfig, WeightsConfig,
};
use crate::{AlternatingConfig, Bounds, Layout, NextConfig, SearchConfig, Space};

/// d up to which it makes no difference that branches own weights.
const FEW_WEIGHTS: usize = 50;
/// d beyond which a full covariance costs more than it brings.
const MOST_FOR_FULL: usize = 1000;
/// Evaluations per dimension below which decisions are learned in bold steps.
const BOLD_BELOW: f64 = 10.0;
/// Evaluations per dimension below which there is no time to unlearn a decision.
const NO_UNLEARNING_BELOW: f64 = 40.0;
/// Evaluations per dimension from which the decisions of many weights are learned in small steps.
const SMALL_STEPS_FROM: f64 = 150.0;
/// Evaluations per dimension after which distributions are learned.
const OPENING: f64 = 100.0;
/// d up to which the batch of line-ES is Hansen's λ; beyond, it grows with √d up to half as much
/// again.
const USUAL_BATCH_UP_TO: f64 = 50.0;

/// What the choice depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// d
    pub dim: usize,
    /// How many of them are on a grid.
    pub grid: usize,
    /// How many of them a model uses, in the mean: all, where branches own none.
    pub active: usize,
    /// The mean width of the box of θ.
    pub width: f64,
    /// How many decisions a model can have at most.
    pub decisions: u32,
    /// How many decisions could exist.
    pub loci: u32,
    /// How many of those are slots of orders.
    pub orders: u32,
    /// How many evaluations there will be, if that is known.
    pub evaluations: Option<u64>,
    /// Whether a point evaluated again may have another value.
    pub noise: bool,
    /// How many evaluations an iteration should have at least.
    pub batch: Option<usize>,
}

/// What was chosen, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What to search with.
    pub search: SearchConfig,
    /// The rule, in a sentence.
    pub reason: String,
}

impl Facts {
    /// Those of a problem with a box, whose values are exact, and of which an iteration may have
    /// few.
    pub fn new(space: &Space, dim: usize, bounds: &Bounds, evaluations: Option<u64>) -> Self {
        let widths = (0..dim).map(|j| bounds.interval(j)).map(|(low, high)| high - low);
        let width = widths.sum::<f64>() / dim.max(1) as f64;
        // One model is nothing to decide.
        let decisions = if space.size().exact == Some(1) { 0 } else { space.max_len() };
        let grid = bounds.on_grid(0..dim).count();
        let (loci, orders) = (space.loci(), space.slots_of_orders());
        let (active, noise, batch) = (dim, false, None);
        Self { dim, grid, active, width, decisions, loci, orders, evaluations, noise, batch }
    }

    /// Those of a problem with this layout: all its sides have one length.
    pub fn of(layout: &Layout, evaluations: Option<u64>) -> Self {
        let (dim, width) = (layout.dim(), layout.width());
        let free = Bounds::partly(vec![f64::NEG_INFINITY], vec![f64::INFINITY], dim);
        let free = free.expect("no interval is one");
        let bounds = layout.bounds().unwrap_or(&free);
        let active = layout.mean_active();
        Self { width, active, ..Self::new(layout.space(), dim, bounds, evaluations) }
    }

    /// Evaluations per dimension, as if each iteration had the usual number of points.
    fn evaluations_per_dimension(&self) -> f64 {
        let counted = |n: u64| n as f64 / (self.dim.max(1) as f64 * self.wider());
        self.evaluations.map_or(f64::INFINITY, counted)
    }

    /// The rules.
    pub fn choose(&self) -> Choice {
        self.choose_with(true)
    }

    /// The rules for a study that names one half itself, or how they are joined: line-ES and sweeps
    /// are chosen together or not at all.
    pub fn choose_for_others(&self) -> Choice {
        self.choose_with(false)
    }

    fn choose_with(&self, by_turns: bool) -> Choice {
        let choice = if self.noise { self.averaging() } else { self.believing(by_turns) };
        match self.batch {
            Some(batch) => choice.in_batches(batch),
            None => choice,
        }
    }

    /// The rules where values are exact.
    fn believing(&self, by_turns: bool) -> Choice {
        if self.dim > MOST_FOR_FULL {
            self.variances("too many weights for covariances: variances only")
        } else if self.dim > FEW_WEIGHTS && self.is_owned() {
            self.variances(
                "branches own many weights: each is learned from the points that used it",
            )
        } else if by_turns {
            self.steps()
        } else {
            let why = "covariances, begun anew when stuck";
            self.chosen(self.restarts(), asng(0.2), alone(), why)
        }
    }

    /// θ along its steps, decisions one by one; then covariances from there.
    fn steps(&self) -> Choice {
        // Where weights are many for each decision, they have more of the evaluations.
        let share = match self.decisions {
            0 => 0.0,
            decisions if self.dim > 10 * decisions as usize => 0.25,
            _ => 0.5,
        };
        let larger = (self.dim as f64 / USUAL_BATCH_UP_TO).sqrt().clamp(1.0, 1.5);
        let probes = (larger * self.usual() as f64).round();
        let population = Some(probes as usize + 3);
        let weights = WeightsConfig::LineEs(LineEsConfig { sigma: 0.12 * self.width, population });
        let controller = ControllerConfig::Sweep(SweepConfig {});
        let after = (OPENING * self.dim as f64 * self.wider()).round() as u64;
        let next = NextConfig { after, weights: self.restarts(), controller: asng(0.2) };
        let centre = if share > 0.0 { (share * probes).round().max(4.0) as u32 } else { 0 };
        let alternating =
            AlternatingConfig { centre, next: Some(next), ..AlternatingConfig::default() };
        let search = SearchConfig::Alternating { weights, controller, alternating };
        let why = format!(
            "steps as long as looking along them says, after {after} evaluations covariances"
        );
        Choice { search, reason: self.reason(&why) }
    }

    /// Covariances, and another beginning with a larger population whenever nothing improves.
    fn restarts(&self) -> WeightsConfig {
        let weights = CmaEsConfig {
            sigma: 0.2 * self.width,
            population: Some(self.usual().next_multiple_of(2)),
            boundary: Boundary::Clip,
            mirrored: true,
            active: self.decisions == 0,
            ..CmaEsConfig::default()
        };
        let weights = WeightsConfig::CmaEs(weights).into();
        WeightsConfig::Restarts(RestartsConfig {
            weights,
            growth: 3.0,
            ..RestartsConfig::default()
        })
    }

    /// Whether branches own so much that most models do without a quarter of the weights.
    fn is_owned(&self) -> bool {
        4 * self.active <= 3 * self.dim
    }

    /// Variances alone, of many weights, or of those that branches own: then points are so many
    /// that each weight has as many users as there would be points otherwise.
    fn variances(&self, why: &str) -> Choice {
        let mut weights = self.separable(if self.is_owned() { 0.3 } else { 0.1 });
        if self.is_owned() {
            let points = self.usual() * self.dim.div_ceil(self.active.max(1));
            weights = weights.with_population(points.next_multiple_of(2));
        }
        self.chosen(weights, self.paced(), self.shared(), why)
    }

    /// Categories that are learned as fast as there is time for.
    fn paced(&self) -> ControllerConfig {
        let (usual, per_dimension) = (AsngConfig::default(), self.evaluations_per_dimension());
        let (step_size, utilities) = match per_dimension {
            SMALL_STEPS_FROM.. => (0.2, Utilities::Logarithmic),
            BOLD_BELOW.. => (usual.step_size, usual.utilities),
            _ => (1.0, Utilities::Logarithmic),
        };
        // Nor is there time to unlearn.
        let margin = if per_dimension < NO_UNLEARNING_BELOW { 0.9 } else { usual.margin };
        ControllerConfig::Asng(AsngConfig { step_size, utilities, margin, ..usual })
    }

    /// One model for a pair, whose values then differ by its weights alone: of those there are
    /// many.
    fn shared(&self) -> JointConfig {
        JointConfig {
            pairing: if self.decisions > 0 { Pairing::Shared } else { Pairing::Independent },
            centre: 1,
            centre_models: CentreModels::Mode,
            centre_teaches: false,
            ..JointConfig::default()
        }
    }

    fn chosen(
        &self,
        weights: WeightsConfig,
        controller: ControllerConfig,
        joint: JointConfig,
        why: &str,
    ) -> Choice {
        let search = SearchConfig::EsEnas { weights, controller, joint };
        Choice { search, reason: self.reason(why) }
    }

    fn reason(&self, why: &str) -> String {
        let noisy = if self.noise { "noisy " } else { "" };
        let budget = match self.evaluations {
            Some(n) => format!("{n} {noisy}evaluations"),
            None => format!("{noisy}evaluations not limited"),
        };
        let grid = match self.grid {
            0 => String::new(),
            grid => format!(" ({grid} on a grid)"),
        };
        format!("d = {}{grid}, {} decisions, {budget}: {why}", self.dim, self.decisions)
    }

    /// Hansen's λ.
    fn usual(&self) -> usize {
        4 + (3.0 * (self.dim.max(1) as f64).ln()).floor() as usize
    }

    fn separable(&self, share: f64) -> WeightsConfig {
        WeightsConfig::SepCmaEs(SepCmaEsConfig {
            sigma: share * self.width,
            population: Some(self.usual().next_multiple_of(2)),
            mirrored: true,
            ..SepCmaEsConfig::default()
        })
    }
}

/// No evaluations of the centre: a probe is nearly as good where weights are few, and becomes so
/// where evaluations are many.
fn alone() -> JointConfig {
    JointConfig { centre: 0, ..JointConfig::default() }
}

/// Categories that learn from CMA-ES's weights of points, with steps of this length.
fn asng(step_size: f64) -> ControllerConfig {
    let utilities = Utilities::Logarithmic;
    ControllerConfig::Asng(AsngConfig { step_size, utilities, ..AsngConfig::default() })
}

/// For a policy of so many weights, whose values are the returns of episodes.
pub fn policy(dim: usize) -> Choice {
    let weights = SepCmaEsConfig {
        sigma: EsConfig::reinforcement_learning().sigma.at(0),
        population: Some(40),
        mirrored: true,
        ..SepCmaEsConfig::default()
    };
    // The paper evaluates the centre 50 times in 200; few are enough to tell how good it is.
    let joint = JointConfig { centre: 4, ..JointConfig::default() };
    // An iteration's evaluations live, as measured: not the paper's 136 or more.
    let controller = RegularizedEvolutionConfig { population: Some(44), tournament: None };
    let why = "a policy: small batches in pairs, steps and variances that adapt";
    let weights = WeightsConfig::SepCmaEs(weights);
    let controller = ControllerConfig::RegularizedEvolution(controller);
    let search = SearchConfig::EsEnas { weights, controller, joint };
    Choice { search, reason: format!("d = {dim}, {why}") }
}
