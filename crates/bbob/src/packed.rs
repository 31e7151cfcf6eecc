//! Matrix times points: where a rotated function spends its time.
//!
//! Rows are packed in panels of eight, column by column, so that eight outputs grow side by side in
//! vector registers, each summed over the columns in order. Four panels (for one point) or four
//! points (for a panel) at a time hide the latency of the additions and share what is loaded. No
//! operation is fused or reordered: one point or many, on any machine, the bits are the same.

use std::sync::LazyLock;

use pulp::{Arch, Simd, WithSimd};

use crate::rotation::Square;

static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);

/// Runs `operation`, whose body must be `#[inline(always)]`, with the machine's vectors.
pub(crate) fn vectorized<O: WithSimd>(operation: O) -> O::Output {
    ARCH.dispatch(operation)
}

/// Rows of a panel.
pub(crate) const ROWS: usize = 8;
/// Panels, or points, at a time.
const GROUP: usize = 4;

/// A square matrix, packed.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    dim: usize,
    panels: Vec<[f64; ROWS]>,
}

impl Packed {
    pub(crate) fn new(matrix: &Square) -> Self {
        let dim = matrix.dim;
        Self { dim, panels: pack(dim, dim, |row, column| matrix.entries[row * dim + column]) }
    }

    /// Writes A x for each point of `xs`.
    pub(crate) fn apply(&self, xs: &[f64], out: &mut [f64]) {
        vectorized(Apply { matrix: self, xs, out });
    }
}

/// Packs `rows` × `columns` entries; the last panel is filled up with zeros.
pub(crate) fn pack(
    rows: usize,
    columns: usize,
    entry: impl Fn(usize, usize) -> f64,
) -> Vec<[f64; ROWS]> {
    let at = |row, column| if row < rows { entry(row, column) } else { 0.0 };
    let column = |panel: usize, column| std::array::from_fn(|lane| at(panel * ROWS + lane, column));
    (0..rows.div_ceil(ROWS))
        .flat_map(|p| (0..columns).map(move |c| (p, c)))
        .map(|(p, c)| column(p, c))
        .collect()
}

struct Apply<'a> {
    matrix: &'a Packed,
    xs: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Packed { dim, panels } = self.matrix;
        let dim = *dim;
        let (groups, rest) = self.xs.split_at(self.xs.len() / (GROUP * dim) * GROUP * dim);
        let (outs, out_rest) = self.out.split_at_mut(groups.len());
        for (xs, out) in groups.chunks_exact(GROUP * dim).zip(outs.chunks_exact_mut(GROUP * dim)) {
            for (panel, columns) in panels.chunks_exact(dim).enumerate() {
                let sums =
                    four_points(columns, std::array::from_fn(|k| &xs[k * dim..(k + 1) * dim]));
                for (out, sum) in out.chunks_exact_mut(dim).zip(sums) {
                    write(out, panel, sum);
                }
            }
        }
        for (x, out) in rest.chunks_exact(dim).zip(out_rest.chunks_exact_mut(dim)) {
            for (group, columns) in panels.chunks(GROUP * dim).enumerate() {
                if columns.len() == GROUP * dim {
                    let sums =
                        four_panels(std::array::from_fn(|k| &columns[k * dim..(k + 1) * dim]), x);
                    sums.iter()
                        .enumerate()
                        .for_each(|(k, sum)| write(out, group * GROUP + k, *sum));
                } else {
                    for (k, columns) in columns.chunks_exact(dim).enumerate() {
                        write(out, group * GROUP + k, one(columns, x));
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn write(out: &mut [f64], panel: usize, sum: [f64; ROWS]) {
    let out = &mut out[panel * ROWS..];
    let rows = out.len().min(ROWS);
    out[..rows].copy_from_slice(&sum[..rows]);
}

#[inline(always)]
fn add(sum: &mut [f64; ROWS], column: &[f64; ROWS], x: f64) {
    for lane in 0..ROWS {
        sum[lane] += column[lane] * x;
    }
}

#[inline(always)]
fn one(columns: &[[f64; ROWS]], x: &[f64]) -> [f64; ROWS] {
    let mut sum = [0.0; ROWS];
    columns.iter().zip(x).for_each(|(column, &x)| add(&mut sum, column, x));
    sum
}

#[inline(always)]
fn four_points(columns: &[[f64; ROWS]], xs: [&[f64]; GROUP]) -> [[f64; ROWS]; GROUP] {
    let [mut a, mut b, mut c, mut d] = [[0.0; ROWS]; GROUP];
    let [x, y, z, w] = xs;
    for ((((column, &x), &y), &z), &w) in columns.iter().zip(x).zip(y).zip(z).zip(w) {
        add(&mut a, column, x);
        add(&mut b, column, y);
        add(&mut c, column, z);
        add(&mut d, column, w);
    }
    [a, b, c, d]
}

#[inline(always)]
fn four_panels(panels: [&[[f64; ROWS]]; GROUP], x: &[f64]) -> [[f64; ROWS]; GROUP] {
    let [mut a, mut b, mut c, mut d] = [[0.0; ROWS]; GROUP];
    let [p, q, r, s] = panels;
    for ((((p, q), r), s), &x) in p.iter().zip(q).zip(r).zip(s).zip(x) {
        add(&mut a, p, x);
        add(&mut b, q, x);
        add(&mut c, r, x);
        add(&mut d, s, x);
    }
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use esenas::{Purpose, Seed};

    use super::*;
    use crate::Rotation;

    #[test]
    fn agrees_with_the_plain_product_for_any_number_of_points() {
        for dim in [1, 2, 7, 8, 9, 31, 32, 33, 70] {
            let mut stream = Seed(1).stream(Purpose::Problem, 0, dim as u32);
            let matrix = Rotation::haar(dim, &mut stream).matrix;
            let packed = Packed::new(&matrix);
            for points in 0..10 {
                let xs: Vec<f64> = (0..points * dim).map(|_| stream.unit() - 0.5).collect();
                let mut out = vec![f64::NAN; xs.len()];
                packed.apply(&xs, &mut out);
                let plain: Vec<f64> = xs.chunks(dim).flat_map(|x| matrix.times(x)).collect();
                assert_eq!(out, plain, "{points} points in dimension {dim}");
            }
        }
    }
}
