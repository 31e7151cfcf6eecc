//! What CMA-ES and sep-CMA-ES, plain and in pairs, SNES and LM-MA-ES promise of every ask and tell.

use std::fmt::Debug;

use esenas::weights::{
    Boundary, CmaEs, CmaEsConfig, LmMaEs, LmMaEsConfig, RestartsConfig, SepCmaEs, SepCmaEsConfig,
    Snes, SnesConfig, Stop, Tolerances, WeightsConfig,
};
use esenas::{
    Bounds, Noise, Optimizer, Purpose, Seed, SettingError, Statistics, Stream, Theta,
    WeightOptimizer,
};
use proptest::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

trait Subject: WeightOptimizer + Clone + Debug + PartialEq + Serialize + DeserializeOwned {
    const NAME: &str;
    fn start(theta: Vec<f64>, sigma: f64, bounds: Option<Bounds>) -> Result<Self, SettingError>;
}

macro_rules! subject {
    ($optimizer:ident, $config:ident) => {
        impl Subject for $optimizer {
            const NAME: &str = stringify!($optimizer);
            fn start(
                theta: Vec<f64>,
                sigma: f64,
                bounds: Option<Bounds>,
            ) -> Result<Self, SettingError> {
                Self::new($config { sigma, ..Default::default() }, theta, bounds)
            }
        }
    };
}
subject!(CmaEs, CmaEsConfig);
subject!(SepCmaEs, SepCmaEsConfig);
subject!(Snes, SnesConfig);
subject!(LmMaEs, LmMaEsConfig);

/// One whose points come in pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Pairs<O>(O);

impl<O: WeightOptimizer> Optimizer for Pairs<O> {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        self.0.ask(n, stream)
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        self.0.tell(values);
    }

    fn statistics(&self) -> Statistics {
        self.0.statistics()
    }
}

impl<O: WeightOptimizer> WeightOptimizer for Pairs<O> {
    fn centre(&self) -> Theta {
        self.0.centre()
    }

    fn population(&self) -> usize {
        self.0.population()
    }

    fn antithetic(&self) -> bool {
        self.0.antithetic()
    }
}

macro_rules! in_pairs {
    ($optimizer:ident, $config:ident) => {
        impl Subject for Pairs<$optimizer> {
            const NAME: &str = concat!(stringify!($optimizer), " in pairs");
            fn start(
                theta: Vec<f64>,
                sigma: f64,
                bounds: Option<Bounds>,
            ) -> Result<Self, SettingError> {
                let config = $config { sigma, mirrored: true, ..Default::default() };
                $optimizer::new(config, theta, bounds).map(Pairs)
            }
        }
    };
}
in_pairs!(CmaEs, CmaEsConfig);
in_pairs!(SepCmaEs, SepCmaEsConfig);

/// Runs a generic check on each of them.
macro_rules! for_each {
    ($check:ident($($argument:expr),*)) => {
        $check::<CmaEs>($($argument),*);
        $check::<Pairs<CmaEs>>($($argument),*);
        $check::<SepCmaEs>($($argument),*);
        $check::<Pairs<SepCmaEs>>($($argument),*);
        $check::<Snes>($($argument),*);
        $check::<LmMaEs>($($argument),*);
    };
}

mod answers;
mod boxes;
mod starts;

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
    check::<Pairs<CmaEs>>([-0.8227768223, 0.7866391944, 0.0850442114]);
    check::<Pairs<SepCmaEs>>([-0.6644112205, 0.4200367926, 0.0219053653]);
    check::<SepCmaEs>([2.3532820180, -0.3572186757, 0.1564421871]);
    check::<Snes>([-0.5277187556, -0.2810332838, 0.1401985419]);
    check::<LmMaEs>([1.0086153700, -0.1648700604, 0.0540282482]);
}
