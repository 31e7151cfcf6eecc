//! Points in pairs m ± δ around the mean of a distribution.
//!
//! Brockhoff et al. 2010, "Mirrored sampling and sequential selection for evolution strategies":
//! half the numbers to draw, and what is even in δ cancels from the step. But where both halves of
//! a pair count, so do their z, and Σ wᵢ zᵢ is shorter than that of independent z. If selection is
//! by chance and P of λ points' pairs are whole, its variance is
//!
//! ```text
//! 1/μ_eff = Σ wᵢ² − 2P ((Σ wᵢ)² − Σ wᵢ²)/(λ(λ − 1))
//! ```
//!
//! in each coordinate: two ranks drawn without replacement have E[w w′] = ((Σ wᵢ)² − Σ wᵢ²)/(λ(λ −
//! 1)). This takes the place of Σ wᵢ² wherever steps of the mean are summed up, so that p_σ keeps
//! the length it is measured by. That a pair of unlike values makes longer steps than chance is
//! then seen as what it is: a slope.

use std::collections::BTreeSet;

use super::recombination::effective;

/// The direction of the point at `index`, and which way it goes: ±1.
pub(super) fn place(mirrored: bool, index: u32) -> (u32, f64) {
    match mirrored {
        false => (index, 1.0),
        true => (index / 2, if index.is_multiple_of(2) { 1.0 } else { -1.0 }),
    }
}

/// How many directions `n` points need.
pub(super) fn directions(mirrored: bool, n: usize) -> usize {
    if mirrored { n.div_ceil(2) } else { n }
}

/// How many pairs of the points `told` have both their values.
pub(super) fn pairs(mirrored: bool, told: &[(u32, f64)]) -> usize {
    let rows: BTreeSet<u32> = told.iter().map(|(index, _)| place(mirrored, *index).0).collect();
    told.len() - rows.len()
}

/// μ_eff of `weights`, with so many `pairs` among the points `told`.
pub(super) fn paired(weights: &[f64], told: usize, pairs: usize) -> f64 {
    let (squares, told) = (1.0 / effective(weights), told as f64);
    let share = if pairs == 0 { 0.0 } else { 2.0 * pairs as f64 / (told * (told - 1.0)) };
    1.0 / (squares - share * (weights.iter().sum::<f64>().powi(2) - squares))
}

/// Spreads the first half of the columns of `draws` over all, each beside its mirror image.
pub(super) fn unfold(dim: usize, draws: &mut [f64]) {
    for index in (0..draws.len() / dim).rev() {
        let (from, sign) = place(true, index as u32);
        let from = from as usize * dim;
        draws.copy_within(from..from + dim, index * dim);
        draws[index * dim..][..dim].iter_mut().for_each(|z| *z *= sign);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::recombination::{Recombination, log_weights, normalize};
    use crate::{Purpose, Seed};

    /// The variance of Σ wᵢ zᵢ with ranks dealt by chance. Red when the formula forgets a lone
    /// point, or which weights count twice.
    #[test]
    fn steps_of_chance_are_as_long_as_mu_eff_says() {
        let mut stream = Seed(4).stream(Purpose::Ask, 0, 0);
        for (points, recombination) in
            [(8, Recombination::Better), (9, Recombination::Better), (8, Recombination::All)]
        {
            let mut better = log_weights(points as f64 / 2.0 + 1.0, points / 2);
            normalize(&mut better);
            let mut weights = recombination.weights(&better, points);
            let mu_eff = paired(&weights, points, points / 2);
            weights.resize(points, 0.0);
            let (mut sum, runs) = (0.0, 20_000);
            for _ in 0..runs {
                let mut ranks: Vec<(f64, u32)> =
                    (0..points as u32).map(|index| (stream.unit(), index)).collect();
                ranks.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut steps = vec![0.0; directions(true, points)];
                for ((_, index), weight) in ranks.iter().zip(&weights) {
                    let (row, sign) = place(true, *index);
                    steps[row as usize] += sign * weight;
                }
                sum += steps.iter().map(|x| x * x).sum::<f64>();
            }
            let seen = sum / f64::from(runs);
            assert!((seen * mu_eff - 1.0).abs() < 0.02, "{points} points: {seen}, {mu_eff}");
        }
    }

    #[test]
    fn pairs_are_counted_where_both_values_are_there() {
        let told: Vec<(u32, f64)> = [5, 0, 2, 1, 4].into_iter().map(|index| (index, 0.0)).collect();
        assert_eq!((pairs(true, &told), pairs(false, &told)), (2, 0));
        assert_eq!((directions(true, 5), directions(false, 5)), (3, 5));
        assert_eq!(paired(&[0.5, 0.5], 4, 0), 2.0);
    }

    #[test]
    fn columns_unfold_into_pairs() {
        let mut draws = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 0.0];
        unfold(2, &mut draws);
        assert_eq!(draws, [1.0, 2.0, -1.0, -2.0, 3.0, 4.0, -3.0, -4.0, 5.0, 6.0]);
    }
}
