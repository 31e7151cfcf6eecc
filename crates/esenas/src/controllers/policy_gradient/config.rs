//! Settings, and why some are refused.

use serde::{Deserialize, Serialize};

use crate::setting::{SettingError, within};

/// The most weights that are kept.
pub const MAX_WEIGHTS: u64 = 1 << 26;

/// Settings of [`PolicyGradient`](super::PolicyGradient): the paper's (A.2.1), where it states
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyGradientConfig {
    /// The size of the LSTM's state. 100, A.2.1.
    pub hidden: u32,
    /// The size of the embeddings. 100.
    pub embedding: u32,
    /// What scores are divided by. 1, A.2.1.
    pub temperature: f64,
    /// Adam's step size. 5 · 10⁻⁴, A.2.1.
    pub learning_rate: f64,
    /// How it learns.
    pub training: Training,
}

impl Default for PolicyGradientConfig {
    fn default() -> Self {
        Self {
            hidden: 100,
            embedding: 100,
            temperature: 1.0,
            learning_rate: 5e-4,
            training: Training::default(),
        }
    }
}

/// Settings of [`FactorizedPolicyGradient`](super::FactorizedPolicyGradient).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactorizedPolicyGradientConfig {
    /// Adam's step size. 0.03: a logit has no layers above it to multiply what it learns.
    pub learning_rate: f64,
    /// How it learns.
    pub training: Training,
}

impl Default for FactorizedPolicyGradientConfig {
    fn default() -> Self {
        Self { learning_rate: 0.03, training: Training::default() }
    }
}

/// Proximal policy optimization.
///
/// REINFORCE is `steps` = 1 with a `batch` of all points: the ratio is then 1, and nothing is
/// clipped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Training {
    /// Updates per iteration. 10, A.2.1.
    pub steps: u32,
    /// Points per update. 64, A.2.1.
    pub batch: u32,
    /// How far a ratio of probabilities may leave 1 before it earns nothing more. 0.2, A.2.1.
    pub clip: f64,
    /// The weight of the entropy, in deviations of the values per nat. 0.01, as in Mnih et al.
    /// 2016.
    pub entropy: f64,
    /// The longest gradient; a longer one is scaled to this length. 1.
    pub max_norm: f64,
    /// The mean divergence per decision, in nats, at which an iteration's updates end. 0.05.
    pub max_kl: f64,
    /// How far the baseline moves towards the mean of an iteration: 1 is that mean itself. 0.5.
    pub baseline_rate: f64,
}

impl Default for Training {
    fn default() -> Self {
        Self {
            steps: 10,
            batch: 64,
            clip: 0.2,
            entropy: 0.01,
            max_norm: 1.0,
            max_kl: 0.05,
            baseline_rate: 0.5,
        }
    }
}

const POSITIVE: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// Refuses a policy of so many weights.
pub(super) fn check_size(weights: u64) -> Result<(), SettingError> {
    if weights <= MAX_WEIGHTS {
        return Ok(());
    }
    let what = format!("would have {weights} weights for this space; accepted are {MAX_WEIGHTS}");
    Err(SettingError::new("kind", what))
}

impl Training {
    pub(super) fn check(&self, learning_rate: f64) -> Result<(), SettingError> {
        let positive = "be from 1e-30 to 1e30";
        within("learning_rate", learning_rate, 1e-30..=1.0, "be above 0 and at most 1")?;
        within("training.steps", self.steps.into(), 1.0..=1e6, "be from 1 to 1e6")?;
        within("training.batch", self.batch.into(), 1.0..=f64::MAX, "be at least 1")?;
        within("training.clip", self.clip, POSITIVE, positive)?;
        within("training.entropy", self.entropy, 0.0..=1e6, "be from 0 to 1e6")?;
        within("training.max_norm", self.max_norm, 1e-6..=1e6, "be from 1e-6 to 1e6")?;
        within("training.max_kl", self.max_kl, POSITIVE, positive)?;
        within("training.baseline_rate", self.baseline_rate, 1e-6..=1.0, "be from 1e-6 to 1")
    }
}

impl PolicyGradientConfig {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        within("hidden", self.hidden.into(), 1.0..=4096.0, "be from 1 to 4096")?;
        within("embedding", self.embedding.into(), 1.0..=4096.0, "be from 1 to 4096")?;
        within("temperature", self.temperature, 1e-3..=1e3, "be from 0.001 to 1000")?;
        self.training.check(self.learning_rate)
    }
}
