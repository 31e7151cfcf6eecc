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

/// sum ← sum + weight · x
pub(crate) fn add_scaled(sum: &mut [f64], weight: f64, x: &[f32]) {
    run(AddScaled { sum, weight, x });
}

struct AddScaled<'a> {
    sum: &'a mut [f64],
    weight: f64,
    x: &'a [f32],
}

impl WithSimd for AddScaled<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (sum, &x) in self.sum.iter_mut().zip(self.x) {
            *sum += self.weight * f64::from(x);
        }
    }
}

/// out = centre + scale · x
pub(crate) fn offset(out: &mut [f64], centre: &[f64], scale: f64, x: &[f32]) {
    run(Offset { out, centre, scale, x });
}

struct Offset<'a> {
    out: &'a mut [f64],
    centre: &'a [f64],
    scale: f64,
    x: &'a [f32],
}

impl WithSimd for Offset<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for ((out, c), &x) in self.out.iter_mut().zip(self.centre).zip(self.x) {
            *out = c + self.scale * f64::from(x);
        }
    }
}
