//! In steady state an iteration allocates nothing that grows with d: bytes are counted at two
//! dimensions and must be the same, up to what the lists of points take.

use std::sync::Arc;

use esenas::controllers::{Controller, ControllerConfig, RandomConfig};
use esenas::weights::{
    CmaEsConfig, EsConfig, LineEsConfig, LmMaEsConfig, Sampling, SepCmaEsConfig, SnesConfig,
    StepRule, WeightsConfig,
};
use esenas::{EsEnas, JointConfig, Optimizer, Purpose, Scratch, Seed, Space};

/// Points of every iteration.
const POINTS: usize = 16;

/// When the points of an iteration are let go.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    UntilTell,
    BeyondTell,
}

/// Bytes that three iterations allocate, after some to warm up.
fn bytes(weights: &WeightsConfig, dim: usize, centre: u32, held: Held) -> u64 {
    let space = Arc::new(Space::list([0; 6].map(|_| Space::bool())).unwrap());
    let controller = ControllerConfig::Random(RandomConfig::default());
    let controller = Controller::new(controller, space.clone()).unwrap();
    let weights = weights.clone().build(vec![1.0; dim], None).unwrap();
    let config = JointConfig { centre, ..JointConfig::default() };
    let mut search = EsEnas::new(config, space, weights, controller).unwrap();
    let values: Vec<_> = (0..POINTS).map(|i| Some((i * 7 % 11) as f64)).collect();
    let (mut x, mut scratch) = (Vec::new(), Scratch::default());
    let mut iterate = |iterations: std::ops::Range<u32>| {
        for iteration in iterations {
            let stream = &mut Seed(1).stream(Purpose::Ask, iteration, 0);
            let batch = search.ask(POINTS, stream);
            batch.iter().for_each(|c| c.theta.write(&mut x, &mut scratch));
            let batch = (held == Held::BeyondTell).then_some(batch);
            search.tell(&values);
            drop(batch);
        }
    };
    // CMA-ES first decomposes after some iterations, and then takes room for it.
    iterate(0..30);
    allocation_counter::measure(|| iterate(30..33)).bytes_total
}

/// What rayon's queue may take for itself now and then, a block of it being 1.5 kB; one number per
/// coordinate is more by far.
const QUEUES: u64 = 4096;

/// Asserts that an iteration at dimension `large` allocates as little as one at `small`, but for
/// `copies` of θ.
fn flat(weights: WeightsConfig, [small, large]: [usize; 2], centre: u32, copies: usize) {
    for held in [Held::UntilTell, Held::BeyondTell] {
        let [less, more] = [small, large].map(|dim| bytes(&weights, dim, centre, held));
        let allowed = less + QUEUES + (3 * copies * 8 * (large - small)) as u64;
        assert!(
            more <= allowed,
            "{held:?} {weights:?}: {less} bytes at {small}, {more} at {large}"
        );
    }
}

#[test]
fn es_allocates_nothing_per_coordinate() {
    let rules = [
        StepRule::Plain,
        StepRule::Momentum(Default::default()),
        StepRule::Adam(Default::default()),
        StepRule::ClipUp(Default::default()),
    ];
    for rule in rules {
        for sampling in [Sampling::Gaussian, Sampling::Hadamard] {
            let config = EsConfig { rule, sampling, ..EsConfig::default() };
            flat(WeightsConfig::Es(config), [500, 5000], 2, 0);
        }
    }
    // So many coordinates that directions are drawn twice.
    flat(WeightsConfig::Es(EsConfig::default()), [200_000, 300_000], 2, 0);
}

#[test]
fn diagonal_optimizers_allocate_nothing_per_coordinate() {
    flat(WeightsConfig::SepCmaEs(SepCmaEsConfig::default()), [500, 5000], 2, 0);
    flat(WeightsConfig::Snes(SnesConfig::default()), [500, 5000], 2, 0);
    flat(WeightsConfig::LineEs(LineEsConfig::default()), [500, 5000], 2, 0);
    flat(WeightsConfig::SepCmaEs(SepCmaEsConfig::default()), [100_000, 200_000], 2, 0);
}

/// Their points are written out, in memory that is used again. The centre is not kept that way,
/// so an iteration that evaluates it copies it once.
#[test]
fn optimizers_with_written_out_points_use_their_memory_again() {
    for (centre, copies) in [(0, 0), (2, 1)] {
        let config = LmMaEsConfig { vectors: Some(5), ..LmMaEsConfig::default() };
        flat(WeightsConfig::LmMaEs(config), [500, 5000], centre, copies);
        flat(WeightsConfig::CmaEs(CmaEsConfig::default()), [30, 60], centre, copies);
    }
}
