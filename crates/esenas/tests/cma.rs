//! What CMA-ES, sep-CMA-ES, SNES and LM-MA-ES promise of every ask and tell.

use std::fmt::Debug;

use esenas::weights::{
    CmaEs, CmaEsConfig, LmMaEs, LmMaEsConfig, SepCmaEs, SepCmaEsConfig, Snes, SnesConfig,
    StartError, Stop, Tolerances,
};
use esenas::{Bounds, Noise, Purpose, Seed, Stream, WeightOptimizer};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

trait Subject: WeightOptimizer + Clone + Debug + PartialEq + Serialize + DeserializeOwned {
    const NAME: &str;
    fn start(theta: Vec<f64>, sigma: f64, bounds: Option<Bounds>) -> Result<Self, StartError>;
}

macro_rules! subject {
    ($optimizer:ident, $config:ident) => {
        impl Subject for $optimizer {
            const NAME: &str = stringify!($optimizer);
            fn start(
                theta: Vec<f64>,
                sigma: f64,
                bounds: Option<Bounds>,
            ) -> Result<Self, StartError> {
                Self::new($config { sigma, ..Default::default() }, theta, bounds)
            }
        }
    };
}
subject!(CmaEs, CmaEsConfig);
subject!(SepCmaEs, SepCmaEsConfig);
subject!(Snes, SnesConfig);
subject!(LmMaEs, LmMaEsConfig);

/// Runs a generic check on each of them.
macro_rules! for_each {
    ($check:ident($($argument:expr),*)) => {
        $check::<CmaEs>($($argument),*);
        $check::<SepCmaEs>($($argument),*);
        $check::<Snes>($($argument),*);
        $check::<LmMaEs>($($argument),*);
    };
}

fn stream(iteration: u32) -> Stream {
    Seed(7).stream(Purpose::Ask, iteration, 0)
}

/// −Σ 10^(2i/(d−1)) (xᵢ − tᵢ)²
fn valley(x: &[f64], target: &[f64]) -> f64 {
    let last = (x.len() as f64 - 1.0).max(1.0);
    let term =
        |(i, (x, t)): (usize, (&f64, &f64))| 10f64.powf(2.0 * i as f64 / last) * (x - t).powi(2);
    -x.iter().zip(target).enumerate().map(term).sum::<f64>()
}

/// One iteration on `f`; the points it asked for.
fn iterate(o: &mut impl WeightOptimizer, t: u32, f: impl Fn(&[f64]) -> f64) -> Vec<Vec<f64>> {
    let points: Vec<Vec<f64>> =
        o.ask(o.population(), &mut stream(t)).iter().map(|p| p.to_vec()).collect();
    o.tell(&points.iter().map(|x| Some(f(x))).collect::<Vec<_>>());
    points
}

fn bytes(o: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(o).unwrap()
}

/// Non-finite numbers are written as nulls in JSON; no list of the state may hold one.
fn assert_finite(o: &impl Subject) {
    fn walk(value: &serde_json::Value, inside_list: bool) -> bool {
        match value {
            serde_json::Value::Null => !inside_list,
            serde_json::Value::Array(list) => list.iter().all(|v| walk(v, true)),
            serde_json::Value::Object(map) => map.values().all(|v| walk(v, false)),
            _ => true,
        }
    }
    assert!(walk(&serde_json::to_value(o).unwrap(), false), "not finite: {o:?}");
    assert!(o.statistics().iter().all(|(_, x)| x.is_finite()), "{:?}", o.statistics());
}

#[test]
fn every_ask_of_any_size_is_served_and_partial_answers_are_learned_from() {
    fn check<O: Subject>() {
        let mut o = O::start(vec![1.0; 5], 0.5, None).unwrap();
        for (t, n) in [0, 1, 2, 3, 8, 40, 7].into_iter().enumerate() {
            let points = o.ask(n, &mut stream(t as u32));
            assert_eq!(points.len(), n, "{}", O::NAME);
            assert!(points.iter().all(|p| p.dim() == 5));
            let before = o.centre().to_vec();
            let value = |(i, p): (usize, &esenas::Theta)| {
                (i % 3 != 1).then(|| valley(&p.to_vec(), &[0.0; 5]))
            };
            let values: Vec<_> = points.iter().enumerate().map(value).collect();
            o.tell(&values[..n.saturating_sub(1)]);
            let usable = (0..n.saturating_sub(1)).filter(|i| i % 3 != 1).count();
            assert_eq!(o.centre().to_vec() != before, usable >= 2, "{} {n}", O::NAME);
        }
    }
    for_each!(check());
}

#[test]
fn values_that_say_nothing_teach_nothing() {
    fn check<O: Subject>() {
        let silent: [&[Option<f64>]; 6] = [
            &[],
            &[None; 6],
            &[Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY), None, None, None],
            &[Some(3.0), None, None, None, None, None],
            &[Some(3.0); 6],
            &[Some(0.0), Some(-0.0)],
        ];
        for (t, values) in silent.into_iter().enumerate() {
            let mut o = O::start(vec![1.0; 3], 0.5, None).unwrap();
            o.ask(6, &mut stream(t as u32));
            let (centre, statistics) = (o.centre().to_vec(), o.statistics());
            o.tell(values);
            assert_eq!((o.centre().to_vec(), o.statistics()), (centre, statistics), "{}", O::NAME);
        }
    }
    for_each!(check());
}

#[test]
fn a_missing_value_is_as_if_the_point_had_not_been_asked_for() {
    // The worst of n + 1 points withheld is the same as n asked: rows do not depend on n.
    fn check<O: Subject>() {
        let mut asked = O::start(vec![1.0; 3], 0.5, None).unwrap();
        let mut told = asked.clone();
        let values: Vec<_> = asked
            .ask(8, &mut stream(0))
            .iter()
            .map(|p| Some(valley(&p.to_vec(), &[0.0; 3])))
            .collect();
        told.ask(9, &mut stream(0));
        asked.tell(&values);
        told.tell(&values);
        for (a, b) in asked.centre().to_vec().iter().zip(told.centre().to_vec()) {
            assert!((a - b).abs() < 1e-12, "{}", O::NAME);
        }
    }
    for_each!(check());
}

#[test]
fn telling_twice_teaches_once() {
    fn check<O: Subject>() {
        let mut o = O::start(vec![1.0; 4], 0.5, None).unwrap();
        let values: Vec<_> = o.ask(8, &mut stream(0)).iter().map(|p| Some(p.to_vec()[0])).collect();
        o.tell(&values);
        let once = bytes(&o);
        o.tell(&values);
        assert!(bytes(&o) == once, "{}", O::NAME);
    }
    for_each!(check());
}

#[test]
fn resuming_in_any_phase_is_never_having_stopped() {
    fn check<O: Subject>() {
        let bounds = Bounds::new(vec![-2.0], vec![2.0], 6).unwrap();
        let mut whole = O::start(vec![1.0; 6], 0.5, Some(bounds)).unwrap();
        let mut parted = whole.clone();
        let again = |o: &O| postcard::from_bytes::<O>(&bytes(o)).unwrap();
        for t in 0..60 {
            parted = again(&parted);
            let points = whole.ask(9, &mut stream(t));
            let same = parted.ask(9, &mut stream(t));
            for (a, b) in points.iter().zip(&same) {
                assert_eq!(a.to_vec(), b.to_vec());
            }
            assert!(bytes(&whole) == bytes(&parted), "{} after ask {t}", O::NAME);
            parted = again(&parted);
            let values: Vec<_> =
                points.iter().map(|p| Some(valley(&p.to_vec(), &[3.0; 6]))).collect();
            whole.tell(&values);
            parted.tell(&values);
            assert!(bytes(&whole) == bytes(&parted), "{} after tell {t}", O::NAME);
            assert_eq!(whole, parted);
        }
    }
    for_each!(check());
}

#[test]
fn points_stay_in_the_box_and_find_an_optimum_on_its_boundary() {
    fn check<O: Subject>() {
        let target = [2.0, -3.0, 0.3, -0.2, 1.5, 0.0];
        let bounds = Bounds::new(vec![-1.0], vec![1.0], 6).unwrap();
        let mut o = O::start(vec![0.5; 6], 0.5, Some(bounds)).unwrap();
        for t in 0..1200 {
            for x in iterate(&mut o, t, |x| valley(x, &target)) {
                assert!(x.iter().all(|x| (-1.0..=1.0).contains(x)), "{} {x:?}", O::NAME);
            }
            assert!(o.centre().to_vec().iter().all(|x| (-1.0..=1.0).contains(x)));
        }
        for (x, t) in o.centre().to_vec().iter().zip(target) {
            assert!((x - t.clamp(-1.0, 1.0)).abs() < 1e-4, "{} {:?}", O::NAME, o.centre().to_vec());
        }
        assert_finite(&o);
    }
    for_each!(check());
}

#[test]
fn the_boundary_is_followed_where_the_best_step_runs_along_it() {
    // A narrow diagonal valley that leaves the box: the best point is where it does.
    let bounds = Bounds::new(vec![-1.0, -2.0], vec![1.0, 2.0], 2).unwrap();
    let mut o = CmaEs::start(vec![-0.5, 0.0], 0.3, Some(bounds)).unwrap();
    for t in 0..200 {
        iterate(&mut o, t, |x| -(x[0] - 2.0).powi(2) - 1000.0 * (x[1] - x[0]).powi(2));
    }
    assert!(o.centre().to_vec().iter().all(|x| (x - 1.0).abs() < 1e-6), "{o:?}");
}

#[test]
fn a_box_never_reached_changes_nothing() {
    fn check<O: Subject>() {
        let bounds = Bounds::new(vec![-1e6], vec![1e6], 4).unwrap();
        let mut free = O::start(vec![1.0; 4], 0.5, None).unwrap();
        let mut boxed = O::start(vec![1.0; 4], 0.5, Some(bounds)).unwrap();
        for t in 0..80 {
            let f = |x: &[f64]| valley(x, &[0.0; 4]);
            assert_eq!(iterate(&mut free, t, f), iterate(&mut boxed, t, f), "{}", O::NAME);
        }
    }
    for_each!(check());
}

#[test]
fn only_the_order_of_values_matters_and_all_scales_are_alike() {
    fn check<O: Subject>() {
        let start = |scale: f64| O::start(vec![scale; 4], 0.5 * scale, None).unwrap();
        let (mut plain, mut bent, mut scaled) = (start(1.0), start(1.0), start(4.0));
        for t in 0..60 {
            let f = |x: &[f64]| valley(x, &[0.0; 4]);
            let points = iterate(&mut plain, t, f);
            assert_eq!(points, iterate(&mut bent, t, |x| -(-f(x)).sqrt()), "{}", O::NAME);
            let large = iterate(&mut scaled, t, |x| valley(x, &[0.0; 4]));
            for (x, large) in points.iter().flatten().zip(large.iter().flatten()) {
                assert_eq!(4.0 * x, *large, "{}", O::NAME);
            }
        }
    }
    for_each!(check());
}

#[test]
fn step_sizes_reach_their_limits_and_stay_finite() {
    fn check<O: Subject>() {
        // Upwards without end; then everything that is small is good.
        let mut o = O::start(vec![1.0; 3], 1e-3, None).unwrap();
        for t in 0..3000 {
            iterate(&mut o, t, |x| x[0] + 0.1 * x[1]);
        }
        assert_finite(&o);
        let mut o = O::start(vec![1.0; 2], 1.0, None).unwrap();
        for t in 0..3000 {
            let n = o.population();
            let points = o.ask(n, &mut stream(t));
            let centre = o.centre().to_vec();
            let near = |x: Vec<f64>| x.iter().zip(&centre).map(|(x, c)| (x - c).abs()).sum::<f64>();
            o.tell(&points.iter().map(|p| Some(-near(p.to_vec()))).collect::<Vec<_>>());
        }
        assert_finite(&o);
    }
    for_each!(check());
}

#[test]
fn absurd_starts_are_refused_by_name() {
    fn check<O: Subject>() {
        let sigma = |sigma| O::start(vec![0.0], sigma, None).unwrap_err();
        for bad in [0.0, -1.0, f64::INFINITY, 1e200] {
            assert_eq!(sigma(bad), StartError::Sigma(bad));
        }
        assert!(sigma(f64::NAN).to_string().contains("sigma must lie between"));
        assert_eq!(O::start(vec![], 1.0, None).unwrap_err(), StartError::Empty);
        let error = O::start(vec![0.0, f64::INFINITY], 1.0, None).unwrap_err();
        assert_eq!(error, StartError::Coordinate { index: 1, value: f64::INFINITY });
        let bounds = || Some(Bounds::new(vec![-1.0, -1.0], vec![1.0, 1.0], 2).unwrap());
        let error = O::start(vec![0.0, 3.0], 1.0, bounds()).unwrap_err();
        assert_eq!(error, StartError::Outside { index: 1, value: 3.0, low: -1.0, high: 1.0 });
        let error = O::start(vec![0.0; 3], 1.0, bounds()).unwrap_err();
        assert!(error.to_string().contains("bounds must have 1 or 3 entries"), "{error}");
    }
    for_each!(check());
    let config = CmaEsConfig { population: Some(1), ..Default::default() };
    assert_eq!(CmaEs::new(config, vec![0.0], None), Err(StartError::Population(1)));
    let error = CmaEs::new(CmaEsConfig::default(), vec![0.0; 16_385], None).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("theta must have at most 16384 coordinates"), "{message}");
    assert!(message.ends_with("got 16385"), "{message}");
    let config = SnesConfig { sigma_rate: Some(-0.1), ..Default::default() };
    let error = Snes::new(config, vec![0.0], None).unwrap_err();
    assert_eq!(error.to_string(), "sigma_rate must be above 0 and at most 2, got -0.1");
    let config = LmMaEsConfig { vectors: Some(0), ..Default::default() };
    let error = LmMaEs::new(config, vec![0.0], None).unwrap_err();
    assert_eq!(error.to_string(), "vectors must lie between 1 and 1000, got 0");
}

#[test]
fn settings_are_data() {
    let config: CmaEsConfig = toml::from_str("sigma = 0.3\n[stop]\ntolx = 1e-9").unwrap();
    assert_eq!((config.sigma, config.active, config.stop.tolx), (0.3, true, 1e-9));
    assert_eq!(toml::from_str::<SepCmaEsConfig>("").unwrap(), SepCmaEsConfig::default());
    assert!(toml::from_str::<SnesConfig>("sigmas = 1.0").is_err());
    assert_eq!(toml::from_str::<LmMaEsConfig>("vectors = 9").unwrap().vectors, Some(9));
}

#[test]
fn stopping_conditions_speak_when_it_is_time() {
    let run = |config: CmaEsConfig, start: f64, f: &dyn Fn(&[f64]) -> f64| {
        let mut o = CmaEs::new(config, vec![start; 3], None).unwrap();
        assert_eq!(o.stop(), None);
        (0..4000).find_map(|t| {
            iterate(&mut o, t, f);
            o.stop()
        })
    };
    let sphere = |x: &[f64]| valley(x, &[0.0; 3]);
    let only = |tolx, tolfun, tolfunhist| CmaEsConfig {
        stop: Tolerances { tolx, tolfun, tolfunhist, ..Default::default() },
        ..Default::default()
    };
    assert_eq!(run(only(0.0, 1e-11, 0.0), 1.0, &sphere), Some(Stop::TolFun));
    assert_eq!(run(only(0.0, 0.0, 1e-12), 1.0, &sphere), Some(Stop::TolFunHist));
    assert_eq!(run(only(1e-11, 0.0, 0.0), 1.0, &sphere), Some(Stop::TolX));
    assert_eq!(run(CmaEsConfig::default(), 1.0, &|_| 1.0), Some(Stop::TolFun));
    assert_eq!(run(only(0.0, 0.0, 0.0), 1.0, &|_| 1.0), Some(Stop::TolFlatFitness));
    assert_eq!(run(CmaEsConfig::default(), 1.0, &|x| x[0]), Some(Stop::TolFacUpX));
    let shifted = |x: &[f64]| -x.iter().map(|x| (x - 1e6).abs()).sum::<f64>();
    let stop = run(only(0.0, 0.0, 0.0), 1e6, &shifted);
    assert!(matches!(stop, Some(Stop::NoEffectCoord | Stop::NoEffectAxis)), "{stop:?}");
    // 0.5 x₀ + noise that selection cannot follow: nothing gets better.
    let hash = |x: &[f64]| (x.iter().sum::<f64>() * 1e9).sin();
    let stop = run(only(0.0, 0.0, 0.0), 1.0, &hash);
    assert!(matches!(stop, Some(Stop::TolStagnation)), "{stop:?}");
    let needle = |x: &[f64]| -x[0].powi(2) - 1e16 * x[1].powi(2) - x[2].powi(2);
    assert_eq!(run(only(0.0, 0.0, 0.0), 1.0, &needle), Some(Stop::ConditionCov));
}

/// An orthogonal matrix, by rows.
fn rotation(dim: usize) -> Vec<Vec<f64>> {
    let unit = |row: Vec<f32>| {
        let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        row.into_iter().map(|x| f64::from(x) / length).collect()
    };
    let noise = Noise::orthogonal(3, dim, dim);
    (0..dim as u32).map(|row| unit(noise.row(row, dim))).collect()
}

#[test]
fn cma_es_does_not_see_a_rotation_and_sep_cma_es_does() {
    let dim = 8;
    let rotation = rotation(dim);
    let stiff = |x: &[f64]| {
        let term = |(i, x): (usize, &f64)| 10f64.powf(4.0 * i as f64 / 7.0) * x * x;
        -x.iter().enumerate().map(term).sum::<f64>()
    };
    let turn = |x: &[f64]| -> Vec<f64> {
        rotation.iter().map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
    };
    fn iterations<O: Subject>(seed: u32, f: impl Fn(&[f64]) -> f64) -> u32 {
        // The start has the same length in every direction, on average.
        let mut o = O::start(vec![0.0; 8], 1.0, None).unwrap();
        (0..4000)
            .find(|t| iterate(&mut o, seed + t, &f).iter().any(|x| f(x) > -1e-9))
            .unwrap_or(4000)
    }
    let median = |run: &dyn Fn(u32) -> u32| {
        let mut all: Vec<u32> = (0..9).map(|seed| run(seed * 100_000)).collect();
        all.sort_unstable();
        f64::from(all[4])
    };
    let plain = median(&|seed| iterations::<CmaEs>(seed, stiff));
    let turned = median(&|seed| iterations::<CmaEs>(seed, |x| stiff(&turn(x))));
    assert!((turned / plain - 1.0).abs() < 0.1, "{plain} {turned}");
    let plain = median(&|seed| iterations::<SepCmaEs>(seed, stiff));
    let turned = median(&|seed| iterations::<SepCmaEs>(seed, |x| stiff(&turn(x))));
    assert!(turned > 3.0 * plain, "{plain} {turned}");
}

#[test]
fn golden_traces() {
    // Linear algebra is dispatched on the processor: numbers are compared, not bits.
    fn check<O: Subject>(golden: [f64; 3]) {
        let mut o = O::start(vec![1.0, 2.0, 3.0], 0.5, None).unwrap();
        for t in 0..10 {
            iterate(&mut o, t, |x| valley(x, &[0.0; 3]));
        }
        let centre = o.centre().to_vec();
        let close = centre.iter().zip(golden).all(|(x, g)| (x - g).abs() < 1e-6);
        assert!(close, "{} {centre:?}", O::NAME);
    }
    check::<CmaEs>([4.0446159990, 0.8668670572, 0.0284655051]);
    check::<SepCmaEs>([2.3532820180, -0.3572186757, 0.1564421871]);
    check::<Snes>([-0.5277187556, -0.2810332838, 0.1401985419]);
    check::<LmMaEs>([1.0086153700, -0.1648700604, 0.0540282482]);
}

fn value() -> impl Strategy<Value = Option<f64>> {
    let special = prop::sample::select(vec![
        None,
        Some(f64::NAN),
        Some(f64::INFINITY),
        Some(f64::MAX),
        Some(f64::MIN),
        Some(0.0),
        Some(-0.0),
    ]);
    prop_oneof![special, any::<f64>().prop_map(Some), (-1.0..1.0).prop_map(Some)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_sequence_of_values_leaves_the_state_finite(
        dim in 1_usize..6,
        sigma in prop::sample::select(vec![1e-100, 1e-6, 1.0, 1e100]),
        boxed in any::<bool>(),
        told in prop::collection::vec((0_usize..14, prop::collection::vec(value(), 0..14)), 1..25),
    ) {
        fn check<O: Subject>(dim: usize, sigma: f64, boxed: bool, told: &[(usize, Vec<Option<f64>>)]) {
            let bounds = boxed.then(|| Bounds::new(vec![-1.0], vec![2.0], dim).unwrap());
            let mut o = O::start(vec![1.0; dim], sigma, bounds).unwrap();
            for (t, (n, values)) in told.iter().enumerate() {
                let points = o.ask(*n, &mut stream(t as u32));
                assert_eq!(points.len(), *n);
                let inside = |x: &f64| x.is_finite() && (!boxed || (-1.0..=2.0).contains(x));
                assert!(points.iter().all(|p| p.to_vec().iter().all(inside)));
                o.tell(values);
                assert_finite(&o);
            }
        }
        for_each!(check(dim, sigma, boxed, &told));
    }
}
