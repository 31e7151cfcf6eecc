//! The directions g₁, g₂, … of an iteration, as a matrix nobody stores.
//!
//! Row i is gᵢ ~ N(0, I_d). Any block of any row can be written at any time, by any thread, from a
//! 64-bit key alone: directions too large to keep are drawn once to probe and again to update, and
//! memory stays O(d). That asks for a generator of about a clock cycle per number:
//!
//! - bits from sixteen xoshiro128+ generators side by side (Blackman and Vigna 2021), seeded per
//!   block by SplitMix64;
//! - Gaussians by Box and Muller's transform in single precision: |g| ≤ 6.7, relative resolution
//!   2⁻²⁴, the resolution of every accelerator library. Logarithm, sine and cosine are short
//!   polynomials, so that the loop vectorizes and its bits are the same on every machine: only
//!   +, −, ×, ÷ and √ are used, which IEEE 754 fixes.
//!
//! Structured directions after Choromanski et al. (2018, "Structured evolution with compact
//! architectures"): [`Noise::Hadamard`] rows are those of a Hadamard matrix with random column
//! signs; [`Noise::Orthogonal`] rows are Gaussian rows made orthogonal, their lengths kept. Rows of
//! [`Noise::Cosine`] are orthogonal in any number of dimensions, and as cheap as those of a
//! Hadamard matrix: they are those of the discrete cosine transform,
//!
//! ```text
//! z_ij = rᵢ sⱼ √2 cos(π i (2j + 1) / 2d),  z_0j = r₀ sⱼ,  i, j < d
//! ```
//!
//! with random signs of columns, s, and of rows, r. Without the latter all rows agree in the sign
//! of the first coordinates, and who learns from differences between rows is blind to these.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::simd;

/// Coordinates are written in blocks of this many.
pub const BLOCK: usize = 1024;
const LANES: usize = 16;
/// What one step of all lanes yields.
pub(crate) const STEP: usize = 2 * LANES;
/// As many doubles as the widest vector holds.
pub(crate) const WIDTH: usize = 8;

/// An addressed matrix of directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Noise {
    /// Independent standard Gaussians, from this key.
    Gaussian(u64),
    /// Rows of a Hadamard matrix of order 2^`order`, its columns signed from `key`: entries ±1.
    Hadamard {
        /// Where the signs come from.
        key: u64,
        /// log₂ of the number of rows after which new signs are drawn.
        order: u32,
    },
    /// Rows of length √`dim`, each `dim` of them orthogonal, beginning with the row of this number.
    Cosine {
        /// Where the signs come from.
        key: u64,
        /// d
        dim: u32,
        /// The number of the first row: directions may go on where others have ended.
        first: u64,
    },
    /// Rows written out.
    Orthogonal(Arc<Vec<Vec<f32>>>),
}

impl Default for Noise {
    fn default() -> Self {
        Self::Gaussian(0)
    }
}

impl Noise {
    /// Randomly signed Hadamard rows for `dim` dimensions.
    pub fn hadamard(key: u64, dim: usize) -> Self {
        Self::Hadamard { key, order: dim.next_power_of_two().ilog2() }
    }

    /// `rows` Gaussian rows in `dim` dimensions, orthogonal within each group of `dim`.
    pub fn orthogonal(key: u64, rows: usize, dim: usize) -> Self {
        let gaussian = Self::Gaussian(key);
        let mut matrix: Vec<Vec<f64>> = Vec::with_capacity(rows);
        for row in 0..rows {
            let mut g: Vec<f64> =
                gaussian.row(row as u32, dim).into_iter().map(f64::from).collect();
            let length = norm(&g);
            let group = row - row % dim.max(1);
            // Gram and Schmidt, twice: once is not enough in floating point.
            for _ in 0..2 {
                for earlier in &matrix[group..] {
                    let share = dot(&g, earlier) / dot(earlier, earlier);
                    g.iter_mut().zip(earlier).for_each(|(x, e)| *x -= share * e);
                }
            }
            let rescale = length / norm(&g);
            g.iter_mut().for_each(|x| *x *= rescale);
            matrix.push(g);
        }
        let single = |row: Vec<f64>| row.into_iter().map(|x| x as f32).collect();
        Self::Orthogonal(Arc::new(matrix.into_iter().map(single).collect()))
    }

    /// Writes coordinates `block · BLOCK ..` of row `row`.
    pub fn fill(&self, row: u32, block: usize, out: &mut [f32]) {
        match self {
            Self::Hadamard { key, order } => hadamard(*key, *order, row, block, out),
            Self::Cosine { key, dim, first } => {
                cosine(*key, *dim, first.wrapping_add(row.into()), block, out);
            }
            Self::Gaussian(_) | Self::Orthogonal(_) => {
                self.give(row, block, out.len(), Fill(out));
            }
        }
    }

    /// Gives `len` coordinates from `block · BLOCK` of row `row` to `taker` while they are drawn:
    /// what it does with them costs little, since it is done while the next ones are divided and
    /// rooted.
    pub(crate) fn give(&self, row: u32, block: usize, len: usize, taker: impl Take) {
        debug_assert!(len <= BLOCK);
        match self {
            Self::Gaussian(key) => {
                simd::run(Gaussian { lanes: lanes(*key, row, block), len, taker });
            }
            Self::Hadamard { .. } | Self::Cosine { .. } => {
                let mut room = [0.0; BLOCK];
                self.fill(row, block, &mut room[..len]);
                simd::run(Given { numbers: &room[..len], taker });
            }
            Self::Orthogonal(rows) => {
                let start = block * BLOCK;
                simd::run(Given { numbers: &rows[row as usize][start..start + len], taker });
            }
        }
    }

    /// A whole row.
    pub fn row(&self, row: u32, dim: usize) -> Vec<f32> {
        let mut out = vec![0.0; dim];
        self.fill_row(row, &mut out);
        out
    }

    /// Writes a whole row.
    pub fn fill_row(&self, row: u32, out: &mut [f32]) {
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            self.fill(row, block, out);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// SplitMix64's finalizer (Steele, Lea and Flood 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

type Lanes = [[u32; LANES]; 4];

/// The generators of one block: 32 steps of SplitMix64 from its address.
fn lanes(key: u64, row: u32, block: usize) -> Lanes {
    let mut state = mix(key ^ mix(GOLDEN ^ (u64::from(row) << 32 | block as u64)));
    let mut lanes = [[0; LANES]; 4];
    for word in lanes.as_chunks_mut::<2>().0 {
        let [low, high] = word;
        for (low, high) in low.iter_mut().zip(high) {
            state = state.wrapping_add(GOLDEN);
            let bits = mix(state);
            (*low, *high) = (bits as u32, (bits >> 32) as u32);
        }
    }
    lanes
}

/// One step of xoshiro128+ on every lane. Its weakest bits, the lowest, weigh least below.
#[inline(always)]
fn step(s: &mut Lanes) -> [u32; LANES] {
    let mut out = [0; LANES];
    for l in 0..LANES {
        let [a, b, c, d] = [s[0][l], s[1][l], s[2][l], s[3][l]];
        out[l] = a.wrapping_add(d);
        let (c, d) = (c ^ a, d ^ b);
        [s[0][l], s[1][l]] = [a ^ d, b ^ c];
        [s[2][l], s[3][l]] = [c ^ (b << 9), d.rotate_left(11)];
    }
    out
}

/// Takes a part of a direction, a few coordinates at a time and in their order.
pub(crate) trait Take {
    /// `numbers` are the coordinates from `at`. To be marked `#[inline(always)]`.
    fn take(&mut self, at: usize, numbers: &[f32]);

    /// The same of as many as are drawn at a time. Where it goes [`WIDTH`] by [`WIDTH`], in loops
    /// without an end unknown to the compiler, numbers stay in registers, and it takes a third
    /// less.
    #[inline(always)]
    fn take_step(&mut self, at: usize, numbers: &[f32; STEP]) {
        self.take(at, numbers);
    }

    /// The same of all of a block, which were drawn before.
    #[inline(always)]
    fn take_kept(&mut self, numbers: &[f32]) {
        self.take(0, numbers);
    }
}

/// Writes them down.
struct Fill<'a>(&'a mut [f32]);

impl Take for Fill<'_> {
    #[inline(always)]
    fn take(&mut self, at: usize, numbers: &[f32]) {
        self.0[at..at + numbers.len()].copy_from_slice(numbers);
    }
}

/// A block of Gaussians, drawn with the widest vectors the machine has.
struct Gaussian<T> {
    lanes: Lanes,
    len: usize,
    taker: T,
}

impl<T: Take> pulp::WithSimd for Gaussian<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) {
        // Half of the way to the next numbers is gone while these are taken: the way is long, and
        // the machine looks ahead only so far.
        let last = self.len.saturating_sub(1) / STEP * STEP;
        let mut ahead = polar(&mut self.lanes);
        for at in (0..last).step_by(STEP) {
            let now = ahead;
            ahead = polar(&mut self.lanes);
            self.taker.take_step(at, &box_muller(now));
        }
        self.taker.take(last, &box_muller(ahead)[..self.len - last]);
    }
}

/// A block of what is there already.
pub(crate) struct Given<'a, T> {
    pub(crate) numbers: &'a [f32],
    pub(crate) taker: T,
}

impl<T: Take> pulp::WithSimd for Given<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) {
        self.taker.take_kept(self.numbers);
    }
}

/// −2 ln u, with u from the first bits, and the bits v comes from.
#[inline(always)]
fn polar(lanes: &mut Lanes) -> ([f32; LANES], [u32; LANES]) {
    let (first, second) = (step(lanes), step(lanes));
    let mut square = [0.0; LANES];
    for l in 0..LANES {
        square[l] = minus_two_ln(first[l] >> 1);
    }
    (square, second)
}

/// √(−2 ln u) · (cos 2πv, sin 2πv)
#[inline(always)]
fn box_muller((square, second): ([f32; LANES], [u32; LANES])) -> [f32; STEP] {
    let mut out = [0.0; STEP];
    for l in 0..LANES {
        let radius = square[l].sqrt();
        // Thirty bits are an angle within ±π/4, one mirrors it, one swaps the axes.
        let (cos, sin) = cos_sin((second[l] << 2) as i32 as f32 * QUARTER);
        let x = f32::from_bits((radius * cos).to_bits() ^ (second[l] << 1 & 1 << 31));
        let y = radius * sin;
        let swap = (second[l] as i32) < 0;
        out[l] = if swap { y } else { x };
        out[LANES + l] = if swap { x } else { y };
    }
    out
}

/// π/4 as the largest of 32 signed bits.
const QUARTER: f32 = std::f32::consts::FRAC_PI_4 / (1u32 << 31) as f32;

/// cos and sin within ±π/4: minimax polynomials, to 2⁻²³ and 2⁻²⁸.
#[inline(always)]
fn cos_sin(angle: f32) -> (f32, f32) {
    let z = angle * angle;
    let cos = 1.0 - 0.5 * z + z * z * (0.041_661_28 - 0.001_365_24 * z);
    let sin = angle + angle * z * (-0.166_666_55 + z * (0.008_332_18 - 0.000_195_17 * z));
    (cos, sin)
}

/// −2 ln u for u = (x + ½)/2³¹, to 2⁻²²: u = 2ᵉ·m with m in [√½, √2), and
/// ln m = 2 artanh((m − 1)/(m + 1)).
#[inline(always)]
fn minus_two_ln(x: u32) -> f32 {
    /// √½ · 2³¹, as bits: subtracting it leaves e in the exponent's place.
    const ORIGIN: u32 = 0x3f35_04f3 + (31 << 23);
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let shifted = (x as i32 as f32 + 0.5).to_bits().wrapping_sub(ORIGIN) as i32;
    let exponent = (shifted >> 23) as f32;
    let m = f32::from_bits((shifted as u32 & 0x007f_ffff) + SQRT_HALF);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let minus_four_artanh = s * (-4.0 + z * (-1.333_112 - 0.824_058_3 * z));
    minus_four_artanh - exponent * (2.0 * std::f32::consts::LN_2)
}

/// Entry (i, j) of a Hadamard matrix in Sylvester's order is (−1)^|i ∧ j|. Rows beyond its order
/// continue in another matrix, with signs of its own.
fn hadamard(key: u64, order: u32, row: u32, block: usize, out: &mut [f32]) {
    let key = mix(key ^ mix(u64::from(row) >> order));
    for (word, out) in words(block, out) {
        let signs = mix(key ^ mix(word));
        for (column, x) in (word << 6..).zip(out) {
            let odd = u64::from((u64::from(row) & column).count_ones()) ^ signs >> (column & 63);
            *x = if odd & 1 == 0 { 1.0 } else { -1.0 };
        }
    }
}

/// A block's columns, 64 at a time: as many as there are signs in a word, with the word's number.
fn words(block: usize, out: &mut [f32]) -> impl Iterator<Item = (u64, &mut [f32])> {
    ((block * BLOCK / 64) as u64..).zip(out.chunks_mut(64))
}

/// The module's formula; each `dim` rows have signs of their own. i (2j + 1) / 4d is a share of a
/// full turn, and is counted in 2⁻⁶⁴ of one.
fn cosine(key: u64, dim: u32, row: u64, block: usize, out: &mut [f32]) {
    let dim = u64::from(dim.max(1));
    let (key, i) = (mix(key ^ mix(row / dim)), row % dim);
    let turns = |times: u64| {
        let full = u128::from(4 * dim);
        (((u128::from(i) * u128::from(times) % full) << 64) / full) as u64
    };
    let (mut turn, step) = (turns(2 * (block * BLOCK) as u64 + 1), turns(2));
    let length = if i == 0 { 1.0 } else { std::f32::consts::SQRT_2 };
    let flip = mix(key ^ GOLDEN ^ i) & 1;
    for (word, out) in words(block, out) {
        let signs = mix(key ^ mix(word));
        for (column, x) in out.iter_mut().enumerate() {
            let sign = ((signs >> column & 1) ^ flip) as u32;
            let value = length * cos_of_turn((turn >> 32) as u32);
            *x = f32::from_bits(value.to_bits() ^ sign << 31);
            turn = turn.wrapping_add(step);
        }
    }
}

/// cos(2π t/2³²), from the quarter of the turn that t is nearest to.
fn cos_of_turn(t: u32) -> f32 {
    let quarter = t.wrapping_add(1 << 29) >> 30;
    let (cos, sin) = cos_sin((t.wrapping_sub(quarter << 30) << 2) as i32 as f32 * QUARTER);
    let size = if quarter & 1 == 0 { cos } else { sin };
    // Negative in the two quarters on the left.
    f32::from_bits(size.to_bits() ^ (quarter.wrapping_add(1) & 2) << 30)
}

#[cfg(test)]
mod tests;
