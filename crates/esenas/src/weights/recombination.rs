//! Ranking and recombination: what the distribution-based optimizers of θ share.

use serde::{Deserialize, Serialize};

use super::start::SIGMA;
use crate::optimizer::told;
use crate::{BLOCK, Noise};

/// Which points move the mean.
///
/// Half of what a batch says of a gradient is in its worse half. Where d is large beside λ, so that
/// values are nearly linear in a step, weights of both signs progress up to twice as far with the
/// same evaluations (Arnold 2006, "Weighted multirecombination evolution strategies"); where d is
/// small, the way from a bad point need not be a good one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recombination {
    /// The better half, as Hansen has it.
    #[default]
    Better,
    /// All: the worse half with the weights of the better one, mirrored.
    All,
}

impl Recombination {
    /// The weights of the mean for `told` points, best first, from those of the better half.
    pub(super) fn weights(self, better: &[f64], told: usize) -> Vec<f64> {
        let mut weights = better.to_vec();
        if self == Self::All {
            weights.resize(told, 0.0);
            weights.iter_mut().rev().zip(better).for_each(|(w, mirrored)| *w -= mirrored);
        }
        weights
    }
}

/// The positions told a value, with it, best first; ties in the order they were asked in.
pub(super) fn ranked(asked: usize, values: &[Option<f64>]) -> Vec<(u32, f64)> {
    let usable = (0..asked).filter_map(|index| Some((index as u32, told(values, index)?)));
    let mut ranked: Vec<(u32, f64)> = usable.collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked
}

/// Whether a ranking says anything: fewer than two values, or all alike, prefer no direction.
pub(super) fn informs(ranked: &[(u32, f64)]) -> bool {
    matches!(ranked, [best, .., worst] if best.1 > worst.1)
}

/// λ = 4 + ⌊3 ln d⌋ (Hansen 2016, Eq. 48).
pub(super) fn default_population(dim: usize) -> usize {
    4 + (3.0 * (dim as f64).ln()).floor() as usize
}

/// E‖N(0, I)‖ ≈ √d (1 − 1/4d + 1/21d²) (Hansen 2016, p. 28).
pub(super) fn expected_norm(dim: usize) -> f64 {
    let d = dim as f64;
    d.sqrt() * (1.0 - 1.0 / (4.0 * d) + 1.0 / (21.0 * d * d))
}

/// wᵢ = ln(above) − ln i for i = 1 … count, as they are.
pub(super) fn log_weights(above: f64, count: usize) -> Vec<f64> {
    (1..=count).map(|i| above.ln() - (i as f64).ln()).collect()
}

/// Scales `weights` to sum to one and returns μ_eff = 1 / Σ wᵢ².
pub(super) fn normalize(weights: &mut [f64]) -> f64 {
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= sum);
    effective(weights)
}

/// μ_eff = 1 / Σ wᵢ²
pub(super) fn effective(weights: &[f64]) -> f64 {
    1.0 / weights.iter().map(|w| w * w).sum::<f64>()
}

/// Cumulation: path ← (1 − c) path + √(c (2 − c) μ_eff) z
pub(super) fn follow(path: &mut [f64], rate: f64, mu_eff: f64, z: &[f64]) {
    let push = (rate * (2.0 - rate) * mu_eff).sqrt();
    path.iter_mut().zip(z).for_each(|(path, z)| *path = (1.0 - rate) * *path + push * z);
}

/// d_σ, the damping of σ (Hansen 2016, Eq. 55).
pub(super) fn damping(dim: usize, mu_eff: f64, c_sigma: f64) -> f64 {
    let excess = ((mu_eff - 1.0) / (dim as f64 + 1.0)).sqrt() - 1.0;
    1.0 + 2.0 * excess.max(0.0) + c_sigma
}

/// Whether h_σ = 0: p_σ, of this length in multiples of the expected one, is too long for p_c to
/// follow. A young path is short of its stationary length, which is allowed for (Hansen 2016, p.
/// 28).
pub(super) fn stalls(length: f64, c_sigma: f64, iteration: u64, dim: usize) -> bool {
    let young = (1.0 - (1.0 - c_sigma).powf(2.0 * (iteration + 1) as f64)).sqrt();
    length / young >= 1.4 + 2.0 / (dim as f64 + 1.0)
}

/// σ · exp(change), growing by at most a factor e and within fixed limits.
pub(super) fn rescaled(sigma: f64, change: f64) -> f64 {
    (sigma * change.min(1.0).exp()).clamp(SIGMA.0, SIGMA.1)
}

/// Writes rows `first ..` of `noise`, as many as there is room for, one after the other.
pub(super) fn write_rows(noise: &Noise, first: usize, dim: usize, out: &mut [f64]) {
    let mut single = [0.0_f32; BLOCK];
    for (row, out) in (first..).zip(out.chunks_exact_mut(dim)) {
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            let single = &mut single[..out.len()];
            noise.fill(row as u32, block, single);
            out.iter_mut().zip(&*single).for_each(|(out, z)| *out = f64::from(*z));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red when the worse half is not the better one's mirror image.
    #[test]
    fn the_worse_half_counts_against_its_steps() {
        let better = [0.6, 0.4];
        assert_eq!(Recombination::Better.weights(&better, 5), better);
        assert_eq!(Recombination::All.weights(&better, 5), [0.6, 0.4, 0.0, -0.4, -0.6]);
        assert_eq!(Recombination::All.weights(&[1.0], 2), [1.0, -1.0]);
    }
}
