//! What the optimizers of θ accept to start from.

use crate::Bounds;
use crate::setting::{SettingError, within};

/// Step sizes stay within these, whatever is told: then no sum of steps leaves the numbers.
pub(super) const SIGMA: (f64, f64) = (1e-100, 1e100);

/// Checks what the distribution-based ones share.
pub(super) fn check(
    theta: &[f64],
    sigma: f64,
    population: Option<usize>,
    bounds: Option<&Bounds>,
) -> Result<(), SettingError> {
    check_sigma(sigma)?;
    if let Some(population @ 0..2) = population {
        return Err(SettingError::must("population", "be at least 2", population));
    }
    if theta.is_empty() {
        return Err(SettingError::new("theta", "must have at least one coordinate, got none"));
    }
    check_point(theta, bounds)
}

pub(super) fn check_sigma(sigma: f64) -> Result<(), SettingError> {
    within("sigma", sigma, SIGMA.0..=SIGMA.1, "lie between 1e-100 and 1e100")
}

pub(crate) fn check_point(theta: &[f64], bounds: Option<&Bounds>) -> Result<(), SettingError> {
    if let Some(index) = theta.iter().position(|x| !x.is_finite()) {
        let what = format!("must start finite, got {} at coordinate {index}", theta[index]);
        return Err(SettingError::new("theta", what));
    }
    if let Some(bounds) = bounds {
        bounds.check(theta.len())?;
        for (index, &value) in theta.iter().enumerate() {
            let (low, high) = bounds.interval(index);
            if !(low..=high).contains(&value) {
                let within = format!("must start within [{low}, {high}]");
                let what = format!("{within}, got {value} at coordinate {index}");
                return Err(SettingError::new("theta", what));
            }
        }
    }
    Ok(())
}
