//! θ, written out only where it is used.
//!
//! An iteration asks for many points around one centre. They share a [`Base`] and differ in a
//! [`Probe`] of a few bytes: the row of an addressed noise matrix and a signed scale. So 64 pairs
//! at d = 10⁶ hold one centre, not 128 copies, and a candidate crosses a wire as its address.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{BLOCK, Noise, simd};

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

    /// Moves coordinates `start..` into the box.
    pub fn clip(&self, start: usize, coordinates: &mut [f64]) {
        if let ([low], [high]) = (&self.low[..], &self.high[..]) {
            coordinates.iter_mut().for_each(|x| *x = x.clamp(*low, *high));
        } else {
            let sides = self.low[start..].iter().zip(&self.high[start..]);
            coordinates.iter_mut().zip(sides).for_each(|(x, (l, h))| *x = x.clamp(*l, *h));
        }
    }
}

/// What the points of one ask have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Base {
    /// θ, where the optimizer stands.
    pub centre: Vec<f64>,
    /// How far each coordinate spreads, relative to the others; all alike when `None`.
    pub spread: Option<Vec<f64>>,
    /// The box all points are clipped to.
    pub bounds: Option<Bounds>,
    /// The directions, by row.
    pub noise: Noise,
}

/// How one point differs from its centre: by `scale` · direction `row`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The row of the base's noise.
    pub row: u32,
    /// ±σ.
    pub scale: f64,
}

/// A point of ℝᵈ: clip(centre + scale · spread ∘ g).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Theta {
    base: Arc<Base>,
    probe: Option<Probe>,
}

impl Theta {
    /// The centre of `base` itself.
    pub fn centre(base: Arc<Base>) -> Self {
        Self { base, probe: None }
    }

    /// A point beside the centre of `base`.
    pub fn probe(base: Arc<Base>, probe: Probe) -> Self {
        Self { base, probe: Some(probe) }
    }

    /// A point given by its coordinates.
    pub fn dense(coordinates: Vec<f64>) -> Self {
        let base =
            Base { centre: coordinates, spread: None, bounds: None, noise: Noise::default() };
        Self::centre(Arc::new(base))
    }

    /// d
    pub fn dim(&self) -> usize {
        self.base.centre.len()
    }

    /// What this point shares with the others of its ask.
    pub fn base(&self) -> &Arc<Base> {
        &self.base
    }

    /// Where it stands beside the centre.
    pub fn offset(&self) -> Option<Probe> {
        self.probe
    }

    /// Writes the coordinates out, using `scratch` for the direction.
    ///
    /// A pair ±g written one after the other with the same scratch generates g once.
    pub fn write(&self, out: &mut Vec<f64>, scratch: &mut Scratch) {
        let base = &*self.base;
        match self.probe {
            None => out.clone_from(&base.centre),
            Some(probe) => base.write(probe, out, scratch),
        }
        if let Some(bounds) = &base.bounds {
            bounds.clip(0, out);
        }
    }

    /// The coordinates, in a vector of their own.
    pub fn to_vec(&self) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.dim());
        self.write(&mut out, &mut Scratch::default());
        out
    }
}

/// The direction last written, so that its mirror image costs no second draw. One per thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    direction: Vec<f32>,
    at: Option<(Noise, u32)>,
}

impl Scratch {
    /// Makes room for `row`; whether it has yet to be drawn.
    fn turn_to(&mut self, noise: &Noise, row: u32, dim: usize) -> bool {
        let known = self.direction.len() == dim
            && self.at.as_ref().is_some_and(|(n, r)| *r == row && n.is(noise));
        if !known {
            self.direction.resize(dim, 0.0);
            self.at = Some((noise.clone(), row));
        }
        !known
    }
}

impl Base {
    /// Block by block, so that a direction is used while it is still near.
    fn write(&self, Probe { row, scale }: Probe, out: &mut Vec<f64>, scratch: &mut Scratch) {
        let fresh = scratch.turn_to(&self.noise, row, self.centre.len());
        out.resize(self.centre.len(), 0.0);
        let blocks = out.chunks_mut(BLOCK).zip(self.centre.chunks(BLOCK));
        let blocks = blocks.zip(scratch.direction.chunks_mut(BLOCK)).enumerate();
        for (block, ((out, centre), direction)) in blocks {
            if fresh {
                self.noise.fill(row, block, direction);
            }
            match &self.spread {
                None => simd::offset(out, centre, scale, direction),
                Some(spread) => {
                    let spread = &spread[block * BLOCK..];
                    let parts = centre.iter().zip(direction).zip(spread);
                    for (out, ((c, g), s)) in out.iter_mut().zip(parts) {
                        *out = c + scale * (s * f64::from(*g));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(spread: Option<Vec<f64>>, bounds: Option<Bounds>) -> Arc<Base> {
        let centre = vec![1.0, -2.0, 3.0];
        Arc::new(Base { centre, spread, bounds, noise: Noise::Gaussian(7) })
    }

    #[test]
    fn a_point_is_its_centre_plus_a_scaled_direction() {
        let base = base(Some(vec![1.0, 2.0, 0.0]), None);
        let g = base.noise.row(4, 3);
        let point = Theta::probe(base.clone(), Probe { row: 4, scale: -0.5 }).to_vec();
        assert_eq!(point[0], 1.0 - 0.5 * f64::from(g[0]));
        assert_eq!(point[1], -2.0 - 0.5 * (2.0 * f64::from(g[1])));
        assert_eq!(point[2], 3.0);
        assert_eq!(Theta::centre(base).to_vec(), [1.0, -2.0, 3.0]);
        assert_eq!(Theta::dense(vec![0.5]).to_vec(), [0.5]);
    }

    #[test]
    fn scratch_never_changes_what_is_written() {
        let base = base(None, None);
        let other = Arc::new(Base { noise: Noise::Gaussian(8), ..(*base).clone() });
        let mut scratch = Scratch::default();
        let mut out = Vec::new();
        for (base, row, scale) in
            [(&base, 0, 1.0), (&base, 0, -1.0), (&base, 1, 1.0), (&other, 1, 1.0)]
        {
            let theta = Theta::probe(base.clone(), Probe { row, scale });
            theta.write(&mut out, &mut scratch);
            assert_eq!(out, theta.to_vec());
        }
    }

    #[test]
    fn points_are_clipped_to_their_box() {
        let bounds = Bounds::new(vec![-1.0, -1.0, 2.0], vec![0.5, 1.0, 4.0], 3).unwrap();
        let base = base(None, Some(bounds.clone()));
        assert_eq!(Theta::centre(base).to_vec(), [0.5, -1.0, 3.0]);
        let mut tail = [9.0];
        bounds.clip(2, &mut tail);
        assert_eq!(tail, [4.0]);
        assert_eq!(bounds.interval(1), (-1.0, 1.0));
    }

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
