//! What to search with, where nobody has said: rules from measurements (`docs/auto.md`).
//!
//! All of it is the paper's product with other factors: an optimizer of θ from the family of CMA-ES times the
//! categorical distributions of [`Asng`](crate::controllers::Asng), fed the same values: the natural
//! gradient of a Gaussian times categoricals. What changes with the problem is how much of a covariance
//! can be learned from the evaluations there are:
//!
//! | evaluations | d ≤ 50 | d > 50 |
//! |---|---|---|
//! | below 5 d | | sep-CMA-ES, its mean moved by all points |
//! | below 40 d | sep-CMA-ES with a smaller population | so for 5 d evaluations, then sep-CMA-ES |
//! | below 150 d | the same with the usual population; without decisions CMA-ES | so for 5 d evaluations, then CMA-ES |
//! | below 200 d | the same | CMA-ES with restarts, from three times its population on |
//! | more | CMA-ES with restarts, with decisions from six times its population on | the same; beyond 1000 d and without decisions from its own on |
//!
//! Beyond d = 1000 sep-CMA-ES takes the place of CMA-ES. With d ≤ 50 the population of sep-CMA-ES counts decisions as
//! weights are counted. Where there is little time categories are learned in bold steps, where there is much in
//! small ones, from the weights that CMA-ES gives to points. With restarts and decisions the worst points do not count against
//! their directions (CMA-ES is not active): they may be bad for their models.
//!
//! A policy has no box, its returns are noisy, and it has decisions by the hundred, of which hardly any is learned in
//! the time there is: what counts is that θ moves. There it is the paper's product with ES, its σ and its controller, but
//! with smaller batches, longer steps and one model for both halves of a pair. Without a box and not of a policy, the choice
//! is the paper's: nothing was measured.

use serde::{Deserialize, Serialize};

use crate::controllers::{AsngConfig, ControllerConfig, Utilities};
use crate::joint::{CentreModels, JointConfig, Pairing};
use crate::weights::{
    Boundary, CmaEsConfig, EsConfig, PhasesConfig, Recombination, RestartsConfig, SepCmaEsConfig,
    WeightsConfig,
};
use crate::{Bounds, Space};

/// Up to here a probe is as good as the centre, and steps of the better half are as good as all.
const FEW_WEIGHTS: usize = 50;
/// Beyond, a full covariance costs more than it brings.
const MOST_FOR_FULL: usize = 1000;
/// Evaluations per weight of the opening,
const OPENING: u64 = 5;
/// those up to which categories must be learned in a hurry,
const HURRY: f64 = 10.0;
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
    /// The mean width of the box of θ; of a policy, which has none and noisy values, `None`.
    pub width: Option<f64>,
    /// How many decisions a model can have at most.
    pub decisions: u32,
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
        let width = Some(widths.sum::<f64>() / dim.max(1) as f64);
        Self { dim, width, decisions: decisions(space), evaluations }
    }

    /// Those of a policy whose values are the returns of episodes.
    pub fn policy(space: &Space, dim: usize, evaluations: Option<u64>) -> Self {
        Self { dim, width: None, decisions: decisions(space), evaluations }
    }

    /// Evaluations per weight.
    fn plenty(&self) -> f64 {
        self.evaluations.map_or(f64::INFINITY, |n| n as f64 / self.dim.max(1) as f64)
    }

    /// The rules.
    pub fn choose(&self) -> Choice {
        self.width.map_or_else(|| self.bold(), |width| self.within(width))
    }

    fn within(&self, width: f64) -> Choice {
        let (few, plenty) = (self.dim <= FEW_WEIGHTS, self.plenty());
        let (weights, why) =
            if few { self.small(plenty, width) } else { self.large(plenty, width) };
        // With few weights a probe is nearly as good as the centre, and with many evaluations it comes to be:
        // then that of the centre is a waste.
        let joint = JointConfig {
            centre: u32::from(!few && plenty < FOR_POPULATION),
            centre_models: CentreModels::Mode,
            centre_teaches: false,
            ..JointConfig::default()
        };
        let controller = ControllerConfig::Asng(categories(few, plenty));
        Choice { weights, controller, joint, reason: format!("{}: {why}", self.said()) }
    }

    /// For policies.
    fn bold(&self) -> Choice {
        // Of d coordinates each has a share of 1/√d in values that are normalized.
        let step = 0.03 * (self.dim.max(FEW_WEIGHTS) as f64 / FEW_WEIGHTS as f64).sqrt();
        let weights = EsConfig {
            step_size: step.min(0.1).into(),
            directions: 30,
            ..EsConfig::reinforcement_learning()
        };
        // The paper evaluates the centre 50 times in 200; few are enough to tell how good it is.
        let joint = JointConfig { pairing: Pairing::Shared, centre: 4, ..JointConfig::default() };
        let why = "a policy: small batches, long steps, one model for both halves of a pair";
        Choice {
            weights: WeightsConfig::Es(weights),
            controller: ControllerConfig::default(),
            joint,
            reason: format!("{}: {why}", self.said()),
        }
    }

    fn small(&self, plenty: f64, width: f64) -> (WeightsConfig, &'static str) {
        if plenty < FOR_COVARIANCE {
            let population = (0.8 * self.with_decisions() as f64).ceil() as usize;
            let why = "fewer than 40 evaluations per weight: variances only, from small batches";
            (self.separable(0.2 * width, Recombination::Better, population), why)
        } else if plenty < FOR_RESTARTS && self.decisions > 0 {
            let why = "fewer than 200 evaluations per weight, and decisions: variances only";
            (self.separable(0.2 * width, Recombination::Better, self.with_decisions()), why)
        } else if plenty < FOR_RESTARTS {
            (self.full(0.2 * width, 1), "evaluations enough for covariances")
        } else {
            // Categories make local optima, of which a large population sees more from the start.
            let (larger, growth) = if self.decisions > 0 { (6, 2.0) } else { (1, 3.0) };
            (self.restarts(0.2 * width, larger, growth), ANEW)
        }
    }

    fn large(&self, plenty: f64, width: f64) -> (WeightsConfig, &'static str) {
        let first = self.separable(0.1 * width, Recombination::All, self.usual());
        if plenty <= OPENING as f64 {
            return (first, "at most 5 evaluations per weight: all points move the mean");
        }
        let full = self.dim <= MOST_FOR_FULL;
        if full && plenty >= FOR_POPULATION {
            let small = plenty >= FOR_SMALL_FIRST && self.decisions == 0;
            return (self.restarts(0.2 * width, if small { 1 } else { 3 }, 2.0), ANEW);
        }
        let (then, why) = if full && plenty >= FOR_COVARIANCE {
            let why = "all points move the mean at first, then covariances are learned";
            (self.full(0.1 * width, 1), why)
        } else {
            let then = self.separable(0.1 * width, Recombination::Better, self.usual());
            (then, "all points move the mean at first, then variances are learned")
        };
        let evaluations = Some(OPENING * self.dim as u64);
        let phases = PhasesConfig { first: first.into(), evaluations, then: then.into() };
        (WeightsConfig::Phases(phases), why)
    }

    fn said(&self) -> String {
        let budget = match self.evaluations {
            Some(n) => format!("{n} evaluations"),
            None => "evaluations not limited".to_owned(),
        };
        format!("d = {}, {} decisions, {budget}", self.dim, self.decisions)
    }

    /// Hansen's λ.
    fn usual(&self) -> usize {
        population(self.dim)
    }

    /// The same, decisions counted as weights are: CatCMA's.
    fn with_decisions(&self) -> usize {
        population(self.dim + self.decisions as usize)
    }

    fn full(&self, sigma: f64, larger: usize) -> WeightsConfig {
        WeightsConfig::CmaEs(self.covariances(sigma, larger))
    }

    fn covariances(&self, sigma: f64, larger: usize) -> CmaEsConfig {
        CmaEsConfig {
            sigma,
            population: Some(larger * self.usual()),
            boundary: Boundary::Clip,
            ..CmaEsConfig::default()
        }
    }

    fn restarts(&self, sigma: f64, larger: usize, growth: f64) -> WeightsConfig {
        let active = self.decisions == 0;
        let weights = CmaEsConfig { active, ..self.covariances(sigma, larger) };
        let weights = WeightsConfig::CmaEs(weights).into();
        WeightsConfig::Restarts(RestartsConfig { weights, growth, ..RestartsConfig::default() })
    }

    fn separable(
        &self,
        sigma: f64,
        recombination: Recombination,
        population: usize,
    ) -> WeightsConfig {
        WeightsConfig::SepCmaEs(SepCmaEsConfig {
            sigma,
            recombination,
            population: Some(population),
            ..SepCmaEsConfig::default()
        })
    }
}

/// How many there are at most; one model is nothing to decide.
fn decisions(space: &Space) -> u32 {
    if space.size().exact == Some(1) { 0 } else { space.max_len() }
}

/// A small batch speaks through its best, and what there is no time to learn slowly must be learned fast.
fn categories(few: bool, plenty: f64) -> AsngConfig {
    let usual = AsngConfig::default();
    let enough = if few { FOR_RESTARTS } else { FOR_POPULATION };
    let (step_size, utilities) = match few {
        _ if plenty >= enough => (0.2, Utilities::Logarithmic),
        true => (0.5, Utilities::Logarithmic),
        false if plenty <= HURRY => (1.0, Utilities::Logarithmic),
        false => (usual.step_size, usual.utilities),
    };
    AsngConfig { step_size, utilities, ..usual }
}

fn population(dim: usize) -> usize {
    4 + (3.0 * (dim.max(1) as f64).ln()).floor() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(dim: usize, evaluations: Option<u64>) -> Facts {
        Facts { dim, width: Some(10.0), decisions: 10, evaluations }
    }

    /// The table above, cell by cell. Red when a threshold moves or two rules change places.
    #[test]
    fn rules_are_those_of_the_table() {
        fn said(weights: &WeightsConfig) -> String {
            match weights {
                WeightsConfig::CmaEs(it) => {
                    let active = if it.active { "active" } else { "passive" };
                    format!("{active} cma {} {:?}", it.sigma, it.population)
                }
                WeightsConfig::SepCmaEs(it) => {
                    format!("sep {} {:?} {:?}", it.sigma, it.population, it.recombination)
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
        assert_eq!(weights(20, Some(500)), "sep 2 Some(12) Better");
        assert_eq!(weights(20, Some(2000)), "sep 2 Some(14) Better");
        assert_eq!(weights(20, Some(4000)), "restarts 2 of passive cma 2 Some(72)");
        assert_eq!(weights(20, None), "restarts 2 of passive cma 2 Some(72)");
        let flat = |dim, evaluations| {
            said(&Facts { decisions: 0, ..facts(dim, evaluations) }.choose().weights)
        };
        assert_eq!(flat(20, Some(2000)), "active cma 2 Some(12)");
        assert_eq!(flat(20, Some(20_000)), "restarts 3 of active cma 2 Some(12)");
        let all = "sep 1 Some(17) All";
        assert_eq!(weights(100, Some(500)), all);
        assert_eq!(weights(100, Some(2000)), format!("{all} > sep 1 Some(17) Better"));
        assert_eq!(weights(100, Some(5000)), format!("{all} > active cma 1 Some(17)"));
        assert_eq!(weights(100, Some(20_000)), "restarts 2 of passive cma 2 Some(51)");
        assert_eq!(weights(100, None), "restarts 2 of passive cma 2 Some(51)");
        assert_eq!(flat(100, Some(20_000)), "restarts 2 of active cma 2 Some(51)");
        assert_eq!(flat(100, None), "restarts 2 of active cma 2 Some(17)");
        assert_eq!(weights(2000, None), "sep 1 Some(26) All > sep 1 Some(26) Better");
        assert_eq!(weights(1, Some(1)), "sep 2 Some(9) Better");
    }

    /// Red when the centre is evaluated where that is a waste.
    #[test]
    fn the_centre_is_evaluated_where_it_is_ahead_of_its_draws() {
        let centre = |dim, evaluations| facts(dim, evaluations).choose().joint.centre;
        assert_eq!((centre(20, Some(500)), centre(20, None)), (0, 0));
        assert_eq!((centre(100, Some(500)), centre(100, Some(14_999))), (1, 1));
        assert_eq!((centre(100, Some(15_000)), centre(100, None)), (0, 0));
    }

    /// Red when categories are told other weights than measured, or learned at another pace.
    #[test]
    fn categories_are_learned_at_the_pace_of_the_budget() {
        let pace = |dim, evaluations| match facts(dim, evaluations).choose().controller {
            ControllerConfig::Asng(it) => (it.step_size, it.utilities),
            other => panic!("{other:?}"),
        };
        assert_eq!(pace(20, Some(2000)), (0.5, Utilities::Logarithmic));
        assert_eq!(pace(20, Some(4000)), (0.2, Utilities::Logarithmic));
        assert_eq!(pace(100, Some(1000)), (1.0, Utilities::Logarithmic));
        assert_eq!(pace(100, Some(1001)), (0.35, Utilities::Ranks));
        assert_eq!(pace(100, Some(15_000)), (0.2, Utilities::Logarithmic));
    }

    /// Red when a policy gets other settings than were measured.
    #[test]
    fn policies_are_left_to_bold_steps_of_es() {
        let space = Space::oneof(["a", "b", "c"]).unwrap();
        let chosen = |dim| Facts::policy(&space, dim, None).choose();
        let es = |dim| match chosen(dim).weights {
            WeightsConfig::Es(es) => es,
            other => panic!("{other:?}"),
        };
        let paper = EsConfig::reinforcement_learning();
        let same = EsConfig { directions: 75, step_size: paper.step_size, ..es(480) };
        assert_eq!((same, es(480).directions), (paper, 30));
        let step = |dim| es(dim).step_size.at(0);
        assert_eq!([49, 50, 200, 5000].map(step), [0.03, 0.03, 0.06, 0.1]);
        let chosen = chosen(480);
        assert_eq!(chosen.controller, ControllerConfig::default());
        assert_eq!((chosen.joint.pairing, chosen.joint.centre), (Pairing::Shared, 4));
    }

    #[test]
    fn the_reason_names_what_it_rests_on() {
        let reason = facts(100, Some(500)).choose().reason;
        assert_eq!(
            reason,
            "d = 100, 10 decisions, 500 evaluations: at most 5 evaluations per weight: all points \
             move the mean"
        );
    }
}
