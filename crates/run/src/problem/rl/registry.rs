//! The environments there are, by name.

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
}

/// The names of all environments.
pub fn environments() -> Vec<String> {
    classic::NAMES.iter().map(|name| (*name).to_owned()).collect()
}

/// |S| and |A|: known without making the environment.
pub(super) fn sizes(name: &str) -> Result<(usize, usize), EnvError> {
    if let Some(env) = classic::make(name) {
        let EnvSpec { observation, action, .. } = *env.spec();
        return Ok((observation, action));
    }
    Err(unknown(name))
}

/// Makes an environment. Called once for each worker.
pub(super) fn make(name: &str) -> Result<Box<dyn Env>, EnvError> {
    classic::make(name).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> EnvError {
    let all = environments();
    let close = |known: &&String| {
        (1000.0 * strsim::jaro_winkler(&known.to_lowercase(), &name.to_lowercase())) as u32
    };
    let nearest = all.iter().max_by_key(close).cloned().unwrap_or_default();
    EnvError::Unknown { nearest, all: all.join(", ") }
}
