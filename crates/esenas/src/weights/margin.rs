//! Margins: coordinates on a grid keep being drawn in the cells beside that of their mean.
//!
//! Where the objective sees a coordinate rounded, it says nothing of differences within a cell. A deviation
//! that has become small beside the cell draws nothing but that cell, nothing is learned of the coordinate any more, and
//! it stays wherever it is: on functions with different scales plain CMA-ES stalls there. Hamano, Saito, Nomura
//! and Shirakawa 2022, "CMA-ES with margin: lower-bounding marginal probability for mixed-integer black-box
//! optimization", hold each probability of leaving the cell above a margin, by moving mean and deviation as little as
//! that takes. With ℓ < m ≤ u the ends of the cell, s the deviation of x ~ N(m, s²), λ points in an iteration and d coordinates:
//!
//! ```text
//! α = 1/(λd)                                                                     (§4.3)
//! m ← u + sign(m − u) min(|m − u|, s Φ⁻¹(1 − α))      in the first and last cell    (1)
//! P(x ≤ ℓ) ≥ α/2,  P(u < x) ≥ α/2                     in the others                (2)
//! m = (ℓ b + u a)/(a + b),  s = (u − ℓ)/(a + b)                                  (3)
//!     with a = min((m − ℓ)/s, Φ⁻¹(1 − α/2)),  b = min((u − m)/s, Φ⁻¹(1 − α/2))
//! ```
//!
//! (1) leaves the outermost cells with a probability of α, u being their one end. (3) is the solution of the paper's two
//! equations P(x ≤ ℓ) = p, P(u < x) = p' for the probabilities to have, where the one that was large enough is kept: the
//! paper lowers it, by a share of itself below α/2, so that all three probabilities of the cell give to what is raised.
//!
//! What s is made of is the optimizer's own: with a diagonal covariance it is a coordinate's deviation, which is set; CMA-ES
//! has the factors A of the paper beside C, which goes on as if there were no margins. Coordinates that
//! are not on a grid are left alone: without a grid nothing is done.

use super::start::SIGMA;
use crate::Bounds;

/// Keeps margins on the coordinates that are on a grid, where an iteration has `told` values (the λ above). The
/// deviation of coordinate j is `factors[j]` times `unit(j)`, of which the former is changed, as `mean` is.
pub(super) fn keep(
    bounds: Option<&Bounds>,
    told: usize,
    mean: &mut [f64],
    factors: &mut [f64],
    unit: impl Fn(usize) -> f64,
) {
    let Some(bounds) = bounds.filter(|bounds| bounds.has_grid()) else { return };
    let alpha = 1.0 / (told.max(2) as f64 * mean.len() as f64);
    let (outer, inner) = (quantile(alpha), quantile(0.5 * alpha));
    for j in bounds.on_grid(0..mean.len()) {
        let (cell, m, unit) = (bounds.cell(j, mean[j]), mean[j], unit(j));
        let s = factors[j] * unit;
        if s <= 0.0 {
            continue; // Rounding took it from a covariance that is about to be repaired.
        }
        match (cell.low, cell.high) {
            (Some(low), Some(high)) => {
                let (a, b) = ((m - low) / s, (high - m) / s);
                if a > inner || b > inner {
                    let (a, b) = (a.clamp(0.0, inner), b.clamp(0.0, inner)); // (2)
                    mean[j] = (low * b + high * a) / (a + b); // (3)
                    factors[j] = ((high - low) / (a + b) / unit).clamp(SIGMA.0, SIGMA.1);
                }
            }
            (Some(low), None) => mean[j] = m.min(low + s * outer), // (1)
            (None, Some(high)) => mean[j] = m.max(high - s * outer),
            (None, None) => {}
        }
    }
}

/// Φ⁻¹(1 − p) for 0 < p ≤ ½: what a standard Gaussian exceeds with probability p.
///
/// ln(1 − Φ) is concave: Newton's steps on it come down from the bound 1 − Φ(x) ≤ ½ exp(−x²/2) without passing the root.
fn quantile(p: f64) -> f64 {
    let mut x = (-2.0 * (2.0 * p).ln()).max(0.0).sqrt();
    for _ in 0..8 {
        let tail = 0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2);
        let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
        x += tail / density * (tail / p).ln();
    }
    x
}
