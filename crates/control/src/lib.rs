//! Continuous control, the paper's second half (section 4, appendix A.4): what an environment is,
//! what a policy is, and what an episode is worth. Pure: no I/O, no clock, no hidden randomness.

mod env;

pub use env::{Diverged, Env, EnvSpec, Step};
