//! tanh of many numbers side by side.
//!
//! The platform's is called for one number after the other, and would take most of a policy's time.
//! This one is plain arithmetic without branches, so that the compiler keeps a layer in vector
//! registers. Nothing is fused or reordered: the bits are the same on any machine, one by one or
//! side by side. It agrees with the platform's to a few units in the last place.

use std::f64::consts::{LN_2, LOG2_E};

/// Added and taken off again, it rounds to an integer, which is then in the low bits of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The first 22 bits of ln 2, whose products with small integers are exact, and the rest.
pub(crate) const LN_2_PARTS: [f64; 2] = {
    let first = f64::from_bits(LN_2.to_bits() >> 31 << 31);
    [first, LN_2 - first + 2.319_046_813_846_299_6e-17]
};

/// 1/2!, 1/3!, …: of (eˣ − 1 − x)/x² in x, cut where the next term is below half a unit in the last
/// place.
const SERIES: [f64; 12] = {
    let (mut terms, mut product, mut k) = ([0.0; 12], 1.0, 0);
    while k < 12 {
        product *= (k + 2) as f64;
        terms[k] = 1.0 / product;
        k += 1;
    }
    terms
};

/// tanh x = (e²ˣ − 1)/(e²ˣ + 1). Exactly odd; NaN stays NaN.
#[inline(always)]
pub(crate) fn tanh(x: f64) -> f64 {
    // From 20 on it is 1. (`f64::min` would lose a NaN.)
    let size = x.abs();
    let size = if size > 20.0 { 20.0 } else { size };
    // e²ˣ = 2ⁿ eʳ with |r| ≤ ln 2/2
    let shifted = 2.0 * size * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (2.0 * size - n * LN_2_PARTS[0]) - n * LN_2_PARTS[1];
    let two_to_n = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    let series = SERIES[..11].iter().rev().fold(SERIES[11], |sum, term| sum * r + term);
    // e²ˣ − 1, to all digits also where it is small.
    let e = two_to_n * (r + r * r * series) + (two_to_n - 1.0);
    (e / (e + 2.0)).copysign(x)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::tanh;

    fn units_apart(x: f64) -> u64 {
        tanh(x).to_bits().abs_diff(x.tanh().to_bits())
    }

    #[test]
    fn the_ends_are_exact_and_nan_is_nan() {
        for x in [0.0, f64::MIN_POSITIVE, 5e-324, 1e-300, 20.0, 1e300, f64::INFINITY] {
            assert_eq!(units_apart(x), 0, "{x}");
            assert_eq!(tanh(-x).to_bits(), (-tanh(x)).to_bits(), "{x}");
        }
        assert!(tanh(f64::NAN).is_nan());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]
        #[test]
        fn it_is_the_platforms(exponent in -60.0..4.5f64, sign in prop::bool::ANY) {
            let x = exponent.exp2() * if sign { 1.0 } else { -1.0 };
            prop_assert!(units_apart(x) <= 4, "{}: {} units", x, units_apart(x));
            prop_assert!(tanh(x).abs() <= 1.0);
        }
    }
}
