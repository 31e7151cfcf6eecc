//! Rotations R and Q of ℝᴰ: given, or drawn from Haar's measure on SO(D).

use esenas::{Noise, Stream};
use thiserror::Error;

/// The largest dimension in which there are rotations.
pub const MAX_ROTATED: usize = 1024;

/// How far from orthonormal a given matrix may be: enough for one that was printed with few digits.
const TOLERANCE: f64 = 1e-3;

/// An orthogonal matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    pub(crate) matrix: Square,
}

/// A square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Square {
    pub(crate) dim: usize,
    pub(crate) entries: Vec<f64>,
}

/// Why [`Rotation::new`] refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RotationError {
    /// Not as many columns as rows.
    #[error(
        "row {row} has {found} entries; a rotation is square, so each of its {rows} rows has {rows}"
    )]
    Shape {
        /// Which row.
        row: usize,
        /// How many entries it has.
        found: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// Rows that are not orthonormal.
    #[error(
        "rows {one} and {other} have the inner product {product}; a rotation's rows are orthonormal"
    )]
    NotOrthogonal {
        /// One row.
        one: usize,
        /// The other, or the same.
        other: usize,
        /// Their inner product, which is not 1 or 0.
        product: f64,
    },
    /// Absurdly large.
    #[error("{0} rows; there are rotations up to dimension {MAX_ROTATED}")]
    TooLarge(usize),
}

impl Rotation {
    /// The rotation with these rows.
    pub fn new(rows: &[Vec<f64>]) -> Result<Self, RotationError> {
        let dim = rows.len();
        if dim > MAX_ROTATED {
            return Err(RotationError::TooLarge(dim));
        }
        if let Some(row) = rows.iter().position(|row| row.len() != dim) {
            return Err(RotationError::Shape { row, found: rows[row].len(), rows: dim });
        }
        for one in 0..dim {
            for other in 0..=one {
                let product = dot(&rows[one], &rows[other]);
                let expected = if one == other { 1.0 } else { 0.0 };
                // Written so that NaN is refused.
                let near = (product - expected).abs() <= TOLERANCE;
                if !near {
                    return Err(RotationError::NotOrthogonal { one, other, product });
                }
            }
        }
        Ok(Self { matrix: Square { dim, entries: rows.concat() } })
    }

    /// A random rotation: Householder reflections along Gaussian vectors of dimension D, D−1, …, 2,
    /// signed so that the product is uniform on SO(D) (Stewart 1980, "The efficient generation of
    /// random orthogonal matrices").
    pub fn haar(dim: usize, stream: &mut Stream) -> Self {
        let noise = Noise::Gaussian(stream.bits());
        let mut matrix = Square::identity(dim);
        let (mut signs, mut determinant) = (Vec::with_capacity(dim), 1.0);
        for first in 0..dim.saturating_sub(1) {
            let g = noise.row(first as u32, dim - first);
            let mut v: Vec<f64> = g.into_iter().map(f64::from).collect();
            let sign = if v[0] < 0.0 { -1.0 } else { 1.0 };
            v[0] += sign * dot(&v, &v).sqrt();
            let norm = dot(&v, &v);
            if norm > 0.0 {
                matrix.reflect(first, &v, 2.0 / norm);
                determinant = -determinant;
            }
            signs.push(sign);
            determinant *= sign;
        }
        signs.push(determinant);
        for (row, sign) in matrix.entries.chunks_exact_mut(dim.max(1)).zip(signs) {
            row.iter_mut().for_each(|entry| *entry *= sign);
        }
        Self { matrix }
    }

    /// D
    pub fn dim(&self) -> usize {
        self.matrix.dim
    }

    /// Its rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.matrix.rows()
    }
}

impl Square {
    pub(crate) fn identity(dim: usize) -> Self {
        let mut entries = vec![0.0; dim * dim];
        entries.iter_mut().step_by(dim + 1).for_each(|entry| *entry = 1.0);
        Self { dim, entries }
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.entries.chunks_exact(self.dim.max(1))
    }

    /// Multiplies from the right by I − scale · v vᵀ, v being zero before coordinate `first`.
    fn reflect(&mut self, first: usize, v: &[f64], scale: f64) {
        for row in self.entries.chunks_exact_mut(self.dim) {
            let row = &mut row[first..];
            let along = scale * dot(row, v);
            row.iter_mut().zip(v).for_each(|(entry, v)| *entry -= along * v);
        }
    }

    /// selfᵀ v
    pub(crate) fn transposed(&self, v: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.dim];
        for (row, v) in self.rows().zip(v) {
            out.iter_mut().zip(row).for_each(|(out, entry)| *out += entry * v);
        }
        out
    }

    /// self · v
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        self.rows().map(|row| dot(row, v)).collect()
    }

    /// after · self: first this map, then the other.
    pub(crate) fn then(&self, after: &Self) -> Self {
        let product = |row: &[f64]| self.transposed(row);
        Self { dim: self.dim, entries: after.rows().flat_map(product).collect() }
    }

    /// diag(scale) · self
    pub(crate) fn scale_rows(&mut self, scale: &[f64]) {
        for (row, scale) in self.entries.chunks_exact_mut(self.dim.max(1)).zip(scale) {
            row.iter_mut().for_each(|entry| *entry *= scale);
        }
    }

    /// self · diag(scale)
    pub(crate) fn scale_columns(&mut self, scale: &[f64]) {
        for row in self.entries.chunks_exact_mut(self.dim.max(1)) {
            row.iter_mut().zip(scale).for_each(|(entry, scale)| *entry *= scale);
        }
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use esenas::{Purpose, Seed};

    use super::*;

    fn haar(dim: usize, seed: u64) -> Rotation {
        Rotation::haar(dim, &mut Seed(seed).stream(Purpose::Problem, 0, 0))
    }

    /// Gaussian elimination with pivots.
    fn determinant(square: &Square) -> f64 {
        let mut rows: Vec<Vec<f64>> = square.rows().map(<[f64]>::to_vec).collect();
        let mut determinant = 1.0;
        for k in 0..rows.len() {
            let largest = |&i: &usize, &j: &usize| rows[i][k].abs().total_cmp(&rows[j][k].abs());
            let pivot = (k..rows.len()).max_by(largest).unwrap();
            if pivot != k {
                rows.swap(pivot, k);
                determinant = -determinant;
            }
            determinant *= rows[k][k];
            let (above, below) = rows.split_at_mut(k + 1);
            for row in below {
                let share = row[k] / above[k][k];
                row.iter_mut().zip(&above[k]).for_each(|(x, p)| *x -= share * p);
            }
        }
        determinant
    }

    #[test]
    fn drawn_rotations_are_rotations() {
        for dim in [1, 2, 3, 10, 41, 100] {
            let rotation = haar(dim, 5);
            for (i, one) in rotation.rows().enumerate() {
                for (j, other) in rotation.rows().enumerate() {
                    let expected = f64::from(i == j);
                    assert!((dot(one, other) - expected).abs() < 1e-13, "{dim}: {i} {j}");
                }
            }
            assert!((determinant(&rotation.matrix) - 1.0).abs() < 1e-12, "{dim}");
        }
    }

    /// Under Haar's measure E Rᵢⱼ = 0, E Rᵢⱼ² = 1/D, and E (tr R)² = 1 for D > 2.
    #[test]
    fn drawn_rotations_are_uniform() {
        const N: u32 = 4000;
        let (mut means, mut squares, mut traces) = ([0.0; 9], [0.0; 9], 0.0);
        for seed in 0..N {
            let entries = haar(3, seed.into()).matrix.entries;
            traces += (entries[0] + entries[4] + entries[8]).powi(2) / f64::from(N);
            for (i, entry) in entries.iter().enumerate() {
                means[i] += entry / f64::from(N);
                squares[i] += entry * entry / f64::from(N);
            }
        }
        assert!(means.iter().all(|mean| mean.abs() < 0.04), "{means:?}");
        assert!(squares.iter().all(|square| (square - 1.0 / 3.0).abs() < 0.025), "{squares:?}");
        assert!((traces - 1.0).abs() < 0.1, "{traces}");
    }

    #[test]
    fn what_is_no_rotation_is_refused() {
        let new =
            |rows: &[&[f64]]| Rotation::new(&rows.iter().map(|r| r.to_vec()).collect::<Vec<_>>());
        assert!(new(&[&[0.6, 0.8], &[-0.8, 0.6]]).is_ok());
        assert_eq!(
            new(&[&[1.0, 0.0], &[0.0]]),
            Err(RotationError::Shape { row: 1, found: 1, rows: 2 })
        );
        assert_eq!(
            new(&[&[1.0, 0.0], &[0.5, 1.0]]),
            Err(RotationError::NotOrthogonal { one: 1, other: 0, product: 0.5 })
        );
        assert!(new(&[&[f64::NAN]]).is_err());
    }
}
