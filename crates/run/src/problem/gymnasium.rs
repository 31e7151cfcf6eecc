//! A policy in an environment of Gymnasium: the problem kind `gymnasium`.
//!
//! All of it is the problem kind [`rl`](super::rl), except the environment, which Python makes: so
//! candidates, episodes, starts, the observation filter and trained policies are the same code.
//! Whoever runs inside Python says so once ([`set_host`]); the native program has no such
//! environments, and says what to install. What the environment is (its sizes, its horizon, what
//! its actions are) is looked up when a study is about to run and becomes part of it, so that
//! records are read without Python, and nothing that a run directory names is run by reading it.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use esenas::controllers::ControllerConfig;
use esenas::weights::WeightsConfig;
use esenas::{Layout, Seed, Space};
use esenas_control::policy::Initial;
use esenas_control::{Actions, Env, Outputs, PolicyConfig};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Kind;
use super::rl::{EnvError, RlConfig, Starts};
use crate::evaluator::Evaluator;
use crate::spec::Fault;
use crate::study::StudyError;

/// The settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GymnasiumConfig {
    /// The environment: an id, or `"module:factory"`.
    pub env: String,
    /// Keywords for whoever makes it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub kwargs: Map<String, Value>,
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
    /// What the network's outputs mean; the limits or the greatest when not given.
    #[serde(default)]
    pub actions: Option<Outputs>,
    /// The part of the reward, by its key in `info`, that the value leaves out.
    #[serde(default)]
    pub bonus: Option<String>,
    /// What is reported, by its key in `info`.
    #[serde(default)]
    pub score: Option<String>,
    /// Which candidates share the starts of their episodes.
    #[serde(default)]
    pub starts: Starts,
    /// What the first weights are drawn from.
    #[serde(default)]
    pub initial: Initial,
    /// How wide: U(−scale, scale), or N(0, scale²). The policy says when not given.
    #[serde(default)]
    pub scale: Option<f64>,
    /// |S|, looked up.
    #[serde(default)]
    pub observation: Option<usize>,
    /// |A|, looked up.
    #[serde(default)]
    pub action: Option<usize>,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// Who makes environments.
pub trait Host: Send + Sync {
    /// The settings of a problem of this kind with what its environment says of itself:
    /// `observation`, `action`, `actions` and `horizon`; or which key is wrong, and how.
    fn look(&self, settings: Value) -> Result<Value, (String, String)>;

    /// Makes the environment.
    fn make(&self, config: &GymnasiumConfig) -> Result<Box<dyn Env>, String>;
}

static HOST: OnceLock<Box<dyn Host>> = OnceLock::new();

/// From now on environments are made by `host`; the first one stays.
pub fn set_host(host: Box<dyn Host>) {
    let _ = HOST.set(host);
}

fn no_host() -> Fault {
    let help =
        "install the Python package and use the command it brings: pip install 'esenas[gymnasium]'";
    Fault::new("problem.kind", "is \"gymnasium\", whose environments are made by Python").help(help)
}

/// Looks up what the environment is, where the study does not say.
pub(crate) fn complete(study: &mut Value) -> Result<(), Fault> {
    let Some(problem) = study.get_mut("problem") else { return Ok(()) };
    let looked_up = ["observation", "action", "actions", "horizon"];
    let is_known = |key: &str| problem.get(key).is_some_and(|value| !value.is_null());
    if problem.get("kind") != Some(&"gymnasium".into()) || looked_up.into_iter().all(is_known) {
        return Ok(());
    }
    // What cannot be read is refused by whoever reads it next.
    if serde_json::from_value::<crate::spec::ProblemConfig>(problem.clone()).is_err() {
        return Ok(());
    }
    let host = HOST.get().ok_or_else(no_host)?;
    let found = host.look(problem.clone());
    *problem = found.map_err(|(key, what)| Fault::new(format!("problem.{key}"), what))?;
    Ok(())
}

impl GymnasiumConfig {
    /// The same as the problem kind `rl` has it.
    pub fn rl(&self) -> RlConfig {
        RlConfig {
            env: self.env.clone(),
            policy: self.policy.clone(),
            horizon: self.horizon,
            episodes: self.episodes,
            normalize: self.normalize,
            alive: false,
            actions: match self.actions {
                Some(Outputs::Limits) => Actions::Limits,
                _ => Actions::Unit,
            },
            starts: self.starts,
            initial: self.initial,
            scale: self.scale,
            gymnasium: Some(Box::new(self.clone())),
        }
    }

    /// |S| and |A|.
    pub(super) fn sizes(&self) -> Result<(usize, usize), EnvError> {
        let sizes = self.observation.zip(self.action);
        sizes.ok_or_else(|| EnvError::Gymnasium("its spaces are not known".to_owned()))
    }

    /// Makes the environment. Called once for each worker.
    pub(super) fn make(&self) -> Result<Box<dyn Env>, EnvError> {
        let host = HOST.get().ok_or_else(|| EnvError::Gymnasium(no_host().to_string()))?;
        let env = host.make(self).map_err(EnvError::Gymnasium)?;
        let (there, here) = (self.sizes()?, (env.spec().observation, env.spec().action));
        match there == here {
            true => Ok(env),
            false => Err(EnvError::Gymnasium(format!(
                "{} has observations of {} and actions of {} entries here, where the study was made \
                 they were {} and {}",
                self.env, here.0, here.1, there.0, there.1
            ))),
        }
    }
}

impl Kind for GymnasiumConfig {
    fn flat(&self) -> Option<usize> {
        self.rl().flat()
    }

    fn space(&self) -> Space {
        self.rl().space()
    }

    fn theta(&self, seed: Seed, layout: &Layout) -> Result<Vec<f64>, Fault> {
        self.rl().theta(seed, layout)
    }

    fn check(&self) -> Result<(), Fault> {
        self.rl().check()
    }

    fn ready(&self) -> Result<(), Fault> {
        HOST.get().map(|_| ()).ok_or_else(no_host)
    }

    fn weights(&self) -> WeightsConfig {
        self.rl().weights()
    }

    fn controller(&self) -> ControllerConfig {
        self.rl().controller()
    }

    fn centre(&self) -> u32 {
        self.rl().centre()
    }

    fn centre_teaches(&self) -> bool {
        self.rl().centre_teaches()
    }

    fn is_policy(&self) -> bool {
        true
    }

    /// Python runs one thread at a time: one, unless more are asked for.
    fn evaluator(&self, workers: Option<NonZeroUsize>) -> Result<Box<dyn Evaluator>, StudyError> {
        self.rl().evaluator(workers.or(Some(NonZeroUsize::MIN)))
    }
}
