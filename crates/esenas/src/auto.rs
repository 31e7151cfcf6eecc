//! What to search with, where nobody has said: rules from measurements (`docs/auto.md`).
//!
//! All of it is the paper's product with other factors. Few evaluations for the number of weights leave no time to learn a
//! distribution: [`LineEs`](crate::weights::LineEs) finds out how far to go by looking along its steps,
//! [`Sweep`](crate::controllers::Sweep) changes the model decision by decision, and each holds still what the other
//! looks at ([`Pairing::Held`]). With more, an optimizer from the family of CMA-ES times the categorical distributions of
//! [`Asng`](crate::controllers::Asng) is ahead, fed the same values: the natural gradient of a Gaussian times categoricals.
//!
//! | evaluations | d ≤ 50, decisions | d ≤ 50, none | 50 < d ≤ 1000 |
//! |---|---|---|---|
//! | below 110 d | line-ES × sweeps | line-ES | line-ES × sweeps |
//! | below 200 d | the same | CMA-ES | the same |
//! | below 600 d | the same | CMA-ES with restarts | CMA-ES with restarts, from three times its population on |
//! | more | CMA-ES with restarts, from six times its population on | the same | the same; beyond 1000 d and without decisions from its own on |
//!
//! Beyond d = 1000 it is sep-CMA-ES throughout, which draws half the numbers, and beyond d = 50 where many weights are owned by
//! branches: it learns each from the points that used it (`examples/supernet.rs`). There both halves of a pair have the same model; categories are learned in bold steps where there is little time.
//!
//! The more evaluations there are, the larger the batches of line-ES: on a rugged landscape the trend is seen in many points alone.
//!
//! Points of CMA-ES and sep-CMA-ES come in pairs m ± δ. With restarts categories are learned in small steps, from the weights that
//! CMA-ES gives to points, and the worst points do not count against their directions (it is not active): they may be bad for their
//! models.
//!
//! All of these keep margins on coordinates that are on a grid (`weights/margin.rs`), so that a grid changes nothing of
//! the choice.
//!
//! Those rules believe every value. Where values are noisy there is one of its own (`auto/noisy.rs`), and where an iteration should be
//! large, the rules are those for as many iterations as that leaves (`auto/batches.rs`).
//!
//! A policy ([`policy`]) has no box, its returns are noisy, and it has decisions by the hundred, of which hardly any is learned in
//! the time there is: what counts is that θ moves. There it is the paper's σ and controller with pairs of sep-CMA-ES in place of ES, in
//! smaller batches. Without a box and not of a policy, the choice is the paper's: nothing was measured.

mod batches;
mod noisy;

use serde::{Deserialize, Serialize};

use crate::controllers::{AsngConfig, ControllerConfig, RandomConfig, SweepConfig, Utilities};
use crate::joint::{CentreModels, JointConfig, Pairing};
use crate::weights::{
    Boundary, CmaEsConfig, EsConfig, LineEsConfig, RestartsConfig, SepCmaEsConfig, WeightsConfig,
};
use crate::{Bounds, Layout, SearchConfig, Space};

/// Up to here covariances are learned soon.
const FEW_WEIGHTS: usize = 50;
/// Beyond, a full covariance costs more than it brings.
const MOST_FOR_FULL: usize = 1000;
/// Evaluations per weight up to which decisions are learned in a hurry,
const HURRY: f64 = 10.0;
/// those up to which there is no time to unlearn any,
const FOR_UNLEARNING: f64 = 40.0;
/// those from which on scales are learned in time where d is small and nothing is to be decided,
const FOR_SCALES: f64 = 110.0;
/// those from which on there is no hurry with many weights,
const FOR_POPULATION: f64 = 150.0;
/// those that are enough for restarts,
const FOR_RESTARTS: f64 = 200.0;
/// and where few weights come with decisions,
const FOR_DECISIONS: f64 = 600.0;
/// and those for beginning with a small population, which may find one optimum at once, where weights are many.
const FOR_SMALL_FIRST: f64 = 1000.0;
/// Evaluations of θ with which Hansen's λ is the best batch of line-ES.
const FOR_USUAL: f64 = 1000.0;

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
    /// How many evaluations there will be; as many as it takes if that is not known.
    pub evaluations: Option<u64>,
    /// Whether a point evaluated again may have another value.
    pub noise: bool,
    /// How many evaluations can be made at once, if an iteration should have as many of them at least.
    pub batch: Option<usize>,
}

/// What was chosen, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What updates θ.
    pub weights: WeightsConfig,
    /// What updates φ.
    pub controller: ControllerConfig,
    /// How they are joined.
    pub joint: JointConfig,
    /// The rule, in a sentence.
    pub reason: String,
}

impl Choice {
    /// What to search with.
    pub fn search(self) -> SearchConfig {
        let Self { weights, controller, joint, .. } = self;
        SearchConfig::EsEnas { weights, controller, joint, then: None }
    }
}

impl Facts {
    /// Those of a problem with a box, whose values are exact, and of which an iteration may have few.
    pub fn new(space: &Space, dim: usize, bounds: &Bounds, evaluations: Option<u64>) -> Self {
        let widths = (0..dim).map(|j| bounds.interval(j)).map(|(low, high)| high - low);
        let width = widths.sum::<f64>() / dim.max(1) as f64;
        // One model is nothing to decide.
        let decisions = if space.size().exact == Some(1) { 0 } else { space.max_len() };
        let grid = bounds.on_grid(0..dim).count();
        Self { dim, grid, active: dim, width, decisions, evaluations, noise: false, batch: None }
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

    /// Evaluations per weight, of those that count.
    fn plenty(&self) -> f64 {
        let counted = |n: u64| n as f64 / (self.dim.max(1) as f64 * self.wider());
        self.evaluations.map_or(f64::INFINITY, counted)
    }

    /// The rules.
    pub fn choose(&self) -> Choice {
        let choice = if self.noise { self.averaging() } else { self.believing() };
        match self.batch {
            Some(batch) => choice.in_batches(batch),
            None => choice,
        }
    }

    /// The rules where values are exact.
    fn believing(&self) -> Choice {
        let (few, plenty, flat) = (self.dim <= FEW_WEIGHTS, self.plenty(), self.decisions == 0);
        let enough = if few && !flat { FOR_DECISIONS } else { FOR_RESTARTS };
        if self.dim > MOST_FOR_FULL {
            self.variances(plenty, "too many weights for covariances: variances only")
        } else if !few && self.is_owned() {
            self.variances(
                plenty,
                "branches own many weights: each is learned from the points that used it",
            )
        } else if plenty >= enough {
            self.restarts(few, plenty)
        } else if few && flat && plenty >= FOR_SCALES {
            let weights = WeightsConfig::CmaEs(self.covariances(1));
            self.chosen(weights, asng(0.2), alone(), "evaluations enough for covariances")
        } else {
            self.steps()
        }
    }

    /// θ along its steps, decisions one by one.
    fn steps(&self) -> Choice {
        // Where weights are many for each decision, they have more of the evaluations.
        let share = match self.decisions {
            0 => 0.0,
            decisions if self.dim > 10 * decisions as usize => 0.25,
            _ => 0.5,
        };
        let evaluations = self.plenty() * self.dim.max(1) as f64 / (1.0 + share);
        // Beyond eightfold nothing was measured.
        let larger = (evaluations / FOR_USUAL).powf(0.75).clamp(0.7, 8.0);
        let probes = (larger * self.usual() as f64).round();
        let population = Some(probes as usize + 3);
        let line = LineEsConfig { sigma: 0.12 * self.width, population };
        let (controller, joint) = match self.decisions {
            0 => (ControllerConfig::Random(RandomConfig {}), alone()),
            _ => {
                let centre = (share * probes).round().max(4.0) as u32;
                let held = JointConfig { pairing: Pairing::Held, centre, ..JointConfig::default() };
                (ControllerConfig::Sweep(SweepConfig {}), held)
            }
        };
        let why = "few evaluations per weight: steps as long as looking along them says";
        self.chosen(WeightsConfig::LineEs(line), controller, joint, why)
    }

    /// Covariances, and another beginning whenever nothing improves.
    fn restarts(&self, few: bool, plenty: f64) -> Choice {
        let flat = self.decisions == 0;
        // Categories make local optima, of which a large population sees more from the start.
        let (larger, growth) = match (few, flat) {
            (true, true) => (1, 3.0),
            (true, false) => (6, 2.0),
            (false, true) if plenty >= FOR_SMALL_FIRST => (1, 2.0),
            (false, _) => (3, 2.0),
        };
        let weights = CmaEsConfig { active: flat, ..self.covariances(larger) };
        let weights = WeightsConfig::CmaEs(weights).into();
        let weights = RestartsConfig { weights, growth, ..RestartsConfig::default() };
        let why = "evaluations enough to begin anew when stuck";
        self.chosen(WeightsConfig::Restarts(weights), asng(0.2), alone(), why)
    }

    /// Whether branches own so much that most models do without a quarter of the weights.
    fn is_owned(&self) -> bool {
        4 * self.active <= 3 * self.dim
    }

    /// Variances alone, of many weights, or of those that branches own: then points are so many that each weight has as
    /// many users as there would be points otherwise.
    fn variances(&self, plenty: f64, why: &str) -> Choice {
        let mut weights = self.separable(if self.is_owned() { 0.3 } else { 0.1 });
        if self.is_owned() {
            let points = self.usual() * self.dim.div_ceil(self.active.max(1));
            weights = weights.with_population(points.next_multiple_of(2));
        }
        self.chosen(weights, ControllerConfig::Asng(pace(plenty)), self.shared(), why)
    }

    /// One model a pair: its values differ by its weights alone, and there are too many of these to wait for.
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
        let reason = format!("{}: {why}", self.said());
        Choice { weights, controller, joint, reason }
    }

    fn said(&self) -> String {
        let noisy = if self.noise { "noisy " } else { "" };
        let budget = match self.evaluations {
            Some(n) => format!("{n} {noisy}evaluations"),
            None => format!("{noisy}evaluations not limited"),
        };
        let grid = match self.grid {
            0 => String::new(),
            grid => format!(" ({grid} on a grid)"),
        };
        format!("d = {}{grid}, {} decisions, {budget}", self.dim, self.decisions)
    }

    /// Hansen's λ.
    fn usual(&self) -> usize {
        4 + (3.0 * (self.dim.max(1) as f64).ln()).floor() as usize
    }

    fn covariances(&self, larger: usize) -> CmaEsConfig {
        CmaEsConfig {
            sigma: 0.2 * self.width,
            population: Some((larger * self.usual()).next_multiple_of(2)),
            boundary: Boundary::Clip,
            mirrored: true,
            ..CmaEsConfig::default()
        }
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

/// Without evaluations of the centre: with few weights a probe is nearly as good, and with many evaluations it comes to be.
fn alone() -> JointConfig {
    JointConfig { centre: 0, ..JointConfig::default() }
}

/// What there is no time to learn slowly must be learned fast.
fn pace(plenty: f64) -> AsngConfig {
    let usual = AsngConfig::default();
    let (step_size, utilities) = match plenty {
        FOR_POPULATION.. => (0.2, Utilities::Logarithmic),
        HURRY.. => (usual.step_size, usual.utilities),
        _ => (1.0, Utilities::Logarithmic),
    };
    // Nor is there time to unlearn.
    let margin = if plenty < FOR_UNLEARNING { 0.9 } else { usual.margin };
    AsngConfig { step_size, utilities, margin, ..usual }
}

/// Categories that learn from the weights which CMA-ES gives to points, with steps of this length.
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
    let why = "a policy: small batches in pairs, steps and variances that adapt";
    Choice {
        weights: WeightsConfig::SepCmaEs(weights),
        controller: ControllerConfig::default(),
        joint,
        reason: format!("d = {dim}, {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Recombination;

    pub(super) fn facts(dim: usize, evaluations: Option<u64>) -> Facts {
        let (grid, active, width, decisions) = (0, dim, 10.0, 10);
        Facts { dim, grid, active, width, decisions, evaluations, noise: false, batch: None }
    }

    fn flat(dim: usize, evaluations: Option<u64>) -> Facts {
        Facts { decisions: 0, ..facts(dim, evaluations) }
    }

    /// The table above, cell by cell. Red when a threshold moves or two rules change places.
    #[test]
    fn rules_are_those_of_the_table() {
        fn said(weights: &WeightsConfig) -> String {
            match weights {
                WeightsConfig::CmaEs(it) => {
                    assert!(it.mirrored);
                    let active = if it.active { "active" } else { "passive" };
                    format!("{active} cma {} {:?}", it.sigma, it.population)
                }
                WeightsConfig::SepCmaEs(it) => {
                    assert!(it.mirrored);
                    format!("sep {} {:?} {:?}", it.sigma, it.population, it.recombination)
                }
                WeightsConfig::LineEs(it) => format!("line {} {:?}", it.sigma, it.population),
                WeightsConfig::Restarts(it) => {
                    format!("restarts {} of {}", it.growth, said(&it.weights.get()))
                }
                other => panic!("{other:?}"),
            }
        }
        let weights = |facts: Facts| said(&facts.choose().weights);
        let with = |dim, evaluations| weights(facts(dim, Some(evaluations)));
        let without = |dim, evaluations| weights(flat(dim, Some(evaluations)));
        assert_eq!(with(20, 11_999), "line 1.2 Some(60)");
        assert_eq!(with(20, 12_000), "restarts 2 of passive cma 2 Some(72)");
        assert_eq!(weights(facts(20, None)), "restarts 2 of passive cma 2 Some(72)");
        assert_eq!(without(20, 2199), "line 1.2 Some(25)");
        assert_eq!(without(20, 2200), "active cma 2 Some(12)");
        assert_eq!(without(20, 3999), "active cma 2 Some(12)");
        assert_eq!(without(20, 4000), "restarts 3 of active cma 2 Some(12)");
        assert_eq!(with(100, 19_999), "line 1.2 Some(122)");
        assert_eq!(without(100, 19_999), "line 1.2 Some(139)");
        assert_eq!(with(100, 20_000), "restarts 2 of passive cma 2 Some(52)");
        assert_eq!(without(100, 20_000), "restarts 2 of active cma 2 Some(52)");
        assert_eq!(weights(flat(100, None)), "restarts 2 of active cma 2 Some(18)");
        assert_eq!(with(100, 1500), "line 1.2 Some(20)");
        assert_eq!(with(100, 100), "line 1.2 Some(15)");
        assert_eq!(with(1000, 2000), "line 1.2 Some(37)");
        assert_eq!(weights(facts(2000, None)), "sep 1 Some(26) Better");
        assert_eq!(with(1, 1), "line 1.2 Some(6)");
    }

    /// Red when weights that branches own are left to those who learn from all points alike.
    #[test]
    fn owned_weights_are_learned_by_variances() {
        let weights = |dim: i64, owned: i64| {
            let branch = serde_json::json!({ "w": { "weights": [owned / 2] } });
            let other = serde_json::json!({ "w": { "weights": [owned / 2] }, "k": 1 });
            let shared = serde_json::json!({ "weights": [dim - owned] });
            let form = serde_json::json!([{ "oneof": [branch, other] }, shared]);
            let space = Space::from_value(&form).unwrap();
            let facts = Facts::of(&Layout::new(space.into()).unwrap(), Some(5000));
            let used = dim - owned / 2;
            assert_eq!((facts.dim as i64, facts.active as i64, facts.width), (dim, used, 1.0));
            facts.choose().weights
        };
        let WeightsConfig::SepCmaEs(it) = weights(100, 60) else {
            panic!("{:?}", weights(100, 60))
        };
        assert_eq!((it.mirrored, it.sigma, it.population), (true, 0.3, Some(34)));
        assert!(matches!(weights(100, 40), WeightsConfig::LineEs(_)));
        assert!(matches!(weights(50, 40), WeightsConfig::LineEs(_)));
    }

    /// Red when models are shared or held where each point should have its own, or the other way round, and when
    /// they have another share of the evaluations than was measured.
    #[test]
    fn models_are_where_they_are_learned_best() {
        let joint = |facts: Facts| facts.choose().joint;
        let seen = |facts: Facts| (joint(facts).pairing, joint(facts).centre);
        assert_eq!(seen(facts(20, Some(1500))), (Pairing::Held, 6));
        assert_eq!(seen(facts(100, Some(8000))), (Pairing::Held, 30));
        assert_eq!(seen(facts(101, Some(8000))), (Pairing::Held, 17));
        assert_eq!(seen(facts(20, Some(1))), (Pairing::Held, 4));
        assert_eq!(seen(flat(100, Some(500))), (Pairing::Independent, 0));
        assert_eq!(seen(facts(20, Some(12_000))), (Pairing::Independent, 0));
        assert_eq!(seen(facts(100, None)), (Pairing::Independent, 0));
        assert_eq!(seen(facts(2000, None)), (Pairing::Shared, 1));
        assert_eq!(seen(flat(2000, None)), (Pairing::Independent, 1));
        assert_eq!(joint(facts(2000, None)).centre_models, CentreModels::Mode);
    }

    /// Red when categories are told other weights than measured, or learned at another pace.
    #[test]
    fn categories_are_learned_at_the_pace_of_the_budget() {
        let pace = |dim, evaluations| match facts(dim, evaluations).choose().controller {
            ControllerConfig::Asng(it) => Some((it.step_size, it.utilities, it.margin)),
            ControllerConfig::Sweep(_) => None,
            other => panic!("{other:?}"),
        };
        assert_eq!((pace(20, Some(11_999)), pace(100, Some(19_999))), (None, None));
        assert_eq!(pace(20, Some(12_000)), Some((0.2, Utilities::Logarithmic, 0.73)));
        assert_eq!(pace(100, Some(20_000)), Some((0.2, Utilities::Logarithmic, 0.73)));
        assert_eq!(pace(2000, Some(19_999)), Some((1.0, Utilities::Logarithmic, 0.9)));
        assert_eq!(pace(2000, Some(20_000)), Some((0.35, Utilities::Ranks, 0.9)));
        assert_eq!(pace(2000, None), Some((0.2, Utilities::Logarithmic, 0.73)));
    }

    /// Red when a rule chooses what has no margins.
    #[test]
    fn whatever_is_chosen_keeps_margins_on_a_grid() {
        fn keeps(weights: &WeightsConfig) -> bool {
            match weights {
                WeightsConfig::CmaEs(_) | WeightsConfig::SepCmaEs(_) => true,
                WeightsConfig::Snes(_) | WeightsConfig::LineEs(_) => true,
                WeightsConfig::Es(_) | WeightsConfig::LmMaEs(_) => false,
                WeightsConfig::Growing(it) => keeps(&it.weights.get()),
                WeightsConfig::Restarts(it) => keeps(&it.weights.get()),
                WeightsConfig::Phases(it) => keeps(&it.first.get()) && keeps(&it.then.get()),
            }
        }
        for dim in [1, 20, 50, 51, 100, 1000, 1001, 100_000] {
            let budgets =
                [1, 4, 11, 39, 109, 111, 199, 201, 599, 601, 1001].map(|n| Some(n * dim as u64));
            for evaluations in budgets.into_iter().chain([None]) {
                for (decisions, noise) in [(0, false), (10, false), (10, true)] {
                    let facts = Facts { grid: dim, decisions, noise, ..facts(dim, evaluations) };
                    assert!(keeps(&facts.choose().weights), "{facts:?}");
                }
            }
        }
        let bounds = Bounds::new(vec![0.0], vec![9.0], 3).unwrap();
        let bounds = bounds.with_steps(vec![1.0, 0.0, 1.0], 3).unwrap();
        let facts = Facts::new(&Space::oneof(["a", "b"]).unwrap(), 3, &bounds, Some(60));
        let reason = facts.choose().reason;
        assert!(reason.starts_with("d = 3 (2 on a grid), 1 decisions, 60 evaluations"), "{reason}");
    }

    /// Red when a policy gets other settings than were measured.
    #[test]
    fn policies_are_left_to_pairs_of_sep_cma_es() {
        let chosen = policy(480);
        let WeightsConfig::SepCmaEs(weights) = chosen.weights else { panic!("{chosen:?}") };
        assert_eq!((weights.sigma, weights.population, weights.mirrored), (0.1, Some(40), true));
        assert_eq!(weights.recombination, Recombination::Better);
        assert_eq!(chosen.controller, ControllerConfig::default());
        assert_eq!((chosen.joint.pairing, chosen.joint.centre), (Pairing::Independent, 4));
    }

    #[test]
    fn the_reason_names_what_it_rests_on() {
        let reason = facts(100, Some(500)).choose().reason;
        assert_eq!(
            reason,
            "d = 100, 10 decisions, 500 evaluations: few evaluations per weight: steps as long as \
             looking along them says"
        );
    }
}
