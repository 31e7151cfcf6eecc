//! What an episode is worth.
//!
//! The return is kept in two sums: the reward is what training maximizes, the alive bonus comes
//! back in what is reported (A.4.1). Stepping allocates nothing.

use esenas::Stream;
use thiserror::Error;

use crate::{Diverged, Env, EnvFault, EnvSpec, Moments, Network, Normalizer};

/// What one episode paid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Episode {
    /// The summed reward, without alive bonuses.
    pub reward: f64,
    /// The summed alive bonuses.
    pub alive: f64,
    /// How many steps it took.
    pub steps: usize,
}

/// What the network's outputs mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Actions {
    /// They are the action: within [−1, 1], whatever the environment takes (the authors' code).
    #[default]
    Unit,
    /// −1 and 1 are the environment's limits.
    Limits,
}

/// Why an episode has no return.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RolloutError {
    /// In the environment.
    #[error("step {step}: {source}")]
    Environment {
        /// When.
        step: usize,
        /// What happened.
        source: EnvFault,
    },
    /// In the policy.
    #[error("step {step}: the policy's action is not a number")]
    Action {
        /// When.
        step: usize,
    },
}

/// An environment with the buffers of its episodes.
pub struct Stage {
    env: Box<dyn Env>,
    actions: Actions,
    observation: Vec<f64>,
    action: Vec<f64>,
}

impl Stage {
    /// Sets the stage.
    pub fn new(env: Box<dyn Env>, actions: Actions) -> Self {
        let EnvSpec { observation, action, .. } = *env.spec();
        Self { env, actions, observation: vec![0.0; observation], action: vec![0.0; action] }
    }

    /// The environment.
    pub fn env(&self) -> &dyn Env {
        &*self.env
    }

    /// Plays one episode of at most `horizon` steps from a start drawn from `stream`, and counts
    /// its observations into `moments`.
    pub fn play(
        &mut self,
        network: &mut Network,
        normalizer: &Normalizer,
        horizon: usize,
        stream: &mut Stream,
        mut moments: Option<&mut Moments>,
    ) -> Result<Episode, RolloutError> {
        let Self { env, actions, observation, action } = self;
        env.reset(stream, observation);
        let mut episode = Episode::default();
        for step in 0..horizon {
            if let Some(moments) = &mut moments {
                moments.add(observation);
            }
            normalizer.apply(observation, network.input());
            network.forward(action);
            if *actions == Actions::Limits {
                let EnvSpec { low, high, .. } = env.spec();
                stretch(action, low, high);
            }
            if action.iter().any(|a| !a.is_finite()) {
                return Err(RolloutError::Action { step });
            }
            let diverged = |source| RolloutError::Environment { step, source };
            let paid = env.step(action, observation).map_err(diverged)?;
            let finite = observation.iter().all(|x| x.is_finite());
            if !(finite && paid.reward.is_finite() && paid.alive.is_finite()) {
                return Err(diverged(Diverged));
            }
            episode.reward += paid.reward;
            episode.alive += paid.alive;
            episode.steps += 1;
            if paid.terminated {
                break;
            }
        }
        Ok(episode)
    }
}

/// From [−1, 1] to the environment's limits.
pub(crate) fn stretch(action: &mut [f64], low: &[f64], high: &[f64]) {
    for (a, (low, high)) in action.iter_mut().zip(low.iter().zip(high)) {
        *a = 0.5 * (low + high) + 0.5 * (high - low) * *a;
    }
}
