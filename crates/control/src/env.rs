//! What an environment is.
//!
//! The reward is kept in two parts, because training leaves out the alive bonus and reports put
//! it back (appendix A.4.1, after Mania et al. 2018). The horizon is the rollout's business: an
//! environment goes on for as long as it is stepped, even past termination.

use esenas::Stream;
use thiserror::Error;

/// Sizes and limits of an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvSpec {
    /// What it is called in a study.
    pub name: String,
    /// |S|, the length of an observation.
    pub observation: usize,
    /// |A|, the length of an action.
    pub action: usize,
    /// The least action that has an effect of its own, one for each coordinate.
    pub low: Vec<f64>,
    /// The greatest such action.
    pub high: Vec<f64>,
    /// T, the steps of an episode unless a study says otherwise.
    pub horizon: usize,
}

/// What one step paid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The reward without the alive bonus.
    pub reward: f64,
    /// The alive bonus; zero where there is none.
    pub alive: f64,
    /// Whether the episode is over.
    pub terminated: bool,
}

/// Why there is no next step.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EnvFault {
    /// The physics left the numbers: the state is no longer finite, or the engine gave up.
    #[error("the physics diverged: the state is no longer finite")]
    Diverged,
    /// An environment that is not of this program says so.
    #[error("{0}")]
    Raised(String),
}

/// An environment and its state: one per worker.
///
/// `action` must have [`EnvSpec::action`] and `observation` [`EnvSpec::observation`] entries; both
/// methods write the whole observation. After an [`EnvFault`] only `reset` is meaningful. Neither
/// method allocates.
pub trait Env: Send {
    /// Sizes and limits, which never change.
    fn spec(&self) -> &EnvSpec;

    /// Begins an episode. All of its randomness comes from `stream`: equal streams, equal bits.
    fn reset(&mut self, stream: &mut Stream, observation: &mut [f64]);

    /// One step of the environment.
    fn step(&mut self, action: &[f64], observation: &mut [f64]) -> Result<Step, EnvFault>;
}
