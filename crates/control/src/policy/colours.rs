//! Fixed patterns of weight sharing (A.4.2): which weight each edge has.
//!
//! A pattern colours the matrix between two layers; every matrix has colours of its own.

use std::ops::Range;

use super::Layout;

/// The colour of entry (row, column) of a matrix, and how many colours the matrix has.
type Pattern = fn(rows: usize, columns: usize, row: usize, column: usize) -> (usize, usize);

/// The colours of all edges, in their order, and how many there are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Colours {
    pub(super) of: Vec<u32>,
    pub(super) count: usize,
}

impl Colours {
    /// T(i, j) depends on j − i alone: a + b − 1 weights.
    pub(super) fn toeplitz(layout: &Layout) -> Self {
        Self::new(layout, |rows, columns, row, column| {
            (column + rows - 1 - row, rows + columns - 1)
        })
    }

    /// An n × n circulant with n = max(a, b), cut to a × b: n weights.
    pub(super) fn circulant(layout: &Layout) -> Self {
        Self::new(layout, |rows, columns, row, column| {
            let n = rows.max(columns);
            ((column + n - row) % n, n)
        })
    }

    fn new(layout: &Layout, pattern: Pattern) -> Self {
        let mut of = vec![0; layout.edges()];
        let mut count = 0;
        for (layer, (sources, reach, first)) in layout.layers().enumerate() {
            for columns in layout.matrices(layer) {
                let at = Matrix { sources: &sources, reach: &reach, columns: &columns, first };
                let mut colours = 0;
                for row in 0..sources.len() {
                    for column in 0..columns.len() {
                        let colour = pattern(sources.len(), columns.len(), row, column);
                        of[at.edge(row, column)] = (count + colour.0) as u32;
                        colours = colour.1;
                    }
                }
                count += colours;
            }
        }
        Self { of, count }
    }
}

/// Where a matrix is among the edges that leave a layer.
struct Matrix<'a> {
    sources: &'a Range<usize>,
    reach: &'a Range<usize>,
    columns: &'a Range<usize>,
    first: usize,
}

impl Matrix<'_> {
    fn edge(&self, row: usize, column: usize) -> usize {
        debug_assert!(row < self.sources.len());
        self.first + row * self.reach.len() + (self.columns.start - self.reach.start) + column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Biases;

    /// Figure 2 (b) of the paper: 4 × 6 entries in nine colours.
    #[test]
    fn toeplitz_is_the_pattern_of_the_figure() {
        let layout = Layout::new(4, 6, &[], false, Biases::None).unwrap();
        let toeplitz = Colours::toeplitz(&layout);
        assert_eq!(toeplitz.count, 9);
        let at = |row: usize, column: usize| toeplitz.of[row * 6 + column];
        for row in 1..4 {
            assert!((1..6).all(|column| at(row, column) == at(row - 1, column - 1)));
        }
        let edge: std::collections::BTreeSet<_> =
            (0..6).map(|c| at(0, c)).chain((0..4).map(|r| at(r, 0))).collect();
        assert_eq!(edge.len(), 9, "the first row and column hold every colour once");
    }

    #[test]
    fn circulant_rows_are_rotations() {
        for (rows, columns) in [(3, 5), (5, 3), (4, 4)] {
            let layout = Layout::new(rows, columns, &[], false, Biases::None).unwrap();
            let circulant = Colours::circulant(&layout);
            let n = rows.max(columns);
            assert_eq!(circulant.count, n);
            for row in 0..rows {
                for column in 0..columns {
                    let same = circulant.of[row * columns + column] as usize;
                    assert_eq!(same, (column + n - row) % n);
                }
            }
            assert!((0..n as u32).all(|c| circulant.of.contains(&c)), "no colour is idle");
        }
    }

    /// Red when matrices of residual edges overlap or share colours.
    #[test]
    fn every_matrix_has_colours_of_its_own() {
        let layout = Layout::new(3, 2, &[4], true, Biases::None).unwrap();
        let toeplitz = Colours::toeplitz(&layout);
        assert_eq!(toeplitz.count, (3 + 4 - 1) + (3 + 2 - 1) + (4 + 2 - 1));
        let colour = |source, target| {
            let edge = (0..layout.edges()).find(|e| layout.ends(*e) == (source, target));
            toeplitz.of[edge.unwrap()]
        };
        assert_eq!(colour(0, 3), colour(1, 4));
        assert_eq!(colour(0, 7), colour(1, 8));
        assert_ne!(colour(0, 6), colour(1, 7), "not across the border of two matrices");
    }
}
