//! What an optimizer with a diagonal covariance reads off its ranked points.

use crate::noise::BLOCK;
use crate::{Base, Bounds};

/// Writes Σ wᵢ zᵢ and Σ vᵢ zᵢ² for the coordinates of one block; rows come with w and v.
///
/// The rows of z are drawn again from their key, so nothing of size n·d is ever held. Where a box
/// cut a point off, z is that of the point as it was evaluated.
pub(super) fn moments(
    base: &Base,
    sigma: f64,
    rows: &[(u32, f64, f64)],
    block: usize,
    first: &mut [f64],
    second: &mut [f64],
) {
    first.fill(0.0);
    second.fill(0.0);
    let mut single = [0.0_f32; BLOCK];
    let single = &mut single[..first.len()];
    let mut z = [0.0_f64; BLOCK];
    let z = &mut z[..first.len()];
    for &(row, weight, of_square) in rows {
        let single = base.direction(row, block, single);
        z.iter_mut().zip(single).for_each(|(z, &s)| *z = f64::from(s));
        if let (Some(bounds), Some(spread)) = (&base.bounds, &base.spread) {
            repair(bounds, &base.centre, spread, sigma, block * BLOCK, z);
        }
        for ((first, second), z) in first.iter_mut().zip(&mut *second).zip(&*z) {
            *first += weight * z;
            *second += of_square * z * z;
        }
    }
}

/// Replaces z where the box moved the point: z = (x − m) / (σ s) of the point x on the
/// boundary.
fn repair(
    bounds: &Bounds,
    centre: &[f64],
    spread: &[f64],
    sigma: f64,
    start: usize,
    z: &mut [f64],
) {
    for (offset, z) in z.iter_mut().enumerate() {
        let at = start + offset;
        let (low, high) = bounds.interval(at);
        let x = centre[at] + sigma * (spread[at] * *z);
        if x < low || high < x {
            // The centre lies in the box, so the way to the boundary is the shorter one.
            let shorter = (x.clamp(low, high) - centre[at]) / (sigma * spread[at]);
            *z = shorter.clamp(-z.abs(), z.abs());
        }
    }
}
