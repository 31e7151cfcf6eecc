//! The box θ must lie in.

use pulp::{Simd, WithSimd};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::simd;

/// The box θ must lie in: one interval for all coordinates, or one for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    low: Vec<f64>,
    high: Vec<f64>,
}

/// Why [`Bounds::new`] refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BoundsError {
    /// The two sides must agree in length, and with the dimension.
    #[error("bounds must have 1 or {dim} entries on each side, got {low} low and {high} high")]
    Length {
        /// Entries in `low`.
        low: usize,
        /// Entries in `high`.
        high: usize,
        /// The dimension.
        dim: usize,
    },
    /// Each interval must be a finite one.
    #[error("bounds must be finite with low < high, got [{low}, {high}] at coordinate {index}")]
    Interval {
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
        /// Which coordinate.
        index: usize,
    },
}

impl Bounds {
    /// Bounds for `dim` coordinates: `low` and `high` have one entry for all, or one for each.
    pub fn new(low: Vec<f64>, high: Vec<f64>, dim: usize) -> Result<Self, BoundsError> {
        let bounds = Self { low, high };
        bounds.check(dim)?;
        Ok(bounds)
    }

    /// Whether these are bounds for `dim` coordinates: asked of bounds that were read.
    pub(crate) fn check(&self, dim: usize) -> Result<(), BoundsError> {
        let (low, high) = (self.low.len(), self.high.len());
        if low != high || (low != 1 && low != dim) {
            return Err(BoundsError::Length { low, high, dim });
        }
        for (index, (&low, &high)) in self.low.iter().zip(&self.high).enumerate() {
            if !(low.is_finite() && high.is_finite() && low < high) {
                return Err(BoundsError::Interval { low, high, index });
            }
        }
        Ok(())
    }

    /// The interval of `coordinate`.
    pub fn interval(&self, coordinate: usize) -> (f64, f64) {
        let at = if self.low.len() == 1 { 0 } else { coordinate };
        (self.low[at], self.high[at])
    }

    /// The point in the middle, of so many coordinates.
    pub fn middle(&self, dim: usize) -> Vec<f64> {
        let between = |(low, high): (f64, f64)| 0.5 * low + 0.5 * high;
        (0..dim).map(|at| between(self.interval(at))).collect()
    }

    /// Moves coordinates `start..` into the box.
    pub fn clip(&self, start: usize, coordinates: &mut [f64]) {
        let from = if self.low.len() == 1 { 0 } else { start };
        simd::run(Clip { coordinates, low: &self.low[from..], high: &self.high[from..] });
    }

    /// Writes how far steps from coordinates `start..` may go, in multiples of σ s, before they leave the box:
    /// (low − m) / (σ s) and (high − m) / (σ s). They have zero between them, where m lies in the box.
    pub(crate) fn reach(
        &self,
        start: usize,
        (m, sigma, s): (&[f64], f64, &[f64]),
        [low, high]: [&mut [f64]; 2],
    ) {
        for (side, out) in [(&self.low, low), (&self.high, high)] {
            let parts = out.iter_mut().zip(m[start..].iter().zip(&s[start..]));
            if let &[side] = &side[..] {
                parts.for_each(|(out, (m, s))| *out = (side - m) / (sigma * s));
            } else {
                let parts = parts.zip(&side[start..]);
                parts.for_each(|((out, (m, s)), side)| *out = (side - m) / (sigma * s));
            }
        }
    }
}

/// Sides of one entry are those of all coordinates.
struct Clip<'a> {
    coordinates: &'a mut [f64],
    low: &'a [f64],
    high: &'a [f64],
}

impl WithSimd for Clip<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if let (&[low], &[high]) = (self.low, self.high) {
            for x in self.coordinates {
                *x = simd::clamp(*x, low, high);
            }
        } else {
            let sides = self.low.iter().zip(self.high);
            for (x, (low, high)) in self.coordinates.iter_mut().zip(sides) {
                *x = simd::clamp(*x, *low, *high);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_bounds_are_refused_with_the_coordinate() {
        let refused = |low: &[f64], high: &[f64]| {
            Bounds::new(low.to_vec(), high.to_vec(), 3).unwrap_err().to_string()
        };
        assert_eq!(
            refused(&[0.0, 0.0], &[1.0, 1.0]),
            "bounds must have 1 or 3 entries on each side, got 2 low and 2 high"
        );
        assert_eq!(
            refused(&[0.0, 0.0, 2.0], &[1.0, 1.0, 1.0]),
            "bounds must be finite with low < high, got [2, 1] at coordinate 2"
        );
        assert!(refused(&[f64::NAN], &[1.0]).contains("got [NaN, 1] at coordinate 0"));
    }
}
