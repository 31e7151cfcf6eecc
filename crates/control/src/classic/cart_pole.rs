//! A pole on a cart, to be swung up and balanced: the dynamics of Gymnasium's `CartPole-v1` (Barto,
//! Sutton and Anderson 1983) with a force of 10 u, |u| ≤ 1, explicit Euler steps of 0.02 s and no
//! limit on the angle.
//!
//! With masses M = 1 and m = 0.1, half length l = 0.5 and θ = 0 upright:
//!
//! a = (F + m l θ̇² sin θ) / (M + m)
//!
//! θ̈ = (g sin θ − a cos θ) / (l (4/3 − m cos² θ / (M + m))),  ẍ = a − m l θ̈ cos θ / (M + m)
//!
//! A step pays cos θ, less 0.01 u². Leaving the track, |x| > 2.4, ends the episode; so that hanging
//! about is never worse than ending it, a step pays 1 more as long as it goes on: 1 + cos θ − 0.01
//! u².

use std::f64::consts::PI;

use esenas::Stream;

use super::{spec, uniform};
use crate::{Env, EnvFault, EnvSpec, Step};

const GRAVITY: f64 = 9.8;
const CART: f64 = 1.0;
const POLE: f64 = 0.1;
const TOTAL: f64 = CART + POLE;
const HALF: f64 = 0.5;
const FORCE: f64 = 10.0;
const DT: f64 = 0.02;
const TRACK: f64 = 2.4;

/// The environment.
#[derive(Clone, Debug)]
pub struct CartPole {
    spec: EnvSpec,
    /// x, ẋ, θ, θ̇
    pub state: [f64; 4],
}

impl CartPole {
    /// Hanging in the middle, until it is reset.
    pub fn new() -> Self {
        Self { spec: spec("CartPole", 5, 1.0, 500), state: [0.0, 0.0, PI, 0.0] }
    }

    fn observe(&self, observation: &mut [f64]) {
        let [x, speed, angle, velocity] = self.state;
        observation.copy_from_slice(&[x, speed, angle.cos(), angle.sin(), velocity]);
    }
}

impl Default for CartPole {
    fn default() -> Self {
        Self::new()
    }
}

impl Env for CartPole {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(&mut self, stream: &mut Stream, observation: &mut [f64]) {
        self.state = [0.0, 0.0, PI, 0.0].map(|rest| rest + uniform(stream, -0.05, 0.05));
        self.observe(observation);
    }

    fn step(&mut self, action: &[f64], observation: &mut [f64]) -> Result<Step, EnvFault> {
        let u = action[0].clamp(-1.0, 1.0);
        let [x, speed, angle, velocity] = self.state;
        let (sin, cos) = angle.sin_cos();
        let push = (FORCE * u + POLE * HALF * velocity * velocity * sin) / TOTAL;
        let turn = (GRAVITY * sin - cos * push) / (HALF * (4.0 / 3.0 - POLE * cos * cos / TOTAL));
        let pull = push - POLE * HALF * turn * cos / TOTAL;
        self.state =
            [x + DT * speed, speed + DT * pull, angle + DT * velocity, velocity + DT * turn];
        self.observe(observation);
        let reward = 1.0 + self.state[2].cos() - 0.01 * u * u;
        let terminated = self.state[0].abs() > TRACK;
        Ok(Step { reward, alive: 0.0, terminated })
    }
}
