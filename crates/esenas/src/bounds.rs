//! The box θ must lie in, and the grid some of its coordinates are on.
//!
//! A coordinate with a step s > 0 is *on a grid*: it is evaluated at the nearest of low, low + s,
//! low + 2s, … up to high. Optimizers keep a continuous point of their own, and points are rounded
//! where they are written out.
//!
//! Some coordinates may have no interval beside others that do ([`Bounds::partly`]): theirs is from
//! −∞ to ∞.

use std::ops::Range;

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
    /// 0 where a coordinate is continuous; empty where all are.
    steps: Vec<f64>,
}

/// The cell of a grid that a number lies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell {
    /// Where it meets the cell below, if there is one.
    pub(crate) low: Option<f64>,
    /// Where it meets the cell above, if there is one.
    pub(crate) high: Option<f64>,
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
    /// There must be a step for all, or one for each.
    #[error("steps must have 1 or {dim} entries, got {steps}")]
    Steps {
        /// How many there are.
        steps: usize,
        /// The dimension.
        dim: usize,
    },
    /// A grid must have two points at least, which can be told apart.
    #[error(
        "steps must be 0, for a continuous coordinate, or at most the width of their interval and \
         at least 1e-12 of its larger end, got {step} in [{low}, {high}] at coordinate {index}"
    )]
    Step {
        /// The step.
        step: f64,
        /// The lower end of its interval.
        low: f64,
        /// The upper end.
        high: f64,
        /// Which coordinate.
        index: usize,
    },
}

impl Bounds {
    /// Bounds for `dim` coordinates: `low` and `high` have one entry for all, or one for each.
    pub fn new(low: Vec<f64>, high: Vec<f64>, dim: usize) -> Result<Self, BoundsError> {
        let bounds = Self::partly(low, high, dim)?;
        match (0..bounds.low.len()).find(|at| !bounds.is_bounded(*at)) {
            Some(index) => {
                let (low, high) = bounds.interval(index);
                Err(BoundsError::Interval { low, high, index })
            }
            None => Ok(bounds),
        }
    }

    /// Bounds for some of `dim` coordinates; the others go from −∞ to ∞.
    pub fn partly(low: Vec<f64>, high: Vec<f64>, dim: usize) -> Result<Self, BoundsError> {
        let bounds = Self { low, high, steps: Vec::new() };
        bounds.check(dim)?;
        Ok(bounds)
    }

    /// Whether `coordinate` has an interval.
    pub fn is_bounded(&self, coordinate: usize) -> bool {
        self.interval(coordinate).0.is_finite()
    }

    /// The same box, with coordinates on grids: `steps` has one entry for all, or one for each of
    /// the `dim`, and is 0 where a coordinate is continuous. A grid begins at the low end of its
    /// interval.
    pub fn with_steps(mut self, steps: Vec<f64>, dim: usize) -> Result<Self, BoundsError> {
        if steps.len() != 1 && steps.len() != dim {
            return Err(BoundsError::Steps { steps: steps.len(), dim });
        }
        self.steps = steps;
        self.check(dim)?;
        if self.steps.iter().all(|step| *step == 0.0) {
            self.steps.clear();
        }
        Ok(self)
    }

    /// Whether these are bounds for `dim` coordinates: asked of bounds that were read.
    pub(crate) fn check(&self, dim: usize) -> Result<(), BoundsError> {
        let (low, high) = (self.low.len(), self.high.len());
        if low != high || (low != 1 && low != dim) {
            return Err(BoundsError::Length { low, high, dim });
        }
        for (index, (&low, &high)) in self.low.iter().zip(&self.high).enumerate() {
            let free = (low, high) == (f64::NEG_INFINITY, f64::INFINITY);
            if !(low.is_finite() && high.is_finite() && low < high || free) {
                return Err(BoundsError::Interval { low, high, index });
            }
        }
        let steps = self.steps.len();
        if steps > 1 && steps != dim {
            return Err(BoundsError::Steps { steps, dim });
        }
        for index in 0..if steps == 0 { 0 } else { steps.max(low) } {
            let ((low, high), step) = (self.interval(index), self.step(index));
            let finest = 1e-12 * low.abs().max(high.abs());
            let fits = self.is_bounded(index)
                && (finest.max(f64::MIN_POSITIVE)..=high - low).contains(&step);
            if step != 0.0 && !fits {
                return Err(BoundsError::Step { step, low, high, index });
            }
        }
        Ok(())
    }

    /// Whether any coordinate is on a grid.
    pub fn has_grid(&self) -> bool {
        !self.steps.is_empty()
    }

    /// These bounds, if any coordinate is on a grid: for points that are rounded only where they
    /// are written out.
    pub(crate) fn grid(bounds: Option<&Self>) -> Option<Self> {
        bounds.filter(|bounds| bounds.has_grid()).cloned()
    }

    /// The step of the grid `coordinate` is on; 0 where it is continuous.
    pub fn step(&self, coordinate: usize) -> f64 {
        match &self.steps[..] {
            [] => 0.0,
            [step] => *step,
            steps => steps[coordinate],
        }
    }

    /// Which of these coordinates are on a grid.
    pub fn on_grid(&self, among: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let among = if self.has_grid() { among } else { 0..0 };
        among.filter(|j| self.step(*j) > 0.0)
    }

    /// The interval of `coordinate`.
    pub fn interval(&self, coordinate: usize) -> (f64, f64) {
        let at = if self.low.len() == 1 { 0 } else { coordinate };
        (self.low[at], self.high[at])
    }

    /// The point in the middle, of so many coordinates; 0 where there is no interval.
    pub fn middle(&self, dim: usize) -> Vec<f64> {
        let between = |at| {
            let (low, high) = self.interval(at);
            if self.is_bounded(at) { 0.5 * low + 0.5 * high } else { 0.0 }
        };
        (0..dim).map(between).collect()
    }

    /// Moves coordinates `start..` into the box.
    pub fn clip(&self, start: usize, coordinates: &mut [f64]) {
        let from = if self.low.len() == 1 { 0 } else { start };
        simd::run(Clip { coordinates, low: &self.low[from..], high: &self.high[from..] });
    }

    /// Moves coordinates `start..` to where they are evaluated: into the box, and onto their grids.
    pub fn place(&self, start: usize, coordinates: &mut [f64]) {
        self.clip(start, coordinates);
        self.round(start, coordinates);
    }

    /// Moves those of coordinates `start..` that are on a grid to its nearest point.
    pub(crate) fn round(&self, start: usize, coordinates: &mut [f64]) {
        for at in self.on_grid(start..start + coordinates.len()) {
            let (low, high) = self.interval(at);
            let x = &mut coordinates[at - start];
            *x = (low + self.nearest(at, *x) * self.step(at)).min(high);
        }
    }

    /// Moves coordinates into the box but for those on a grid.
    pub(crate) fn clip_continuous(&self, coordinates: &mut [f64]) {
        if !self.has_grid() {
            return self.clip(0, coordinates);
        }
        for (at, x) in coordinates.iter_mut().enumerate().filter(|(at, _)| self.step(*at) == 0.0) {
            let (low, high) = self.interval(at);
            *x = x.clamp(low, high);
        }
    }

    /// Moves those that are on a grid into the box.
    pub(crate) fn clip_grid(&self, coordinates: &mut [f64]) {
        for at in self.on_grid(0..coordinates.len()) {
            let (low, high) = self.interval(at);
            coordinates[at] = coordinates[at].clamp(low, high);
        }
    }

    /// The cell of the grid of `coordinate` that `x` lies in.
    pub(crate) fn cell(&self, coordinate: usize, x: f64) -> Cell {
        let (low, step) = (self.interval(coordinate).0, self.step(coordinate));
        let (at, last) = (self.nearest(coordinate, x), self.last(coordinate));
        let edge = |at: f64| low + (at + 0.5) * step;
        Cell { low: (at > 0.0).then(|| edge(at - 1.0)), high: (at < last).then(|| edge(at)) }
    }

    /// The number of the point of the grid nearest to `x`.
    fn nearest(&self, coordinate: usize, x: f64) -> f64 {
        let at = (x - self.interval(coordinate).0) / self.step(coordinate);
        at.round().clamp(0.0, self.last(coordinate))
    }

    /// The number of its last point. Of an interval of ten tenths it is the tenth, whichever way
    /// that rounds.
    fn last(&self, coordinate: usize) -> f64 {
        let (low, high) = self.interval(coordinate);
        ((high - low) / self.step(coordinate) + 1e-9).floor()
    }

    /// Writes how far steps from coordinates `start..` may go, in multiples of σ s, before they
    /// leave the box: (low − m) / (σ s) and (high − m) / (σ s). They have zero between them, where
    /// m lies in the box. Those on a grid go as far as they like.
    pub(crate) fn reach(
        &self,
        start: usize,
        (m, sigma, s): (&[f64], f64, &[f64]),
        [low, high]: [&mut [f64]; 2],
    ) {
        for (side, out) in [(&self.low, &mut *low), (&self.high, &mut *high)] {
            let parts = out.iter_mut().zip(m[start..].iter().zip(&s[start..]));
            if let &[side] = &side[..] {
                parts.for_each(|(out, (m, s))| *out = (side - m) / (sigma * s));
            } else {
                let parts = parts.zip(&side[start..]);
                parts.for_each(|((out, (m, s)), side)| *out = (side - m) / (sigma * s));
            }
        }
        for at in self.on_grid(start..start + low.len()) {
            (low[at - start], high[at - start]) = (f64::NEG_INFINITY, f64::INFINITY);
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

    /// Red when a coordinate without an interval is moved, or takes one for all by mistake.
    #[test]
    fn some_coordinates_may_have_no_interval() {
        let (all, none) = (f64::INFINITY, f64::NEG_INFINITY);
        let partly = |low: f64, high: f64| Bounds::partly(vec![0.0, low], vec![1.0, high], 2);
        let bounds = partly(none, all).unwrap();
        let mut x = [7.0, 7e300];
        bounds.place(0, &mut x);
        assert_eq!((x, bounds.middle(2)), ([1.0, 7e300], vec![0.5, 0.0]));
        assert!(bounds.is_bounded(0) && !bounds.is_bounded(1));
        assert!(
            partly(0.0, all).is_err() && partly(none, 1.0).is_err() && partly(all, none).is_err()
        );
        let refused = Bounds::new(vec![0.0, none], vec![1.0, all], 2).unwrap_err();
        assert_eq!(refused, BoundsError::Interval { low: none, high: all, index: 1 });
        assert!(bounds.clone().with_steps(vec![0.5, 0.0], 2).is_ok());
        assert!(bounds.with_steps(vec![0.0, 0.5], 2).is_err());
    }

    #[test]
    fn bad_grids_are_refused_with_the_coordinate() {
        let bounds = || Bounds::new(vec![-1.0], vec![3.0], 3).unwrap();
        let refused = |steps: &[f64]| bounds().with_steps(steps.to_vec(), 3).unwrap_err();
        assert_eq!(refused(&[1.0, 1.0]), BoundsError::Steps { steps: 2, dim: 3 });
        assert_eq!(refused(&[]).to_string(), "steps must have 1 or 3 entries, got 0");
        for step in [-1.0, 4.5, f64::INFINITY, 1e-13] {
            let at = BoundsError::Step { step, low: -1.0, high: 3.0, index: 1 };
            assert_eq!(refused(&[0.0, step, 1.0]), at);
        }
        assert!(refused(&[f64::NAN]).to_string().ends_with("got NaN in [-1, 3] at coordinate 0"));
        assert_eq!(bounds().with_steps(vec![0.0; 3], 3).unwrap(), bounds());
    }

    /// Red when a grid begins or ends elsewhere, or a block of coordinates takes the steps of
    /// another.
    #[test]
    fn points_are_placed_on_the_nearest_of_their_grid() {
        let bounds = Bounds::new(vec![-1.0, 0.0, 0.0], vec![3.2, 1.0, 1.0], 3).unwrap();
        let bounds = bounds.with_steps(vec![2.0, 0.0, 0.1], 3).unwrap();
        let mut x = [2.4, 0.123, 9.0];
        bounds.place(0, &mut x);
        assert_eq!(x, [3.0, 0.123, 1.0], "3.2 is no point of the grid, ten tenths are one");
        bounds.place(0, &mut x);
        assert_eq!(x, [3.0, 0.123, 1.0], "and stay there");
        let mut tail = [0.26];
        bounds.place(2, &mut tail);
        assert!((tail[0] - 0.3).abs() < 1e-15);
        assert_eq!(bounds.cell(0, -7.0), Cell { low: None, high: Some(0.0) });
        assert_eq!(bounds.cell(0, 1.9), Cell { low: Some(0.0), high: Some(2.0) });
        assert_eq!(bounds.cell(0, 7.0), Cell { low: Some(2.0), high: None });
        let mut x = [9.0, 9.0, 9.0];
        bounds.clip_continuous(&mut x);
        assert_eq!(x, [9.0, 1.0, 9.0]);
        bounds.clip_grid(&mut x);
        assert_eq!(x, [3.2, 1.0, 1.0]);
        assert_eq!(bounds.on_grid(1..3).collect::<Vec<_>>(), [2]);
    }
}
