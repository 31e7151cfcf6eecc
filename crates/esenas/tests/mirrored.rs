//! Points in pairs: what CMA-ES and sep-CMA-ES make of them.

use esenas::weights::{CmaEs, CmaEsConfig, Recombination, SepCmaEs, SepCmaEsConfig};
use esenas::{Purpose, Seed, Stream, WeightOptimizer};

const DIM: usize = 30;

fn stream(iteration: u32) -> Stream {
    Seed(3).stream(Purpose::Ask, iteration, 0)
}

fn full(theta: f64, mirrored: bool) -> CmaEs {
    let config = CmaEsConfig { sigma: 1.0, mirrored, ..CmaEsConfig::default() };
    CmaEs::new(config, vec![theta; DIM], None).unwrap()
}

fn separable(theta: f64, mirrored: bool, recombination: Recombination) -> SepCmaEs {
    let config = SepCmaEsConfig { sigma: 1.0, mirrored, recombination, ..Default::default() };
    SepCmaEs::new(config, vec![theta; DIM], None).unwrap()
}

/// Red when a draw is not the image of the one before, or two pairs are alike.
#[test]
fn points_come_in_pairs_around_the_centre() {
    fn check(mut weights: impl WeightOptimizer) {
        assert!(weights.antithetic());
        for iteration in 0..3 {
            let centre = weights.centre().to_vec();
            let asked = weights.ask(7, &mut stream(iteration));
            let points: Vec<_> = asked.iter().map(|point| point.to_vec()).collect();
            for pair in points[..6].chunks(2) {
                for ((plus, minus), c) in pair[0].iter().zip(&pair[1]).zip(&centre) {
                    assert!((plus + minus - 2.0 * c).abs() < 1e-9, "{plus} {minus} around {c}");
                }
            }
            assert!((points[0][0] - points[2][0]).abs() > 1e-6);
            let values: Vec<_> = points.iter().map(|x| Some(-x[0] * x[1])).collect();
            weights.tell(&values);
        }
    }
    check(full(2.0, true));
    check(separable(2.0, true, Recombination::Better));
}

/// σ must not drift where values say nothing. Red when pairs are taken for independent points:
/// their steps are shorter, and σ falls by orders of magnitude.
#[test]
fn values_of_chance_do_not_move_sigma() {
    fn check(name: &str, mut weights: impl WeightOptimizer) {
        let (mut sum, iterations) = (0.0, 4000);
        for iteration in 0..iterations {
            let n = weights.ask(14, &mut stream(iteration)).len();
            let mut values = Seed(9).stream(Purpose::Evaluate, iteration, 0);
            weights.tell(&(0..n).map(|_| Some(values.unit())).collect::<Vec<_>>());
            let sigma = weights.statistics().iter().find(|(key, _)| *key == "sigma").unwrap().1;
            sum += sigma.ln();
        }
        let mean = sum / f64::from(iterations);
        assert!(mean.abs() < 6.0, "{name}: mean ln σ {mean}");
    }
    for mirrored in [false, true] {
        check(&format!("full {mirrored}"), full(0.0, mirrored));
        for recombination in [Recombination::Better, Recombination::All] {
            let name = format!("{recombination:?} {mirrored}");
            check(&name, separable(0.0, mirrored, recombination));
        }
    }
}

/// Red when a pair is learned from with the wrong sign, or σ cannot follow.
#[test]
fn pairs_find_the_optimum_as_fast() {
    fn evaluations(mut weights: impl WeightOptimizer) -> usize {
        let mut spent = 0;
        for iteration in 0.. {
            let asked = weights.ask(weights.population(), &mut stream(iteration));
            spent += asked.len();
            let cost = |x: &[f64]| {
                x.iter().enumerate().map(|(at, x)| (1.0 + at as f64) * x * x).sum::<f64>()
            };
            let values: Vec<_> = asked.iter().map(|point| Some(-cost(&point.to_vec()))).collect();
            if values.iter().flatten().any(|value| *value > -1e-9) {
                break;
            }
            weights.tell(&values);
        }
        spent
    }
    let (pairs, plain) = (evaluations(full(3.0, true)), evaluations(full(3.0, false)));
    assert!(10 * pairs < 13 * plain, "full: {pairs} {plain}");
    let [pairs, plain] =
        [true, false].map(|mirrored| evaluations(separable(3.0, mirrored, Recombination::Better)));
    assert!(10 * pairs < 13 * plain, "separable: {pairs} {plain}");
}
