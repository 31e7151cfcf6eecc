//! Any search over (𝓜, ℝᵈ), as one value.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::alternating::{Alternating, AlternatingConfig, NextConfig};
use crate::controllers::{Controller, ControllerConfig, Evolution, Marginals, Sweep};
use crate::front::{Front, FrontConfig, Goals};
use crate::hybrid::{Hybrid, HybridConfig, HybridVariation};
use crate::joint::{Candidate, EsEnas, JointConfig, Role};
use crate::setting::SettingError;
use crate::shaping::{View, feasible_first};
use crate::weights::{LineEs, Weights, WeightsConfig};
use crate::{
    Bounds, Dna, ModelOptimizer, Optimizer, Space, Statistics, Stream, Theta, WeightOptimizer,
};

/// Where a search begins, and within what.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// 𝓜
    pub space: Arc<Space>,
    /// The first θ.
    pub theta: Vec<f64>,
    /// The box of θ.
    pub bounds: Option<Bounds>,
}

/// Which search, with its settings.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a study")]
pub enum SearchConfig {
    /// Algorithm 1, of these weights and this controller.
    EsEnas {
        /// What updates θ.
        weights: WeightsConfig,
        /// What updates φ.
        controller: ControllerConfig,
        /// How they are joined.
        joint: JointConfig,
    },
    /// Line-ES and sweeps by turns, for few evaluations per weight.
    Alternating {
        /// What moves θ: line-ES.
        weights: WeightsConfig,
        /// What changes m: sweeps.
        controller: ControllerConfig,
        /// How they alternate.
        alternating: AlternatingConfig,
    },
    /// Evolution over models and weights together (§3).
    Hybrid {
        /// The algorithm.
        evolution: ControllerConfig,
        /// Its mutator.
        hybrid: HybridConfig,
        /// How many points an iteration asks for.
        population: usize,
    },
    /// Evolution of a front, for several goals.
    Front(FrontConfig),
}

/// Refuses another half than the one that θ and m can move by turns with.
fn only_with_held(key: &str, kind: &str) -> SettingError {
    let what = format!("must be \"{kind}\" where θ and m move by turns, with pairing \"held\"");
    SettingError::new(key, what)
}

impl NextConfig {
    /// What takes over, as if it began at the start.
    fn build(self, view: View, start: Start) -> Result<EsEnas<Weights, Controller>, SettingError> {
        let Start { space, theta, bounds } = start;
        if self.after == 0 {
            return Err(SettingError::must("after", "be at least 1", 0));
        }
        if !matches!(self.weights, WeightsConfig::Restarts(_)) {
            let what = "must be \"restarts\": it begins where line-ES stands, and then anew";
            return Err(SettingError::new("weights.kind", what));
        }
        let weights = self.weights.build(theta, bounds).map_err(|it| it.under("weights"))?;
        let controller = Controller::new(self.controller, space.clone());
        let controller = controller.map_err(|it| it.under("controller"))?;
        let joint = JointConfig { centre: 0, view, ..JointConfig::default() };
        EsEnas::new(joint, space, weights, controller)
    }
}

/// The state of any search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a run")]
pub enum Search {
    /// Algorithm 1.
    EsEnas(EsEnas<Weights, Controller>),
    /// Line-ES and sweeps by turns.
    Alternating(Alternating),
    /// Evolution over models and weights together, so many points at a time.
    Hybrid(Evolution<HybridVariation<Arc<Space>>>, usize),
    /// Evolution of a front, for several goals.
    Front(Front),
}

impl Search {
    /// The search of `config`, from `start`.
    pub fn new(config: SearchConfig, start: Start) -> Result<Self, SettingError> {
        let Start { space, theta, bounds } = start;
        let under = |section| move |error: SettingError| error.under(section);
        Ok(match config {
            SearchConfig::EsEnas { weights, controller, joint } => {
                let weights = weights.build(theta, bounds).map_err(under("weights"))?;
                let controller = Controller::new(controller, space.clone());
                let controller = controller.map_err(under("controller"))?;
                Self::EsEnas(EsEnas::new(joint, space, weights, controller)?)
            }
            SearchConfig::Alternating { weights, controller, alternating } => {
                let WeightsConfig::LineEs(weights) = weights else {
                    return Err(only_with_held("weights.kind", "line-es"));
                };
                let ControllerConfig::Sweep(controller) = controller else {
                    return Err(only_with_held("controller.kind", "sweep"));
                };
                let next = alternating.next.clone();
                let start = Start { space, theta, bounds };
                let Start { space, theta, bounds } = start.clone();
                let weights = LineEs::new(weights, theta, bounds).map_err(under("weights"))?;
                let controller = Sweep::new(controller, space.clone());
                let view = alternating.view.clone();
                let mut it = Alternating::new(alternating, space, weights, controller)?;
                if let Some(next) = next {
                    let after = next.after;
                    it = it.followed_by(after, next.build(view, start).map_err(under("next"))?);
                }
                Self::Alternating(it)
            }
            SearchConfig::Hybrid { population: 0, .. } => {
                return Err(SettingError::must("hybrid.population", "be at least 1", 0));
            }
            SearchConfig::Hybrid { evolution, hybrid, population } => {
                let variation = HybridVariation::new(hybrid, space, theta, bounds);
                let variation = variation.map_err(under("hybrid"))?;
                let evolution = Evolution::new(evolution, variation);
                Self::Hybrid(evolution.map_err(under("hybrid.evolution"))?, population)
            }
            SearchConfig::Front(config) => {
                let front = Front::new(config, space, theta, bounds);
                Self::Front(front.map_err(under("front"))?)
            }
        })
    }

    /// How many points an iteration asks for.
    pub fn population(&self) -> usize {
        match self {
            Self::EsEnas(it) => it.population(),
            Self::Alternating(it) => it.population(),
            Self::Hybrid(_, population) => *population,
            Self::Front(it) => it.population(),
        }
    }

    /// The designs that nobody dominates, of a search with several goals.
    pub fn front(&self) -> Option<&Front> {
        match self {
            Self::Front(it) => Some(it),
            Self::EsEnas(_) | Self::Alternating(_) | Self::Hybrid(..) => None,
        }
    }

    /// Learns from points with several goals; a search that has one learns from the first.
    pub fn tell_goals(&mut self, goals: &[Option<Goals>]) {
        match self {
            Self::Front(it) => it.tell(goals),
            other => {
                let value = |it: &Option<Goals>| {
                    let Goals { values, violation } = it.as_ref()?;
                    Some(feasible_first(*values.first()?, *violation))
                };
                other.tell(&goals.iter().map(value).collect::<Vec<_>>());
            }
        }
    }

    /// θ, where the search has one of its own.
    pub fn centre(&self) -> Option<Theta> {
        match self {
            Self::EsEnas(it) => Some(it.weights().centre()),
            Self::Alternating(it) => Some(it.weights().centre()),
            Self::Hybrid(..) | Self::Front(_) => None,
        }
    }

    /// The best model on the evidence, where models are judged apart from their weights.
    pub fn best_model(&self) -> Option<(&Dna, f64, u64)> {
        match self {
            Self::EsEnas(it) => it.controller().best(),
            Self::Alternating(it) => it.best(),
            Self::Hybrid(..) | Self::Front(_) => None,
        }
    }

    /// The likeliest model, where the controller stands at one.
    pub fn likeliest(&self) -> Option<Dna> {
        self.controller()?.likeliest()
    }

    /// Takes over what the controller of `other`, a search of the same space, has learned. Whether
    /// it did: both must have one of the same kind.
    pub fn take_over(&mut self, other: Self) -> bool {
        match (self, other) {
            (Self::EsEnas(own), Self::EsEnas(other)) => own.take_over(other),
            (Self::Alternating(own), Self::Alternating(other)) => {
                own.take_over(other);
                true
            }
            _ => false,
        }
    }

    /// How often each candidate is selected, where the controller is a distribution: see
    /// [`ModelOptimizer::marginals`].
    pub fn marginals(&self, n: usize, stream: &mut Stream) -> Option<Marginals> {
        self.controller()?.marginals(n, stream)
    }

    fn controller(&self) -> Option<&dyn ModelOptimizer> {
        match self {
            Self::EsEnas(it) => Some(it.controller()),
            Self::Alternating(it) => Some(it.controller()),
            Self::Hybrid(..) | Self::Front(_) => None,
        }
    }
}

impl Optimizer for Search {
    type Point = Candidate;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Candidate> {
        let candidate = |hybrid: Hybrid<Dna>| {
            let (dna, theta) = hybrid.into_candidate();
            Candidate { dna, theta, role: Role::Probe }
        };
        match self {
            Self::EsEnas(it) => it.ask(n, stream),
            Self::Alternating(it) => it.ask(n, stream),
            Self::Hybrid(it, _) => it.ask(n, stream).into_iter().map(candidate).collect(),
            Self::Front(it) => it.ask(n, stream),
        }
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        match self {
            Self::EsEnas(it) => it.tell(values),
            Self::Alternating(it) => {
                it.tell(values);
                if let Some(next) = it.successor() {
                    *self = Self::EsEnas(next);
                }
            }
            Self::Hybrid(it, _) => it.tell(values),
            Self::Front(it) => {
                let goals = |value: &Option<f64>| {
                    value.map(|value| Goals { values: vec![value], violation: 0.0 })
                };
                it.tell(&values.iter().map(goals).collect::<Vec<_>>());
            }
        }
    }

    fn learn(&mut self, point: &Candidate, value: f64, leads: bool) {
        match self {
            Self::EsEnas(it) => it.learn(point, value, leads),
            Self::Alternating(it) => it.learn(point, value, leads),
            Self::Hybrid(it, _) => {
                let point = Hybrid::new(point.dna.clone(), point.theta.to_vec());
                it.learn(&point, value, leads);
            }
            // One value says nothing of several goals.
            Self::Front(_) => {}
        }
    }

    fn statistics(&self) -> Statistics {
        match self {
            Self::EsEnas(it) => it.statistics(),
            Self::Alternating(it) => it.statistics(),
            Self::Hybrid(it, _) => it.statistics(),
            Self::Front(it) => it.statistics(),
        }
    }
}
