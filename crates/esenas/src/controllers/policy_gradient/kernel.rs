//! Matrix products in single precision, with the machine's vectors.
//!
//! An entry of a product is one chain of fused multiplications and additions, in the order of the
//! sum, whatever the vectors' width: unlike those of a library that adapts its order to the
//! processor, its bits are the same on every machine and for any number of threads. And the
//! matrices of a recurrent network are multiplied hundreds of times between two updates: here they
//! are packed once.
//!
//! Columns come in lines of sixteen, the last filled up with zeros: [`padded`]. A matrix to be
//! multiplied with is packed into [`Panels`] of four lines, and a tile of four rows by four lines,
//! or of two on a machine with fewer registers, is computed at a time.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::lines::Lines;
use crate::simd;

/// How many columns a line has.
pub(super) const LINE: usize = 16;

/// How many lines a panel has; the last has what is left.
const WIDE: usize = 4;

/// How many rows of a panel are used at a time.
const DEEP: usize = 128;

/// `n`, filled up to whole lines.
pub(super) fn padded(n: usize) -> usize {
    n.next_multiple_of(LINE)
}

/// A matrix as [`Product`] reads it: panel by panel, and in a panel row by row.
#[derive(Debug)]
pub(super) struct Panels {
    depth: usize,
    lines: usize,
    of: Lines,
}

impl Panels {
    /// Of `depth` rows and `columns` columns, with what `at` says of a row and a column.
    pub(super) fn new(depth: usize, columns: usize, at: impl Fn(usize, usize) -> f32) -> Self {
        let lines = columns.div_ceil(LINE);
        let mut of = Lines::zeros(depth * lines * LINE);
        let mut rows = of.iter_mut();
        for first in (0..lines).step_by(WIDE) {
            let range = first * LINE..(first + WIDE).min(lines) * LINE;
            for row in 0..depth {
                let columns = range.clone().map(|c| if c < columns { at(row, c) } else { 0.0 });
                columns.zip(&mut rows).for_each(|(x, of)| *of = x);
            }
        }
        Self { depth, lines, of }
    }

    /// The panels, each with its first line and how many it has.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, usize, &[f32])> {
        let firsts = (0..self.lines).step_by(WIDE);
        firsts
            .zip(self.of.chunks((self.depth * WIDE * LINE).max(1)))
            .map(|(first, panel)| (first, WIDE.min(self.lines - first), panel))
    }
}

/// out ← out + a b, row by row; `out` has rows of `stride`, of which b's lines are the first.
pub(super) struct Product<'a> {
    pub(super) out: &'a mut [f32],
    pub(super) stride: usize,
    pub(super) a: &'a [f32],
    /// Of a row of a; as many as b is deep are read.
    pub(super) a_stride: usize,
    pub(super) b: &'a Panels,
}

impl Product<'_> {
    pub(super) fn run(self) {
        if !self.out.is_empty() && self.b.depth > 0 {
            simd::run(self);
        }
    }
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { out, stride, a, a_stride, b } = self;
        for (first, lines, panel) in b.iter() {
            let mut rows =
                Rows { out: &mut *out, stride, column: first * LINE, a, a_stride, panel };
            match lines {
                1 => rows.multiply::<S, 1>(simd, b.depth),
                2 => rows.multiply::<S, 2>(simd, b.depth),
                3 => rows.multiply::<S, 3>(simd, b.depth),
                _ => rows.multiply::<S, WIDE>(simd, b.depth),
            }
        }
    }
}

struct Rows<'a> {
    out: &'a mut [f32],
    stride: usize,
    column: usize,
    a: &'a [f32],
    a_stride: usize,
    panel: &'a [f32],
}

impl Rows<'_> {
    /// A few rows of the panel at a time, so that they stay in the nearest cache.
    #[inline(always)]
    fn multiply<S: Simd, const N: usize>(&mut self, simd: S, depth: usize) {
        for start in (0..depth).step_by(DEEP) {
            self.some::<S, N>(simd, start..depth.min(start + DEEP));
        }
    }

    #[inline(always)]
    fn some<S: Simd, const N: usize>(&mut self, simd: S, depth: Range<usize>) {
        let rows = self.out.len() / self.stride;
        let mut row = 0;
        if S::REGISTER_COUNT >= 32 {
            while row + 4 <= rows {
                self.tile::<S, 4, N>(simd, &depth, row);
                row += 4;
            }
        }
        while row + 2 <= rows {
            self.tile::<S, 2, N>(simd, &depth, row);
            row += 2;
        }
        while row < rows {
            self.tile::<S, 1, N>(simd, &depth, row);
            row += 1;
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const M: usize, const N: usize>(
        &mut self,
        simd: S,
        depth: &Range<usize>,
        row: usize,
    ) {
        let parts = LINE / S::F32_LANES;
        let panel = &self.panel[depth.start * N * LINE..depth.end * N * LINE];
        let panel = S::as_simd_f32s(panel).0;
        let mut a = [self.a; M];
        for (m, a) in a.iter_mut().enumerate() {
            *a = &self.a[(row + m) * self.a_stride..][depth.start..depth.end];
        }
        for part in 0..parts {
            let mut sums = [[simd.splat_f32s(0.0); N]; M];
            for (m, sums) in sums.iter_mut().enumerate() {
                let out = &self.out[(row + m) * self.stride + self.column..][..N * LINE];
                let out = S::as_simd_f32s(out).0;
                for (n, sum) in sums.iter_mut().enumerate() {
                    *sum = out[n * parts + part];
                }
            }
            let sums = multiply(simd, a, panel, part, sums);
            for (m, sums) in sums.iter().enumerate() {
                let out = &mut self.out[(row + m) * self.stride + self.column..][..N * LINE];
                let out = S::as_mut_simd_f32s(out).0;
                for (n, sum) in sums.iter().enumerate() {
                    out[n * parts + part] = *sum;
                }
            }
        }
    }
}

/// sums ← sums + a b, of M rows and part of the lines of a panel.
#[inline(always)]
pub(super) fn multiply<S: Simd, const M: usize, const N: usize>(
    simd: S,
    a: [&[f32]; M],
    panel: &[S::f32s],
    part: usize,
    mut sums: [[S::f32s; N]; M],
) -> [[S::f32s; N]; M] {
    let parts = LINE / S::F32_LANES;
    let depth = a[0].len();
    for (k, b) in panel.chunks_exact(N * parts).enumerate().take(depth) {
        for m in 0..M {
            let x = simd.splat_f32s(a[m][k]);
            for n in 0..N {
                sums[m][n] = simd.mul_add_f32s(x, b[n * parts + part], sums[m][n]);
            }
        }
    }
    sums
}

/// out ← out + aᵀ b: a sum over the rows of both of the products of all columns of one with all of
/// the other, in the order of the rows. `rows` counts those of `out`, the first columns of a.
pub(super) struct Outer<'a> {
    /// Rows of as many columns as those of b.
    pub(super) out: &'a mut [f32],
    pub(super) a: &'a [f32],
    pub(super) a_stride: usize,
    pub(super) b: &'a [f32],
    pub(super) b_stride: usize,
}

impl Outer<'_> {
    pub(super) fn run(self) {
        if !self.b.is_empty() {
            simd::run(self);
        }
    }
}

/// Rows of a and b that stay in a near cache while they are multiplied.
const NEAR: usize = 64;

impl WithSimd for Outer<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { out, a, a_stride, b, b_stride } = self;
        let near = a.chunks(NEAR * a_stride).zip(b.chunks(NEAR * b_stride));
        for (a, b) in near {
            let mut block = Block { out: &mut *out, a, a_stride, b, b_stride };
            let mut column = 0;
            while column + WIDE * LINE <= b_stride {
                block.columns::<S, WIDE>(simd, column);
                column += WIDE * LINE;
            }
            match (b_stride - column) / LINE {
                1 => block.columns::<S, 1>(simd, column),
                2 => block.columns::<S, 2>(simd, column),
                3 => block.columns::<S, 3>(simd, column),
                _ => {}
            }
        }
    }
}

struct Block<'a> {
    out: &'a mut [f32],
    a: &'a [f32],
    a_stride: usize,
    b: &'a [f32],
    b_stride: usize,
}

impl Block<'_> {
    #[inline(always)]
    fn columns<S: Simd, const N: usize>(&mut self, simd: S, column: usize) {
        let rows = self.out.len() / self.b_stride;
        let mut row = 0;
        if S::REGISTER_COUNT >= 32 {
            while row + 4 <= rows {
                self.tile::<S, 4, N>(simd, row, column);
                row += 4;
            }
        }
        while row + 2 <= rows {
            self.tile::<S, 2, N>(simd, row, column);
            row += 2;
        }
        while row < rows {
            self.tile::<S, 1, N>(simd, row, column);
            row += 1;
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const M: usize, const N: usize>(
        &mut self,
        simd: S,
        row: usize,
        column: usize,
    ) {
        let parts = LINE / S::F32_LANES;
        for part in 0..parts {
            let mut sums = [[simd.splat_f32s(0.0); N]; M];
            for (m, sums) in sums.iter_mut().enumerate() {
                let out = &self.out[(row + m) * self.b_stride + column..][..N * LINE];
                let out = S::as_simd_f32s(out).0;
                for (n, sum) in sums.iter_mut().enumerate() {
                    *sum = out[n * parts + part];
                }
            }
            let rows = self.a.chunks_exact(self.a_stride).zip(self.b.chunks_exact(self.b_stride));
            for (a, b) in rows {
                let (a, b) = (&a[row..row + M], &b[column..column + N * LINE]);
                let b = S::as_simd_f32s(b).0;
                for m in 0..M {
                    let x = simd.splat_f32s(a[m]);
                    for n in 0..N {
                        sums[m][n] = simd.mul_add_f32s(x, b[n * parts + part], sums[m][n]);
                    }
                }
            }
            for (m, sums) in sums.iter().enumerate() {
                let out = &mut self.out[(row + m) * self.b_stride + column..][..N * LINE];
                let out = S::as_mut_simd_f32s(out).0;
                for (n, sum) in sums.iter().enumerate() {
                    out[n * parts + part] = *sum;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize, by: usize) -> Vec<f32> {
        (0..n).map(|at| ((at * by + 5) % 23) as f32 / 7.0 - 1.5).collect()
    }

    /// Against sums in double precision, for every number of rows and lines a tile can have; and
    /// the machine's vectors against none, to the last bit. Red when a tile, a panel or a part of a
    /// line is misplaced, or the order of a sum depends on the vectors.
    #[test]
    fn products_are_those_of_matrices_on_any_machine() {
        for (rows, depth, columns) in
            [(1, 1, 1), (2, 5, 16), (7, 150, 33), (9, 3, 70), (4, 130, 130)]
        {
            let (stride, a, b) =
                (padded(columns), numbers(rows * depth, 3), numbers(depth * columns, 7));
            let panels = Panels::new(depth, columns, |row, at| b[row * columns + at]);
            let mut out = vec![1.0; rows * stride];
            Product { out: &mut out, stride, a: &a, a_stride: depth, b: &panels }.run();
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |c| (row, c))) {
                let part = |k| f64::from(a[row * depth + k]) * f64::from(b[k * columns + column]);
                let exact = 1.0 + (0..depth).map(part).sum::<f64>();
                assert!((f64::from(out[row * stride + column]) - exact).abs() < 1e-4);
            }
            let mut scalar = vec![1.0; rows * stride];
            Product { out: &mut scalar, stride, a: &a, a_stride: depth, b: &panels }
                .with_simd(pulp::Scalar);
            assert_eq!(out, scalar);
        }
    }

    #[test]
    fn outer_products_are_those_of_matrices_on_any_machine() {
        for (rows, m, lines) in [(1, 1, 1), (70, 7, 2), (150, 4, 3), (3, 9, 7)] {
            let (a_stride, b_stride) = (m + 1, lines * LINE);
            let (a, b) = (numbers(rows * a_stride, 3), numbers(rows * b_stride, 7));
            let mut out = vec![1.0; m * b_stride];
            Outer { out: &mut out, a: &a, a_stride, b: &b, b_stride }.run();
            for (i, j) in (0..m).flat_map(|i| (0..b_stride).map(move |j| (i, j))) {
                let part = |r| f64::from(a[r * a_stride + i]) * f64::from(b[r * b_stride + j]);
                let exact = 1.0 + (0..rows).map(part).sum::<f64>();
                assert!((f64::from(out[i * b_stride + j]) - exact).abs() < 1e-4);
            }
            let mut scalar = vec![1.0; m * b_stride];
            Outer { out: &mut scalar, a: &a, a_stride, b: &b, b_stride }.with_simd(pulp::Scalar);
            assert_eq!(out, scalar);
        }
    }
}
