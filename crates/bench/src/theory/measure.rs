//! One step of each, many times.

use esenas::shaping::Normalize;
use esenas::weights::{Es, EsConfig};
use esenas::{Noise, Optimizer, Purpose, Seed, WeightOptimizer};

/// Small enough to be local, large enough that differences of values keep their digits.
const SIGMA: f64 = 0.1;

/// The improvements of one step, at the best hyperparameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Δ_ES
    pub es: f64,
    /// Its η.
    pub step_size: f64,
    /// Δ_MUT
    pub mutation: f64,
    /// Its σ_mut.
    pub mutation_scale: f64,
}

impl Measured {
    /// Δ_ES/Δ_MUT
    pub fn ratio(&self) -> f64 {
        self.es / self.mutation
    }
}

/// The bound of Theorem 1 without its constant: (√d − √log B)² / (κ log B).
pub(crate) fn predicted(dim: u32, batch: u32, condition: f64) -> f64 {
    let log = f64::from(batch).ln();
    (f64::from(dim).sqrt() - log.sqrt()).max(0.0).powi(2) / (condition * log)
}

/// Measures both in `dim` dimensions with `batch` evaluations, over `trials` draws.
pub fn measure(dim: u32, batch: u32, condition: f64, trials: u32, seed: u64) -> Measured {
    let axes = axes(dim, condition);
    let (mut along, mut curved) = (0.0, 0.0);
    let mut draws = Vec::with_capacity(trials as usize);
    for trial in 0..trials {
        let gradient = direction(dim, seed, trial);
        let estimate = estimate(&axes, &gradient, batch / 2, seed, trial);
        along += dot(&gradient, &estimate);
        curved += weighted(&axes, &estimate);
        draws.push(mutants(&axes, &gradient, batch, seed, trial));
    }
    let trials = f64::from(trials);
    let (along, curved) = (along / trials, curved / trials);
    let (mutation_scale, mutation) = best_scale(&draws, axes.iter().sum(), batch);
    Measured {
        es: 0.5 * along * along / curved,
        step_size: along / curved,
        mutation,
        mutation_scale,
    }
}

/// aᵢ, from 1 to κ.
fn axes(dim: u32, condition: f64) -> Vec<f64> {
    let last = f64::from(dim.max(2) - 1);
    (0..dim).map(|i| condition.powf(f64::from(i) / last)).collect()
}

/// ∇f: a direction drawn uniformly.
fn direction(dim: u32, seed: u64, trial: u32) -> Vec<f64> {
    let key = Seed(seed).stream(Purpose::Problem, trial, 0).bits();
    let row: Vec<f64> =
        Noise::Gaussian(key).row(0, dim as usize).into_iter().map(f64::from).collect();
    let norm = dot(&row, &row).sqrt();
    row.into_iter().map(|x| x / norm).collect()
}

/// ĝ: the step of the engine's ES with η = 1 and values as they are, Eq. 4.
fn estimate(axes: &[f64], gradient: &[f64], pairs: u32, seed: u64, trial: u32) -> Vec<f64> {
    let start: Vec<f64> = gradient.iter().zip(axes).map(|(g, a)| -g / a).collect();
    let config = EsConfig {
        sigma: SIGMA.into(),
        step_size: 1.0.into(),
        directions: pairs,
        normalize: Normalize::Off,
        ..EsConfig::default()
    };
    let mut es = Es::new(config, start.clone(), None).expect("the settings are valid ones");
    let mut stream = Seed(seed).stream(Purpose::Ask, trial, 0);
    let points = es.ask(2 * pairs as usize, &mut stream);
    let value = |x: &[f64]| Some(-0.5 * weighted(axes, x));
    es.tell(&points.iter().map(|theta| value(&theta.to_vec())).collect::<Vec<_>>());
    es.centre().to_vec().iter().zip(&start).map(|(after, before)| after - before).collect()
}

/// For each mutant, ⟨∇f, g⟩ and gᵀAg: all that its improvement depends on.
fn mutants(axes: &[f64], gradient: &[f64], batch: u32, seed: u64, trial: u32) -> Vec<(f64, f64)> {
    let noise = Noise::Gaussian(Seed(seed).stream(Purpose::Evaluate, trial, 0).bits());
    let mutant = |row| {
        let g: Vec<f64> = noise.row(row, axes.len()).into_iter().map(f64::from).collect();
        (dot(gradient, &g), weighted(axes, &g))
    };
    (0..batch).map(mutant).collect()
}

/// The σ_mut with the greatest mean improvement, and that improvement.
fn best_scale(draws: &[Vec<(f64, f64)>], trace: f64, batch: u32) -> (f64, f64) {
    let about = (2.0 * f64::from(batch + 1).ln()).sqrt() / trace;
    let scales = (-60..=60).map(|step| about * 10_f64.powf(f64::from(step) / 40.0));
    let mean = |scale: f64| {
        let gain = |&(along, curved): &(f64, f64)| scale * along - 0.5 * scale * scale * curved;
        let best = |draw: &Vec<(f64, f64)>| draw.iter().map(gain).fold(0.0, f64::max);
        draws.iter().map(best).sum::<f64>() / draws.len().max(1) as f64
    };
    let tried = scales.map(|scale| (scale, mean(scale)));
    tried.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((about, 0.0))
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// xᵀAx
fn weighted(axes: &[f64], x: &[f64]) -> f64 {
    axes.iter().zip(x).map(|(a, x)| a * x * x).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E[ĝᵀAĝ] = ((n + 1) ∇ᵀA∇ + ‖∇‖² tr A)/n, by Isserlis' theorem; ∇ᵀA∇ is tr A/d on average.
    /// Red when ĝ is not the mean over pairs, or misses a half.
    #[test]
    fn es_improves_as_computed_by_hand() {
        for (dim, batch, condition) in [(20, 40, 1.0), (50, 10, 1.0), (40, 64, 10.0)] {
            let trace: f64 = axes(dim, condition).iter().sum();
            let n = f64::from(batch / 2);
            let curved = ((n + 1.0) * trace / f64::from(dim) + trace) / n;
            let expected = 0.5 / curved;
            let measured = measure(dim, batch, condition, 600, 1);
            let off = measured.es / expected - 1.0;
            assert!(off.abs() < 0.12, "{dim} {batch} {condition}: off by {off}");
        }
    }

    /// With κ = 1 and many dimensions ‖g‖² is d, and the best of B ⟨∇, g⟩ is 2.59 on average for
    /// B = 128 (tables of normal order statistics): Δ = 2.59²/2d, and a little more by luck with
    /// ‖g‖².
    #[test]
    fn hill_climbing_improves_as_order_statistics_say() {
        let measured = measure(800, 128, 1.0, 150, 2);
        let expected = 2.59 * 2.59 / 1600.0;
        let off = measured.mutation / expected - 1.0;
        assert!((-0.05..0.2).contains(&off), "off by {off}");
    }

    /// The theorem: linear in d as long as B grows too, and not much more at a fixed B.
    #[test]
    fn the_ratio_grows_with_d_if_b_does() {
        let ratio = |dim, batch| measure(dim, batch, 1.0, 60, 3).ratio();
        let growth = ratio(256, 512) / ratio(32, 64);
        assert!((4.0..9.0).contains(&growth), "grew {growth} times from d = 32 to 256");
        let level = ratio(512, 32) / ratio(256, 32);
        assert!((0.85..1.3).contains(&level), "grew {level} times with B fixed");
    }
}
