//! What the optimizers of θ accept to start from.

use thiserror::Error;

use crate::{Bounds, BoundsError};

/// Step sizes stay within these, whatever is told: then no sum of steps leaves the numbers.
pub(super) const SIGMA: (f64, f64) = (1e-100, 1e100);

/// Why an optimizer of θ refused to start.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StartError {
    /// σ must be a positive number within reach.
    #[error("sigma must lie between 1e-100 and 1e100, got {0}")]
    Sigma(f64),
    /// An iteration needs two values to compare.
    #[error("population must be at least 2, got {0}")]
    Population(usize),
    /// There must be something to optimize.
    #[error("theta must have at least one coordinate, got none")]
    Empty,
    /// The start must be a point.
    #[error("theta must start finite, got {value} at coordinate {index}")]
    Coordinate {
        /// Which coordinate.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The start must be allowed.
    #[error("theta must start within [{low}, {high}], got {value} at coordinate {index}")]
    Outside {
        /// Which coordinate.
        index: usize,
        /// Its value.
        value: f64,
        /// Its lower bound.
        low: f64,
        /// Its upper bound.
        high: f64,
    },
    /// The box must fit.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// A rate or count of the algorithm's own is out of range.
    #[error("{name} must {accepted}, got {value}")]
    Setting {
        /// Which.
        name: &'static str,
        /// What it may be.
        accepted: &'static str,
        /// What it was.
        value: f64,
    },
}

/// Checks what the distribution-based ones share.
pub(super) fn check(
    theta: &[f64],
    sigma: f64,
    population: Option<usize>,
    bounds: Option<&Bounds>,
) -> Result<(), StartError> {
    check_sigma(sigma)?;
    if let Some(population @ 0..2) = population {
        return Err(StartError::Population(population));
    }
    if theta.is_empty() {
        return Err(StartError::Empty);
    }
    check_point(theta, bounds)
}

pub(super) fn check_sigma(sigma: f64) -> Result<(), StartError> {
    if (SIGMA.0..=SIGMA.1).contains(&sigma) { Ok(()) } else { Err(StartError::Sigma(sigma)) }
}

pub(super) fn check_point(theta: &[f64], bounds: Option<&Bounds>) -> Result<(), StartError> {
    if let Some(index) = theta.iter().position(|x| !x.is_finite()) {
        return Err(StartError::Coordinate { index, value: theta[index] });
    }
    if let Some(bounds) = bounds {
        bounds.check(theta.len())?;
        for (index, &value) in theta.iter().enumerate() {
            let (low, high) = bounds.interval(index);
            if !(low..=high).contains(&value) {
                return Err(StartError::Outside { index, value, low, high });
            }
        }
    }
    Ok(())
}
