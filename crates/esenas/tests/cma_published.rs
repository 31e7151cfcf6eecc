//! Evaluations to reach f ≤ 1e-9, beside those of published implementations.
//!
//! The reference figures are medians over seeds 1, 2, … of the packages named, measured with
//! `bench/peers/cma_reference.py`, which states the setting: every run starts at the same point,
//! without bounds or restarts, and counts the evaluations up to the first point that is good
//! enough. The long ones are left to be asked for:
//!
//! ```sh
//! cargo test --release -p esenas --test cma_published -- --ignored --nocapture
//! ```

#![expect(clippy::disallowed_macros, reason = "the figures are worth seeing: --nocapture")]

use std::f64::consts::TAU;

use esenas::weights::{
    CmaEs, CmaEsConfig, LmMaEs, LmMaEsConfig, SepCmaEs, SepCmaEsConfig, Snes, SnesConfig,
};
use esenas::{Purpose, Scratch, Seed, WeightOptimizer};

#[derive(Clone, Copy, Debug)]
enum Function {
    Sphere,
    Ellipsoid,
    Rosenbrock,
    Rastrigin,
}
use Function::{Ellipsoid, Rastrigin, Rosenbrock, Sphere};

impl Function {
    fn at(self, x: &[f64]) -> f64 {
        match self {
            Sphere => x.iter().map(|x| x * x).sum(),
            Ellipsoid => {
                let ratio = 10f64.powf(6.0 / (x.len() as f64 - 1.0));
                x.iter().fold((0.0, 1.0), |(sum, c), x| (sum + c * x * x, c * ratio)).0
            }
            Rosenbrock => {
                let term = |x: &[f64]| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2);
                x.windows(2).map(term).sum()
            }
            Rastrigin => x.iter().map(|x| 10.0 + x * x - 10.0 * (TAU * x).cos()).sum(),
        }
    }

    /// Where every coordinate starts, σ, and the population.
    fn setting(self, dim: usize) -> (f64, f64, usize) {
        let default = 4 + (3.0 * (dim as f64).ln()).floor() as usize;
        match self {
            Sphere | Ellipsoid => (3.0, 1.0, default),
            Rosenbrock => (0.0, 1.0, default),
            Rastrigin => (3.0, 2.0, 400 + 20 * dim),
        }
    }
}

/// Evaluations to 1e-9; `None` beyond `cap` or in a local optimum, where an iteration's values
/// hardly differ.
fn evaluations(mut o: impl WeightOptimizer, f: Function, seed: u64, cap: usize) -> Option<usize> {
    let (mut x, mut scratch) = (Vec::new(), Scratch::default());
    let mut count = 0;
    for t in 0.. {
        let points = o.ask(o.population(), &mut Seed(seed).stream(Purpose::Ask, t, 0));
        let mut values = Vec::new();
        for point in points {
            point.write(&mut x, &mut scratch);
            let value = f.at(&x);
            values.push(-value);
            count += 1;
            if value <= 1e-9 {
                return Some(count);
            }
        }
        let best = values.iter().copied().fold(f64::MIN, f64::max);
        let worst = values.iter().copied().fold(f64::MAX, f64::min);
        if (best - worst < 1e-12 && best < -1e-6) || count > cap {
            return None;
        }
        o.tell(&values.into_iter().map(Some).collect::<Vec<_>>());
    }
    None
}

/// Asserts that the median over seeds 1, 2, … of the runs that arrive is within 15 % of
/// `reference`, and that most runs arrive.
fn compare<O: WeightOptimizer>(
    f: Function,
    dim: usize,
    seeds: u64,
    reference: f64,
    start: impl Fn(Vec<f64>, f64, usize) -> O,
) {
    let (x, sigma, population) = f.setting(dim);
    let run = |seed| evaluations(start(vec![x; dim], sigma, population), f, seed, 10_000_000);
    let mut all: Vec<usize> = (1..=seeds).filter_map(run).collect();
    assert!(4 * all.len() >= 3 * seeds as usize, "{f:?} {dim}: {} of {seeds} arrive", all.len());
    all.sort_unstable();
    let median = 0.5 * (all[all.len() / 2] + all[(all.len() - 1) / 2]) as f64;
    let ratio = median / reference;
    println!("{f:?} {dim}: {median}, reference {reference}, ratio {ratio:.3}, from {all:?}");
    assert!((0.85..=1.15).contains(&ratio), "{f:?} {dim}: {median}, reference {reference}");
}

fn cma_es(x: Vec<f64>, sigma: f64, population: usize) -> CmaEs {
    let population = Some(population);
    CmaEs::new(CmaEsConfig { sigma, population, ..Default::default() }, x, None).unwrap()
}

fn sep_cma_es(x: Vec<f64>, sigma: f64, population: usize) -> SepCmaEs {
    let population = Some(population);
    let config = SepCmaEsConfig { sigma, population, ..Default::default() };
    SepCmaEs::new(config, x, None).unwrap()
}

fn snes(x: Vec<f64>, sigma: f64, population: usize) -> Snes {
    let population = Some(population);
    Snes::new(SnesConfig { sigma, population, ..Default::default() }, x, None).unwrap()
}

fn lm_ma_es(x: Vec<f64>, sigma: f64, population: usize) -> LmMaEs {
    let population = Some(population);
    LmMaEs::new(LmMaEsConfig { sigma, population, ..Default::default() }, x, None).unwrap()
}

/// pycma 4.5.0, all at its defaults; in brackets `CMA` of cmaes 0.13.1, which follows the tutorial.
/// On Rastrigin, whose population is large, pycma damps σ more than the tutorial does.
#[test]
fn cma_es_is_pycma() {
    compare(Sphere, 10, 21, 1640.0, cma_es); // (1651)
    compare(Ellipsoid, 10, 21, 4299.0, cma_es); // (4459)
    compare(Rosenbrock, 10, 21, 5334.0, cma_es); // (5512)
    compare(Rastrigin, 10, 11, 40248.0, cma_es); // (39606)
    compare(Sphere, 20, 21, 3067.0, cma_es); // (3122)
    compare(Ellipsoid, 20, 11, 13395.0, cma_es); // (13756)
    compare(Rosenbrock, 20, 11, 17065.0, cma_es); // (17071)
    compare(Rastrigin, 20, 7, 132046.0, cma_es); // (122689)
    compare(Sphere, 40, 9, 5792.0, cma_es); // (5836)
    compare(Ellipsoid, 40, 3, 49250.0, cma_es); // (50613)
    compare(Sphere, 100, 3, 12784.0, cma_es);
}

/// `SepCMAES` of pypop7 0.0.82, after Ros and Hansen 2008.
#[test]
fn sep_cma_es_is_that_of_pypop7() {
    compare(Sphere, 10, 21, 1414.0, sep_cma_es);
    compare(Ellipsoid, 10, 21, 2881.0, sep_cma_es);
    compare(Sphere, 20, 21, 2723.0, sep_cma_es);
    compare(Ellipsoid, 20, 21, 5957.0, sep_cma_es);
    compare(Sphere, 40, 21, 5341.0, sep_cma_es);
    compare(Ellipsoid, 40, 21, 12541.0, sep_cma_es);
    compare(Sphere, 100, 15, 11935.0, sep_cma_es);
    compare(Ellipsoid, 100, 5, 34055.0, sep_cma_es);
    compare(Rosenbrock, 10, 9, 91249.0, sep_cma_es);
    compare(Rosenbrock, 20, 9, 108348.5, sep_cma_es);
}

/// The same on Rosenbrock's function, where a diagonal is of little help. Of the package's own
/// three runs at d = 100 two arrive within its cap.
#[test]
#[ignore = "takes minutes: see the top of the file"]
fn sep_cma_es_is_that_of_pypop7_at_length() {
    compare(Rosenbrock, 40, 15, 158859.0, sep_cma_es);
    compare(Rosenbrock, 100, 9, 418804.0, sep_cma_es);
}

/// `SNES` of pypop7 0.0.82, after Schaul et al. 2011.
#[test]
fn snes_is_that_of_pypop7() {
    compare(Sphere, 10, 21, 2132.0, snes);
    compare(Ellipsoid, 10, 21, 2964.0, snes);
    compare(Sphere, 20, 21, 4590.0, snes);
    compare(Ellipsoid, 20, 21, 6210.0, snes);
    compare(Sphere, 40, 21, 10330.0, snes);
    compare(Ellipsoid, 40, 21, 13728.0, snes);
    compare(Sphere, 100, 15, 28558.0, snes);
    compare(Ellipsoid, 100, 5, 37492.0, snes);
    compare(Rastrigin, 10, 5, 153856.0, snes);
    compare(Rastrigin, 20, 5, 354153.0, snes);
}

/// The same on Rastrigin's function in more dimensions, each with λ = 400 + 20 d.
#[test]
#[ignore = "takes minutes: see the top of the file"]
fn snes_is_that_of_pypop7_at_length() {
    compare(Rastrigin, 40, 5, 949376.0, snes);
    compare(Rastrigin, 100, 3, 4115517.0, snes);
}

/// On Rosenbrock's function, whose valley is not along an axis, no run of the package arrives
/// within the cap on evaluations, and none of ours.
#[test]
fn snes_does_not_arrive_on_rosenbrock_nor_does_that_of_pypop7() {
    for dim in [10, 20] {
        let (x, sigma, population) = Rosenbrock.setting(dim);
        for seed in 1..=3 {
            let start = snes(vec![x; dim], sigma, population);
            let run = evaluations(start, Rosenbrock, seed, 300_000);
            assert_eq!(run, None, "d = {dim}, seed {seed}");
        }
    }
}

/// `LMMAES` of pypop7 0.0.82, after Loshchilov, Glasmachers and Beyer 2019. Below d = 40 its c_σ =
/// 2λ/d passes 1 and the paper does not say what then: the package and we cut it off at different
/// places.
#[test]
fn lm_ma_es_is_that_of_pypop7() {
    compare(Sphere, 40, 15, 5119.0, lm_ma_es);
    compare(Rosenbrock, 40, 9, 63512.5, lm_ma_es);
    compare(Sphere, 100, 15, 11349.0, lm_ma_es);
    compare(Rosenbrock, 100, 3, 285688.0, lm_ma_es);
}

/// The same where a few vectors learn little: an ellipsoid has as many scales as axes.
#[test]
#[ignore = "takes minutes: see the top of the file"]
fn lm_ma_es_is_that_of_pypop7_at_length() {
    compare(Ellipsoid, 100, 3, 2290683.0, lm_ma_es);
}

/// pycma 4.5.0, as above.
#[test]
#[ignore = "takes minutes: see the top of the file"]
fn cma_es_is_pycma_at_length() {
    compare(Rosenbrock, 40, 7, 61820.0, cma_es); // (63186)
    compare(Ellipsoid, 100, 3, 304097.0, cma_es);
    compare(Rosenbrock, 100, 3, 406075.5, cma_es);
}

/// Rastrigin with λ = 400 + 20 d, from x = 3 with σ = 2. The references are those of `CMA` of
/// cmaes 0.13.1, whose σ is damped as the tutorial says.
#[test]
#[ignore = "takes minutes: see the top of the file"]
fn cma_es_is_that_of_the_tutorial_on_rastrigin_at_length() {
    compare(Rastrigin, 40, 5, 442448.0, cma_es); // pycma: 525746
    compare(Rastrigin, 100, 3, 2400857.0, cma_es);
}
