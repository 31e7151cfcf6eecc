//! The sections of a study that no algorithm knows.

use std::time::Duration;

use esenas::joint::CentreModels;
use esenas::{JointConfig, Pairing};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Which values are better.
///
/// What searches maximizes always: the minus sign is where values are told, and nowhere else. They
/// are recorded, and shown, as they were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Higher ones.
    #[default]
    Maximize,
    /// Lower ones.
    Minimize,
}

impl Direction {
    /// `value` as what searches is told it.
    pub(crate) fn maximized(self, value: f64) -> f64 {
        match self {
            Self::Maximize => value,
            Self::Minimize => -value,
        }
    }

    /// Whether it need not be written down.
    pub(super) fn is_usual(&self) -> bool {
        *self == Self::Maximize
    }
}

/// When a study ends: at whichever comes first, looked at between iterations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StopConfig {
    /// After this many iterations.
    pub iterations: Option<u32>,
    /// Once this many evaluations are done; the iteration that gets there is finished.
    pub evaluations: Option<u64>,
    /// Once it has run this long, all its runs together.
    pub wall_time: Option<Seconds>,
    /// Once a value of at least this has come back; where values are minimized, of at most this.
    pub target: Option<f64>,
    /// After this many iterations without a better value.
    pub stagnation: Option<u32>,
}

impl StopConfig {
    /// After so many iterations.
    pub fn iterations(iterations: u32) -> Self {
        Self { iterations: Some(iterations), ..Self::default() }
    }

    /// Whether anything ever ends the study.
    pub(crate) fn ends(&self) -> bool {
        *self != Self::default()
    }
}

/// Which models the probes have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PairingConfig {
    /// Models of their own.
    #[default]
    Independent,
    /// One for both halves of a pair.
    Shared,
    /// One for all: θ and m move by turns.
    Held,
}

impl From<Pairing> for PairingConfig {
    fn from(pairing: Pairing) -> Self {
        match pairing {
            Pairing::Independent => Self::Independent,
            Pairing::Shared => Self::Shared,
        }
    }
}

/// The evaluations at θ itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CentreConfig {
    /// How many there are. Appendix A.2.2: 8, each with a model of its own.
    pub(super) evaluations: u32,
    /// Every how many iterations: 1 is in each.
    pub(super) every: u32,
    /// Which models they have.
    pub(super) models: CentreModels,
    /// Whether they teach the controller.
    pub(super) teaches: bool,
}

impl CentreConfig {
    /// Those of a product, in every iteration.
    pub(super) fn of(joint: &JointConfig) -> Self {
        let JointConfig { centre, centre_models, centre_teaches, .. } = *joint;
        Self { evaluations: centre, every: 1, models: centre_models, teaches: centre_teaches }
    }
}

impl Default for CentreConfig {
    fn default() -> Self {
        Self { evaluations: 8, every: 1, models: CentreModels::default(), teaches: true }
    }
}

/// Which evaluations are recorded one by one. Failures always are; summaries count all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordConfig {
    /// Every how many iterations all evaluations are recorded; 0 is never.
    pub every: u32,
    /// Whether those of the centre are recorded in each iteration.
    pub centre: bool,
}

impl Default for RecordConfig {
    fn default() -> Self {
        Self { every: 1, centre: true }
    }
}

/// How many failures a study survives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FailuresConfig {
    /// The study stops after an iteration in which a larger share of evaluations failed.
    pub share: f64,
    /// How often an iteration is tried again of which nothing came back.
    pub retries: u32,
    /// Whether a candidate that the objective cannot evaluate is worse than all others, instead of
    /// unknown.
    pub infeasible: bool,
}

impl Default for FailuresConfig {
    fn default() -> Self {
        Self { share: 0.5, retries: 2, infeasible: false }
    }
}

/// A span of time: a number of seconds, or text such as `"90m"` and `"1h 30m"`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Seconds(pub f64);

impl Seconds {
    /// As a duration; the longest one, if it is longer.
    pub fn duration(self) -> Duration {
        Duration::try_from_secs_f64(self.0.max(0.0)).unwrap_or(Duration::MAX)
    }

    /// Reads `1.5h`, `90m`, `1h 30m`, `250ms`, `12`.
    fn parse(text: &str) -> Option<f64> {
        let mut rest = text.trim();
        let mut total = 0.0;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            let (number, tail) = rest.split_at(digits.unwrap_or(rest.len()));
            let tail = tail.trim_start();
            let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
            let (unit, tail) = tail.split_at(letters);
            let seconds = match unit {
                "ms" => 1e-3,
                "" | "s" => 1.0,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                _ => return None,
            };
            total += number.parse::<f64>().ok()? * seconds;
            rest = tail.trim_start();
        }
        (!text.trim().is_empty()).then_some(total)
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Span;
        impl Visitor<'_> for Span {
            type Value = Seconds;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("seconds, or a time such as \"90m\" (units ms, s, m, h, d)")
            }

            fn visit_f64<E: Error>(self, seconds: f64) -> Result<Seconds, E> {
                let fits = seconds.is_finite() && seconds >= 0.0;
                let unexpected = serde::de::Unexpected::Float(seconds);
                if fits { Ok(Seconds(seconds)) } else { Err(E::invalid_value(unexpected, &self)) }
            }

            fn visit_i64<E: Error>(self, seconds: i64) -> Result<Seconds, E> {
                self.visit_f64(seconds as f64)
            }

            fn visit_u64<E: Error>(self, seconds: u64) -> Result<Seconds, E> {
                self.visit_f64(seconds as f64)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Seconds, E> {
                let unexpected = serde::de::Unexpected::Str(text);
                let seconds =
                    Seconds::parse(text).ok_or_else(|| E::invalid_value(unexpected, &self))?;
                self.visit_f64(seconds)
            }
        }
        from.deserialize_any(Span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_units() {
        for (text, seconds) in [
            ("90m", 5400.0),
            ("1h30m", 5400.0),
            (" 1h 30m ", 5400.0),
            ("1.5 h", 5400.0),
            ("250ms", 0.25),
            ("12", 12.0),
            ("2d", 172_800.0),
        ] {
            assert_eq!(Seconds::parse(text), Some(seconds), "{text}");
        }
        for text in ["", "  ", "m", "1x", "1.2.3s", "-5s", "five", "1h30x"] {
            assert_eq!(Seconds::parse(text), None, "{text}");
        }
    }

    #[test]
    fn any_length_is_a_duration() {
        assert_eq!(Seconds(1.5).duration(), Duration::from_millis(1500));
        assert_eq!(Seconds(1e300).duration(), Duration::MAX);
    }
}
