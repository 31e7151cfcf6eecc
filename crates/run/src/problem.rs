//! Objectives f(m, θ) that run in this process.

mod objective;
mod synthetic;

pub use objective::{Model, Objective, Point};
pub use synthetic::{Function, Synthetic, SyntheticConfig};
