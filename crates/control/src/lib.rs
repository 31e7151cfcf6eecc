//! Continuous control, the paper's second half (section 4, appendix A.4): what an environment is,
//! what a policy is, and what an episode is worth. Pure: no I/O, no clock, no hidden randomness.
//!
//! | module | what |
//! |---|---|
//! | [`Env`] | an environment, with the alive bonus apart from the reward |
//! | [`policy`] | classes of policies: 𝓜, d, decoding, the forward pass, sizes as in table 1 |
//! | [`Moments`], [`Normalizer`] | the observation filter |
//! | [`Actor`] | a policy by itself, with its filter, and as a document |
//! | [`export`] | policies for elsewhere: C, ONNX, safetensors |
//! | [`Stage`] | episodes |
//! | [`classic`] | three environments that need nothing |

mod actor;
pub mod classic;
mod env;
pub mod export;
mod moments;
pub mod policy;
mod rollout;

pub use actor::{Actor, Document, Outputs};
pub use env::EnvFault::{self, Diverged};
pub use env::{Env, EnvSpec, Step};
pub use moments::{Moments, Normalizer};
pub use policy::{Network, Policy, PolicyConfig};
pub use rollout::{Actions, Episode, RolloutError, Stage};
