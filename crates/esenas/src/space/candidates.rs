//! What a choice chooses among.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::Space;

/// The candidates of a choice: spaces, or evenly spaced integers that cost no memory.
///
/// Made from an array or vector of anything that is a [`Space`], or from a range of integers.
#[derive(Clone, Debug, PartialEq)]
pub enum Candidates {
    /// Any spaces; constants among them.
    List(Box<[Space]>),
    /// `low`, `low + step`, …: `count` integers.
    Range {
        /// The first.
        low: i64,
        /// From one to the next; not zero.
        step: u64,
        /// How many.
        count: u64,
    },
}

impl Candidates {
    /// The integers from `low` to at most `high`, `step` apart: none if `high < low`, or if `step`
    /// is zero.
    pub fn int(low: i64, high: i64, step: u64) -> Self {
        if high < low || step == 0 {
            return Self::Range { low, step: 1, count: 0 };
        }
        let count = (high.abs_diff(low) / step).saturating_add(1);
        // A single value has no step: one way to write it.
        Self::Range { low, step: if count == 1 { 1 } else { step }, count }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        match self {
            Self::List(list) => list.len() as u64,
            Self::Range { count, .. } => *count,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The spaces, if they are listed.
    pub(super) fn listed(&self) -> &[Space] {
        match self {
            Self::List(list) => list,
            Self::Range { .. } => &[],
        }
    }
}

/// The integer at `index` of a range. Within the range this cannot overflow.
pub(super) fn nth(low: i64, step: u64, index: u64) -> i64 {
    low.wrapping_add_unsigned(step.wrapping_mul(index))
}

impl<S: Into<Space>> From<Vec<S>> for Candidates {
    fn from(list: Vec<S>) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

impl<S: Into<Space>, const N: usize> From<[S; N]> for Candidates {
    fn from(list: [S; N]) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

impl From<RangeInclusive<i64>> for Candidates {
    fn from(range: RangeInclusive<i64>) -> Self {
        Self::int(*range.start(), *range.end(), 1)
    }
}

macro_rules! constants {
    ($($type:ty),*) => {$(
        impl From<$type> for Space {
            fn from(value: $type) -> Self {
                Self::constant(Value::from(value))
            }
        }
    )*};
}
constants!(Value, bool, i32, i64, u32, &str, String);
