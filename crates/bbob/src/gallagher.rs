//! Gallagher's 101 peaks.
//!
//! f = T_osz(10 − max_k w_k exp(−(R(x−y_k))ᵀ C_k (R(x−y_k)) / 2D))². Nothing about the peaks is
//! random: they lie along the diagonal of the box, the best of them at zero.

use pulp::{Simd, WithSimd};

use crate::packed::{ROWS, pack, vectorized};
use crate::rotation::Rotation;
use crate::transforms::{lambda, osz};

const PEAKS: usize = 101;

/// The peaks in rotated coordinates, eight side by side.
#[derive(Clone, Debug)]
pub(crate) struct Peaks {
    dim: usize,
    /// R y_k
    places: Vec<[f64; ROWS]>,
    /// The diagonal of C_k / 2D.
    slopes: Vec<[f64; ROWS]>,
    /// ln(w_k/10); −∞ for those that only fill up the last eight.
    heights: Vec<[f64; ROWS]>,
}

/// y_k, the diagonal of C_k, and w_k.
fn peak(k: usize, dim: usize) -> (Vec<f64>, Vec<f64>, f64) {
    let Some(i) = k.checked_sub(1) else { return (vec![0.0; dim], lambda(1000.0, dim), 10.0) };
    let along = |j: usize| -5.0 + 10.0 * (i * dim + j + 1) as f64 / (PEAKS * dim + 2) as f64;
    let condition = 1000.0_f64.powf(2.0 * i as f64 / 99.0);
    let slopes = lambda(condition, dim).into_iter().map(|l| l / condition.powf(0.25)).collect();
    ((0..dim).map(along).collect(), slopes, 1.1 + 8.0 * i as f64 / 99.0)
}

impl Peaks {
    pub(crate) fn new(dim: usize, rotation: Option<&Rotation>) -> Self {
        let rotate = |y: Vec<f64>| rotation.map_or(y.clone(), |r| r.matrix.times(&y));
        let peaks: Vec<_> = (0..PEAKS)
            .map(|k| peak(k, dim))
            .map(|(place, slopes, weight)| (rotate(place), slopes, weight))
            .collect();
        let mut heights = pack(PEAKS, 1, |k, _| (peaks[k].2 / 10.0).ln());
        if let Some(last) = heights.last_mut() {
            last[PEAKS % ROWS..].fill(f64::NEG_INFINITY);
        }
        Self {
            dim,
            places: pack(PEAKS, dim, |k, j| peaks[k].0[j]),
            slopes: pack(PEAKS, dim, |k, j| peaks[k].1[j] / (2 * dim) as f64),
            heights,
        }
    }

    /// f at z = R x.
    pub(crate) fn value(&self, z: &[f64]) -> f64 {
        // 10 − 10 exp(u), without cancellation at the optimum, where u = 0.
        osz(-10.0 * vectorized(Highest { peaks: self, z }).exp_m1()).powi(2)
    }
}

/// max_k ln(w_k/10) − e_k/2D
struct Highest<'a> {
    peaks: &'a Peaks,
    z: &'a [f64],
}

impl WithSimd for Highest<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Peaks { dim, places, slopes, heights } = self.peaks;
        let panels = places.chunks_exact(*dim).zip(slopes.chunks_exact(*dim)).zip(heights);
        let mut highest = f64::NEG_INFINITY;
        for ((places, slopes), heights) in panels {
            let mut depths = [0.0; ROWS];
            for ((place, slope), &z) in places.iter().zip(slopes).zip(self.z) {
                for lane in 0..ROWS {
                    let apart = z - place[lane];
                    depths[lane] += slope[lane] * (apart * apart);
                }
            }
            highest = heights.iter().zip(depths).map(|(h, d)| h - d).fold(highest, f64::max);
        }
        highest
    }
}
