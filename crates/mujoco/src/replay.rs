//! A trajectory as JSON: a start and actions in, observations and rewards out.

use esenas_control::Env;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::catalog::Definition;
use crate::engine::Engine;
use crate::error::Error;

/// What to replay. Unknown keys are errors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The environment, such as `HalfCheetah-v4`.
    pub env: String,
    /// The positions it begins in.
    pub qpos: Vec<f64>,
    /// The velocities it begins with.
    pub qvel: Vec<f64>,
    /// One list of numbers per step.
    pub actions: Vec<Vec<f64>>,
}

/// What came of it, one entry per action.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Replayed {
    /// The observation after each action.
    pub obs: Vec<Vec<f64>>,
    /// Its reward, the alive bonus included.
    pub reward: Vec<f64>,
    /// Whether that ended the episode; the actions after it are applied all the same.
    pub terminated: Vec<bool>,
}

/// Why it cannot be replayed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// There is no environment.
    #[error(transparent)]
    Env(#[from] Error),
    /// A list of the wrong length.
    #[error("`{what}` has {found} numbers; {env} has {wanted}")]
    Length {
        /// The list.
        what: String,
        /// Its length.
        found: usize,
        /// The length it should have.
        wanted: usize,
        /// The environment.
        env: String,
    },
    /// The physics blew up.
    #[error("{env}: the physics diverged in step {step} of {of}")]
    Diverged {
        /// The environment.
        env: String,
        /// The step, counted from 1; 0 is the start itself.
        step: usize,
        /// How many there are.
        of: usize,
    },
}

impl Replay {
    /// Whether there is such an environment and all lists have its sizes; known without MuJoCo.
    pub fn check(&self) -> Result<(), ReplayError> {
        let sizes = Definition::parse(&self.env)?.sizes();
        let check = |what: &dyn Fn() -> String, found: usize, wanted: usize| match found == wanted {
            true => Ok(()),
            false => {
                Err(ReplayError::Length { what: what(), found, wanted, env: self.env.clone() })
            }
        };
        check(&|| "qpos".to_owned(), self.qpos.len(), sizes.nq)?;
        check(&|| "qvel".to_owned(), self.qvel.len(), sizes.nv)?;
        for (i, action) in self.actions.iter().enumerate() {
            check(&|| format!("actions[{i}]"), action.len(), sizes.nu)?;
        }
        Ok(())
    }
}

/// Applies every action, also past termination.
pub fn replay(
    engine: &Engine,
    asked: &Replay,
    say: &mut dyn FnMut(&str),
) -> Result<Replayed, ReplayError> {
    asked.check()?;
    let mut task = engine.task(&asked.env, say)?;
    let of = asked.actions.len();
    let diverged = |step| ReplayError::Diverged { env: asked.env.clone(), step, of };
    let mut observation = vec![0.0; task.spec().observation];
    task.set_state(&asked.qpos, &asked.qvel, &mut observation).map_err(|_| diverged(0))?;
    let mut replayed = Replayed::default();
    for (i, action) in asked.actions.iter().enumerate() {
        let step = task.step(action, &mut observation).map_err(|_| diverged(i + 1))?;
        replayed.obs.push(observation.clone());
        replayed.reward.push(step.reward + step.alive);
        replayed.terminated.push(step.terminated);
    }
    Ok(replayed)
}
