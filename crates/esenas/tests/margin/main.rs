//! Coordinates on a grid: where points are evaluated, what margins promise, and what they are for.

#![expect(clippy::disallowed_macros, reason = "the figures are worth seeing: --nocapture")]

use std::fmt::Debug;

use esenas::weights::{
    Boundary, CmaEs, CmaEsConfig, Es, EsConfig, LmMaEs, LmMaEsConfig, SepCmaEs, SepCmaEsConfig,
    Snes, SnesConfig, Stop,
};
use esenas::{Bounds, Purpose, Seed, SettingError, Stream, WeightOptimizer};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::Value;

mod published;

/// An optimizer with margins, and what it is made of as it tells it.
trait Subject: WeightOptimizer + Clone + Debug + PartialEq + Serialize {
    fn start(theta: Vec<f64>, sigma: f64, bounds: Option<Bounds>) -> Result<Self, SettingError>;

    /// Mean and deviation of each coordinate, before rounding.
    fn distribution(&self) -> Vec<(f64, f64)>;
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

impl Subject for CmaEs {
    fn start(theta: Vec<f64>, sigma: f64, bounds: Option<Bounds>) -> Result<Self, SettingError> {
        Self::new(CmaEsConfig { sigma, ..Default::default() }, theta, bounds)
    }

    fn distribution(&self) -> Vec<(f64, f64)> {
        let state = serde_json::to_value(self).unwrap();
        numbers(&state["mean"]).into_iter().zip(self.deviations()).collect()
    }
}

fn diagonal(o: &impl Serialize, sigma: f64) -> Vec<(f64, f64)> {
    let base = &serde_json::to_value(o).unwrap()["base"]["base"];
    let spread = numbers(&base["spread"]).into_iter().map(|s| sigma * s);
    numbers(&base["centre"]).into_iter().zip(spread).collect()
}

impl Subject for SepCmaEs {
    fn start(theta: Vec<f64>, sigma: f64, bounds: Option<Bounds>) -> Result<Self, SettingError> {
        Self::new(SepCmaEsConfig { sigma, ..Default::default() }, theta, bounds)
    }

    fn distribution(&self) -> Vec<(f64, f64)> {
        diagonal(self, self.sigma())
    }
}

impl Subject for Snes {
    fn start(theta: Vec<f64>, sigma: f64, bounds: Option<Bounds>) -> Result<Self, SettingError> {
        Self::new(SnesConfig { sigma, ..Default::default() }, theta, bounds)
    }

    fn distribution(&self) -> Vec<(f64, f64)> {
        diagonal(self, 1.0)
    }
}

fn stream(seed: u64, iteration: u32) -> Stream {
    Seed(seed).stream(Purpose::Ask, iteration, 0)
}

/// One iteration on `f`; the points it asked for.
fn iterate(o: &mut impl WeightOptimizer, t: u32, f: impl Fn(&[f64]) -> f64) -> Vec<Vec<f64>> {
    let points = o.ask(o.population(), &mut stream(7, t));
    let points: Vec<Vec<f64>> = points.iter().map(|p| p.to_vec()).collect();
    o.tell(&points.iter().map(|x| Some(f(x))).collect::<Vec<_>>());
    points
}

/// P(x > at) for a standard Gaussian, by Simpson's rule: nothing the code under test has a part in.
fn tail(at: f64) -> f64 {
    if at < 0.0 {
        return 1.0 - tail(-at);
    }
    let (n, width) = (2000, 12.0 / 2000.0);
    let density = |i: u32| (-0.5 * (at + f64::from(i) * width).powi(2)).exp();
    let weight = |i: u32| if i == 0 || i == n { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
    let sum: f64 = (0..=n).map(|i| weight(i) * density(i)).sum();
    sum * width / 3.0 / std::f64::consts::TAU.sqrt()
}

/// Asserts of every coordinate that its mean's cell is left with the probability promised, α/2 on
/// either side or α where there is one side.
fn assert_margins(o: &impl Subject, (low, high): (f64, f64), steps: &[f64]) {
    let alpha = 1.0 / (o.population() * steps.len()) as f64;
    for (j, ((mean, deviation), step)) in o.distribution().into_iter().zip(steps).enumerate() {
        if *step == 0.0 {
            continue;
        }
        let last = ((high - low) / step + 1e-9).floor();
        let at = ((mean - low) / step).round().clamp(0.0, last);
        let least = if at == 0.0 || at == last { alpha } else { 0.5 * alpha };
        let least = least * (1.0 - 1e-6);
        if at > 0.0 {
            let below = tail((mean - (low + (at - 0.5) * step)) / deviation);
            assert!(below >= least, "{j}: {below} < {least} below, in {o:?}");
        }
        if at < last {
            let above = tail((low + (at + 0.5) * step - mean) / deviation);
            assert!(above >= least, "{j}: {above} < {least} above, in {o:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Red when a side, an end of the grid or a coordinate is forgotten, or a margin is taken
    /// before σ has changed.
    #[test]
    fn every_cell_is_left_with_the_probability_promised(
        sigma in prop_oneof![Just(1e-9), Just(0.03), Just(1.0), Just(300.0)],
        steps in prop::collection::vec(prop_oneof![Just(0.0), Just(0.25), Just(1.0), Just(20.0), 0.1..20.0], 2..7),
        at in 0.0..=1.0, slopes in prop::collection::vec(-1e3..1e3, 7), curved in any::<bool>(),
    ) {
        fn check<O: Subject>(sigma: f64, steps: &[f64], at: f64, f: impl Fn(&[f64]) -> f64) {
            let dim = steps.len();
            let bounds = Bounds::new(vec![-10.0], vec![10.0], dim).unwrap();
            let bounds = bounds.with_steps(steps.to_vec(), dim).unwrap();
            let mut o = O::start(vec![-10.0 + 20.0 * at; dim], sigma, Some(bounds)).unwrap();
            for t in 0..60 {
                assert_margins(&o, (-10.0, 10.0), steps);
                for x in iterate(&mut o, t, &f) {
                    assert_on_grid(&x, steps);
                }
            }
            assert_margins(&o, (-10.0, 10.0), steps);
        }
        let f = |x: &[f64]| -> f64 {
            let term = |(x, a): (&f64, &f64)| if curved { -(a * (x - 3.3)).powi(2) } else { a * x };
            x.iter().zip(&slopes).map(term).sum()
        };
        check::<CmaEs>(sigma, &steps, at, f);
        check::<SepCmaEs>(sigma, &steps, at, f);
        check::<Snes>(sigma, &steps, at, f);
    }
}

fn assert_on_grid(x: &[f64], steps: &[f64]) {
    for (x, step) in x.iter().zip(steps) {
        let at = (x + 10.0) / step;
        assert!((-10.0..=10.0).contains(x));
        assert!(*step == 0.0 || (at - at.round()).abs() < 1e-9, "{x} is not on the grid of {step}");
    }
}

/// Red when an optimizer hands out what the objective would have to round.
#[test]
fn everybody_hands_out_points_of_the_grid_and_keeps_their_own() {
    fn check(mut o: impl WeightOptimizer) {
        for t in 0..20 {
            for x in iterate(&mut o, t, |x| -x.iter().map(|x| (x - 2.2).powi(2)).sum::<f64>()) {
                assert_on_grid(&x, &STEPS);
            }
            assert_on_grid(&o.centre().to_vec(), &STEPS);
        }
    }
    const STEPS: [f64; 4] = [1.0, 0.0, 0.1, 20.0];
    let bounds = Bounds::new(vec![-10.0], vec![10.0], 4).unwrap();
    let bounds = Some(bounds.with_steps(STEPS.to_vec(), 4).unwrap());
    let theta = vec![0.3; 4];
    let clip = CmaEsConfig { boundary: Boundary::Clip, mirrored: true, ..Default::default() };
    check(CmaEs::new(Default::default(), theta.clone(), bounds.clone()).unwrap());
    check(CmaEs::new(clip, theta.clone(), bounds.clone()).unwrap());
    check(SepCmaEs::new(Default::default(), theta.clone(), bounds.clone()).unwrap());
    check(Snes::new(Default::default(), theta.clone(), bounds.clone()).unwrap());
    check(LmMaEs::new(LmMaEsConfig::default(), theta.clone(), bounds.clone()).unwrap());
    let mut es = Es::new(EsConfig::default(), theta, bounds).unwrap();
    iterate(&mut es, 0, |x| x[0]);
    assert!(es.theta().iter().all(|x| x.fract() != 0.0), "its own point is not rounded");
    check(es);
}

/// Equivalence by degeneration: no coordinate on the grid, or cells far below every deviation,
/// leave the points of the optimizer without a grid: the former bit for bit, the latter to the
/// width of a cell. Red when margins act where they need not.
#[test]
fn margins_that_are_not_needed_change_nothing() {
    fn check<O: Subject>() {
        let bounds = || Bounds::new(vec![-1e4], vec![1e4], 5).unwrap();
        let f = |x: &[f64]| -x.iter().zip(1..).map(|(x, j)| f64::from(j) * x * x).sum::<f64>();
        let start = |bounds| O::start(vec![3.0; 5], 1.0, Some(bounds)).unwrap();
        let mut plain = start(bounds());
        let mut none = start(bounds().with_steps(vec![0.0; 5], 5).unwrap());
        let fine = vec![1e-8, 0.0, 1e-8, 0.0, 1e-8];
        let mut fine = start(bounds().with_steps(fine, 5).unwrap());
        for t in 0..40 {
            let points = iterate(&mut plain, t, f);
            assert_eq!(points, iterate(&mut none, t, f));
            for (x, y) in points.iter().flatten().zip(iterate(&mut fine, t, f).iter().flatten()) {
                assert!((x - y).abs() < 2e-8, "{x} {y} at {t}");
            }
        }
        assert_eq!(plain, none);
    }
    check::<CmaEs>();
    check::<SepCmaEs>();
    check::<Snes>();
}

/// With every coordinate on a grid and σ far below its step nothing but margins finds anything. Red
/// when they are not kept from the start on.
#[test]
fn a_first_sigma_below_the_step_is_no_dead_end() {
    fn check<O: Subject>() {
        let bounds = Bounds::new(vec![0.0], vec![9.0], 4).unwrap();
        let bounds = bounds.with_steps(vec![1.0], 4).unwrap();
        let mut o = O::start(vec![7.0; 4], 1e-6, Some(bounds)).unwrap();
        let f = |x: &[f64]| -x.iter().map(|x| (x - 2.0).abs()).sum::<f64>();
        let found = (0..2000).any(|t| iterate(&mut o, t, f).iter().any(|x| f(x) == 0.0));
        assert!(found, "{:?}", o.centre().to_vec());
    }
    check::<CmaEs>();
    check::<SepCmaEs>();
    check::<Snes>();
}

/// On a grid most values are equal long before the end. Red when CMA-ES calls that an end, or when
/// it never does.
#[test]
fn equal_values_are_no_end_until_the_neighbours_were_seen() {
    let bounds = Bounds::new(vec![0.0], vec![9.0], 5).unwrap().with_steps(vec![1.0], 5).unwrap();
    let mut o = CmaEs::start(vec![7.0; 5], 1.0, Some(bounds)).unwrap();
    let mut best = (f64::NEG_INFINITY, 0);
    let stop = (0..5000).find_map(|t| {
        for x in iterate(&mut o, t, |x| -x.iter().map(|x| (x - 2.0).abs()).sum::<f64>()) {
            let value = -x.iter().map(|x| (x - 2.0).abs()).sum::<f64>();
            if value > best.0 {
                best = (value, t);
            }
        }
        o.stop().map(|stop| (stop, t))
    });
    let (stop, at) = stop.expect("it ends");
    assert!(matches!(stop, Stop::TolFun | Stop::TolFunHist | Stop::TolFlatFitness), "{stop:?}");
    assert!(at >= best.1 + 6 * 5, "{stop:?} at {at}, the best came at {}", best.1);
    assert_eq!(best.0, 0.0);
}
