//! Learning from what was active: each coordinate from the points whose models used it.

use std::sync::Arc;

use esenas::controllers::ControllerConfig;
use esenas::space::{First, Space, Tensor};
use esenas::weights::{
    EsConfig, GrowingConfig, LineEsConfig, RestartsConfig, SepCmaEsConfig, SnesConfig, Weights,
    WeightsConfig,
};
use esenas::{
    AlternatingConfig, Candidate, Dna, JointConfig, Layout, Optimizer, Purpose, Search,
    SearchConfig, Seed, Start, Stream, WeightOptimizer,
};

const BLOCKS: usize = 4;
const BRANCHES: usize = 3;
const OWN: usize = 5;

fn stream(iteration: u32) -> Stream {
    Seed(9).stream(Purpose::Ask, iteration, 0)
}

/// Blocks whose branches own weights, and two weights that all models have.
fn space(leaves: bool) -> Arc<Space> {
    let weights = |count| {
        let tensor = Tensor { first: First::Zeros, ..Tensor::from([count]) };
        Space::weights(tensor).unwrap()
    };
    let branch = |at: i64| match leaves {
        true => Space::list([weights(OWN), at.into()]).unwrap(),
        false => at.into(),
    };
    let block = |_| Space::oneof((0..BRANCHES as i64).map(branch).collect::<Vec<_>>()).unwrap();
    let mut parts: Vec<Space> = (0..BLOCKS).map(block).collect();
    if leaves {
        parts.push(weights(2));
    }
    Arc::new(Space::list(parts).unwrap())
}

const DIM: usize = BLOCKS * BRANCHES * OWN + 2;

/// Where the weights of each block's branch are, and those that all have.
fn ranges(dna: &Dna) -> Vec<std::ops::Range<usize>> {
    let of = |(block, branch): (usize, &u32)| {
        let start = (block * BRANCHES + *branch as usize) * OWN;
        start..start + OWN
    };
    dna.genes().iter().enumerate().map(of).chain(std::iter::once(DIM - 2..DIM)).collect()
}

/// Every weight in use should be 1.
fn value(dna: &Dna, theta: &[f64]) -> f64 {
    let apart = |x: &f64| (x - 1.0).powi(2);
    -ranges(dna).into_iter().flat_map(|range| &theta[range]).map(apart).sum::<f64>()
}

/// Those that make use of it, and those that are made of them.
fn learners() -> Vec<WeightsConfig> {
    let sep = |mirrored| {
        WeightsConfig::SepCmaEs(SepCmaEsConfig {
            mirrored,
            population: Some(16),
            ..Default::default()
        })
    };
    let step = |step_size: f64| EsConfig {
        sigma: 0.1.into(),
        step_size: step_size.into(),
        directions: 8,
        ..EsConfig::default()
    };
    vec![
        WeightsConfig::Es(step(0.1)),
        sep(false),
        sep(true),
        WeightsConfig::Snes(SnesConfig { population: Some(16), ..Default::default() }),
        WeightsConfig::LineEs(LineEsConfig { population: Some(19), ..Default::default() }),
        WeightsConfig::Growing(GrowingConfig { weights: sep(true).into(), ..Default::default() }),
        WeightsConfig::Restarts(RestartsConfig { weights: sep(true).into(), ..Default::default() }),
    ]
}

fn layout() -> Layout {
    Layout::new(space(true)).unwrap()
}

fn models(iteration: u32, n: usize) -> Vec<Dna> {
    let mut stream = Seed(3).stream(Purpose::Evaluate, iteration, 0);
    (0..n).map(|_| space(false).sample(&mut stream)).collect()
}

/// Iterations with these models, told what they use or not.
fn run(
    weights: &mut Weights,
    iterations: u32,
    models: impl Fn(u32, usize) -> Vec<Dna>,
    told: bool,
) {
    let layout = layout();
    for iteration in 0..iterations {
        let points = weights.ask(16, &mut stream(iteration));
        let models = models(iteration, points.len());
        let values = points.iter().zip(&models).map(|(it, dna)| Some(value(dna, &it.to_vec())));
        let values: Vec<_> = values.collect();
        if told {
            weights.used(layout.used(models.iter()));
        }
        weights.tell(&values);
    }
}

/// Red when being told that all points used all changes a bit.
#[test]
fn all_active_is_nothing_said() {
    let same = Layout::flat(space(false), DIM, None);
    for config in learners() {
        let start = || config.clone().build(vec![0.0; DIM], None).unwrap();
        let (mut said, mut silent) = (start(), start());
        for iteration in 0..12 {
            let asked = said.ask(16, &mut stream(iteration));
            assert_eq!(silent.ask(16, &mut stream(iteration)).len(), asked.len());
            let models = models(iteration, 16);
            let values: Vec<_> =
                asked.iter().zip(&models).map(|(x, m)| Some(value(m, &x.to_vec()))).collect();
            said.used(same.used(models.iter()));
            said.tell(&values);
            silent.tell(&values);
        }
        assert_eq!(
            postcard::to_stdvec(&said).unwrap(),
            postcard::to_stdvec(&silent).unwrap(),
            "{config:?}"
        );
    }
}

/// Where coordinates are learned apart from each other, those that all points used are as if
/// nothing had been said of the others. Red when a segment is learned with the weights of another.
#[test]
fn what_all_use_is_learned_as_ever() {
    let one = |_, n| vec![Dna::from([0, 1, 2, 0]); n];
    for config in &learners()[..4] {
        if matches!(config, WeightsConfig::SepCmaEs(_)) {
            continue;
        }
        let start = || config.clone().build(vec![0.0; DIM], None).unwrap();
        let (mut said, mut silent) = (start(), start());
        run(&mut said, 10, one, true);
        run(&mut silent, 10, one, false);
        let (said, silent) = (said.centre().to_vec(), silent.centre().to_vec());
        for range in ranges(&Dna::from([0, 1, 2, 0])) {
            assert_eq!(said[range.clone()], silent[range], "{config:?}");
        }
    }
}

/// Red when noise moves a weight that no model used, or a lone point moves one.
#[test]
fn what_nobody_uses_stays() {
    let lone = |_, n| {
        let mut models = vec![Dna::from([0, 1, 2, 0]); n];
        models[3] = Dna::from([1, 1, 2, 0]);
        models
    };
    for config in learners() {
        let mut weights = config.clone().build(vec![0.5; DIM], None).unwrap();
        run(&mut weights, 10, lone, true);
        let theta = weights.centre().to_vec();
        let used = ranges(&Dna::from([0, 1, 2, 0]));
        for (at, x) in theta.iter().enumerate() {
            let is_used = used.iter().any(|range| range.contains(&at));
            assert_eq!(*x == 0.5, !is_used, "{config:?}: coordinate {at} at {x}");
        }
    }
}

/// With models at random, what is learned in the same iterations. Red when ranks or baselines are
/// those of all points.
#[test]
fn models_at_random_disturb_little() {
    for config in &learners()[..5] {
        let gap = |told| {
            let mut weights = config.clone().build(vec![0.0; DIM], None).unwrap();
            run(&mut weights, 200, models, told);
            weights.centre().to_vec().iter().map(|x| (x - 1.0).powi(2)).sum::<f64>()
        };
        let (with, without) = (gap(true), gap(false));
        assert!(5.0 * with < without, "{config:?}: {with} beside {without}");
    }
}

fn search(weights: WeightsConfig, controller: &str) -> Search {
    let space = space(true);
    let by_turns = controller == "sweep" && matches!(weights, WeightsConfig::LineEs(_));
    let controller: ControllerConfig =
        serde_json::from_value(serde_json::json!({ "kind": controller })).unwrap();
    let config = if by_turns {
        let alternating = AlternatingConfig { centre: 2, ..AlternatingConfig::default() };
        SearchConfig::Alternating { weights, controller, alternating }
    } else {
        let joint = JointConfig { centre: 2, ..JointConfig::default() };
        SearchConfig::EsEnas { weights, controller, joint }
    };
    let start = Start { space, theta: vec![0.0; DIM], bounds: None };
    Search::new(config, start).unwrap()
}

fn values(points: &[Candidate]) -> Vec<Option<f64>> {
    points.iter().map(|it| Some(value(&it.dna, &it.theta.to_vec()))).collect()
}

/// The product says what its models use, and a state written between any two calls goes on alike.
/// Red when that is forgotten on the way.
#[test]
fn products_say_what_their_models_use() {
    for config in learners() {
        for controller in ["random", "asng", "sweep"] {
            let (mut whole, mut resumed) =
                (search(config.clone(), controller), search(config.clone(), controller));
            let copy = |it: &Search| {
                postcard::from_bytes::<Search>(&postcard::to_stdvec(it).unwrap()).unwrap()
            };
            for iteration in 0..20 {
                let n = whole.population();
                let points = whole.ask(n, &mut stream(iteration));
                assert_eq!(resumed.ask(n, &mut stream(iteration)), points, "{config:?}");
                resumed = copy(&resumed);
                let values = match iteration {
                    4 => vec![None; n],
                    5 => vec![Some(1.0); n],
                    6 => vec![Some(f64::MAX), Some(-f64::MAX), None, Some(f64::NAN)],
                    _ => values(&points),
                };
                whole.tell(&values);
                resumed.tell(&values);
                resumed = copy(&resumed);
            }
            assert_eq!(whole, resumed, "{config:?} {controller}");
            let theta = whole.centre().unwrap().to_vec();
            assert!(theta.iter().all(|x| x.is_finite()), "{config:?} {controller}: {theta:?}");
        }
    }
    // The same search of a flat θ does worse: what models use is known from the space alone.
    let gap = |leaves: bool| {
        let config = learners().swap_remove(1);
        let space = space(leaves);
        let controller = ControllerConfig::Random(Default::default());
        let joint = JointConfig { centre: 0, ..JointConfig::default() };
        let config = SearchConfig::EsEnas { weights: config, controller, joint };
        let start = Start { space, theta: vec![0.0; DIM], bounds: None };
        let mut search = Search::new(config, start).unwrap();
        for iteration in 0..200 {
            let points = search.ask(16, &mut stream(iteration));
            search.tell(&values(&points));
        }
        search.centre().unwrap().to_vec().iter().map(|x| (x - 1.0).powi(2)).sum::<f64>()
    };
    assert!(5.0 * gap(true) < gap(false));
}

/// Red when an ask for no points is taken to say that θ is not made of the space's numbers.
#[test]
fn an_ask_for_nothing_says_nothing() {
    let sep = || learners().swap_remove(1);
    let (mut plain, mut idle) = (search(sep(), "random"), search(sep(), "random"));
    idle.ask(0, &mut stream(0));
    idle.tell(&[]);
    for iteration in 1..6 {
        let points = plain.ask(18, &mut stream(iteration));
        assert_eq!(idle.ask(18, &mut stream(iteration)), points);
        plain.tell(&values(&points));
        idle.tell(&values(&points));
    }
}
