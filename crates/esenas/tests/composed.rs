//! Optimizers of θ that are made of others.

use std::sync::Arc;

use esenas::controllers::{Asng, AsngConfig};
use esenas::weights::{
    CmaEsConfig, GrowingConfig, Regime, RestartsConfig, SnesConfig, Weights, WeightsConfig,
};
use esenas::{
    Bounds, EsEnas, JointConfig, Optimizer, Purpose, Seed, Space, Stream, Theta, WeightOptimizer,
};

const DIM: usize = 4;

fn stream(iteration: u32) -> Stream {
    Seed(5).stream(Purpose::Ask, iteration, 0)
}

fn build(config: WeightsConfig) -> Weights {
    let bounds = Bounds::new(vec![-5.0], vec![5.0], DIM).unwrap();
    config.build(vec![2.5; DIM], Some(bounds)).unwrap()
}

fn cma() -> WeightsConfig {
    WeightsConfig::CmaEs(CmaEsConfig { sigma: 1.0, ..CmaEsConfig::default() })
}

fn sphere(theta: &Theta) -> f64 {
    -theta.to_vec().iter().map(|x| x * x).sum::<f64>()
}

/// Many optima, on a bowl; the best is at zero.
fn rastrigin(theta: &Theta) -> f64 {
    let wave = |x: &f64| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos();
    -theta.to_vec().iter().map(wave).sum::<f64>()
}

/// The best value of so many iterations.
fn run(weights: &mut Weights, iterations: u32, f: impl Fn(&Theta) -> f64) -> f64 {
    let mut best = f64::NEG_INFINITY;
    for iteration in 0..iterations {
        let points = weights.ask(weights.population(), &mut stream(iteration));
        let values: Vec<_> = points.iter().map(|it| Some(f(it))).collect();
        best = values.iter().flatten().copied().fold(best, f64::max);
        weights.tell(&values);
    }
    best
}

#[test]
fn a_population_grows_with_the_evaluations() {
    let config = GrowingConfig { weights: cma().into(), after: Some(80), exponent: 0.5 };
    let mut growing = build(WeightsConfig::Growing(config));
    let first = growing.population();
    assert_eq!(first, 8);
    run(&mut growing, 10, sphere); // 80 evaluations
    assert_eq!(growing.population(), first);
    let mut spent = 80;
    while spent < 320 {
        spent += growing.population();
        run(&mut growing, 1, sphere);
    }
    assert_eq!(growing.population(), 2 * first);
    let config = GrowingConfig { weights: cma().into(), exponent: 0.0, ..Default::default() };
    let (mut still, mut alone) = (build(WeightsConfig::Growing(config)), build(cma()));
    assert_eq!(run(&mut still, 60, rastrigin), run(&mut alone, 60, rastrigin));
}

/// The best value of so many evaluations.
fn spend(weights: &mut Weights, evaluations: usize, f: impl Fn(&Theta) -> f64) -> f64 {
    let (mut best, mut spent, mut iteration) = (f64::NEG_INFINITY, 0, 0);
    while spent < evaluations {
        let points = weights.ask(weights.population(), &mut stream(iteration));
        let values: Vec<_> = points.iter().map(|it| Some(f(it))).collect();
        best = values.iter().flatten().copied().fold(best, f64::max);
        weights.tell(&values);
        (spent, iteration) = (spent + values.len(), iteration + 1);
    }
    best
}

/// Red when nothing restarts, or populations do not grow.
#[test]
fn restarts_find_what_one_run_does_not() {
    let ipop = RestartsConfig { weights: cma().into(), ..RestartsConfig::default() };
    let (mut alone, mut again) = (build(cma()), build(WeightsConfig::Restarts(ipop)));
    let (once, often) = (spend(&mut alone, 4000, rastrigin), spend(&mut again, 30_000, rastrigin));
    assert!(once < -0.9, "one run found {once}: no local optimum to escape");
    assert!(often > -1e-6, "{often}");
    assert!(again.restarts() > 0);
    assert_eq!(again.population(), 8 << again.restarts());
}

/// Iterations that bring nothing before a new beginning: 50 + max(100, 5 d) d/λ. Red when either d
/// is forgotten.
#[test]
fn patience_grows_with_what_is_to_be_learned() {
    for (dim, idle) in [(DIM, 50 + 40), (50, 50 + 1250)] {
        let snes = WeightsConfig::Snes(SnesConfig { population: Some(10), ..Default::default() });
        let config = RestartsConfig { weights: snes.into(), ..RestartsConfig::default() };
        let bounds = Bounds::new(vec![-5.0], vec![5.0], dim).unwrap();
        let mut weights =
            WeightsConfig::Restarts(config).build(vec![1.0; dim], Some(bounds)).unwrap();
        let iteration = |weights: &mut Weights, best: f64| {
            let points = weights.ask(10, &mut stream(0));
            weights.tell(&(0..points.len()).map(|i| Some(best - i as f64)).collect::<Vec<_>>());
        };
        iteration(&mut weights, 1.0);
        (0..=idle).for_each(|_| iteration(&mut weights, 0.0));
        assert_eq!(weights.restarts(), 0, "{dim}");
        iteration(&mut weights, 0.0);
        assert_eq!(weights.restarts(), 1, "{dim}");
    }
}

#[test]
fn bipop_has_small_populations_too() {
    let weights = cma().into();
    let config = RestartsConfig { weights, regime: Regime::Bipop, ..RestartsConfig::default() };
    let mut bipop = build(WeightsConfig::Restarts(config));
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..60 {
        spend(&mut bipop, 600, rastrigin);
        seen.insert(bipop.population());
    }
    let doubled = |n: &usize| (n / 8).is_power_of_two() && n.is_multiple_of(8);
    assert!(seen.iter().any(|n| !doubled(n)), "{seen:?}");
    assert!(seen.iter().any(|n| *n >= 32), "{seen:?}");
}

/// A new beginning of θ is one of the controller's distributions too.
#[test]
fn a_restart_unlearns_the_model_as_well() {
    let space = Arc::new(Space::oneof([0, 1, 2]).unwrap());
    let controller = Asng::new(AsngConfig::default(), space.clone()).unwrap();
    let weights = build(WeightsConfig::Restarts(RestartsConfig::default()));
    let joint = JointConfig { centre: 0, ..JointConfig::default() };
    let mut search = EsEnas::new(joint, space, weights, controller).unwrap();
    let learn = |search: &mut EsEnas<Weights, Asng>, iteration| {
        let points = search.ask(8, &mut stream(iteration));
        let value =
            |it: &esenas::Candidate| sphere(&it.theta) + 20.0 * f64::from(it.dna.genes()[0]);
        search.tell(&points.iter().map(|it| Some(value(it))).collect::<Vec<_>>());
    };
    (0..40).for_each(|iteration| learn(&mut search, iteration));
    let settled = search.controller().probabilities(0).unwrap().to_vec();
    assert!(settled[2] > 0.7, "{settled:?}");
    search.restart();
    search.ask(8, &mut stream(40));
    assert_eq!(search.weights().restarts(), 1);
    assert_eq!(search.controller().probabilities(0).unwrap(), [1.0 / 3.0; 3]);
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let refused = |config: WeightsConfig| config.build(vec![0.0; 2], None).unwrap_err().to_string();
    let growing = GrowingConfig { exponent: 2.0, ..GrowingConfig::default() };
    assert_eq!(refused(WeightsConfig::Growing(growing)), "exponent must be from 0 to 1, got 2");
    let restarts = RestartsConfig { growth: 0.5, ..RestartsConfig::default() };
    assert_eq!(refused(WeightsConfig::Restarts(restarts)), "growth must be from 1 to 10, got 0.5");
}
