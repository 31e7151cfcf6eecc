//! Margins: coordinates on a grid keep being drawn in the cells beside that of their mean.
//!
//! Where the objective sees a coordinate rounded, it says nothing of differences within a cell. A
//! deviation that has become small beside the cell draws nothing but that cell, nothing is learned
//! of the coordinate any more, and it stays wherever it is: on functions with different scales
//! plain CMA-ES stalls there. Hamano, Saito, Nomura and Shirakawa 2022, "CMA-ES with margin:
//! lower-bounding marginal probability for mixed-integer black-box optimization", hold each
//! probability of leaving the cell above a margin, by moving mean and deviation as little as that
//! takes. With ℓ < m ≤ u the ends of the cell, s the deviation of x ~ N(m, s²), λ points in an
//! iteration and d coordinates:
//!
//! ```text
//! in a cell between others, P(x ≤ ℓ) ≥ α/2 and P(u < x) ≥ α/2 with α = 1/(λd):
//!     a = min((m − ℓ)/s, Φ⁻¹(1 − α/2)),  b = min((u − m)/s, Φ⁻¹(1 − α/2))           (1)
//!     m ← (ℓ b + u a)/(a + b),  s ← (u − ℓ)/(a + b)                                (2)
//! in the first and the last, with u its one end, P(x beyond u) ≥ α:
//!     s ← max(s, |u − centre of the cell| / Φ⁻¹(1 − α/2))                          (3)
//!     m ← u ± min(|m − u|, s Φ⁻¹(1 − α))                                           (4)
//! ```
//!
//! (2) solves P(x ≤ ℓ) = Φ(−a), P(u < x) = Φ(−b) for m and s. Here a side that was likely enough
//! stays as likely as it was; the paper takes a share of it, below α/2, for the other side. (3) is
//! that of Hamano et al. 2025, "CatCMA with margin", but for α/2, with which it is the least s that
//! (2) leaves: with (4) alone a mean on the edge of the outermost cell would let s go to nothing,
//! and then rounding would decide.
//!
//! What s is made of is the optimizer's own: with a diagonal covariance it is a coordinate's
//! deviation, which is set; CMA-ES has the factors A of the paper beside C, and mean and C go on as
//! if there were no margins (with means that A moved, σ fell too early: they swing within a cell
//! that nothing tells them of). Coordinates that are not on a grid are left alone: without a grid
//! nothing is done.

use super::start::SIGMA;
use crate::Bounds;

/// Keeps margins on the coordinates that are on a grid, where an iteration has `told` values (the λ
/// above). The deviation of coordinate j is `factors[j]` times `unit(j)`, of which the former is
/// changed, as `mean` is.
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
                    let (a, b) = (a.clamp(0.0, inner), b.clamp(0.0, inner)); // (1)
                    mean[j] = (low * b + high * a) / (a + b); // (2)
                    factors[j] = ((high - low) / (a + b) / unit).clamp(SIGMA.0, SIGMA.1);
                }
            }
            (end, None) | (None, end) => {
                let Some(end) = end else { continue };
                let least = 0.5 * bounds.step(j) / inner; // (3)
                if s < least {
                    factors[j] = (least / unit).clamp(SIGMA.0, SIGMA.1);
                }
                let reach = s.max(least) * outer;
                mean[j] = m.clamp(end - reach, end + reach); // (4)
            }
        }
    }
}

/// Φ⁻¹(1 − p) for 0 < p ≤ ½: what a standard Gaussian exceeds with probability p.
///
/// ln(1 − Φ) is concave: Newton's steps on it come down from the bound 1 − Φ(x) ≤ ½ exp(−x²/2)
/// without passing the root.
fn quantile(p: f64) -> f64 {
    let mut x = (-2.0 * (2.0 * p).ln()).max(0.0).sqrt();
    for _ in 0..8 {
        let tail = 0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2);
        let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
        x += tail / density * (tail / p).ln();
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From tables of the normal distribution.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (p, x) in [
            (0.5, 0.0),
            (0.25, 0.674_489_750_196),
            (0.025, 1.959_963_984_540),
            (1e-3, 3.090_232_306_168),
            (1e-6, 4.753_424_308_823),
            (1e-12, 7.034_483_825_301),
        ] {
            assert!((quantile(p) - x).abs() < 1e-11, "{p}: {}", quantile(p));
        }
    }

    /// λ = 5 and d = 2, so that α = 0.1. Red when a side that is likely enough is changed too, or
    /// both are taken for one.
    #[test]
    fn means_and_deviations_change_as_little_as_they_must() {
        let bounds = Bounds::new(vec![0.0], vec![4.0], 2).unwrap().with_steps(vec![1.0, 0.0], 2);
        let bounds = bounds.unwrap();
        let kept = |m: f64, s: f64| {
            let (mut mean, mut factors) = ([m, m], [s / 2.0, 0.0]);
            keep(Some(&bounds), 5, &mut mean, &mut factors, |_| 2.0);
            assert_eq!((mean[1], factors[1]), (m, 0.0), "which is on no grid");
            (mean[0], 2.0 * factors[0])
        };
        assert_eq!(kept(1.8, 0.5), (1.8, 0.5), "nothing is missing");
        let (inner, outer) = (quantile(0.05), quantile(0.1));
        let (m, s) = kept(2.0, 1e-3);
        assert!(m == 2.0 && (s - 0.5 / inner).abs() < 1e-12, "both sides: {m} {s}");
        let (m, s) = kept(2.4, 0.1);
        let near = (2.5 - m) / s;
        assert!((near - 1.0).abs() < 1e-9 && ((m - 1.5) / s - inner).abs() < 1e-9, "{m} {s}");
        let (m, s) = kept(3.9, 0.25);
        assert!(
            s == 0.5 / inner && (m - (3.5 + s * outer)).abs() < 1e-12,
            "the last cell: {m} {s}"
        );
        assert_eq!(kept(-9.0, 1.0), (0.5 - outer, 1.0), "the first");
        assert_eq!(kept(0.4, 1.0), (0.4, 1.0));
    }
}
