//! What refuses a search, and the key it speaks of.

use std::fmt::Display;
use std::ops::RangeInclusive;

use thiserror::Error;

use crate::BoundsError;
use crate::space::CostError;

/// Keys of the start, which belong to no section of settings.
const OF_THE_START: [&str; 3] = ["theta", "bounds", "steps"];

/// A setting that was refused.
///
/// One type for all constructors of searches: what a caller does with a refusal is to show it at
/// its key. [`ask`](crate::Optimizer::ask) and `tell` refuse nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{key} {what}")]
pub struct SettingError {
    /// The setting, as a dotted path from the settings that were given: `weights.sigma` of a
    /// search, `sigma` of its optimizer. `theta`, `bounds` and `steps` are those of the start.
    pub key: String,
    /// What is wrong with it, and what is accepted.
    pub what: String,
}

impl SettingError {
    /// `what` is wrong with `key`.
    pub fn new(key: impl Into<String>, what: impl Into<String>) -> Self {
        Self { key: key.into(), what: what.into() }
    }

    /// `key` must do what is `accepted`, and has another value.
    pub fn must(key: impl Into<String>, accepted: &str, value: impl Display) -> Self {
        Self::new(key, format!("must {accepted}, got {value}"))
    }

    /// The same, of settings that stand in `section`.
    pub fn under(self, section: &str) -> Self {
        if OF_THE_START.contains(&self.key.as_str()) {
            return self;
        }
        Self { key: format!("{section}.{}", self.key), ..self }
    }
}

/// Refuses a value out of `range`; not a number is in none.
pub(crate) fn within(
    key: &str,
    value: f64,
    range: RangeInclusive<f64>,
    accepted: &str,
) -> Result<(), SettingError> {
    if range.contains(&value) { Ok(()) } else { Err(SettingError::must(key, accepted, value)) }
}

impl From<BoundsError> for SettingError {
    fn from(error: BoundsError) -> Self {
        let key = match error {
            BoundsError::Length { .. } | BoundsError::Interval { .. } => "bounds",
            BoundsError::Steps { .. } | BoundsError::Step { .. } => "steps",
        };
        let said = error.to_string();
        Self::new(key, said.strip_prefix(key).unwrap_or(&said).trim_start())
    }
}

impl From<CostError> for SettingError {
    fn from(error: CostError) -> Self {
        Self::new("cost", format!("does not fit the space: {error}"))
    }
}
