//! Three light environments in pure Rust, so that a study of control runs anywhere in seconds.
//!
//! Pendulum and mountain car are Gymnasium's `Pendulum-v1` and `MountainCarContinuous-v0`; the
//! cart-pole has the dynamics of its `CartPole-v1` (Barto, Sutton and Anderson 1983) with a
//! continuous force, begins hanging and is paid for being upright. `tests/classic.rs` compares them
//! with recorded trajectories.

mod cart_pole;
mod mountain_car;
mod pendulum;

pub use cart_pole::CartPole;
pub use mountain_car::MountainCar;
pub use pendulum::Pendulum;

use crate::{Env, EnvSpec};

/// The names, in a study.
pub const NAMES: [&str; 3] = ["Pendulum", "CartPole", "MountainCar"];

/// The environment of this name, if it is one of these.
pub fn make(name: &str) -> Option<Box<dyn Env>> {
    match name {
        "Pendulum" => Some(Box::new(Pendulum::new())),
        "CartPole" => Some(Box::new(CartPole::new())),
        "MountainCar" => Some(Box::new(MountainCar::new())),
        _ => None,
    }
}

/// A spec with one action.
fn spec(name: &str, observation: usize, limit: f64, horizon: usize) -> EnvSpec {
    let name = name.to_owned();
    EnvSpec { name, observation, action: 1, low: vec![-limit], high: vec![limit], horizon }
}

/// Uniform in [low, high).
fn uniform(stream: &mut esenas::Stream, low: f64, high: f64) -> f64 {
    low + (high - low) * stream.unit()
}
