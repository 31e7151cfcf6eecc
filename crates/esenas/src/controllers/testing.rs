//! Instruments for testing any optimizer: the ladder they all climb.

use std::fmt::Debug;

use proptest::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use crate::optimizer::told;
use crate::space::Many;
use crate::{Compatibility, Dna, Optimizer, Purpose, Seed, Space, Stream, Variation};

/// Lists of `len` digits below `arity`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Digits {
    len: usize,
    arity: u32,
    /// Whether a mutant may keep its digit.
    keeps: bool,
}

impl Digits {
    pub(crate) fn new(len: usize, arity: u32) -> Self {
        Self { len, arity, keeps: false }
    }

    /// As models are mutated, uniformly over all values; else mutants always differ, for tests that
    /// count.
    pub(crate) fn keeping(self) -> Self {
        Self { keeps: true, ..self }
    }

    pub(crate) fn holds(&self, genome: &[u32]) -> bool {
        genome.len() == self.len && genome.iter().all(|&digit| digit < self.arity)
    }
}

impl Variation for Digits {
    type Genome = Vec<u32>;

    fn sample(&self, stream: &mut Stream) -> Vec<u32> {
        (0..self.len).map(|_| stream.below(self.arity)).collect()
    }

    fn mutate(&self, parent: &Vec<u32>, stream: &mut Stream) -> Vec<u32> {
        let mut child = parent.clone();
        let at = stream.index(self.len);
        child[at] = match self.keeps {
            true => stream.below(self.arity),
            false => (child[at] + 1 + stream.below(self.arity - 1)) % self.arity,
        };
        child
    }

    fn crossover(&self, one: &Vec<u32>, other: &Vec<u32>, stream: &mut Stream) -> Vec<u32> {
        one.iter().zip(other).map(|(a, b)| if stream.chance(0.5) { *a } else { *b }).collect()
    }

    fn distance(&self, one: &Vec<u32>, other: &Vec<u32>, by: &Compatibility) -> f64 {
        let differ = one.iter().zip(other).filter(|(a, b)| a != b).count();
        by.disjoint * differ as f64 / self.len as f64
    }
}

/// Each digit has a best value of its own; all of them together are worth 0.
#[expect(clippy::ptr_arg, reason = "an objective takes a point, and points are vectors")]
pub(crate) fn separable(point: &Vec<u32>) -> f64 {
    let miss = |(at, digit): (usize, &u32)| digit.abs_diff(at as u32 % 3 + 1);
    -f64::from(point.iter().enumerate().map(miss).sum::<u32>())
}

pub(crate) fn stream(iteration: u32) -> Stream {
    Seed(17).stream(Purpose::Ask, iteration, 0)
}

/// An optimizer that can be looked into.
pub(crate) trait Subject:
    Optimizer<Point: Clone + Debug + PartialEq + Serialize> + State
{
}
impl<O: Optimizer<Point: Clone + Debug + PartialEq + Serialize> + State> Subject for O {}

pub(crate) trait State: Clone + Debug + PartialEq + Serialize + DeserializeOwned {}
impl<O: Clone + Debug + PartialEq + Serialize + DeserializeOwned> State for O {}

const SIZES: [usize; 9] = [7, 0, 1, 25, 2, 64, 3, 10, 10];

/// n points back, all valid; answers to learn nothing from are all alike, others leave the state
/// finite; telling twice teaches once.
pub(crate) fn conforms<O: Subject>(mut optimizer: O, valid: impl Fn(&O::Point) -> bool) {
    let learnable: [&dyn Fn(usize) -> Option<f64>; 5] = [
        &|_| Some(1.0),
        &|at| Some(at as f64),
        &|at| Some(if at % 2 == 0 { f64::MAX } else { f64::MIN }),
        &|at| [None, Some(-2.0), Some(f64::NAN), Some(f64::INFINITY)][at % 4],
        &|at| Some(f64::MIN_POSITIVE / (at + 2) as f64),
    ];
    for (iteration, (n, answer)) in SIZES.into_iter().zip(learnable.iter().cycle()).enumerate() {
        let points = optimizer.ask(n, &mut stream(iteration as u32));
        assert_eq!(points.len(), n);
        assert!(points.iter().all(&valid), "{points:?}");

        let after = |values: &[Option<f64>]| {
            let mut told = optimizer.clone();
            told.tell(values);
            told
        };
        let nothing = after(&vec![None; n]);
        assert_eq!(after(&[]), nothing);
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(after(&vec![Some(value); n + 3]), nothing);
        }

        let values: Vec<_> = (0..n).map(answer).collect();
        optimizer.tell(&values);
        let once = optimizer.clone();
        optimizer.tell(&vec![Some(1e9); n]);
        assert_eq!(optimizer, once, "told twice");
        assert!(optimizer.statistics().iter().all(|(_, value)| value.is_finite()));
    }
}

/// Whoever is written down and read back before every ask and every tell does the same as whoever
/// never was, byte for byte.
pub(crate) fn resumes<O: Subject>(optimizer: O, objective: impl Fn(&O::Point) -> f64) {
    let bytes = |optimizer: &O| postcard::to_stdvec(optimizer).unwrap();
    let (mut straight, mut stopped) = (optimizer.clone(), optimizer);
    for (iteration, n) in SIZES.into_iter().cycle().take(30).enumerate() {
        stopped = postcard::from_bytes(&bytes(&stopped)).unwrap();
        let points = straight.ask(n, &mut stream(iteration as u32));
        assert_eq!(stopped.ask(n, &mut stream(iteration as u32)), points);
        assert_eq!(bytes(&stopped), bytes(&straight), "asked, iteration {iteration}");

        stopped = postcard::from_bytes(&bytes(&stopped)).unwrap();
        let fails = |at: usize| (at + iteration).is_multiple_of(5);
        let answer = |(at, point)| (!fails(at)).then(|| objective(point));
        let values: Vec<_> = points.iter().enumerate().map(answer).collect();
        straight.tell(&values);
        stopped.tell(&values);
        assert_eq!(bytes(&stopped), bytes(&straight), "told, iteration {iteration}");
    }
}

/// A hash (FNV-1a) of the points proposed from a fixed seed.
pub(crate) fn trace<O: Subject>(mut optimizer: O, objective: impl Fn(&O::Point) -> f64) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for (iteration, n) in SIZES.into_iter().cycle().take(40).enumerate() {
        let points = optimizer.ask(n, &mut stream(iteration as u32));
        for byte in postcard::to_stdvec(&points).unwrap() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        optimizer.tell(&points.iter().map(&objective).map(Some).collect::<Vec<_>>());
    }
    hash
}

/// The best value found in `iterations` asks of `n`.
pub(crate) fn best<O: Optimizer>(
    mut optimizer: O,
    objective: impl Fn(&O::Point) -> f64,
    n: usize,
    iterations: u32,
    seed: u64,
) -> f64 {
    let mut best = f64::NEG_INFINITY;
    for iteration in 0..iterations {
        let points = optimizer.ask(n, &mut Seed(seed).stream(Purpose::Ask, iteration, 0));
        let values: Vec<_> = points.iter().map(&objective).map(Some).collect();
        best = values.iter().flatten().copied().fold(best, f64::max);
        optimizer.tell(&values);
    }
    best
}

/// The optimum, which is 0, is found from each of ten seeds.
pub(crate) fn converges<O: Subject>(
    optimizer: O,
    objective: impl Fn(&O::Point) -> f64,
    n: usize,
    iterations: u32,
) {
    for seed in 0..10 {
        let found = best(optimizer.clone(), &objective, n, iterations, seed);
        assert!(found >= 0.0, "seed {seed}: {found}");
    }
}

/// Any sizes of asks, and any answers to them, too short and too long ones among them.
#[derive(Clone, Debug)]
pub(crate) struct Script(Vec<(usize, Vec<Option<f64>>)>);

impl Script {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let value = prop_oneof![
            prop::num::f64::ANY.prop_map(Some),
            (-3i32..3).prop_map(|v| Some(f64::from(v))),
            Just(None),
        ];
        let round = (0usize..20, prop::collection::vec(value, 0..24));
        prop::collection::vec(round, 0..25).prop_map(Self)
    }

    /// Plays it, showing after each tell the points and what could be learned of each.
    pub(crate) fn play<O: Optimizer>(
        self,
        optimizer: &mut O,
        mut see: impl FnMut(&O, &[O::Point], &[Option<f64>]),
    ) {
        for (iteration, (n, values)) in self.0.into_iter().enumerate() {
            let points = optimizer.ask(n, &mut stream(iteration as u32));
            assert_eq!(points.len(), n);
            optimizer.tell(&values);
            let learned: Vec<_> = (0..n).map(|at| told(&values, at)).collect();
            see(optimizer, &points, &learned);
            assert!(optimizer.statistics().iter().all(|(_, value)| value.is_finite()));
        }
    }
}

/// `len` decisions of `arity` candidates.
pub(crate) fn flat(len: usize, arity: i64) -> Space {
    Space::list((0..len).map(|_| Space::oneof(0..=arity - 1).unwrap())).unwrap()
}

pub(crate) fn many(k: u32, n: i64, distinct: bool, sorted: bool) -> Space {
    Space::manyof(Many { k, distinct, sorted }, 0..=n - 1).unwrap()
}

/// Every kind of choice, and conditional ones.
pub(crate) fn mixed() -> Space {
    let inner = Space::list([many(2, 4, true, true), flat(2, 3)]).unwrap();
    let branches = || [Space::from(json!(null)), inner.clone(), Space::bool()];
    Space::list([
        Space::oneof(branches()).unwrap(),
        Space::subset(2, branches()).unwrap(),
        Space::manyof(Many { k: 2, distinct: false, sorted: true }, branches()).unwrap(),
        Space::permutation(branches()).unwrap(),
        many(3, 5, false, false),
    ])
    .unwrap()
}

pub(crate) fn sum(dna: &Dna) -> f64 {
    dna.genes().iter().zip(1..).map(|(gene, at)| f64::from(*gene * at % 7)).sum()
}
