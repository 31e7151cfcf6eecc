use super::*;
use crate::{Purpose, Seed};

fn sphere(theta: &Theta) -> f64 {
    -theta.to_vec().iter().map(|t| t * t).sum::<f64>()
}

fn stream(iteration: u32) -> Stream {
    Seed(7).stream(Purpose::Ask, iteration, 0)
}

fn es(config: EsConfig, dim: usize) -> Es {
    Es::new(config, vec![1.0; dim], None).unwrap()
}

fn run(es: &mut Es, iterations: u32, n: usize, f: impl Fn(&Theta) -> f64) {
    for iteration in 0..iterations {
        let points = es.ask(n, &mut stream(iteration));
        let values: Vec<_> = points.iter().map(|p| Some(f(p))).collect();
        drop(points);
        es.tell(&values);
    }
}

fn off() -> EsConfig {
    EsConfig {
        sigma: 0.1.into(),
        step_size: 0.05.into(),
        normalize: Normalize::Off,
        ..EsConfig::default()
    }
}

/// On f(θ) = a·θ Eq. 4 gives exactly θ + η/n Σ (a·gᵢ) gᵢ.
#[test]
fn one_step_is_equation_4() {
    let a = [3.0, -2.0, 0.5];
    let mut es = es(off(), 3);
    let points = es.ask(8, &mut stream(0));
    let rows: Vec<_> = (0..4).map(|row| points[0].base().noise().row(row, 3)).collect();
    let linear = |p: &Theta| p.to_vec().iter().zip(a).map(|(t, a)| t * a).sum::<f64>();
    es.tell(&points.iter().map(|p| Some(linear(p))).collect::<Vec<_>>());
    for j in 0..3 {
        let expected: f64 = rows
            .iter()
            .map(|g| g.iter().zip(a).map(|(g, a)| f64::from(*g) * a).sum::<f64>() * f64::from(g[j]))
            .sum();
        assert!((es.theta()[j] - (1.0 + 0.05 * expected / 4.0)).abs() < 1e-12);
    }
}

#[test]
fn a_failed_probe_silences_its_pair_only() {
    let (mut whole, mut holed) = (es(off(), 4), es(off(), 4));
    run(&mut whole, 1, 2, sphere);
    for missing in [None, Some(f64::NAN), Some(f64::INFINITY)] {
        let mut holed = holed.clone();
        let mut values: Vec<_> =
            holed.ask(4, &mut stream(0)).iter().map(|t| Some(sphere(t))).collect();
        values[3] = missing;
        holed.tell(&values);
        assert_eq!(whole.theta(), holed.theta());
    }
    let values: Vec<_> = holed.ask(3, &mut stream(0)).iter().map(|t| Some(sphere(t))).collect();
    holed.tell(&values);
    assert_eq!(whole.theta(), holed.theta(), "the odd one out teaches nothing");
}

#[test]
fn equal_values_mean_no_step() {
    for normalize in [Normalize::Off, Normalize::Deviation, Normalize::Ranks] {
        let mut es = es(EsConfig { normalize, ..off() }, 4);
        run(&mut es, 1, 8, |_| 1e9 / 7.0);
        assert_eq!(es.theta(), [1.0; 4], "{normalize:?}");
    }
}

/// ARS divides by the deviation of the values it learns from; ranks see only the order.
#[test]
fn normalization_takes_out_what_it_promises() {
    let trace = |normalize, f: &dyn Fn(&Theta) -> f64| {
        let mut es = es(EsConfig { normalize, ..off() }, 4);
        run(&mut es, 5, 8, f);
        es.theta().to_vec()
    };
    let close = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9);
    let plain = trace(Normalize::Deviation, &sphere);
    assert!(close(plain, trace(Normalize::Deviation, &|p| 50.0 + 1e3 * sphere(p))));
    let plain = trace(Normalize::Ranks, &sphere);
    assert!(close(plain, trace(Normalize::Ranks, &|p| -(-sphere(p)).powf(0.3))));
    let plain = trace(Normalize::Off, &sphere);
    assert!(!close(plain, trace(Normalize::Off, &|p| 2.0 * sphere(p))));
}

#[test]
fn top_keeps_the_pairs_with_the_best_value() {
    let config = EsConfig { top: Some(1), directions: 2, ..off() };
    let (mut all, mut top) = (es(off(), 3), es(config, 3));
    all.ask(2, &mut stream(0));
    top.ask(4, &mut stream(0));
    all.tell(&[Some(1.0), Some(9.0)]);
    top.tell(&[Some(1.0), Some(9.0), Some(8.0), Some(7.0)]);
    assert_eq!(all.theta(), top.theta());
}

#[test]
fn every_rule_and_sampling_climbs_the_sphere() {
    let rules = [
        StepRule::Plain,
        StepRule::Momentum(Default::default()),
        StepRule::Adam(Default::default()),
        StepRule::ClipUp(Default::default()),
    ];
    for rule in rules {
        for sampling in [Sampling::Gaussian, Sampling::Orthogonal, Sampling::Hadamard] {
            let step_size = match rule {
                StepRule::Momentum(_) => 0.01,
                _ => 0.05,
            };
            let mut es = es(EsConfig { rule, sampling, step_size: step_size.into(), ..off() }, 10);
            run(&mut es, 300, 20, sphere);
            let value = sphere(&es.centre());
            assert!(value > -0.05, "{rule:?} {sampling:?}: {value}");
        }
    }
}

#[test]
fn rules_take_the_steps_of_their_papers() {
    let step = |rule, gradients: &[[f64; 2]]| {
        let mut memory = Memory::default();
        let mut last = [0.0; 2];
        for gradient in gradients {
            last = *gradient;
            memory.step(&rule, 0.1, &mut last);
        }
        last
    };
    let near = |a: [f64; 2], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7);
    let g = [[3.0, 4.0], [3.0, 4.0]];
    assert!(near(step(StepRule::Plain, &g), [0.3, 0.4]));
    assert!(near(step(StepRule::Momentum(Default::default()), &g), [0.57, 0.76]));
    assert!(near(step(StepRule::Adam(Default::default()), &g), [0.1, 0.1]));
    // |v| = 0.1, then 0.9·0.1 + 0.1 = 0.19, then cut at 0.2.
    let clip_up = StepRule::ClipUp(Default::default());
    assert!(near(step(clip_up, &g), [0.6 * 0.19, 0.8 * 0.19]));
    assert!(near(step(clip_up, &[g[0]; 5]), [0.6 * 0.2, 0.8 * 0.2]));
}

#[test]
fn schedules_bounds_and_decay_take_effect() {
    let ramp = super::super::Ramp { from: 0.4, to: 0.1, iterations: 3 };
    let config = EsConfig { sigma: Schedule::Linear(ramp), weight_decay: 2.0, ..off() };
    let bounds = Bounds::new(vec![-0.5], vec![0.95], 2).unwrap();
    let mut es = Es::new(config, vec![0.9; 2], Some(bounds)).unwrap();
    assert_eq!(es.sigma(), 0.4);
    let points = es.ask(4, &mut stream(0));
    assert!(points.iter().flat_map(Theta::to_vec).all(|t| (-0.5..=0.95).contains(&t)));
    es.tell(&[Some(0.0); 4]);
    assert!(es.theta().iter().all(|t| (t - 0.9 * 0.9).abs() < 1e-12), "{:?}", es.theta());
    assert!((es.sigma() - 0.3).abs() < 1e-12);
}

#[test]
fn one_thread_and_eight_give_the_same_bits() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut es = es(off(), 20_000);
            run(&mut es, 3, 8, sphere);
            es
        })
    };
    assert_eq!(on(1), on(8));
}

#[test]
fn proposals_are_stable() {
    let mut es = es(EsConfig::default(), 3);
    run(&mut es, 3, 6, sphere);
    let bits: Vec<u64> = es.theta().iter().map(|t| t.to_bits()).collect();
    assert_eq!(bits, [4598822368701194170, 4593219280162135728, 13817069540776767978], "{bits:?}");
}

#[test]
fn bad_settings_are_refused_at_the_door() {
    let refused = |config| Es::new(config, vec![0.0], None).unwrap_err().to_string();
    let ok = EsConfig::default;
    assert_eq!(
        refused(EsConfig { sigma: 0.0.into(), ..ok() }),
        "sigma must lie between 1e-100 and 1e100, got 0"
    );
    assert_eq!(
        refused(EsConfig { step_size: f64::NAN.into(), ..ok() }),
        "step_size must be positive and finite, got NaN"
    );
    assert_eq!(refused(EsConfig { directions: 0, ..ok() }), "directions must be at least 1, got 0");
    assert_eq!(
        refused(EsConfig { top: Some(65), ..ok() }),
        "top must be from 1 to the number of directions, got 65"
    );
    let rule = StepRule::Momentum(super::super::Momentum { beta: 1.0 });
    assert_eq!(refused(EsConfig { rule, ..ok() }), "rule.momentum.beta must lie in [0, 1), got 1");
    assert_eq!(
        Es::new(ok(), vec![0.0, f64::INFINITY], None).unwrap_err().to_string(),
        "theta must start finite, got inf at coordinate 1"
    );
}
