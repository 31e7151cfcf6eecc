//! What to search with, where nobody has said: rules from measurements (`docs/auto.md`).
//!
//! All of it is the paper's product with other factors: an optimizer of θ from the family of CMA-ES times the
//! categorical distributions of [`Asng`](crate::controllers::Asng), fed the same values: the natural
//! gradient of a Gaussian times categoricals. What changes with the problem is how much of a covariance
//! can be learned from the evaluations there are:
//!
//! | evaluations | d ≤ 50 | d > 50 |
//! |---|---|---|
//! | below 5 d | sep-CMA-ES with a smaller population | sep-CMA-ES, its mean moved by all points |
//! | below 40 d | the same | so for 5 d evaluations, with decisions for 10 d, from d = 500 on for 2 d, then sep-CMA-ES |
//! | below 150 d | the same with the usual population; without decisions CMA-ES | so at first, then CMA-ES |
//! | below 200 d | the same | CMA-ES with restarts, from three times its population on |
//! | more | CMA-ES with restarts, with decisions from six times its population on | the same; beyond 1000 d and without decisions from its own on |
//!
//! Beyond d = 1000 it is sep-CMA-ES throughout. Points come in pairs m ± δ, but where all of them move the mean and nothing is to be
//! decided, or what is decided hardly shows beside 500 weights or more: there a pair says no more than one of its halves. Both halves of a
//! pair have the same model where 50 < d < 500 or d > 1000 and there is little time. With d ≤ 50 the population of sep-CMA-ES counts decisions as
//! weights are counted. Where there is little time categories are learned in bold steps, where there is much in
//! small ones, from the weights that CMA-ES gives to points; below 40 d evaluations with less of a margin to unlearn them. With restarts and decisions the worst points do not count against
//! their directions (CMA-ES is not active): they may be bad for their models. Where there is little time, but 5 d
//! evaluations, the last tenth of it goes to the neighbours of the likeliest model ([`ClosingConfig`]), as many as there are.
//!
//! All of these keep margins on coordinates that are on a grid (`weights/margin.rs`), so that a grid changes nothing of
//! the choice.
//!
//! A policy ([`policy`]) has no box, its returns are noisy, and it has decisions by the hundred, of which hardly any is learned in
//! the time there is: what counts is that θ moves. There it is the paper's σ and controller with pairs of sep-CMA-ES in place of ES, in
//! smaller batches. Without a box and not of a policy, the choice is the paper's: nothing was measured.

use serde::{Deserialize, Serialize};

use crate::controllers::{AsngConfig, ControllerConfig, Utilities};
use crate::joint::{CentreModels, ClosingConfig, JointConfig, Pairing};
use crate::weights::{
    Boundary, CmaEsConfig, EsConfig, PhasesConfig, Recombination, RestartsConfig, SepCmaEsConfig,
    WeightsConfig,
};
use crate::{Bounds, Space};

/// Up to here a probe is as good as the centre, and steps of the better half are as good as all.
const FEW_WEIGHTS: usize = 50;
/// From here on a model hardly shows in a value beside so many weights, and a pair says no more than one point.
const MANY_WEIGHTS: usize = 500;
/// Beyond, a full covariance costs more than it brings.
const MOST_FOR_FULL: usize = 1000;
/// Evaluations per weight of the opening,
const OPENING: u64 = 5;
/// those of one with decisions where weights are many,
const BRIEF: u64 = 2;
/// those of one with decisions where they are not, and those up to which decisions must be learned in a hurry,
const HURRY: u64 = 10;
/// those from which on there are enough for a full covariance where d is not small,
const FOR_COVARIANCE: f64 = 40.0;
/// for large populations there,
const FOR_POPULATION: f64 = 150.0;
/// for restarts where it is,
const FOR_RESTARTS: f64 = 200.0;
/// and for beginning with a small population, which may find one optimum at once, where it is not.
const FOR_SMALL_FIRST: f64 = 1000.0;

const ANEW: &str = "evaluations enough to begin anew when stuck";

/// What the choice depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// d
    pub dim: usize,
    /// How many of them are on a grid.
    pub grid: usize,
    /// The mean width of the box of θ.
    pub width: f64,
    /// How many decisions a model can have at most.
    pub decisions: u32,
    /// How many candidates they have beside those that were selected, about: so many neighbours has a model.
    pub neighbours: u64,
    /// How many evaluations there will be; as many as it takes if that is not known.
    pub evaluations: Option<u64>,
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

impl Facts {
    /// Those of a problem with a box.
    pub fn new(space: &Space, dim: usize, bounds: &Bounds, evaluations: Option<u64>) -> Self {
        let widths = (0..dim).map(|j| bounds.interval(j)).map(|(low, high)| high - low);
        let width = widths.sum::<f64>() / dim.max(1) as f64;
        // One model is nothing to decide.
        let decisions = if space.size().exact == Some(1) { 0 } else { space.max_len() };
        let neighbours =
            space.arities().into_iter().map(|arity| u64::from(arity).saturating_sub(1)).sum();
        let grid = bounds.on_grid(0..dim).count();
        Self { dim, grid, width, decisions, neighbours, evaluations }
    }

    /// Evaluations per weight.
    fn plenty(&self) -> f64 {
        self.evaluations.map_or(f64::INFINITY, |n| n as f64 / self.dim.max(1) as f64)
    }

    /// The rules.
    pub fn choose(&self) -> Choice {
        let (few, plenty) = (self.dim <= FEW_WEIGHTS, self.plenty());
        let (weights, why) = if few { self.small(plenty) } else { self.large(plenty) };
        // With few weights a probe is nearly as good as the centre, and with many evaluations it comes to be:
        // then that of the centre is a waste.
        let hardly = !few && (plenty < FOR_POPULATION || self.dim > MOST_FOR_FULL);
        let joint = JointConfig {
            // Then the values of a pair differ by its weights alone, and there are too many of these to wait for.
            pairing: if hardly && self.decisions > 0 && !self.hides_models() {
                Pairing::Shared
            } else {
                Pairing::Independent
            },
            centre: u32::from(hardly),
            centre_models: CentreModels::Mode,
            centre_teaches: false,
            closing: self.closing(few, plenty),
            ..JointConfig::default()
        };
        let controller = ControllerConfig::Asng(categories(few, plenty));
        let last = joint.closing.map(|it| {
            format!("; the last {} for neighbours of the likeliest model", it.evaluations)
        });
        let reason = format!("{}: {why}{}", self.said(), last.unwrap_or_default());
        Choice { weights, controller, joint, reason }
    }

    /// The last tenth, and no more than there are neighbours: but where there is no time for θ, or for restarts, in
    /// which decisions are learned without.
    fn closing(&self, few: bool, plenty: f64) -> Option<ClosingConfig> {
        let enough = if few { FOR_RESTARTS } else { FOR_POPULATION };
        let short = (OPENING as f64..enough).contains(&plenty) && self.decisions > 0;
        let all = self.evaluations.filter(|_| short)?;
        let evaluations = (all / 10).min(self.neighbours);
        (evaluations > 0).then_some(ClosingConfig { after: all - evaluations, evaluations })
    }

    fn small(&self, plenty: f64) -> (WeightsConfig, &'static str) {
        if plenty < FOR_COVARIANCE {
            let population = (0.8 * self.with_decisions() as f64).ceil() as usize;
            let why = "fewer than 40 evaluations per weight: variances only, from small batches";
            (self.separable(0.2, Recombination::Better, population), why)
        } else if plenty < FOR_RESTARTS && self.decisions > 0 {
            let why = "fewer than 200 evaluations per weight, and decisions: variances only";
            (self.separable(0.2, Recombination::Better, self.with_decisions()), why)
        } else if plenty < FOR_RESTARTS {
            (self.full(0.2, 1), "evaluations enough for covariances")
        } else {
            // Categories make local optima, of which a large population sees more from the start.
            let (larger, growth) = if self.decisions > 0 { (6, 2.0) } else { (1, 3.0) };
            (self.restarts(larger, growth), ANEW)
        }
    }

    fn large(&self, plenty: f64) -> (WeightsConfig, &'static str) {
        if self.dim > MOST_FOR_FULL {
            let why = "too many weights for covariances: variances only";
            return (self.separable(0.1, Recombination::Better, self.usual()), why);
        }
        if plenty >= FOR_POPULATION {
            let small = plenty >= FOR_SMALL_FIRST && self.decisions == 0;
            return (self.restarts(if small { 1 } else { 3 }, 2.0), ANEW);
        }
        let first = self.separable(0.1, Recombination::All, self.usual());
        let (opening, population) = match self.decisions {
            0 => (OPENING, self.usual()),
            _ if self.hides_models() => (BRIEF, (1.4 * self.usual() as f64).ceil() as usize),
            _ => (HURRY, self.usual()),
        };
        if plenty <= opening as f64 {
            return (first, "few evaluations per weight: all points move the mean");
        }
        let (then, why) = if plenty >= FOR_COVARIANCE {
            let why = "all points move the mean at first, then covariances are learned";
            (self.full(0.1, 1), why)
        } else {
            let then = self.separable(0.1, Recombination::Better, population);
            (then, "all points move the mean at first, then variances are learned")
        };
        let evaluations = Some(opening * self.dim as u64);
        let phases = PhasesConfig { first: first.into(), evaluations, then: then.into() };
        (WeightsConfig::Phases(phases), why)
    }

    fn said(&self) -> String {
        let budget = match self.evaluations {
            Some(n) => format!("{n} evaluations"),
            None => "evaluations not limited".to_owned(),
        };
        let grid = match self.grid {
            0 => String::new(),
            grid => format!(" ({grid} on a grid)"),
        };
        format!("d = {}{grid}, {} decisions, {budget}", self.dim, self.decisions)
    }

    /// Whether there are decisions, and so many weights that a value hardly tells of them.
    fn hides_models(&self) -> bool {
        self.decisions > 0 && (MANY_WEIGHTS..=MOST_FOR_FULL).contains(&self.dim)
    }

    /// Hansen's λ.
    fn usual(&self) -> usize {
        population(self.dim)
    }

    /// The same, decisions counted as weights are: CatCMA's.
    fn with_decisions(&self) -> usize {
        population(self.dim + self.decisions as usize)
    }

    fn full(&self, share: f64, larger: usize) -> WeightsConfig {
        WeightsConfig::CmaEs(self.covariances(share, larger))
    }

    fn covariances(&self, share: f64, larger: usize) -> CmaEsConfig {
        CmaEsConfig {
            sigma: share * self.width,
            population: Some(even(larger * self.usual())),
            boundary: Boundary::Clip,
            mirrored: true,
            ..CmaEsConfig::default()
        }
    }

    fn restarts(&self, larger: usize, growth: f64) -> WeightsConfig {
        let active = self.decisions == 0;
        let weights = CmaEsConfig { active, ..self.covariances(0.2, larger) };
        let weights = WeightsConfig::CmaEs(weights).into();
        WeightsConfig::Restarts(RestartsConfig { weights, growth, ..RestartsConfig::default() })
    }

    fn separable(
        &self,
        share: f64,
        recombination: Recombination,
        population: usize,
    ) -> WeightsConfig {
        // All points move the mean by as much as half as many pairs would; with models of their own they may do so less well.
        let alone = self.decisions == 0 || self.hides_models();
        let mirrored = recombination == Recombination::Better || !alone;
        let population = if mirrored { even(population) } else { population };
        WeightsConfig::SepCmaEs(SepCmaEsConfig {
            sigma: share * self.width,
            recombination,
            population: Some(population),
            mirrored,
        })
    }
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

/// A small batch speaks through its best, and what there is no time to learn slowly must be learned fast.
fn categories(few: bool, plenty: f64) -> AsngConfig {
    let usual = AsngConfig::default();
    let enough = if few { FOR_RESTARTS } else { FOR_POPULATION };
    let (step_size, utilities) = match few {
        _ if plenty >= enough => (0.2, Utilities::Logarithmic),
        true => (0.5, Utilities::Logarithmic),
        false if plenty <= HURRY as f64 => (1.0, Utilities::Logarithmic),
        false => (usual.step_size, usual.utilities),
    };
    // Nor is there time to unlearn.
    let margin = if plenty < FOR_COVARIANCE { 0.9 } else { usual.margin };
    AsngConfig { step_size, utilities, margin, ..usual }
}

/// So many points, in whole pairs.
fn even(points: usize) -> usize {
    points.next_multiple_of(2)
}

fn population(dim: usize) -> usize {
    4 + (3.0 * (dim.max(1) as f64).ln()).floor() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(dim: usize, evaluations: Option<u64>) -> Facts {
        Facts { dim, grid: 0, width: 10.0, decisions: 10, neighbours: 100, evaluations }
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
                    let pairs = if it.mirrored { " in pairs" } else { "" };
                    format!("sep {} {:?} {:?}{pairs}", it.sigma, it.population, it.recombination)
                }
                WeightsConfig::Restarts(it) => {
                    format!("restarts {} of {}", it.growth, said(&it.weights.get()))
                }
                WeightsConfig::Phases(it) => {
                    format!("{} > {}", said(&it.first.get()), said(&it.then.get()))
                }
                other => panic!("{other:?}"),
            }
        }
        let weights = |dim, evaluations| said(&facts(dim, evaluations).choose().weights);
        assert_eq!(weights(20, Some(500)), "sep 2 Some(12) Better in pairs");
        assert_eq!(weights(20, Some(2000)), "sep 2 Some(14) Better in pairs");
        assert_eq!(weights(20, Some(4000)), "restarts 2 of passive cma 2 Some(72)");
        assert_eq!(weights(20, None), "restarts 2 of passive cma 2 Some(72)");
        let flat = |dim, evaluations| {
            said(&Facts { decisions: 0, ..facts(dim, evaluations) }.choose().weights)
        };
        assert_eq!(flat(20, Some(2000)), "active cma 2 Some(12)");
        assert_eq!(flat(20, Some(20_000)), "restarts 3 of active cma 2 Some(12)");
        let (all, pairs) = ("sep 1 Some(17) All", "sep 1 Some(18) All in pairs");
        let then = "sep 1 Some(18) Better in pairs";
        assert_eq!(weights(100, Some(1000)), pairs);
        assert_eq!(weights(100, Some(2000)), format!("{pairs} > {then}"));
        assert_eq!(weights(100, Some(5000)), format!("{pairs} > active cma 1 Some(18)"));
        assert_eq!(weights(100, Some(20_000)), "restarts 2 of passive cma 2 Some(52)");
        assert_eq!(weights(100, None), "restarts 2 of passive cma 2 Some(52)");
        assert_eq!(flat(100, Some(500)), all);
        assert_eq!(flat(100, Some(1000)), format!("{all} > {then}"));
        assert_eq!(flat(100, Some(20_000)), "restarts 2 of active cma 2 Some(52)");
        assert_eq!(flat(100, None), "restarts 2 of active cma 2 Some(18)");
        assert_eq!(weights(499, Some(500)), "sep 1 Some(22) All in pairs");
        let all = "sep 1 Some(24) All";
        assert_eq!(weights(1000, Some(2000)), all);
        let then = "sep 1 Some(34) Better in pairs";
        assert_eq!(weights(1000, Some(20_000)), format!("{all} > {then}"));
        assert_eq!(weights(1000, Some(50_000)), format!("{all} > active cma 1 Some(24)"));
        assert_eq!(weights(2000, None), "sep 1 Some(26) Better in pairs");
        assert_eq!(weights(1, Some(1)), "sep 2 Some(10) Better in pairs");
    }

    /// Red when models are shared where each point should have its own, or the other way round.
    #[test]
    fn pairs_share_their_model_where_weights_are_many_and_evaluations_few() {
        let pairing = |dim, evaluations| facts(dim, evaluations).choose().joint.pairing;
        for (dim, evaluations) in [(51, Some(500)), (100, Some(14_999)), (2000, None)] {
            assert_eq!(pairing(dim, evaluations), Pairing::Shared, "{dim} {evaluations:?}");
        }
        for (dim, evaluations) in
            [(50, Some(500)), (100, Some(15_000)), (100, None), (500, Some(500)), (1000, Some(500))]
        {
            assert_eq!(pairing(dim, evaluations), Pairing::Independent, "{dim} {evaluations:?}");
        }
        let flat = Facts { decisions: 0, ..facts(100, Some(500)) };
        assert_eq!(flat.choose().joint.pairing, Pairing::Independent);
    }

    /// Red when the centre is evaluated where that is a waste.
    #[test]
    fn the_centre_is_evaluated_where_it_is_ahead_of_its_draws() {
        let centre = |dim, evaluations| facts(dim, evaluations).choose().joint.centre;
        assert_eq!((centre(20, Some(500)), centre(20, None)), (0, 0));
        assert_eq!((centre(100, Some(500)), centre(100, Some(14_999))), (1, 1));
        assert_eq!((centre(100, Some(15_000)), centre(100, None)), (0, 0));
        assert_eq!(centre(2000, None), 1);
    }

    /// Red when the neighbours get another share than measured, or one where they brought nothing.
    #[test]
    fn the_last_tenth_goes_to_neighbours_where_time_is_short() {
        let closing = |dim, evaluations| facts(dim, evaluations).choose().joint.closing;
        let last = |after, evaluations| Some(ClosingConfig { after, evaluations });
        assert_eq!(closing(20, Some(500)), last(450, 50));
        assert_eq!(closing(20, Some(3999)), last(3899, 100));
        assert_eq!(closing(80, Some(400)), last(360, 40));
        assert_eq!(closing(100, Some(14_999)), last(14_899, 100));
        for (dim, evaluations) in
            [(20, Some(4000)), (20, Some(99)), (100, Some(15_000)), (80, None)]
        {
            assert_eq!(closing(dim, evaluations), None, "{dim} {evaluations:?}");
        }
        let flat = Facts { decisions: 0, neighbours: 0, ..facts(20, Some(500)) };
        assert_eq!(flat.choose().joint.closing, None);
        assert_eq!(closing(1, Some(9)), None, "of less than ten there is no tenth");
    }

    /// Red when categories are told other weights than measured, or learned at another pace.
    #[test]
    fn categories_are_learned_at_the_pace_of_the_budget() {
        let pace = |dim, evaluations| match facts(dim, evaluations).choose().controller {
            ControllerConfig::Asng(it) => (it.step_size, it.utilities, it.margin),
            other => panic!("{other:?}"),
        };
        assert_eq!(pace(20, Some(799)), (0.5, Utilities::Logarithmic, 0.9));
        assert_eq!(pace(20, Some(2000)), (0.5, Utilities::Logarithmic, 0.73));
        assert_eq!(pace(20, Some(4000)), (0.2, Utilities::Logarithmic, 0.73));
        assert_eq!(pace(100, Some(1000)), (1.0, Utilities::Logarithmic, 0.9));
        assert_eq!(pace(100, Some(1001)), (0.35, Utilities::Ranks, 0.9));
        assert_eq!(pace(100, Some(15_000)), (0.2, Utilities::Logarithmic, 0.73));
    }

    /// Red when a rule chooses what has no margins.
    #[test]
    fn whatever_is_chosen_keeps_margins_on_a_grid() {
        fn keeps(weights: &WeightsConfig) -> bool {
            match weights {
                WeightsConfig::CmaEs(_) | WeightsConfig::SepCmaEs(_) | WeightsConfig::Snes(_) => {
                    true
                }
                WeightsConfig::Es(_) | WeightsConfig::LmMaEs(_) => false,
                WeightsConfig::Growing(it) => keeps(&it.weights.get()),
                WeightsConfig::Restarts(it) => keeps(&it.weights.get()),
                WeightsConfig::Phases(it) => keeps(&it.first.get()) && keeps(&it.then.get()),
            }
        }
        for dim in [1, 20, 50, 51, 100, 1000, 1001, 100_000] {
            let budgets =
                [1, 4, 11, 39, 41, 149, 151, 199, 201, 1001].map(|n| Some(n * dim as u64));
            for evaluations in budgets.into_iter().chain([None]) {
                for decisions in [0, 10] {
                    let facts = Facts { grid: dim, decisions, ..facts(dim, evaluations) };
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
            "d = 100, 10 decisions, 500 evaluations: few evaluations per weight: all points move the \
             mean; the last 50 for neighbours of the likeliest model"
        );
    }
}
