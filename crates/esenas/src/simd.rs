//! Long loops, run with the widest vectors the machine has.
//!
//! Only the width is chosen at run time. No operation is fused or reordered, so the bits are the
//! same on every machine.

use std::sync::LazyLock;

use pulp::{Arch, Simd, WithSimd};

static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);

/// Runs `operation`, whose body must be `#[inline(always)]`, with the machine's vectors.
pub(crate) fn run<O: WithSimd>(operation: O) -> O::Output {
    ARCH.dispatch(operation)
}

/// x, or the side it is beyond; [`f64::clamp`] without its check of the sides, which vectors cannot
/// make.
#[inline(always)]
pub(crate) fn clamp(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// sum ← sum + Σ weight · x, row after row.
///
/// Four rows at a time save most of the way to and from memory; each coordinate still takes them
/// one after the other.
pub(crate) fn add_scaled<const ROWS: usize>(
    sum: &mut [f64],
    weights: [f64; ROWS],
    rows: [&[f32]; ROWS],
) {
    run(AddScaled { sum, weights, rows });
}

struct AddScaled<'a, const ROWS: usize> {
    sum: &'a mut [f64],
    weights: [f64; ROWS],
    rows: [&'a [f32]; ROWS],
}

impl<const ROWS: usize> WithSimd for AddScaled<'_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let rows = self.rows.map(|row| &row[..self.sum.len()]);
        for (j, sum) in self.sum.iter_mut().enumerate() {
            let mut total = *sum;
            for (weight, row) in self.weights.iter().zip(rows) {
                total += weight * f64::from(row[j]);
            }
            *sum = total;
        }
    }
}

/// Σ x², in eight sums: the same on every machine.
pub(crate) fn squared_norm(x: &[f64]) -> f64 {
    run(SquaredNorm(x))
}

struct SquaredNorm<'a>(&'a [f64]);

impl WithSimd for SquaredNorm<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let (whole, rest) = self.0.as_chunks::<8>();
        let mut sums = [0.0; 8];
        for x in whole {
            sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += x * x);
        }
        sums.iter().copied().chain(rest.iter().map(|x| x * x)).sum()
    }
}
