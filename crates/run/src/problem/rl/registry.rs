//! The environments there are, by name: the classic ones, which need nothing, and MuJoCo's.

use esenas_control::{Env, EnvSpec, classic};
use thiserror::Error;

/// Why there is no environment.
#[derive(Debug, Error)]
pub enum EnvError {
    /// No environment of that name.
    #[error("no environment is called that; the nearest is \"{nearest}\", and all are {all}")]
    Unknown {
        /// What may have been meant.
        nearest: String,
        /// What there is.
        all: String,
    },
    /// One of MuJoCo's.
    #[error(transparent)]
    Mujoco(#[from] esenas_mujoco::Error),
    /// One of Gymnasium's.
    #[error("{0}")]
    Gymnasium(String),
}

/// The names of all environments.
pub fn environments() -> Vec<String> {
    let mujoco = esenas_mujoco::list().into_iter().map(|listed| listed.name);
    classic::NAMES.into_iter().chain(mujoco).map(str::to_owned).collect()
}

/// |S| and |A|: known without making the environment.
pub(super) fn sizes(name: &str) -> Result<(usize, usize), EnvError> {
    if let Some(env) = classic::make(name) {
        let EnvSpec { observation, action, .. } = *env.spec();
        return Ok((observation, action));
    }
    esenas_mujoco::sizes(name).map_err(|error| about(error, name))
}

/// Makes an environment. Called once for each worker.
pub fn make(name: &str) -> Result<Box<dyn Env>, EnvError> {
    match classic::make(name) {
        Some(env) => Ok(env),
        None => esenas_mujoco::make(name).map_err(|error| about(error, name)),
    }
}

/// A name that MuJoCo does not know may be meant for a classic one.
fn about(error: esenas_mujoco::Error, name: &str) -> EnvError {
    let esenas_mujoco::Error::UnknownEnv { .. } = error else { return error.into() };
    let all = environments();
    let wanted = name.to_lowercase();
    let near = |known: &&String| {
        let likeness = strsim::jaro_winkler(&known.to_lowercase(), &wanted);
        (likeness * 1e6) as u64
    };
    let nearest = all.iter().max_by_key(near).cloned().unwrap_or_default();
    EnvError::Unknown { nearest, all: all.join(", ") }
}
