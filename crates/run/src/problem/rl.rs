//! A policy in an environment (section 4, appendix A.4): the problem kind `rl`.
//!
//! The environment's sizes and the policy decide 𝓜 and d. A candidate's value is the mean return of
//! its episodes without alive bonuses, its score the mean return with them. What all candidates
//! learn together is the observation filter: see `shared`.

mod form;
mod objective;
mod registry;
mod shared;
mod trained;

use std::num::NonZeroUsize;

use esenas::controllers::{ControllerConfig, RegularizedEvolutionConfig};
use esenas::weights::{EsConfig, WeightsConfig};
use esenas::{Layout, Purpose, Seed, Space};
use esenas_control::policy::Initial;
use esenas_control::{Actions, Env, Outputs, Policy, PolicyConfig};
use serde::{Deserialize, Serialize};

use super::{GymnasiumConfig, Kind};
use crate::evaluator::{Evaluator, InProcess};
use crate::spec::Fault;
use crate::study::StudyError;

pub use form::Form;
pub use objective::Rl;
pub use registry::{EnvError, environments, make};
pub use trained::{Trained, TrainedError, Which, mean_and_deviation, returns};

/// The settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RlConfig {
    /// The environment, by name.
    pub env: String,
    /// The class of policies.
    pub policy: PolicyConfig,
    /// The steps of an episode; the environment's own when not given.
    #[serde(default)]
    pub horizon: Option<u32>,
    /// Episodes per candidate.
    #[serde(default = "one")]
    pub episodes: u32,
    /// Whether observations are normalized by their running mean and variance.
    #[serde(default = "yes")]
    pub normalize: bool,
    /// Whether alive bonuses count in the value, and not only in the score.
    #[serde(default)]
    pub alive: bool,
    /// What the network's outputs mean.
    #[serde(default)]
    pub actions: Actions,
    /// Which candidates share the starts of their episodes.
    #[serde(default)]
    pub starts: Starts,
    /// What the first weights are drawn from.
    #[serde(default)]
    pub initial: Initial,
    /// How wide: U(−scale, scale), or N(0, scale²). The policy says when not given.
    #[serde(default)]
    pub scale: Option<f64>,
    /// Who makes the environment, where it is not one of ours.
    #[serde(skip)]
    pub(crate) gymnasium: Option<Box<GymnasiumConfig>>,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// Which candidates share the starts of their episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Starts {
    /// None: each has its own.
    #[default]
    Each,
    /// The two halves of an antithetic pair.
    Pair,
    /// All of an iteration.
    Iteration,
    /// All there ever are.
    Fixed,
}

/// Streams of later evaluations are apart from those of training: this is their index.
pub const EVALUATION: u32 = u32::MAX;

/// The most steps of an episode, and episodes of a candidate.
const MOST: u32 = 10_000_000;

impl RlConfig {
    /// The class of policies, if its settings are sound and its environment is known.
    pub fn class(&self) -> Option<Policy> {
        self.policy().ok()
    }

    /// The class of policies, for the sizes of the environment.
    pub(crate) fn policy(&self) -> Result<Policy, Fault> {
        let sizes = match &self.gymnasium {
            Some(gymnasium) => gymnasium.sizes(),
            None => registry::sizes(&self.env),
        };
        let (observation, action) =
            sizes.map_err(|error| Fault::new("problem.env", error.to_string()))?;
        let policy = Policy::new(&self.policy, observation, action);
        policy.map_err(|error| Fault::new(format!("problem.policy.{}", error.key), error.what))
    }

    /// Makes an environment. Called once for each worker.
    pub fn make(&self) -> Result<Box<dyn Env>, EnvError> {
        match &self.gymnasium {
            Some(gymnasium) => gymnasium.make(),
            None => registry::make(&self.env),
        }
    }

    /// What the outputs of its policies mean.
    pub fn outputs(&self) -> Outputs {
        let looked_up = self.gymnasium.as_ref().and_then(|it| it.actions);
        looked_up.unwrap_or(self.actions.into())
    }

    fn checked(&self) -> Policy {
        self.policy().expect("settings are checked before anything is made of them")
    }
}

impl Kind for RlConfig {
    fn flat(&self) -> Option<usize> {
        Some(self.checked().dimension())
    }

    fn space(&self) -> Space {
        self.checked().space()
    }

    /// A policy knows where it is best begun.
    fn theta(&self, seed: Seed, _: &Layout) -> Result<Vec<f64>, Fault> {
        let policy = self.checked();
        let scale = self.scale.unwrap_or_else(|| policy.scale(self.initial));
        Ok(policy.start(self.initial, scale, &mut seed.stream(Purpose::Start, 0, 1)))
    }

    fn check(&self) -> Result<(), Fault> {
        self.policy()?;
        let range = |key: &str, fits: bool| match fits {
            true => Ok(()),
            false => Err(Fault::new(format!("problem.{key}"), format!("must be from 1 to {MOST}"))),
        };
        range("horizon", self.horizon.is_none_or(|steps| (1..=MOST).contains(&steps)))?;
        range("episodes", (1..=MOST).contains(&self.episodes))?;
        if self.scale.is_some_and(|scale| !(scale.is_finite() && scale > 0.0)) {
            return Err(Fault::new("problem.scale", "must be positive and finite"));
        }
        Ok(())
    }

    /// Appendix A.2.2: 75 directions, σ = 0.1, steps of 0.01.
    fn weights(&self) -> WeightsConfig {
        WeightsConfig::Es(EsConfig::reinforcement_learning())
    }

    /// Section 4.3.2: the controller sees 150 values, those of 75 pairs.
    fn controller(&self) -> ControllerConfig {
        let population = Some(150);
        ControllerConfig::RegularizedEvolution(RegularizedEvolutionConfig {
            population,
            ..Default::default()
        })
    }

    /// Appendix A.2.2: 50.
    fn centre(&self) -> u32 {
        50
    }

    /// Section 4.3.2: of 200 values the controller sees 150.
    fn centre_teaches(&self) -> bool {
        false
    }

    fn is_policy(&self) -> bool {
        true
    }

    fn evaluator(&self, workers: Option<NonZeroUsize>) -> Result<Box<dyn Evaluator>, StudyError> {
        Ok(Box::new(InProcess::new(Rl::new(self)?, workers)))
    }
}
