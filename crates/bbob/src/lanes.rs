//! Logarithms, powers and sines of eight numbers side by side.
//!
//! The platform's are called one by one, and would take most of the time of a function. These are
//! plain arithmetic without branches, so that the compiler keeps eight of them in vector registers;
//! series are cut where the next term is below half a unit in the last place, and nothing is fused
//! or reordered: the bits are the same on any machine, for one point or many. They agree with the
//! platform's to a few units in the last place.

use std::f64::consts::{LN_2, LOG2_E, PI};

use pulp::{Simd, WithSimd};

use crate::packed::vectorized;

/// Numbers side by side.
pub(crate) const LANES: usize = 8;

/// Added and taken off again, it rounds to an integer, which is then in the low bits of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The first 22 bits of `x`: products with integers up to 2³¹ are exact.
const fn first_bits(x: f64) -> f64 {
    f64::from_bits(x.to_bits() >> 31 << 31)
}

/// π in parts; the last has what a double leaves out.
const PI_PARTS: [f64; 3] = {
    let first = first_bits(PI);
    let second = first_bits(PI - first);
    [first, second, (PI - first - second) + 1.224_646_799_147_353_2e-16]
};
/// ln 2 likewise.
const LN_2_PARTS: [f64; 2] =
    [first_bits(LN_2), LN_2 - first_bits(LN_2) + 2.319_046_813_846_299_6e-17];

/// 1/n!
const fn inverse_factorial(n: u32) -> f64 {
    let (mut product, mut k) = (1.0, 2);
    while k <= n {
        product *= k as f64;
        k += 1;
    }
    1.0 / product
}

/// The values of `term` at 0, 1, …
macro_rules! series {
    ($n:literal, $k:ident => $term:expr) => {{
        let mut terms = [0.0; $n];
        let mut $k = 0;
        while $k < $n {
            terms[$k as usize] = $term;
            $k += 1;
        }
        terms
    }};
}

/// Of sin x/x in x².
const SINE: [f64; 12] = series!(12, k => {
    let term = inverse_factorial(2 * k + 1);
    if k % 2 == 0 { term } else { -term }
});
/// Of eˣ in x.
const EXPONENTIAL: [f64; 14] = series!(14, k => inverse_factorial(k));
/// Of artanh x/x in x².
const ARTANH: [f64; 11] = series!(11, k => 1.0 / (2 * k + 1) as f64);

/// Horner's scheme.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let mut sum = coefficients[N - 1];
    let mut at = N - 1;
    while at > 0 {
        at -= 1;
        sum = sum * x + coefficients[at];
    }
    sum
}

/// sin x for |x| ≤ π/2.
#[inline(always)]
fn small_sine(x: f64) -> f64 {
    x * polynomial(&SINE, x * x)
}

/// sin x for |x| up to 10⁹.
#[inline(always)]
pub(crate) fn sine(x: f64) -> f64 {
    let shifted = x * (1.0 / PI) + ROUND;
    let n = shifted - ROUND;
    let rest = ((x - n * PI_PARTS[0]) - n * PI_PARTS[1]) - n * PI_PARTS[2];
    let odd = shifted.to_bits() << 63;
    f64::from_bits(small_sine(rest).to_bits() ^ odd)
}

/// sin² πx for any x.
#[inline(always)]
pub(crate) fn sine_squared_pi(x: f64) -> f64 {
    let sine = small_sine(PI * (x - x.round_ties_even()));
    sine * sine
}

/// eˣ for |x| ≤ 700, and what that is at the border beyond.
#[inline(always)]
pub(crate) fn exponential(x: f64) -> f64 {
    let x = x.clamp(-700.0, 700.0);
    let shifted = x * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let rest = (x - n * LN_2_PARTS[0]) - n * LN_2_PARTS[1];
    f64::from_bits(polynomial(&EXPONENTIAL, rest).to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// ln x for normal x > 0. Finite for 0 and less; infinity and NaN stay what they are.
#[inline(always)]
pub(crate) fn logarithm(x: f64) -> f64 {
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const BIAS: u64 = 1024;
    let bits = x.to_bits();
    // x = 2ⁿ m with m from √½ to √2. The exponent has a bias, for it is shifted without its sign.
    let biased = bits.wrapping_add(BIAS << 52).wrapping_sub(ROOT_HALF) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(biased.wrapping_sub(BIAS) << 52));
    const TWO_TO_52: u64 = 0x4330_0000_0000_0000;
    let n = f64::from_bits(biased | TWO_TO_52) - (f64::from_bits(TWO_TO_52) + BIAS as f64);
    // ln m = 2 artanh((m − 1)/(m + 1))
    let s = (m - 1.0) / (m + 1.0);
    let small = 2.0 * s * polynomial(&ARTANH, s * s) + n * LN_2_PARTS[1];
    let logarithm = n * LN_2_PARTS[0] + small;
    if x <= f64::MAX { logarithm } else { x }
}

/// Replaces each number by `map` of it, eight at a time.
pub(crate) fn map<F: Fn(f64) -> f64>(xs: &mut [f64], map: F) {
    vectorized(Map { xs, map });
}

struct Map<'a, F> {
    xs: &'a mut [f64],
    map: F,
}

impl<F: Fn(f64) -> f64> WithSimd for Map<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (blocks, rest) = self.xs.as_chunks_mut::<LANES>();
        for x in blocks {
            for x in x.iter_mut() {
                *x = (self.map)(*x);
            }
        }
        rest.iter_mut().for_each(|x| *x = (self.map)(*x));
    }
}

/// Replaces each number and its constant by `map` of them, eight at a time.
pub(crate) fn each<F: Fn(f64, f64) -> f64>(xs: &mut [f64], constants: &[f64], map: F) {
    vectorized(Each { xs, constants, map });
}

struct Each<'a, F> {
    xs: &'a mut [f64],
    constants: &'a [f64],
    map: F,
}

impl<F: Fn(f64, f64) -> f64> WithSimd for Each<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { xs, constants, map } = self;
        let (blocks, rest) = xs.as_chunks_mut::<LANES>();
        let (of_blocks, of_rest) = constants.as_chunks::<LANES>();
        for (x, c) in blocks.iter_mut().zip(of_blocks) {
            for lane in 0..LANES {
                x[lane] = map(x[lane], c[lane]);
            }
        }
        rest.iter_mut().zip(of_rest).for_each(|(x, c)| *x = map(*x, *c));
    }
}

/// Σ aᵢ bᵢ
pub(crate) fn inner(a: &[f64], b: &[f64]) -> f64 {
    sum(a, b, |a, b| a * b)
}

/// The sum of `map` over numbers and their constants: eight sums, then those in order.
pub(crate) fn sum<F: Fn(f64, f64) -> f64>(xs: &[f64], constants: &[f64], map: F) -> f64 {
    vectorized(Sum { xs, constants, map })
}

struct Sum<'a, F> {
    xs: &'a [f64],
    constants: &'a [f64],
    map: F,
}

impl<F: Fn(f64, f64) -> f64> WithSimd for Sum<'_, F> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Self { xs, constants, map } = self;
        let (blocks, rest) = xs.as_chunks::<LANES>();
        let (of_blocks, of_rest) = constants.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (x, c) in blocks.iter().zip(of_blocks) {
            for lane in 0..LANES {
                sums[lane] += map(x[lane], c[lane]);
            }
        }
        for ((sum, x), c) in sums.iter_mut().zip(rest).zip(of_rest) {
            *sum += map(*x, *c);
        }
        sums.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(ours: f64, platform: f64, units: f64) -> bool {
        (ours - platform).abs() <= units * f64::EPSILON * platform.abs()
    }

    #[test]
    fn exact_where_they_must_be() {
        assert_eq!([sine(0.0), exponential(0.0), logarithm(1.0)], [0.0, 1.0, 0.0]);
        assert_eq!([sine_squared_pi(3.0), sine_squared_pi(-7.0)], [0.0, 0.0]);
        assert_eq!(sine_squared_pi(0.5), 1.0);
        assert!(logarithm(0.0).is_finite() && logarithm(-1.0).is_finite());
        assert!(logarithm(f64::NAN).is_nan() && exponential(f64::NAN).is_nan());
        assert!(sine(f64::NAN).is_nan() && logarithm(f64::INFINITY) == f64::INFINITY);
    }

    #[test]
    fn eight_at_a_time_or_one_is_the_same() {
        let xs: Vec<f64> = (1..30).map(|i| 0.37 * f64::from(i)).collect();
        let mut all = xs.clone();
        each(&mut all, &xs, |x, c| sine(x) + c);
        for (x, y) in xs.iter().zip(&all) {
            let mut one = [*x];
            each(&mut one, &[*x], |x, c| sine(x) + c);
            assert_eq!(one[0], *y);
        }
        let total = sum(&xs, &xs, |x, c| x * c);
        assert!(close(total, xs.iter().map(|x| x * x).sum(), 30.0));
    }

    proptest! {
        #[test]
        fn sines_agree_with_the_platform(x in -1e4..1e4_f64, small in -2.0..2.0_f64) {
            // Near a multiple of π the last place of x is what counts.
            prop_assert!((sine(x) - x.sin()).abs() < 4e-16, "{x}");
            let far = 1e5 * x;
            prop_assert!((sine(far) - far.sin()).abs() < 4e-16, "{far}");
            prop_assert!(close(sine(small), small.sin(), 4.0), "{small}");
            let plain = (PI * (small - small.round())).sin();
            prop_assert!(close(sine_squared_pi(small), plain * plain, 8.0), "{small}");
        }

        #[test]
        fn powers_agree_with_the_platform(x in -690.0..690.0_f64, y in -300.0..300.0_f64) {
            prop_assert!(close(exponential(x), x.exp(), 4.0), "{x}");
            let power = 10_f64.powf(y);
            prop_assert!(close(logarithm(power), power.ln(), 4.0), "{power}");
            let near = 1.0 + 1e-3 * y / 300.0;
            prop_assert!(close(logarithm(near), near.ln(), 4.0), "{near}");
        }
    }
}
