//! The raw formulas: what remains of a function once z is known.
//!
//! Some are written in another form than usual, equal but exact near the optimum: with
//! 1 − cos 2πz = 2 sin² πz no digits cancel there.

use std::f64::consts::PI;

use pulp::{Simd, WithSimd};

use crate::lanes::{self, LANES, exponential, logarithm, sine, sine_squared_pi};
use crate::packed::vectorized;
use crate::transforms::osz;

#[inline(always)]
fn square(x: f64) -> f64 {
    x * x
}

/// Σ zᵢ²
pub(crate) fn sphere(z: &[f64]) -> f64 {
    lanes::inner(z, z)
}

/// 10 Σ (1 − cos 2πzᵢ)
pub(crate) fn ripples(z: &[f64]) -> f64 {
    20.0 * lanes::sum(z, z, |z, _| sine_squared_pi(z))
}

/// 10 (D − Σ cos 2πzᵢ) + Σ zᵢ²
pub(crate) fn rastrigin(z: &[f64]) -> f64 {
    lanes::sum(z, z, |z, _| 20.0 * sine_squared_pi(z) + z * z)
}

/// `skew`, 10 where i is even and else 1, times zᵢ where that is positive; then Rastrigin.
pub(crate) fn bueche_rastrigin(skew: &[f64], z: &[f64]) -> f64 {
    lanes::sum(z, skew, |z, skew| {
        let z = if z > 0.0 { skew * z } else { z };
        20.0 * sine_squared_pi(z) + z * z
    })
}

/// T_osz(Σ (wᵢ zᵢ)²)^0.9, wᵢ = 100 where zᵢ has the sign of (−1)ⁱ.
pub(crate) fn attractive_sector(z: &[f64]) -> f64 {
    let side = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let weighted = |(i, z): (usize, &f64)| square(if z * side(i) > 0.0 { 100.0 * z } else { *z });
    osz(z.iter().enumerate().map(weighted).sum()).powf(0.9)
}

/// 0.1 max(|y₀|/1000, Σ wᵢ zᵢ²), wᵢ = 10^(2tᵢ)
pub(crate) fn step_ellipsoidal(y0: f64, weights: &[f64], z: &[f64]) -> f64 {
    let sum = lanes::sum(z, weights, |z, weight| weight * z * z);
    0.1 * sum.max(y0.abs() / 1000.0)
}

/// The sum of `term` over neighbours.
fn neighbours(z: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    lanes::sum(&z[..z.len() - 1], &z[1..], term)
}

/// sᵢ = 100 (zᵢ² − zᵢ₊₁)² + (zᵢ − 1)²
#[inline(always)]
fn valley(z: f64, next: f64) -> f64 {
    100.0 * square(z * z - next) + square(z - 1.0)
}

/// Σ sᵢ
pub(crate) fn rosenbrock(z: &[f64]) -> f64 {
    neighbours(z, valley)
}

/// 10/(D−1) Σ (sᵢ/4000 − cos sᵢ) + 10
pub(crate) fn griewank_rosenbrock(z: &[f64]) -> f64 {
    let waves = neighbours(z, |z, next| {
        let s = valley(z, next);
        s / 4000.0 + 2.0 * square(sine(0.5 * s))
    });
    10.0 * waves / (z.len() - 1) as f64
}

/// 10⁶ z₀² + Σ_{i≥1} zᵢ²
pub(crate) fn discus(z: &[f64]) -> f64 {
    1e6 * square(z[0]) + sphere(&z[1..])
}

/// z₀² + 10⁶ Σ_{i≥1} zᵢ²
pub(crate) fn bent_cigar(z: &[f64]) -> f64 {
    square(z[0]) + 1e6 * sphere(&z[1..])
}

/// z₀² + 100 √(Σ_{i≥1} zᵢ²)
pub(crate) fn sharp_ridge(z: &[f64]) -> f64 {
    square(z[0]) + 100.0 * sphere(&z[1..]).sqrt()
}

/// √(Σ |zᵢ|^(2+4tᵢ))
pub(crate) fn different_powers(exponents: &[f64], z: &[f64]) -> f64 {
    let power = |z: f64, exponent| z * z * exponential((exponent - 2.0) * logarithm(z.abs()));
    lanes::sum(z, exponents, power).sqrt()
}

/// 10 ((1/D) Σᵢ Σₖ 2⁻ᵏ cos(2π 3ᵏ (zᵢ + ½)) − Σₖ 2⁻ᵏ cos(π 3ᵏ))³ with k < 12.
///
/// As 3ᵏ is odd, each term is 2⁻ᵏ (1 − cos(2π 3ᵏ zᵢ)) = 2⁻ᵏ 2 sin²(3ᵏ πzᵢ): one sine, tripled.
pub(crate) fn weierstrass(z: &[f64]) -> f64 {
    10.0 * (2.0 * vectorized(Weierstrass(z)) / z.len() as f64).powi(3)
}

/// Σᵢ Σₖ 2⁻ᵏ sin²(3ᵏ πzᵢ), eight coordinates at a time.
struct Weierstrass<'a>(&'a [f64]);

impl WithSimd for Weierstrass<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let mut sums = [0.0; LANES];
        for z in self.0.chunks(LANES) {
            let (mut sin2, mut cos2) = ([0.0; LANES], [1.0; LANES]);
            for (lane, z) in z.iter().enumerate() {
                let (sin, cos) = (PI * (z - z.round_ties_even())).sin_cos();
                (sin2[lane], cos2[lane]) = (sin * sin, cos * cos);
            }
            let mut weight = 1.0;
            for _ in 0..12 {
                for lane in 0..LANES {
                    sums[lane] += weight * sin2[lane];
                    (sin2[lane], cos2[lane]) = tripled(sin2[lane], cos2[lane]);
                }
                weight *= 0.5;
            }
        }
        sums.iter().sum()
    }
}

/// sin² 3φ = sin² φ (3 − 4 sin² φ)², and likewise the cosine: the lesser of them has more digits.
#[inline(always)]
fn tripled(sin2: f64, cos2: f64) -> (f64, f64) {
    let (s, c) = (sin2 * square(3.0 - 4.0 * sin2), cos2 * square(3.0 - 4.0 * cos2));
    if s < c { (s, 1.0 - s) } else { (1.0 - c, c) }
}

/// ((1/(D−1)) Σ √sᵢ (1 + sin²(50 sᵢ^0.2)))², sᵢ = √(zᵢ² + zᵢ₊₁²); 0 when D = 1.
pub(crate) fn schaffers(z: &[f64]) -> f64 {
    let term = |z: f64, next: f64| {
        let s = (z * z + next * next).sqrt();
        s.sqrt() * (1.0 + square(sine(50.0 * exponential(0.2 * logarithm(s)))))
    };
    square(neighbours(z, term) / (z.len() - 1).max(1) as f64)
}

/// Twice the distance of Schwefel's optimum from zero, in each coordinate.
pub(crate) const SCHWEFEL: f64 = 4.2096874633;

/// hᵢ = ∓2xᵢ, gᵢ = hᵢ + ¼ (hᵢ₋₁ − a), z = Λ (g − a) + a;
/// −(1/D) Σ zᵢ sin √|100 zᵢ| + 4.1898… + 100 pen(z)
pub(crate) fn schwefel(lambda: &[f64], x: &[f64]) -> f64 {
    let (mut before, mut sum, mut outside) = (SCHWEFEL, 0.0, 0.0);
    for (i, (x, lambda)) in x.iter().zip(lambda).enumerate() {
        let h = if i % 2 == 0 { -2.0 * x } else { 2.0 * x };
        let g = h + 0.25 * (before - SCHWEFEL);
        let z = lambda * (g - SCHWEFEL) + SCHWEFEL;
        sum += z * (100.0 * z).abs().sqrt().sin();
        outside += square((z.abs() - 5.0).max(0.0));
        before = h;
    }
    4.189828872724339 - sum / x.len() as f64 + 100.0 * outside
}

/// 10/D² (Π (1 + (i+1) Sᵢ)^(10/D^1.2) − 1), Sᵢ = Σ_{j=1..32} |2ʲzᵢ − round(2ʲzᵢ)|/2ʲ
pub(crate) fn katsuura(z: &[f64]) -> f64 {
    let dim = z.len() as f64;
    10.0 / (dim * dim) * (10.0 / dim.powf(1.2) * vectorized(Katsuura(z))).exp_m1()
}

/// Σ ln(1 + (i+1) Sᵢ), eight coordinates at a time. Doubling and taking off the integer are exact.
struct Katsuura<'a>(&'a [f64]);

impl WithSimd for Katsuura<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let mut logarithms = 0.0;
        for (block, z) in self.0.chunks(LANES).enumerate() {
            let mut rest = [0.0; LANES];
            rest[..z.len()].copy_from_slice(z);
            let (mut sums, mut scale) = ([0.0; LANES], 1.0);
            for _ in 0..32 {
                scale *= 0.5;
                for (sum, rest) in sums.iter_mut().zip(&mut rest) {
                    let doubled = 2.0 * *rest;
                    *rest = doubled - doubled.round_ties_even();
                    *sum += rest.abs() * scale;
                }
            }
            let factor = |(i, sum): (usize, &f64)| 1.0 + (LANES * block + i + 1) as f64 * sum;
            logarithms += sums[..z.len()].iter().enumerate().map(factor).product::<f64>().ln();
        }
        logarithms
    }
}

/// Lunacek's m₀.
pub(crate) const LUNACEK: f64 = 2.5;

/// min(Σ (hᵢ − m₀)², D + q Σ (hᵢ − m₁)²) + 10 (D − Σ cos 2πzᵢ), h = 2x
pub(crate) fn lunacek(x: &[f64], z: &[f64]) -> f64 {
    let dim = x.len() as f64;
    let q = 1.0 - 1.0 / (2.0 * (dim + 20.0).sqrt() - 8.2);
    let m1 = -((square(LUNACEK) - 1.0) / q).sqrt();
    let funnel = |centre: f64| lanes::sum(x, x, |x, _| square(2.0 * x - centre));
    funnel(LUNACEK).min(dim + q * funnel(m1)) + ripples(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits are lost neither where the terms vanish nor where sin² is near 1.
    #[test]
    fn weierstrass_keeps_its_digits() {
        for z in [1e-9, 1e-3, 0.1, 1.0 / 6.0, 0.25, 0.5 - 1e-5, 0.5 - 1e-7, 0.5, 3.5 + 1e-7] {
            let (mut plain, mut r) = (0.0, z);
            for k in 0..12 {
                r -= f64::round(r);
                plain += 0.5_f64.powi(k) * square((PI * r).sin());
                r *= 3.0;
            }
            let ours = vectorized(Weierstrass(&[z]));
            assert!((ours / plain - 1.0).abs() < 1e-12, "{z}: {ours} {plain}");
        }
    }

    /// Near the optimum the quadratic is what remains, to all digits.
    #[test]
    fn ripples_keep_their_digits_near_zero() {
        let expected = 20.0 * square(PI * 1e-9);
        assert!((ripples(&[1e-9]) / expected - 1.0).abs() < 1e-14);
        assert!(griewank_rosenbrock(&[1.0 + 1e-9; 2]) > 0.0);
    }
}
