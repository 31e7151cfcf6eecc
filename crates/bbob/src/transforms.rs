//! The transforms the functions are composed from (Hansen et al. 2009, "Real-parameter black-box
//! optimization benchmarking", section 0.2).

use crate::lanes::{self, exponential, logarithm, sine};

/// tᵢ = i/(D−1), and 1 when D = 1.
pub(crate) fn ramp(dim: usize) -> impl Iterator<Item = f64> {
    (0..dim).map(move |i| if dim == 1 { 1.0 } else { i as f64 / (dim - 1) as f64 })
}

/// The diagonal of Λ^α: α^(tᵢ/2).
pub(crate) fn lambda(alpha: f64, dim: usize) -> Vec<f64> {
    ramp(dim).map(|t| alpha.powf(0.5 * t)).collect()
}

/// T_osz: smooth local irregularities, the same on every scale.
#[inline(always)]
pub(crate) fn osz(u: f64) -> f64 {
    let (c1, c2) = if u > 0.0 { (10.0, 7.9) } else { (5.5, 3.1) };
    let h = logarithm(u.abs());
    u * exponential(0.049 * (sine(c1 * h) + sine(c2 * h)))
}

/// T_asy^β, given βtᵢ: breaks the symmetry between positive and negative.
#[inline(always)]
pub(crate) fn asy(u: f64, beta_t: f64) -> f64 {
    let power = u * exponential(beta_t * u.abs().sqrt() * logarithm(u.abs()));
    if u > 0.0 { power } else { u }
}

/// How far `x` lies outside the box: Σ max(0, |xᵢ| − 5)². NaN stays NaN.
pub(crate) fn penalty(x: &[f64]) -> f64 {
    lanes::sum(x, x, |x, _| {
        let far = x.abs() - 5.0;
        if far <= 0.0 { 0.0 } else { far * far }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fixed_points() {
        assert_eq!([osz(0.0), osz(1.0), osz(-1.0)], [0.0, 1.0, -1.0]);
        assert_eq!(
            [asy(0.0, 0.5), asy(1.0, 0.5), asy(-3.0, 0.5), asy(3.0, 0.0)],
            [0.0, 1.0, -3.0, 3.0]
        );
        assert!((asy(4.0, 0.5) - 16.0).abs() < 1e-14);
        assert_eq!(penalty(&[5.0, -5.0, 7.0, -6.0]), 5.0);
        assert_eq!(lambda(100.0, 3), [1.0, 100.0_f64.powf(0.25), 10.0]);
        assert_eq!(lambda(9.0, 1), [3.0]);
    }

    proptest! {
        /// Both keep the order of points, and T_osz stays within exp(±0.098) of the identity.
        #[test]
        fn order_is_kept(a in -9.0..9.0_f64, b in -9.0..9.0_f64, t in 0.0..0.5_f64) {
            prop_assume!((a - b).abs() > 1e-9);
            prop_assert_eq!(a < b, osz(a) < osz(b));
            prop_assert_eq!(a < b, asy(a, t) < asy(b, t));
            prop_assert!(a == 0.0 || (osz(a) / a).ln().abs() <= 0.098 + 1e-12);
        }
    }
}
