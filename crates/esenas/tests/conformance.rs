//! What every search must do, whatever its halves are: all weights × all controllers, and the
//! baselines.

use std::sync::Arc;

use esenas::controllers::{ControllerConfig, PolicyGradientConfig, RandomConfig};
use esenas::joint::CentreModels;
use esenas::weights::{
    Boundary, CmaEsConfig, EsConfig, GrowingConfig, Recombination, Regime, RestartsConfig,
    SepCmaEsConfig, Tolerances, WeightsConfig,
};
use esenas::{
    AlternatingConfig, Bounds, Candidate, FrontConfig, HybridConfig, JointConfig, NextConfig,
    Optimizer, Purpose, Search, SearchConfig, Seed, Space, Start, Stream,
};
use proptest::prelude::*;

const DIM: usize = 5;

fn weights() -> Vec<WeightsConfig> {
    let (recombination, mirrored) = (Recombination::All, true);
    let all = SepCmaEsConfig { recombination, mirrored, ..Default::default() };
    vec![
        WeightsConfig::Es(EsConfig::default()),
        WeightsConfig::CmaEs(Default::default()),
        WeightsConfig::SepCmaEs(Default::default()),
        WeightsConfig::Snes(Default::default()),
        WeightsConfig::LmMaEs(Default::default()),
        WeightsConfig::LineEs(Default::default()),
        WeightsConfig::Growing(GrowingConfig {
            weights: WeightsConfig::SepCmaEs(all).into(),
            after: Some(9),
            ..Default::default()
        }),
        WeightsConfig::Restarts(RestartsConfig {
            weights: WeightsConfig::SepCmaEs(Default::default()).into(),
            regime: Regime::Bipop,
            ..Default::default()
        }),
    ]
}

/// Those that begin anew as soon as may be, in the box by clipping.
fn impatient() -> SearchConfig {
    let stop = Tolerances { tolx: 1e9, ..Tolerances::default() };
    let boundary = Boundary::Clip;
    let cma = CmaEsConfig { stop, boundary, mirrored: true, ..CmaEsConfig::default() };
    SearchConfig::EsEnas {
        weights: WeightsConfig::Restarts(RestartsConfig {
            weights: WeightsConfig::CmaEs(cma).into(),
            regime: Regime::Bipop,
            ..Default::default()
        }),
        controller: ControllerConfig::Asng(Default::default()),
        joint: JointConfig { centre_models: CentreModels::Mode, centre: 1, ..Default::default() },
    }
}

/// θ and m by turns.
/// Over before most of what is tested is.
fn soon() -> NextConfig {
    let weights = WeightsConfig::Restarts(Default::default());
    NextConfig { after: 60, weights, controller: ControllerConfig::Asng(Default::default()) }
}

fn by_turns() -> SearchConfig {
    SearchConfig::Alternating {
        weights: WeightsConfig::LineEs(Default::default()),
        controller: ControllerConfig::Sweep(Default::default()),
        alternating: AlternatingConfig { centre: 3, next: Some(soon()), ..Default::default() },
    }
}

fn evolution() -> Vec<ControllerConfig> {
    vec![
        ControllerConfig::Random(RandomConfig {}),
        ControllerConfig::RegularizedEvolution(Default::default()),
        ControllerConfig::HillClimb(Default::default()),
        ControllerConfig::Neat(Default::default()),
    ]
}

fn controllers() -> Vec<ControllerConfig> {
    // A network as small as may be: its whole state is written out time and again.
    let network = PolicyGradientConfig { hidden: 4, embedding: 3, ..Default::default() };
    let others = [
        ControllerConfig::Asng(Default::default()),
        ControllerConfig::Nsga2(Default::default()),
        ControllerConfig::PolicyGradient(network),
        ControllerConfig::FactorizedPolicyGradient(Default::default()),
        ControllerConfig::OnePlusOne(Default::default()),
        ControllerConfig::LocalSearch(Default::default()),
        ControllerConfig::Pyramid(Default::default()),
        ControllerConfig::Sweep(Default::default()),
    ];
    evolution().into_iter().chain(others).collect()
}

/// A search, and whether it is of a θ that is on a grid.
#[derive(Debug)]
struct Case {
    search: SearchConfig,
    grid: bool,
}

/// Every search there is; on a grid, which is θ's alone, with one controller.
fn searches() -> Vec<Case> {
    let joint = JointConfig { centre: 2, ..JointConfig::default() };
    let product = weights().into_iter().flat_map(|weights| {
        let with = move |controller| (weights.clone(), controller);
        controllers().into_iter().map(with)
    });
    let es_enas = product.map(|(weights, controller)| SearchConfig::EsEnas {
        weights,
        controller,
        joint: joint.clone(),
    });
    let hybrid = evolution().into_iter().map(|evolution| SearchConfig::Hybrid {
        evolution,
        hybrid: HybridConfig::default(),
        population: 12,
    });
    let all = es_enas.chain(hybrid).chain([impatient(), by_turns()]);
    let front = FrontConfig { population: 12, ..FrontConfig::default() };
    let all = all.chain([SearchConfig::Front(front)]);
    let apart = |search: &SearchConfig| match search {
        SearchConfig::EsEnas { controller, .. } => matches!(controller, ControllerConfig::Asng(_)),
        SearchConfig::Alternating { .. } | SearchConfig::Hybrid { .. } | SearchConfig::Front(_) => {
            true
        }
    };
    all.flat_map(|search| {
        let gridded = apart(&search).then(|| Case { search: search.clone(), grid: true });
        [Case { search, grid: false }].into_iter().chain(gridded)
    })
    .collect()
}

/// Of the coordinates of θ, where they are on a grid.
const STEPS: [f64; DIM] = [1.0, 0.0, 0.4, 10.0, 0.0];

/// Nested, with a subset and a permutation.
fn space() -> Arc<Space> {
    let form = serde_json::json!({
        "edges": { "manyof": { "int": [0, 7] }, "k": 3, "sorted": true },
        "order": { "permutation": ["a", "b", "c"] },
        "block": { "oneof": [
            { "kind": "conv", "size": { "oneof": [3, 5, 7] } },
            { "kind": "skip" },
        ] },
    });
    Arc::new(Space::from_value(&form).unwrap())
}

fn start() -> Start {
    Start {
        space: space(),
        theta: vec![0.5; DIM],
        bounds: Some(Bounds::new(vec![-5.0], vec![5.0], DIM).unwrap()),
    }
}

fn search(case: &Case) -> Search {
    let mut start = start();
    if case.grid {
        start.bounds = start.bounds.map(|it| it.with_steps(STEPS.to_vec(), DIM).unwrap());
    }
    Search::new(case.search.clone(), start).unwrap()
}

fn stream(iteration: usize) -> Stream {
    Seed(3).stream(Purpose::Ask, iteration as u32, 0)
}

fn value(candidate: &Candidate) -> f64 {
    let weights: f64 = candidate.theta.to_vec().iter().map(|t| t * t).sum();
    f64::from(candidate.dna.genes().iter().sum::<u32>()) - weights
}

fn bytes(search: &Search) -> Vec<u8> {
    postcard::to_stdvec(search).unwrap()
}

fn reloaded(search: &Search) -> Search {
    postcard::from_bytes(&bytes(search)).unwrap()
}

/// Whether no number of the whole state is NaN or infinite.
fn is_finite(search: &Search) -> bool {
    let state = format!("{search:?} {:?}", search.statistics());
    state.split(|c: char| !c.is_alphanumeric()).all(|word| word != "NaN" && word != "inf")
}

fn assert_valid(points: &[Candidate], n: usize, config: &Case) {
    let space = space();
    assert_eq!(points.len(), n, "{config:?}");
    for point in points {
        space.check(&point.dna).unwrap_or_else(|e| panic!("{config:?}: {e}"));
        let theta = point.theta.to_vec();
        assert_eq!(theta.len(), DIM);
        assert!(theta.iter().all(|t| (-5.0..=5.0).contains(t)), "{config:?}: {theta:?}");
        for (t, step) in theta.iter().zip(STEPS).filter(|(_, step)| config.grid && *step > 0.0) {
            let at = (t + 5.0) / step;
            assert!((at - at.round()).abs() < 1e-9, "{config:?}: {t} is not on its grid");
        }
    }
}

#[test]
fn asks_of_any_size_give_that_many_valid_points() {
    for config in searches() {
        let mut search = search(&config);
        for (iteration, n) in [0, 1, 2, 3, 7, 12, 40, 5].into_iter().enumerate() {
            let points = search.ask(n, &mut stream(iteration));
            assert_valid(&points, n, &config);
            search.tell(&points.iter().map(|p| Some(value(p))).collect::<Vec<_>>());
        }
    }
}

/// A checkpoint between any two calls goes on with the same bits.
#[test]
fn resuming_equals_never_having_stopped() {
    for config in searches() {
        let (mut straight, mut resumed) = (search(&config), search(&config));
        for iteration in 0..6 {
            resumed = reloaded(&resumed);
            let n = straight.population();
            let points = straight.ask(n, &mut stream(iteration));
            assert_eq!(points, resumed.ask(n, &mut stream(iteration)), "{config:?}");
            resumed = reloaded(&resumed);
            let values: Vec<_> =
                points.iter().enumerate().map(|(i, p)| (i % 5 != 3).then(|| value(p))).collect();
            straight.tell(&values);
            resumed.tell(&values);
            assert!(bytes(&straight) == bytes(&resumed), "{config:?} at iteration {iteration}");
        }
    }
}

/// Telling without asking, or twice, teaches nothing.
#[test]
fn what_was_not_asked_is_not_learned() {
    for config in searches() {
        let mut search = search(&config);
        let fresh = bytes(&search);
        search.tell(&[Some(1.0), Some(2.0)]);
        assert!(bytes(&search) == fresh, "{config:?}");
        let points = search.ask(12, &mut stream(0));
        let values: Vec<_> = points.iter().map(|p| Some(value(p))).collect();
        search.tell(&values);
        let once = bytes(&search);
        search.tell(&values);
        assert!(bytes(&search) == once, "{config:?}");
    }
}

#[test]
fn one_thread_and_eight_give_the_same_bits() {
    let on = |threads, config: &SearchConfig, grid: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let theta = vec![0.5; 20_000];
            let bounds = grid.then(|| {
                let bounds = Bounds::new(vec![-5.0], vec![5.0], theta.len()).unwrap();
                bounds.with_steps([1.0, 0.0].repeat(10_000), theta.len()).unwrap()
            });
            let mut search =
                Search::new(config.clone(), Start { theta, bounds, ..start() }).unwrap();
            for iteration in 0..3 {
                let points = search.ask(12, &mut stream(iteration));
                let values: Vec<_> = points.iter().map(|p| Some(value(p))).collect();
                search.tell(&values);
            }
            bytes(&search)
        })
    };
    for weights in weights() {
        if matches!(weights, WeightsConfig::CmaEs(_)) {
            continue; // d = 20,000 is not for a full covariance.
        }
        let controller = ControllerConfig::default();
        let config = SearchConfig::EsEnas { weights, controller, joint: JointConfig::default() };
        for grid in [false, true] {
            assert!(on(1, &config, grid) == on(8, &config, grid), "{config:?}");
        }
    }
}

/// Whatever an objective returns.
fn told() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        Just(None),
        Just(Some(f64::NAN)),
        Just(Some(f64::INFINITY)),
        Just(Some(f64::NEG_INFINITY)),
        Just(Some(f64::MAX)),
        Just(Some(f64::MIN)),
        Just(Some(f64::MIN_POSITIVE)),
        Just(Some(0.0)),
        Just(Some(1.0)),
        (-1e6..1e6).prop_map(Some),
        any::<f64>().prop_map(Some),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_values_leave_the_state_finite_and_the_points_valid(
        batches in prop::collection::vec((0..20usize, prop::collection::vec(told(), 0..24)), 1..12),
        tell_the_same in any::<bool>(),
    ) {
        for config in searches() {
            let mut search = search(&config);
            for (iteration, (n, values)) in batches.iter().enumerate() {
                let points = search.ask(*n, &mut stream(iteration));
                assert_valid(&points, *n, &config);
                match values.first() {
                    Some(first) if tell_the_same => search.tell(&vec![*first; *n]),
                    _ => search.tell(values),
                }
                prop_assert!(is_finite(&search), "{config:?} {:?}", search.statistics());
            }
            let points = search.ask(6, &mut stream(99));
            assert_valid(&points, 6, &config);
        }
    }
}
