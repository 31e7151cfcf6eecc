//! The directions g₁, g₂, … of an iteration, as a matrix nobody stores.
//!
//! Row i is gᵢ ~ N(0, I_d). Any block of any row can be written at any time, by any thread, from a
//! 64-bit key alone, so directions are drawn once to probe and again to update, and memory stays
//! O(d). That asks for a generator of about a clock cycle per number:
//!
//! - bits from sixteen xoshiro128++ generators side by side (Blackman and Vigna 2021), seeded per
//!   block by SplitMix64;
//! - Gaussians by Box and Muller's transform in single precision: |g| ≤ 6.7, relative resolution
//!   2⁻²⁴, the resolution of every accelerator library. Logarithm, sine and cosine are short
//!   polynomials, so that the loop vectorizes and its bits are the same on every machine: only
//!   +, −, ×, ÷ and √ are used, which IEEE 754 fixes.
//!
//! Structured directions after Choromanski et al. (2018, "Structured evolution with compact
//! architectures"): [`Noise::Hadamard`] rows are those of a Hadamard matrix with random column
//! signs; [`Noise::Orthogonal`] rows are Gaussian rows made orthogonal, their lengths kept.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

/// Coordinates are written in blocks of this many.
pub const BLOCK: usize = 1024;
const LANES: usize = 16;
/// What one step of all lanes yields.
const STEP: usize = 2 * LANES;

static ARCH: LazyLock<pulp::Arch> = LazyLock::new(pulp::Arch::new);

/// An addressed matrix of directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Noise {
    /// Independent standard Gaussians, from this key.
    Gaussian(u64),
    /// Rows of a Hadamard matrix with random column signs from this key: entries ±1.
    Hadamard(u64),
    /// Rows written out.
    Orthogonal(Arc<Vec<Vec<f32>>>),
}

impl Default for Noise {
    fn default() -> Self {
        Self::Gaussian(0)
    }
}

impl Noise {
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
        debug_assert!(out.len() <= BLOCK);
        match self {
            Self::Gaussian(key) => ARCH.dispatch(|| gaussian(lanes(*key, row, block), out)),
            Self::Hadamard(key) => hadamard(*key, row, block, out),
            Self::Orthogonal(rows) => {
                let start = block * BLOCK;
                out.copy_from_slice(&rows[row as usize][start..start + out.len()]);
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

    /// Whether both are the same matrix, told without reading it.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Orthogonal(a), Self::Orthogonal(b)) => Arc::ptr_eq(a, b),
            (Self::Orthogonal(_), _) | (_, Self::Orthogonal(_)) => false,
            _ => self == other,
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
    for half in 0..2 {
        for lane in 0..LANES {
            state = state.wrapping_add(GOLDEN);
            let bits = mix(state);
            lanes[2 * half][lane] = bits as u32;
            lanes[2 * half + 1][lane] = (bits >> 32) as u32;
        }
    }
    lanes
}

/// One step of xoshiro128++ on every lane.
#[inline(always)]
fn step(s: &mut Lanes) -> [u32; LANES] {
    let mut out = [0; LANES];
    for l in 0..LANES {
        let [a, b, c, d] = [s[0][l], s[1][l], s[2][l], s[3][l]];
        out[l] = a.wrapping_add(d).rotate_left(7).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        [s[0][l], s[1][l]] = [a ^ d, b ^ c];
        [s[2][l], s[3][l]] = [c ^ (b << 9), d.rotate_left(11)];
    }
    out
}

#[inline(always)]
fn gaussian(mut lanes: Lanes, out: &mut [f32]) {
    let (whole, rest) = out.as_chunks_mut::<STEP>();
    for out in whole {
        *out = box_muller(step(&mut lanes), step(&mut lanes));
    }
    if !rest.is_empty() {
        rest.copy_from_slice(&box_muller(step(&mut lanes), step(&mut lanes))[..rest.len()]);
    }
}

/// √(−2 ln u) · (cos 2πv, sin 2πv), with u from the first bits and v from the second.
#[inline(always)]
fn box_muller(first: [u32; LANES], second: [u32; LANES]) -> [f32; STEP] {
    let mut out = [0.0; STEP];
    for l in 0..LANES {
        let u = ((first[l] >> 1) as i32 as f32 + 0.5) * (1.0 / (1u32 << 31) as f32);
        let radius = (-2.0 * ln(u)).sqrt();
        // Two bits choose the quadrant, the other thirty an angle within ±π/4 of its axis.
        let angle =
            (second[l] as i32 >> 2) as f32 * (std::f32::consts::FRAC_PI_4 / (1 << 29) as f32);
        let z = angle * angle;
        let sin = angle
            * (1.0 + z * (-1.0 / 6.0 + z * (1.0 / 120.0 + z * (-1.0 / 5040.0 + z / 362_880.0))));
        let cos = 1.0 + z * (-0.5 + z * (1.0 / 24.0 + z * (-1.0 / 720.0 + z * (1.0 / 40320.0))));
        let swap = second[l] & 1 != 0;
        let sign = (second[l] & 2) << 30;
        let flip = |x: f32, sign: u32| f32::from_bits(x.to_bits() ^ sign);
        let (x, y) = if swap { (flip(sin, 1 << 31), cos) } else { (cos, sin) };
        out[l] = radius * flip(x, sign);
        out[LANES + l] = radius * flip(y, sign);
    }
    out
}

/// ln u for u in (0, 1], to about 2⁻²³: u = 2ᵉ·m with m in [√½, √2), ln m = 2 artanh((m−1)/(m+1)).
#[inline(always)]
fn ln(u: f32) -> f32 {
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let shifted = u.to_bits().wrapping_sub(SQRT_HALF) as i32;
    let exponent = (shifted >> 23) as f32;
    let m = f32::from_bits((shifted as u32 & 0x007f_ffff) + SQRT_HALF);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let artanh = s * (1.0 + z * (1.0 / 3.0 + z * (0.2 + z * (1.0 / 7.0 + z * (1.0 / 9.0)))));
    exponent * std::f32::consts::LN_2 + 2.0 * artanh
}

/// Entry (i, j) of a Hadamard matrix in Sylvester's order is (−1)^|i ∧ j|. Rows beyond the order of
/// the matrix continue in another one, with signs of its own.
fn hadamard(key: u64, row: u32, block: usize, out: &mut [f32]) {
    for (offset, x) in out.iter_mut().enumerate() {
        let column = (block * BLOCK + offset) as u64;
        let signs = mix(key ^ mix(column >> 6)) >> (column & 63);
        let odd = (u64::from(row) & column).count_ones() as u64 ^ signs;
        *x = if odd & 1 == 0 { 1.0 } else { -1.0 };
    }
}
