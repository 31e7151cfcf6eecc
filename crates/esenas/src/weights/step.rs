//! From a gradient estimate to a step: how far θ moves.
//!
//! Every rule ascends: ĝ is an estimate of ∇_θ f̃_σ (Eq. 2).

use serde::{Deserialize, Serialize};

use crate::setting::SettingError;

/// Which rule, with its constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepRule {
    /// θ ← θ + η·ĝ (Algorithm 1).
    #[default]
    Plain,
    /// v ← β·v + ĝ, θ ← θ + η·v (Polyak 1964).
    Momentum(Momentum),
    /// Adam (Kingma and Ba 2015).
    Adam(Adam),
    /// ClipUp (Toklu et al. 2020): unit gradients, momentum, and a speed limit.
    ClipUp(ClipUp),
}

/// Constants of [`StepRule::Momentum`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Momentum {
    /// β
    pub beta: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Self { beta: 0.9 }
    }
}

/// Constants of [`StepRule::Adam`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adam {
    /// β₁, of the mean.
    pub beta1: f64,
    /// β₂, of the square.
    pub beta2: f64,
    /// ε, added to the root.
    pub epsilon: f64,
}

impl Default for Adam {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }
}

/// Constants of [`StepRule::ClipUp`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClipUp {
    /// Momentum.
    pub momentum: f64,
    /// The longest step, in multiples of η: the authors set η to half the speed limit.
    pub max_speed: f64,
}

impl Default for ClipUp {
    fn default() -> Self {
        Self { momentum: 0.9, max_speed: 2.0 }
    }
}

impl StepRule {
    /// Checks its constants.
    pub(super) fn check(&self) -> Result<(), SettingError> {
        let setting = |name, value: f64, fits, accepted| {
            if fits { Ok(()) } else { Err(SettingError::must(name, accepted, value)) }
        };
        let share = |name, x| setting(name, x, (0.0..1.0).contains(&x), "lie in [0, 1)");
        let positive =
            |name, x: f64| setting(name, x, x.is_finite() && x > 0.0, "be positive and finite");
        match self {
            Self::Plain => Ok(()),
            Self::Momentum(c) => share("rule.momentum.beta", c.beta),
            Self::Adam(c) => share("rule.adam.beta1", c.beta1)
                .and_then(|()| share("rule.adam.beta2", c.beta2))
                .and_then(|()| positive("rule.adam.epsilon", c.epsilon)),
            Self::ClipUp(c) => share("rule.clip-up.momentum", c.momentum)
                .and_then(|()| positive("rule.clip-up.max_speed", c.max_speed)),
        }
    }
}

/// What a rule remembers between steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Velocity, or Adam's mean.
    first: Vec<f64>,
    /// Adam's square.
    second: Vec<f64>,
    /// Adam's count of steps.
    steps: u32,
}

impl Memory {
    /// Turns the gradient in `step` into the step to add to θ.
    pub(crate) fn step(&mut self, rule: &StepRule, step_size: f64, step: &mut [f64]) {
        match rule {
            StepRule::Plain => step.iter_mut().for_each(|g| *g *= step_size),
            StepRule::Momentum(c) => {
                self.first.resize(step.len(), 0.0);
                for (g, v) in step.iter_mut().zip(&mut self.first) {
                    *v = c.beta * *v + *g;
                    *g = step_size * *v;
                }
            }
            StepRule::Adam(c) => self.adam(c, step_size, step),
            StepRule::ClipUp(c) => self.clip_up(c, step_size, step),
        }
    }

    fn adam(&mut self, c: &Adam, step_size: f64, step: &mut [f64]) {
        self.first.resize(step.len(), 0.0);
        self.second.resize(step.len(), 0.0);
        self.steps = self.steps.saturating_add(1);
        let unbias = |beta: f64| 1.0 - beta.powf(f64::from(self.steps));
        let (mean, square) = (step_size / unbias(c.beta1), 1.0 / unbias(c.beta2));
        for ((g, m), v) in step.iter_mut().zip(&mut self.first).zip(&mut self.second) {
            *m = c.beta1 * *m + (1.0 - c.beta1) * *g;
            *v = c.beta2 * *v + (1.0 - c.beta2) * *g * *g;
            *g = mean * *m / ((square * *v).sqrt() + c.epsilon);
        }
    }

    /// v ← m·v + η·ĝ/|ĝ|, cut to length η·max_speed. A gradient of zero adds nothing.
    fn clip_up(&mut self, c: &ClipUp, step_size: f64, step: &mut [f64]) {
        self.first.resize(step.len(), 0.0);
        let length = norm(step);
        let unit = if length > 0.0 { step_size / length } else { 0.0 };
        for (g, v) in step.iter().zip(&mut self.first) {
            *v = c.momentum * *v + unit * g;
        }
        let speed = norm(&self.first);
        let limit = step_size * c.max_speed;
        if speed > limit {
            self.first.iter_mut().for_each(|v| *v *= limit / speed);
        }
        step.copy_from_slice(&self.first);
    }
}

pub(crate) fn norm(x: &[f64]) -> f64 {
    crate::simd::squared_norm(x).sqrt()
}
