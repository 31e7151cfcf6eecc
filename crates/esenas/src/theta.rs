//! θ, written out only where it is used.
//!
//! An iteration asks for many points around one centre. They share a [`Base`] and differ in a
//! [`Probe`] of a few bytes: the row of an addressed noise matrix and a signed scale. So 64 pairs
//! at d = 10⁶ hold one centre, not 128 copies, and a candidate crosses a wire as its address.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Noise;
use crate::noise::BLOCK;

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
        out.clear();
        match self.probe {
            None => out.extend_from_slice(&base.centre),
            Some(Probe { row, scale }) => {
                let direction = scratch.direction(&base.noise, row, base.centre.len());
                let centre = base.centre.iter().zip(direction);
                match &base.spread {
                    None => out.extend(centre.map(|(c, &g)| c + scale * f64::from(g))),
                    Some(spread) => {
                        let centre = centre.zip(spread);
                        out.extend(centre.map(|((c, &g), s)| c + scale * (s * f64::from(g))));
                    }
                }
            }
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
    fn direction(&mut self, noise: &Noise, row: u32, dim: usize) -> &[f32] {
        let known = self.direction.len() == dim
            && self.at.as_ref().is_some_and(|(n, r)| *r == row && n.is(noise));
        if !known {
            self.direction.resize(dim, 0.0);
            for (block, out) in self.direction.chunks_mut(BLOCK).enumerate() {
                noise.fill(row, block, out);
            }
            self.at = Some((noise.clone(), row));
        }
        &self.direction
    }
}
