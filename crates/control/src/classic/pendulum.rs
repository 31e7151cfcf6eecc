//! A pendulum to be swung up by a torque too weak to lift it: Gymnasium's `Pendulum-v1`.
//!
//! θ̈ = 3g/(2l) sin θ + 3/(ml²) u with g = 10, m = l = 1, |u| ≤ 2; θ = 0 is upright. Euler steps of
//! 0.05 s, velocity first, |θ̇| ≤ 8. A step costs θ² + 0.1 θ̇² + 0.001 u², θ in [−π, π).

use std::f64::consts::{PI, TAU};

use esenas::Stream;

use super::{spec, uniform};
use crate::{Env, EnvFault, EnvSpec, Step};

const DT: f64 = 0.05;
const TORQUE: f64 = 2.0;
const SPEED: f64 = 8.0;

/// The environment.
#[derive(Clone, Debug)]
pub struct Pendulum {
    spec: EnvSpec,
    /// θ, not wrapped.
    pub angle: f64,
    /// θ̇
    pub velocity: f64,
}

impl Pendulum {
    /// Upright and at rest, until it is reset.
    pub fn new() -> Self {
        Self { spec: spec("Pendulum", 3, TORQUE, 200), angle: 0.0, velocity: 0.0 }
    }

    fn observe(&self, observation: &mut [f64]) {
        observation.copy_from_slice(&[self.angle.cos(), self.angle.sin(), self.velocity]);
    }
}

impl Default for Pendulum {
    fn default() -> Self {
        Self::new()
    }
}

impl Env for Pendulum {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(&mut self, stream: &mut Stream, observation: &mut [f64]) {
        self.angle = uniform(stream, -PI, PI);
        self.velocity = uniform(stream, -1.0, 1.0);
        self.observe(observation);
    }

    fn step(&mut self, action: &[f64], observation: &mut [f64]) -> Result<Step, EnvFault> {
        let torque = action[0].clamp(-TORQUE, TORQUE);
        let angle = (self.angle + PI).rem_euclid(TAU) - PI;
        let cost = angle * angle + 0.1 * self.velocity * self.velocity + 0.001 * torque * torque;
        let velocity = self.velocity + (15.0 * self.angle.sin() + 3.0 * torque) * DT;
        self.velocity = velocity.clamp(-SPEED, SPEED);
        self.angle += self.velocity * DT;
        self.observe(observation);
        Ok(Step { reward: -cost, alive: 0.0, terminated: false })
    }
}
