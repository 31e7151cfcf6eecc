//! What an optimizer with a diagonal covariance reads off its ranked points.

use std::ops::Range;

use rayon::prelude::*;

use crate::noise::{BLOCK, Given, Take};
use crate::{Base, simd};

/// A point that counts.
pub(super) struct Weighed {
    /// The row of its direction.
    pub(super) row: u32,
    /// Which way along it: ±1.
    pub(super) sign: f64,
    /// w, of its z
    pub(super) weight: f64,
    /// v, of its z²
    pub(super) of_square: f64,
}

/// Points that count for coordinates of a range.
pub(super) struct Share {
    pub(super) range: Range<usize>,
    pub(super) points: Vec<Weighed>,
}

/// Writes Σ wᵢ zᵢ and Σ vᵢ zᵢ², over the points of each of the `shares`, which follow each other
/// and are all coordinates.
///
/// The rows of z are drawn again from their key, so nothing of size n·d is ever held; the two
/// points of a pair, which stand together, draw theirs once. Where a box cut a point off, z is that
/// of the point as it was evaluated: (x − m) / (σ s) of the x on the boundary.
pub(super) fn moments(
    base: &Base,
    sigma: f64,
    shares: &[Share],
    first: &mut [f64],
    second: &mut [f64],
) {
    let block = |(block, (first, second)): (usize, (&mut [f64], &mut [f64]))| {
        let (start, end) = (block * BLOCK, block * BLOCK + first.len());
        let from = shares.partition_point(|share| share.range.end <= start);
        let to = shares.partition_point(|share| share.range.start < end);
        match &shares[from..to] {
            [share] => of_block(base, sigma, &share.points, block, [first, second]),
            shares => of_parts(base, sigma, shares, block, [first, second]),
        }
    };
    // Each coordinate is summed in the order of the points, whichever thread does it.
    if base.is_worth_sharing() {
        let second = second.par_chunks_mut(BLOCK);
        first.par_chunks_mut(BLOCK).zip(second).enumerate().for_each(block);
    } else {
        first.chunks_mut(BLOCK).zip(second.chunks_mut(BLOCK)).enumerate().for_each(block);
    }
}

/// All points for one block of coordinates, while it is near.
fn of_block(
    base: &Base,
    sigma: f64,
    points: &[Weighed],
    block: usize,
    [first, second]: [&mut [f64]; 2],
) {
    let len = first.len();
    first.fill(0.0);
    second.fill(0.0);
    let (mut low, mut high) = ([f64::NEG_INFINITY; BLOCK], [f64::INFINITY; BLOCK]);
    let (low, high) = (&mut low[..len], &mut high[..len]);
    if let (Some(bounds), Some(spread)) = (&base.bounds, &base.spread) {
        bounds.reach(block * BLOCK, (&base.centre, sigma, spread), [low, high]);
    }
    for points in points.chunk_by(|a, b| a.row == b.row) {
        let (first, second) = (&mut *first, &mut *second);
        match points {
            [one, other] => {
                let points = [one, other];
                base.give(one.row, block, len, Sum { first, second, low, high, points });
            }
            points => points.iter().for_each(|one| {
                let (first, second, points) = (&mut *first, &mut *second, [one]);
                base.give(one.row, block, len, Sum { first, second, low, high, points });
            }),
        }
    }
}

/// Likewise for a block whose coordinates count different points. The directions are drawn once for
/// all of these.
fn of_parts(
    base: &Base,
    sigma: f64,
    shares: &[Share],
    block: usize,
    [first, second]: [&mut [f64]; 2],
) {
    let (start, len) = (block * BLOCK, first.len());
    first.fill(0.0);
    second.fill(0.0);
    let (mut low, mut high) = (vec![f64::NEG_INFINITY; len], vec![f64::INFINITY; len]);
    if let (Some(bounds), Some(spread)) = (&base.bounds, &base.spread) {
        bounds.reach(start, (&base.centre, sigma, spread), [&mut low, &mut high]);
    }
    let mut rows: Vec<u32> = shares.iter().flat_map(|it| &it.points).map(|it| it.row).collect();
    rows.sort_unstable();
    rows.dedup();
    let numbers = base.directions(&rows, block, len);
    for Share { range, points } in shares {
        let here = range.start.max(start) - start..range.end.min(start + len) - start;
        let (low, high) = (&low[here.clone()], &high[here.clone()]);
        for point in points {
            let row = rows.partition_point(|row| *row < point.row);
            let numbers = &numbers[row * len..][here.clone()];
            let (first, second) = (&mut first[here.clone()], &mut second[here.clone()]);
            simd::run(Given { numbers, taker: Sum { first, second, low, high, points: [point] } });
        }
    }
}

/// Adds the points of a direction to the sums as it comes, cut off where the box is.
struct Sum<'a, const POINTS: usize> {
    first: &'a mut [f64],
    second: &'a mut [f64],
    low: &'a [f64],
    high: &'a [f64],
    points: [&'a Weighed; POINTS],
}

impl<const POINTS: usize> Take for Sum<'_, POINTS> {
    #[inline(always)]
    fn take(&mut self, at: usize, numbers: &[f32]) {
        let here = at..at + numbers.len();
        let sides = self.low[here.clone()].iter().zip(&self.high[here.clone()]);
        let sums = self.first[here.clone()].iter_mut().zip(&mut self.second[here]);
        for (((first, second), (low, high)), &z) in sums.zip(sides).zip(numbers) {
            for Weighed { sign, weight, of_square, .. } in self.points {
                let z = simd::clamp(sign * f64::from(z), *low, *high);
                *first += weight * z;
                *second += of_square * z * z;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Noise};

    /// More than is summed up by one thread, and no whole number of blocks.
    const DIM: usize = 9 * BLOCK + 5;
    const SIGMA: f64 = 0.5;

    fn points() -> Vec<Weighed> {
        let weights =
            [(7, 1.0, 0.75, 0.5), (0, -1.0, 0.25, 0.5), (0, 1.0, 0.5, 0.1), (3, -1.0, -0.5, 0.0)];
        let point = |(row, sign, weight, of_square)| Weighed { row, sign, weight, of_square };
        weights.map(point).into()
    }

    fn summed(base: &Base) -> Vec<f64> {
        let mut sums = vec![9.0; 2 * DIM];
        let (first, second) = sums.split_at_mut(DIM);
        moments(base, SIGMA, &[Share { range: 0..DIM, points: points() }], first, second);
        sums
    }

    /// Coordinate by coordinate, from the points as they are evaluated.
    fn plain(base: &Base, spread: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; 2 * DIM];
        for Weighed { row, sign, weight, of_square } in points() {
            for (at, g) in base.noise().row(row, DIM).into_iter().enumerate() {
                let mut x = [base.centre[at] + SIGMA * sign * (spread[at] * f64::from(g))];
                if let Some(bounds) = &base.bounds {
                    bounds.clip(at, &mut x);
                }
                let z = (x[0] - base.centre[at]) / (SIGMA * spread[at]);
                sums[at] += weight * z;
                sums[DIM + at] += of_square * z * z;
            }
        }
        sums
    }

    /// Directions are kept or drawn, went one way or both, the box has one interval or many. Red
    /// when a block is taken for another, a side of the box, or a point for its mirror image.
    #[test]
    fn sums_are_those_of_the_points_as_evaluated() {
        let side = |low: f64| (0..DIM).map(|at| low + at as f64 * 1e-5).collect::<Vec<_>>();
        let boxes = [
            None,
            Some(Bounds::new(vec![-0.5], vec![0.2], DIM).unwrap()),
            Some(Bounds::new(side(-0.4), side(0.11), DIM).unwrap()),
        ];
        let centre: Vec<_> = (0..DIM).map(|at| 0.1 - 0.01 * (at % 11) as f64).collect();
        let spread: Vec<_> = (0..DIM).map(|at| 0.3 + 0.1 * (at % 7) as f64).collect();
        for (bounds, rows) in
            boxes.into_iter().flat_map(|bounds| [(bounds.clone(), 8), (bounds, 900)])
        {
            let mut base = Base::new(centre.clone(), Some(spread.clone()), bounds);
            base.redirect(Noise::Gaussian(5), rows);
            assert_eq!(base.kept(7, 0, 1).is_some(), rows == 8);
            let (sums, plain) = (summed(&base), plain(&base, &spread));
            let off = |(a, b): (&f64, &f64)| (a - b).abs();
            let worst = sums.iter().zip(&plain).map(off).fold(0.0, f64::max);
            assert!(worst < 1e-12, "{worst} with {:?}", base.bounds.is_some());
        }
    }

    /// Red when a part counts the points of another, or takes the directions of another place.
    #[test]
    fn parts_count_their_own_points() {
        let mut base = Base::new(vec![0.1; DIM], Some(vec![0.7; DIM]), None);
        for rows in [8, 900] {
            base.redirect(Noise::Gaussian(5), rows);
            let whole = summed(&base);
            let cuts = [0, 7, BLOCK, BLOCK + 30, BLOCK + 31, 5 * BLOCK - 1, DIM];
            let share = |(at, pair): (usize, &[usize])| {
                let mut points = points();
                points.truncate(if at % 2 == 0 { 4 } else { 0 });
                Share { range: pair[0]..pair[1], points }
            };
            let shares: Vec<_> = cuts.windows(2).enumerate().map(share).collect();
            let mut sums = vec![9.0; 2 * DIM];
            let (first, second) = sums.split_at_mut(DIM);
            moments(&base, SIGMA, &shares, first, second);
            for (at, (sum, whole)) in sums.iter().zip(&whole).enumerate() {
                let part = cuts.partition_point(|cut| *cut <= at % DIM) - 1;
                assert_eq!(*sum, if part % 2 == 0 { *whole } else { 0.0 }, "coordinate {at}");
            }
        }
    }

    #[test]
    fn one_thread_and_eight_give_the_same_bits() {
        let mut base = Base::new(vec![0.1; DIM], Some(vec![1.0; DIM]), None);
        base.redirect(Noise::Gaussian(6), 8);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| summed(&base))
        };
        assert_eq!(on(1), on(8));
    }
}
