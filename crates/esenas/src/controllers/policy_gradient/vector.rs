//! Arithmetic on many single-precision numbers at once: matrix products, the functions of an LSTM
//! cell, the softmax.
//!
//! Products run on one thread with the machine's instructions: the same bits for any number of
//! threads, though not on every machine.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use pulp::{Simd, WithSimd};

use crate::simd;

/// A matrix in a slice, row by row.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) of: &'a [f32],
    pub(super) columns: usize,
}

impl<'a> Matrix<'a> {
    pub(super) fn new(of: &'a [f32], columns: usize) -> Self {
        Self { of, columns }
    }

    fn view(self) -> MatRef<'a, f32> {
        MatRef::from_row_major_slice(self.of, self.of.len() / self.columns, self.columns)
    }
}

/// out ← a b, or out ← out + a b.
pub(super) fn product(out: &mut [f32], add: bool, a: Matrix, b: Matrix) {
    multiply(out, add, a.view(), b.view());
}

/// out ← a bᵀ
pub(super) fn product_transposed(out: &mut [f32], a: Matrix, b: Matrix) {
    multiply(out, false, a.view(), b.view().transpose());
}

/// out ← out + aᵀ b
pub(super) fn add_outer(out: &mut [f32], a: Matrix, b: Matrix) {
    multiply(out, true, a.view().transpose(), b.view());
}

fn multiply(out: &mut [f32], add: bool, a: MatRef<f32>, b: MatRef<f32>) {
    let accumulate = if add { Accum::Add } else { Accum::Replace };
    let out = MatMut::from_row_major_slice_mut(out, a.nrows(), b.ncols());
    matmul(out, accumulate, a, b, 1.0, Par::Seq);
}

/// eˣ to 2 · 10⁻⁷ of itself, within ±87: x = n ln 2 + r, and a polynomial in r (Moshier's Cephes).
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    /// 1.5 · 2²³: adding it rounds to a whole number, which is then in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 87.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let mut y = 1.987_569_1e-4;
    y = y * r + 1.398_199_9e-3;
    y = y * r + 8.333_452e-3;
    y = y * r + 4.166_579_6e-2;
    y = y * r + 1.666_666_5e-1;
    y = y * r + 0.5;
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    (y * r * r + r + 1.0) * power
}

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

#[inline(always)]
fn tanh(x: f32) -> f32 {
    2.0 * sigmoid(2.0 * x) - 1.0
}

/// y ← y + x
pub(super) fn add(y: &mut [f32], x: &[f32]) {
    simd::run(Add { y, x });
}

struct Add<'a> {
    y: &'a mut [f32],
    x: &'a [f32],
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.y.iter_mut().zip(self.x).for_each(|(y, x)| *y += x);
    }
}

/// One row of an LSTM cell. `gates` holds the four sums and is left with i, f, g, o:
///
/// c ← σ(f) c₋ + σ(i) tanh(g),  h ← σ(o) tanh(c)
pub(super) struct Cell<'a> {
    pub(super) gates: &'a mut [f32],
    /// c₋, none at the first decision.
    pub(super) before: Option<&'a [f32]>,
    pub(super) c: &'a mut [f32],
    pub(super) tanh_c: &'a mut [f32],
    pub(super) h: &'a mut [f32],
}

impl Cell<'_> {
    pub(super) fn run(self) {
        simd::run(self);
    }
}

impl WithSimd for Cell<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let size = self.h.len();
        let (input, rest) = self.gates.split_at_mut(size);
        let (forget, rest) = rest.split_at_mut(size);
        let (update, output) = rest.split_at_mut(size);
        let (c, tanh_c, h) = (&mut self.c[..size], &mut self.tanh_c[..size], self.h);
        let (update, output) = (&mut update[..size], &mut output[..size]);
        input.iter_mut().for_each(|x| *x = sigmoid(*x));
        forget.iter_mut().for_each(|x| *x = sigmoid(*x));
        update.iter_mut().for_each(|x| *x = tanh(*x));
        output.iter_mut().for_each(|x| *x = sigmoid(*x));
        for at in 0..size {
            c[at] = input[at] * update[at];
        }
        if let Some(before) = self.before {
            let before = &before[..size];
            for at in 0..size {
                c[at] += forget[at] * before[at];
            }
        }
        for at in 0..size {
            tanh_c[at] = tanh(c[at]);
            h[at] = output[at] * tanh_c[at];
        }
    }
}

/// The gradient of one row of an LSTM cell: from those of h and c to those of the gates' sums, which
/// replace the gates, and of c₋, which replaces that of c.
pub(super) struct CellGradient<'a> {
    pub(super) gates: &'a mut [f32],
    pub(super) before: Option<&'a [f32]>,
    pub(super) tanh_c: &'a [f32],
    pub(super) dh: &'a [f32],
    pub(super) dc: &'a mut [f32],
}

impl CellGradient<'_> {
    pub(super) fn run(self) {
        simd::run(self);
    }
}

impl WithSimd for CellGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let size = self.dh.len();
        let (input, rest) = self.gates.split_at_mut(size);
        let (forget, rest) = rest.split_at_mut(size);
        let (update, output) = rest.split_at_mut(size);
        let (update, output) = (&mut update[..size], &mut output[..size]);
        let (tanh_c, dh, dc) = (&self.tanh_c[..size], self.dh, &mut self.dc[..size]);
        for at in 0..size {
            let (o, t) = (output[at], tanh_c[at]);
            let d = dc[at] + dh[at] * o * (1.0 - t * t);
            output[at] = dh[at] * t * o * (1.0 - o);
            let (i, g) = (input[at], update[at]);
            input[at] = d * g * i * (1.0 - i);
            update[at] = d * i * (1.0 - g * g);
            dc[at] = d;
        }
        match self.before {
            Some(before) => {
                let before = &before[..size];
                for at in 0..size {
                    let (f, d) = (forget[at], dc[at]);
                    forget[at] = d * before[at] * f * (1.0 - f);
                    dc[at] = d * f;
                }
            }
            None => forget.fill(0.0),
        }
    }
}

/// scores ← scores − shift, p ← exp(scores)
pub(super) struct Exponentials<'a> {
    pub(super) scores: &'a mut [f32],
    pub(super) p: &'a mut [f32],
    pub(super) shift: f32,
}

impl Exponentials<'_> {
    pub(super) fn run(self) {
        simd::run(self);
    }
}

impl WithSimd for Exponentials<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (score, p) in self.scores.iter_mut().zip(self.p) {
            *score -= self.shift;
            *p = exp(*score);
        }
    }
}

const LANES: usize = 16;

/// Σ p and Σ p·s, in sixteen lanes whatever the machine has.
pub(super) struct Moments<'a> {
    pub(super) p: &'a [f32],
    pub(super) scores: &'a [f32],
}

impl Moments<'_> {
    pub(super) fn run(self) -> (f32, f32) {
        simd::run(self)
    }
}

impl WithSimd for Moments<'_> {
    type Output = (f32, f32);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> (f32, f32) {
        let (mut sum, mut product) = ([0.0; LANES], [0.0; LANES]);
        let (p, p_rest) = self.p.as_chunks::<LANES>();
        let (s, s_rest) = self.scores.as_chunks::<LANES>();
        for (p, s) in p.iter().zip(s) {
            for lane in 0..LANES {
                sum[lane] += p[lane];
                product[lane] += p[lane] * s[lane];
            }
        }
        for (lane, (p, s)) in p_rest.iter().zip(s_rest).enumerate() {
            sum[lane] += p;
            product[lane] += p * s;
        }
        (sum.iter().sum(), product.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_accurate_to_single_precision() {
        for at in -8600..8600 {
            let x = at as f32 * 0.01;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 2e-7, "{x}");
            assert!((f64::from(tanh(x)) - f64::from(x).tanh()).abs() < 3e-7, "{x}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(f32::INFINITY).is_finite());
    }

    #[test]
    fn products_are_those_of_matrices() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 2.0, 1.0, 0.0, 3.0]);
        let mut out = [1.0; 4];
        product(&mut out, true, Matrix::new(&a, 3), Matrix::new(&b, 2));
        assert_eq!(out, [6.0, 12.0, 15.0, 24.0]);
        product_transposed(&mut out, Matrix::new(&a, 3), Matrix::new(&b, 3));
        assert_eq!(out, [7.0, 10.0, 16.0, 22.0]);
        let mut out = [0.0; 9];
        add_outer(&mut out, Matrix::new(&a, 3), Matrix::new(&b, 3));
        assert_eq!(out, [5.0, 0.0, 14.0, 7.0, 0.0, 19.0, 9.0, 0.0, 24.0]);
    }
}
