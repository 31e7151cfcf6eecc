//! Any search over (𝓜, ℝᵈ), as one value: ES-ENAS, or a baseline it is compared with.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::controllers::{Controller, ControllerConfig, ControllerError, Evolution, Marginals};
use crate::course::{Course, Then};
use crate::hybrid::{Hybrid, HybridConfig, HybridError, HybridVariation};
use crate::joint::{Candidate, EsEnas, JointConfig, JointError, Role};
use crate::weights::{StartError, WeightsConfig};
use crate::{Bounds, Dna, Optimizer, Space, Statistics, Stream, Theta, WeightOptimizer};

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
pub enum SearchConfig {
    /// Algorithm 1, of these weights and this controller.
    EsEnas {
        /// What updates θ.
        weights: WeightsConfig,
        /// What updates φ.
        controller: ControllerConfig,
        /// How they are joined.
        joint: JointConfig,
        /// What follows, if anything does.
        then: Option<Box<Then>>,
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
}

/// Why a search was refused: by which part, and what it said.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SearchError {
    /// The weights.
    #[error("weights: {0}")]
    Weights(#[from] StartError),
    /// The controller, or the evolution of a baseline.
    #[error("controller: {0}")]
    Controller(#[from] ControllerError),
    /// What joins them.
    #[error("{0}")]
    Joint(#[from] JointError),
    /// The mutator of a baseline.
    #[error("hybrid: {0}")]
    Hybrid(#[from] HybridError),
    /// What was to follow.
    #[error("then: {0}")]
    Then(Box<SearchError>),
    /// An iteration must evaluate something.
    #[error("hybrid: population must be at least 1, got 0")]
    Population,
}

/// The state of any search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a run")]
pub enum Search {
    /// Algorithm 1.
    EsEnas(Course),
    /// Evolution over models and weights together, so many points at a time.
    Hybrid(Evolution<HybridVariation<Arc<Space>>>, usize),
}

impl Search {
    /// The search of `config`, from `start`.
    pub fn new(config: SearchConfig, start: Start) -> Result<Self, SearchError> {
        let Start { space, theta, bounds } = start;
        Ok(match config {
            SearchConfig::EsEnas { weights, controller, joint, then } => {
                let weights = weights.build(theta, bounds.clone())?;
                let controller = Controller::new(controller, space.clone())?;
                let product = EsEnas::new(joint, space, weights, controller)?;
                Self::EsEnas(Course::new(product, then.map(|then| *then), bounds)?)
            }
            SearchConfig::Hybrid { population: 0, .. } => return Err(SearchError::Population),
            SearchConfig::Hybrid { evolution, hybrid, population } => {
                let variation = HybridVariation::new(hybrid, space, theta, bounds)?;
                Self::Hybrid(Evolution::new(evolution, variation)?, population)
            }
        })
    }

    /// How many points an iteration asks for.
    pub fn population(&self) -> usize {
        match self {
            Self::EsEnas(it) => it.product().population(),
            Self::Hybrid(_, population) => *population,
        }
    }

    /// θ, where the search has one of its own.
    pub fn centre(&self) -> Option<Theta> {
        match self {
            Self::EsEnas(it) => Some(it.product().weights().centre()),
            Self::Hybrid(..) => None,
        }
    }

    /// The best model on the evidence, where models are judged apart from their weights.
    pub fn best_model(&self) -> Option<(&Dna, f64, u64)> {
        match self {
            Self::EsEnas(it) => it.product().controller().best(),
            Self::Hybrid(..) => None,
        }
    }
}

impl Search {
    /// The likeliest model, where the controller is a distribution.
    pub fn mode(&self) -> Option<Dna> {
        match self {
            Self::EsEnas(it) => it.product().controller().mode(),
            Self::Hybrid(..) => None,
        }
    }
}

impl Search {
    /// How often each candidate is selected, where the controller is a distribution: see
    /// [`Controller::marginals`].
    pub fn marginals(&self, n: usize, stream: &mut Stream) -> Option<Marginals> {
        match self {
            Self::EsEnas(it) => it.product().controller().marginals(n, stream),
            Self::Hybrid(..) => None,
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
            Self::Hybrid(it, _) => it.ask(n, stream).into_iter().map(candidate).collect(),
        }
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        match self {
            Self::EsEnas(it) => it.tell(values),
            Self::Hybrid(it, _) => it.tell(values),
        }
    }

    fn statistics(&self) -> Statistics {
        match self {
            Self::EsEnas(it) => it.statistics(),
            Self::Hybrid(it, _) => it.statistics(),
        }
    }
}
