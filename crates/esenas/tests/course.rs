//! Models that are held while θ moves, and one product after another.

use std::sync::Arc;

use esenas::controllers::{Controller, ControllerConfig};
use esenas::shaping::{Constraint, View};
use esenas::space::Cost;
use esenas::weights::{LineEs, LineEsConfig, SepCmaEsConfig, WeightsConfig};
use esenas::{
    Candidate, Dna, EsEnas, JointConfig, JointError, Optimizer, Pairing, Purpose, Role, Search,
    SearchConfig, SearchError, Seed, Space, Start, Then, WeightOptimizer,
};

const DIM: usize = 6;

fn digits(count: usize) -> Arc<Space> {
    Arc::new(Space::list((0..count).map(|_| Space::int(0..=4).unwrap())).unwrap())
}

fn sum(dna: &Dna) -> f64 {
    dna.genes().iter().map(|g| f64::from(*g)).sum()
}

fn value(candidate: &Candidate) -> f64 {
    let theta = candidate.theta.to_vec();
    sum(&candidate.dna) - theta.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>()
}

fn sweep() -> ControllerConfig {
    ControllerConfig::Sweep(Default::default())
}

fn held(centre: u32) -> JointConfig {
    JointConfig { pairing: Pairing::Held, centre, ..JointConfig::default() }
}

fn iterate(search: &mut Search, iteration: u32, n: usize) -> Vec<Candidate> {
    let points = search.ask(n, &mut Seed(3).stream(Purpose::Ask, iteration, 0));
    search.tell(&points.iter().map(|p| Some(value(p))).collect::<Vec<_>>());
    points
}

fn begin(config: SearchConfig) -> Result<Search, SearchError> {
    let space = digits(8);
    Search::new(config, Start { space, theta: vec![0.0; DIM], bounds: None })
}

/// Red when a probe has another model, a proposal another θ than the centre, or the controller learns from a probe; of the one at the
/// centre, which is an evaluation of the held model like any other, it may.
#[test]
fn held_models_and_weights_are_compared_apart() {
    let space = digits(8);
    let weights = WeightsConfig::LineEs(LineEsConfig::default());
    for controller in
        [sweep(), ControllerConfig::default(), ControllerConfig::Asng(Default::default())]
    {
        let weights = weights.clone().build(vec![0.0; DIM], None).unwrap();
        let controller = Controller::new(controller, space.clone()).unwrap();
        let mut joint = EsEnas::new(held(5), space.clone(), weights, controller).unwrap();
        for iteration in 0..30 {
            let centre = joint.weights().clone();
            let points = joint.ask(17, &mut Seed(4).stream(Purpose::Ask, iteration, 0));
            let (probes, others) = points.split_at(12);
            assert!(probes.iter().all(|p| p.dna == probes[0].dna));
            assert!(probes[..11].iter().all(|p| p.role == Role::Probe));
            // Of sweeps it is the centre's as well.
            let shared = joint.controller().begins_with_mode();
            assert_eq!(probes[11].role, if shared { Role::Centre } else { Role::Probe });
            let theta = centre.centre().to_vec();
            assert!(others.iter().all(|p| p.role == Role::Centre && p.theta.to_vec() == theta));
            // What probes are worth says nothing of models.
            let mut values: Vec<_> = points.iter().map(|p| Some(value(p))).collect();
            let mut twin = joint.clone();
            let alone = if shared { 11 } else { 12 };
            values[..alone].iter_mut().for_each(|v| *v = v.map(|v| 3.0 * v - 1e3));
            twin.tell(&values);
            joint.tell(&points.iter().map(|p| Some(value(p))).collect::<Vec<_>>());
            assert_eq!(twin.controller(), joint.controller());
        }
        assert!(joint.controller().best().is_some());
    }
}

/// Sweeps compare with the model they stand at, and so does a line: one evaluation serves both. Red when a point is evaluated
/// twice, a batch has fewer points than were asked for, or the sweep takes another value for that of its model.
#[test]
fn the_held_model_is_evaluated_once() {
    let space = digits(8);
    let weights = WeightsConfig::LineEs(LineEsConfig::default()).build(vec![0.0; DIM], None);
    let controller = Controller::new(sweep(), space.clone()).unwrap();
    let mut joint = EsEnas::new(held(5), space, weights.unwrap(), controller).unwrap();
    for iteration in 0..20 {
        let points = joint.ask(17, &mut Seed(4).stream(Purpose::Ask, iteration, 0));
        assert_eq!(points.len(), 17);
        let stand = joint.controller().mode().unwrap();
        let own = |p: &&Candidate| p.dna == stand && p.theta == points[11].theta;
        assert_eq!(points.iter().filter(own).count(), 1, "iteration {iteration}");
        assert!(points[11..].iter().all(|p| p.role == Role::Centre));
        // Neighbours are better than all probes but for the one at the centre.
        let worth = |at| {
            if at == 11 {
                2.0
            } else if at > 11 {
                1.0
            } else {
                0.0
            }
        };
        joint.tell(&(0..17).map(|at| Some(worth(at))).collect::<Vec<_>>());
        assert_eq!(joint.controller().mode(), Some(stand), "iteration {iteration}");
    }
}

/// One point is better than all that follow, while sweeps go on from model to model. Red when the weights go back alone, or to
/// another point, or the model that comes back is not the one that point had.
#[test]
fn a_held_model_goes_back_with_the_weights() {
    let space = digits(8);
    let weights = LineEs::new(LineEsConfig::default(), vec![0.0; DIM], None).unwrap();
    let controller = Controller::new(sweep(), space.clone()).unwrap();
    let mut joint = EsEnas::new(held(5), space, weights, controller).unwrap();
    let mut best = None;
    for iteration in 0..6 {
        assert_eq!(joint.weights().trail().returns, 0);
        let points = joint.ask(17, &mut Seed(4).stream(Purpose::Ask, iteration, 0));
        let best: &Candidate = best.get_or_insert_with(|| points[3].clone());
        // Models are worth more the later they are asked for, so that the sweep never stays.
        let worth = |(at, point): (usize, &Candidate)| match point {
            point if point == best => 1e3,
            _ => at as f64,
        };
        joint.tell(&points.iter().enumerate().map(worth).map(Some).collect::<Vec<_>>());
        let moved = joint.controller().mode() != Some(best.dna.clone());
        assert_eq!(moved, iteration < 5, "iteration {iteration}");
    }
    let best = best.unwrap();
    assert_eq!(joint.weights().trail().returns, 1);
    assert_eq!(joint.weights().centre().to_vec(), best.theta.to_vec());
}

/// The same constraint for the model that is held as for its neighbours. Red when the weights are told what the controller is not:
/// they would go back to a model that costs too much.
#[test]
fn what_a_held_model_costs_counts_for_the_weights_too() {
    let space = digits(8);
    let constraint = Constraint { cost: Cost::Active, target: 2.0, exponent: -1.0, offset: 0.0 };
    let begin = |view: View| {
        let weights = LineEs::new(LineEsConfig::default(), vec![0.0; DIM], None).unwrap();
        let controller = Controller::new(sweep(), space.clone()).unwrap();
        EsEnas::new(JointConfig { view, ..held(5) }, space.clone(), weights, controller).unwrap()
    };
    let mut plain = begin(View::default());
    let mut judged = begin(View { constraint: Some(constraint.clone()), ..View::default() });
    let points = plain.ask(17, &mut Seed(4).stream(Purpose::Ask, 0, 0));
    assert_eq!(judged.ask(17, &mut Seed(4).stream(Purpose::Ask, 0, 0)), points);
    let values: Vec<f64> = (1..=17).map(f64::from).collect();
    let active = points[0].dna.genes().iter().filter(|g| **g != 0).count() as f64;
    assert!(active > 2.0);
    judged.tell(&values.iter().map(|v| Some(*v)).collect::<Vec<_>>());
    plain.tell(&values.iter().map(|v| Some(constraint.apply(*v, active))).collect::<Vec<_>>());
    assert_eq!(judged.weights(), plain.weights());
}

/// The two halves find their optima apart: 4 in every digit, 1 in every weight.
#[test]
fn line_es_and_sweeps_arrive() {
    let weights = WeightsConfig::LineEs(LineEsConfig::default());
    let config = SearchConfig::EsEnas { weights, controller: sweep(), joint: held(7), then: None };
    let mut search = begin(config).unwrap();
    let all: Vec<f64> = (0..60)
        .flat_map(|t| {
            let n = search.population();
            iterate(&mut search, t, n)
        })
        .map(|p| value(&p))
        .collect();
    let best = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!(best > 32.0 - 1e-3, "{best}");
    assert_eq!(search.mode(), Some(Dna::from([4; 8])));
}

fn then(after: u64) -> Then {
    let weights = WeightsConfig::LineEs(LineEsConfig::default());
    Then { after, weights, controller: sweep(), pairing: Pairing::Held, centre: 4 }
}

fn followed(then: Option<Then>) -> SearchConfig {
    SearchConfig::EsEnas {
        weights: WeightsConfig::SepCmaEs(SepCmaEsConfig::default()),
        controller: ControllerConfig::Asng(Default::default()),
        joint: JointConfig { centre: 1, ..JointConfig::default() },
        then: then.map(Box::new),
    }
}

/// Red when what follows changes what it follows, begins too early or late, or elsewhere than where the search stands.
#[test]
fn another_product_goes_on_where_the_first_one_stands() {
    let (mut plain, mut search) =
        (begin(followed(None)).unwrap(), begin(followed(Some(then(60)))).unwrap());
    // Whole iterations of 11: it is time after six.
    for t in 0..6 {
        assert_eq!(search.population(), plain.population());
        assert_eq!(iterate(&mut search, t, 11), iterate(&mut plain, t, 11), "iteration {t}");
    }
    let (Search::EsEnas(before), Search::EsEnas(after)) = (&plain, &search) else { panic!() };
    let (before, after) = (before.product(), after.product());
    assert_eq!(search.centre().unwrap().to_vec(), plain.centre().unwrap().to_vec());
    assert_eq!(after.controller().best(), before.controller().best());
    // A step of line-ES is 1.65 times as long as one of sep-CMA-ES with the same σ.
    assert_eq!(after.weights().sigma().unwrap(), before.weights().sigma().unwrap() / 1.65);
    let likeliest = plain.mode().unwrap();
    assert_eq!(search.population(), 12 + 4);
    let points = iterate(&mut search, 6, 16);
    assert!(points[..12].iter().all(|p| p.dna == likeliest));
    // And the one that line-ES asks for at the centre.
    assert_eq!(points.iter().filter(|p| p.role == Role::Centre).count(), 4 + 1);
}

#[test]
fn what_cannot_follow_is_refused_at_once() {
    let refused = |then: Then| begin(followed(Some(then))).unwrap_err().to_string();
    assert_eq!(
        refused(Then { centre: 1, ..then(9) }),
        "then: pairing \"held\" evaluates models at the centre alone: centre.evaluations must be at \
         least 2, got 1"
    );
    let pairs = refused(Then { pairing: Pairing::Shared, ..then(9) });
    assert!(pairs.starts_with("then: pairing must be"), "{pairs}");
    let weights = WeightsConfig::LineEs(LineEsConfig { population: Some(1), ..Default::default() });
    let few = refused(Then { weights, ..then(9) });
    assert_eq!(few, "then: weights: population must be at least 2, got 1");
    let space = digits(2);
    let weights = WeightsConfig::default().build(vec![0.0], None).unwrap();
    let controller = Controller::new(sweep(), space.clone()).unwrap();
    let alone = EsEnas::new(held(0), space, weights, controller).unwrap_err();
    assert_eq!(alone, JointError::Held(0));
}
