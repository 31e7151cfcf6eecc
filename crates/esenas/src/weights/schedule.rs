//! Settings that change over a run: σ and η_w may be constant or follow a line or a cosine.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A setting as a function of the iteration.
///
/// In a study file a number, `{ linear = { from = 0.5, to = 0.1, iterations = 100 } }` or
/// `{ cosine = { … } }`. After `iterations` the value stays at `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Schedule {
    /// The same throughout.
    Constant(f64),
    /// In a straight line.
    Linear(Ramp),
    /// Along half a cosine: slow at both ends (Loshchilov and Hutter 2017, without restarts).
    Cosine(Ramp),
}

/// Where a schedule begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// The value at iteration 0.
    pub from: f64,
    /// The value from `iterations` on.
    pub to: f64,
    /// How many iterations it takes.
    pub iterations: u32,
}

impl Schedule {
    /// The value at `iteration`.
    pub fn at(&self, iteration: u32) -> f64 {
        let blend = |c: &Ramp, share: f64| c.from + share * (c.to - c.from);
        let progress =
            |c: &Ramp| f64::from(iteration.min(c.iterations)) / f64::from(c.iterations.max(1));
        match self {
            Self::Constant(value) => *value,
            Self::Linear(ramp) => blend(ramp, progress(ramp)),
            Self::Cosine(ramp) => {
                blend(ramp, 0.5 - 0.5 * (std::f64::consts::PI * progress(ramp)).cos())
            }
        }
    }

    /// The values at both ends.
    pub fn ends(&self) -> [f64; 2] {
        match self {
            Self::Constant(value) => [*value; 2],
            Self::Linear(ramp) | Self::Cosine(ramp) => [ramp.from, ramp.to],
        }
    }
}

impl From<f64> for Schedule {
    fn from(value: f64) -> Self {
        Self::Constant(value)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Tagged {
    Constant(f64),
    Linear(Ramp),
    Cosine(Ramp),
}

/// A plain number stands for a constant where a person reads and writes it.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number, { linear = … } or { cosine = … }")]
enum Readable {
    Number(f64),
    Tagged(Tagged),
}

impl From<Schedule> for Tagged {
    fn from(schedule: Schedule) -> Self {
        match schedule {
            Schedule::Constant(value) => Self::Constant(value),
            Schedule::Linear(ramp) => Self::Linear(ramp),
            Schedule::Cosine(ramp) => Self::Cosine(ramp),
        }
    }
}

impl From<Tagged> for Schedule {
    fn from(tagged: Tagged) -> Self {
        match tagged {
            Tagged::Constant(value) => Self::Constant(value),
            Tagged::Linear(ramp) => Self::Linear(ramp),
            Tagged::Cosine(ramp) => Self::Cosine(ramp),
        }
    }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Constant(value) if to.is_human_readable() => value.serialize(to),
            _ => Tagged::from(*self).serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if !from.is_human_readable() {
            return Tagged::deserialize(from).map(Self::from);
        }
        Ok(match Readable::deserialize(from)? {
            Readable::Number(value) => Self::Constant(value),
            Readable::Tagged(tagged) => tagged.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_starts_ends_and_stays() {
        let ramp = Ramp { from: 2.0, to: 1.0, iterations: 10 };
        for schedule in [Schedule::Linear(ramp), Schedule::Cosine(ramp)] {
            assert_eq!(schedule.at(0), 2.0);
            assert!((schedule.at(5) - 1.5).abs() < 1e-12);
            assert_eq!([schedule.at(10), schedule.at(99)], [1.0, 1.0]);
        }
        assert!(Schedule::Cosine(ramp).at(1) > Schedule::Linear(ramp).at(1));
    }

    #[test]
    fn a_schedule_reads_and_writes_both_ways() {
        let ramp = Ramp { from: 2.0, to: 1.0, iterations: 10 };
        for schedule in [0.5.into(), Schedule::Linear(ramp), Schedule::Cosine(ramp)] {
            let json = serde_json::to_string(&schedule).unwrap();
            assert_eq!(serde_json::from_str::<Schedule>(&json).unwrap(), schedule);
            let bytes = postcard::to_stdvec(&schedule).unwrap();
            assert_eq!(postcard::from_bytes::<Schedule>(&bytes).unwrap(), schedule);
        }
        assert_eq!(serde_json::to_string(&Schedule::Constant(0.5)).unwrap(), "0.5");
    }
}
