//! Objectives f(m, θ) that run in this process.

pub(crate) mod bbob;
mod objective;
pub mod rl;
mod synthetic;

pub use esenas_bbob::HybridConfig as BbobConfig;
pub use objective::{Model, Objective, Point};
pub use rl::{Rl, RlConfig};
pub use synthetic::{Function, Synthetic, SyntheticConfig};
