//! How many evaluations hill climbing needs for the improvement of one step of ES.
//!
//! On f(x) = −½‖x‖² at ‖∇f‖ = 1, where ES has B = 2d: the least B with
//! maxσ E[max(0, maxᵢ f(x + σ gᵢ) − f(x))] ≥ Δ_ES. A mutant's improvement depends on ⟨∇f, g⟩ and
//! ‖g‖² alone.

use esenas::{Noise, Purpose, Seed};
use esenas_report::statistics::{Fit, fit};

use super::measure::measure;

/// The most evaluations that are tried, as a power of two.
const MOST: u32 = 16;
/// Draws of ES's step, which cost little.
const STEPS: u32 = 1000;
/// How many lengths of steps are tried, between a tenth and twice the distance to the optimum.
const SCALES: u32 = 40;

/// One dimension, measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needed {
    /// d
    pub dim: u32,
    /// Δ_ES with 2d evaluations.
    pub es: f64,
    /// How many hill climbing needs for it; `None` if more than were tried.
    pub evaluations: Option<f64>,
}

/// Measures one dimension, over `trials` draws of hill climbing's.
pub fn needed(dim: u32, trials: u32, seed: u64) -> Needed {
    let es = measure(dim, 2 * dim, 1.0, STEPS, seed).es;
    let gains = gains(dim, trials, seed);
    let reached = gains.iter().position(|gain| *gain >= es);
    // Between two powers, in logarithm.
    let between = |at: usize| {
        let Some(before) = at.checked_sub(1).and_then(|before| gains.get(before)) else {
            return 0.0;
        };
        (es - before) / (gains[at] - before) - 1.0
    };
    Needed { dim, es, evaluations: reached.map(|at| (at as f64 + between(at)).exp2()) }
}

/// ln B = rate · d + …, with the rate's error; of those dimensions whose B is known.
pub(crate) fn rate(rows: &[Needed]) -> Option<Fit> {
    let point = |row: &Needed| Some((f64::from(row.dim), row.evaluations?.ln()));
    fit(&rows.iter().filter_map(point).collect::<Vec<_>>())
}

/// The mean improvement of the best of 1, 2, 4, … mutants, at its best scale.
fn gains(dim: u32, trials: u32, seed: u64) -> Vec<f64> {
    let scale = |step: u32| {
        let length = 0.1 * 20_f64.powf(f64::from(step) / f64::from(SCALES - 1));
        length / f64::from(dim).sqrt()
    };
    let scales: Vec<f64> = (0..SCALES).map(scale).collect();
    let mut sums = vec![vec![0.0; scales.len()]; MOST as usize + 1];
    for trial in 0..trials {
        let noise = Noise::Gaussian(Seed(seed).stream(Purpose::Evaluate, trial, dim).bits());
        let mut best = vec![0.0_f64; scales.len()];
        for row in 0..1_u32 << MOST {
            let g = noise.row(row, dim as usize);
            let along = f64::from(g[0]);
            let square: f64 = g.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            for (best, scale) in best.iter_mut().zip(&scales) {
                *best = best.max(scale * along - 0.5 * scale * scale * square);
            }
            if (row + 1).is_power_of_two() {
                let sums = &mut sums[(row + 1).ilog2() as usize];
                sums.iter_mut().zip(&best).for_each(|(sum, best)| *sum += best);
            }
        }
    }
    let most = |sums: &Vec<f64>| sums.iter().copied().fold(0.0, f64::max) / f64::from(trials);
    sums.iter().map(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In one dimension the best of very many mutants reaches the optimum, ½ away; of one, a mutant
    /// with σ = s improves by E[max(0, s·a − ½s²a²)], at most 0.13. Red when the scales or the best
    /// are off.
    #[test]
    fn gains_are_those_of_one_dimension() {
        let gains = gains(1, 400, 1);
        assert!((gains[16] - 0.5).abs() < 1e-3, "{gains:?}");
        assert!((0.10..0.17).contains(&gains[0]), "{gains:?}");
        assert!(gains.is_sorted());
    }

    /// Red when it does not grow with the dimension, geometrically.
    #[test]
    fn each_dimension_multiplies_what_is_needed() {
        let rows = [4, 8, 12].map(|dim| needed(dim, 12, 2));
        let [a, b, c] = rows.map(|row| row.evaluations.unwrap());
        assert!(b / a > 2.0 && c / b > 2.0, "{rows:?}");
        assert!(rate(&rows).unwrap().slope > 0.2);
    }
}
