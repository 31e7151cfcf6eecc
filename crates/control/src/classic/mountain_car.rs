//! A car too weak to drive up a hill: Gymnasium's `MountainCarContinuous-v0`.
//!
//! v ← v + 0.0015 u − 0.0025 cos 3x, |v| ≤ 0.07, x ← x + v, −1.2 ≤ x ≤ 0.6, with an inelastic wall
//! on the left. 100 for reaching x ≥ 0.45, which ends the episode, less 0.1 u² a step.

use esenas::Stream;

use super::{spec, uniform};
use crate::{Env, EnvFault, EnvSpec, Step};

const LEFT: f64 = -1.2;
const RIGHT: f64 = 0.6;
const GOAL: f64 = 0.45;
const SPEED: f64 = 0.07;
const POWER: f64 = 0.0015;

/// The environment.
#[derive(Clone, Debug)]
pub struct MountainCar {
    spec: EnvSpec,
    /// x
    pub position: f64,
    /// v
    pub velocity: f64,
}

impl MountainCar {
    /// In the valley and at rest, until it is reset.
    pub fn new() -> Self {
        Self { spec: spec("MountainCar", 2, 1.0, 999), position: -0.5, velocity: 0.0 }
    }

    fn observe(&self, observation: &mut [f64]) {
        observation.copy_from_slice(&[self.position, self.velocity]);
    }
}

impl Default for MountainCar {
    fn default() -> Self {
        Self::new()
    }
}

impl Env for MountainCar {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(&mut self, stream: &mut Stream, observation: &mut [f64]) {
        self.position = uniform(stream, -0.6, -0.4);
        self.velocity = 0.0;
        self.observe(observation);
    }

    fn step(&mut self, action: &[f64], observation: &mut [f64]) -> Result<Step, EnvFault> {
        let force = action[0].clamp(-1.0, 1.0);
        let velocity = self.velocity + force * POWER - 0.0025 * (3.0 * self.position).cos();
        self.velocity = velocity.clamp(-SPEED, SPEED);
        self.position = (self.position + self.velocity).clamp(LEFT, RIGHT);
        if self.position <= LEFT && self.velocity < 0.0 {
            self.velocity = 0.0;
        }
        let terminated = self.position >= GOAL && self.velocity >= 0.0;
        let prize = if terminated { 100.0 } else { 0.0 };
        self.observe(observation);
        Ok(Step { reward: prize - 0.1 * action[0] * action[0], alive: 0.0, terminated })
    }
}
