//! What the paper promises of the joint optimizer.

use std::sync::Arc;

use esenas::controllers::{Controller, ControllerConfig, RandomConfig};
use esenas::shaping::{Constraint, View};
use esenas::space::Cost;
use esenas::weights::{CmaEsConfig, Es, EsConfig, Weights, WeightsConfig};
use esenas::{
    Candidate, Dna, EsEnas, JointConfig, ModelOptimizer, Optimizer, Pairing, Purpose, Role, Seed,
    Space, Stream, Theta,
};

fn stream(iteration: u32) -> Stream {
    Seed(7).stream(Purpose::Ask, iteration, 0)
}

fn sphere(theta: &Theta) -> f64 {
    -theta.to_vec().iter().map(|t| t * t).sum::<f64>()
}

fn es() -> Es {
    let config = EsConfig { sigma: 0.1.into(), step_size: 0.05.into(), ..EsConfig::default() };
    Es::new(config, vec![1.0; 4], None).unwrap()
}

/// Three decisions of five, and a mask of six.
fn space() -> Arc<Space> {
    let digits = Space::list([0, 1, 2].map(|_| Space::int(0..=4).unwrap())).unwrap();
    let mask = Space::list([0; 6].map(|_| Space::bool())).unwrap();
    Arc::new(Space::dict([("digits", digits), ("mask", mask)]).unwrap())
}

/// A controller that proposes 0, 1, 2, … and remembers what it was told.
#[derive(Default)]
struct Counting {
    asked: usize,
    told: Vec<Option<f64>>,
}

impl Optimizer for Counting {
    type Point = Dna;

    fn ask(&mut self, n: usize, _: &mut Stream) -> Vec<Dna> {
        self.asked = n;
        let dna =
            |i: usize| Dna::from([i as u32 % 5, 0, 0, 1, (i > 2).into(), (i > 4).into(), 0, 0, 0]);
        (0..n).map(dna).collect()
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        self.told = values.to_vec();
    }
}

impl ModelOptimizer for Counting {}

fn joint(config: JointConfig) -> EsEnas<Es, Counting> {
    EsEnas::new(config, space(), es(), Counting::default()).unwrap()
}

/// §2.1.1: "using a constant fixed m … reduces Eq. 4 to standard ES".
#[test]
fn a_constant_m_reduces_es_enas_to_es() {
    let single = Arc::new(Space::oneof(["only"]).unwrap());
    let random = ControllerConfig::Random(RandomConfig {});
    let controller = Controller::new(random, single.clone()).unwrap();
    let config = JointConfig { centre: 0, ..JointConfig::default() };
    let mut joint = EsEnas::new(config, single, es(), controller).unwrap();
    let mut plain = es();
    for iteration in 0..50 {
        let values: Vec<_> =
            plain.ask(8, &mut stream(iteration)).iter().map(|t| Some(sphere(t))).collect();
        plain.tell(&values);
        let points = joint.ask(8, &mut stream(iteration));
        assert!(points.iter().all(|point| point.dna == Dna::from([0])));
        joint.tell(&points.iter().map(|p| Some(sphere(&p.theta))).collect::<Vec<_>>());
    }
    assert_eq!(&plain, joint.weights());
}

/// Algorithm 1: m⁺ and m⁻ are separate draws, and the controller learns from all (m, v).
#[test]
fn every_value_reaches_the_controller_beside_its_model() {
    let mut joint = joint(JointConfig { centre: 2, ..JointConfig::default() });
    let points = joint.ask(6, &mut stream(0));
    let roles: Vec<_> = points.iter().map(|p| p.role).collect();
    assert_eq!(roles, [[Role::Probe; 2], [Role::Probe; 2], [Role::Centre; 2]].concat());
    assert!(points[4..].iter().all(|p| p.theta.to_vec() == [1.0; 4]), "the centre is θ itself");
    assert_eq!(joint.controller().asked, 6);
    let values = [Some(1.0), None, Some(3.0), Some(f64::NAN), Some(5.0), Some(6.0)];
    joint.tell(&values);
    assert_eq!(joint.controller().told, [Some(1.0), None, Some(3.0), None, Some(5.0), Some(6.0)]);
}

#[test]
fn centre_evaluations_do_not_move_theta_and_need_not_teach() {
    let config = JointConfig { centre: 2, centre_teaches: false, ..JointConfig::default() };
    let mut joint = joint(config);
    let mut plain = es();
    joint.ask(6, &mut stream(0));
    plain.ask(4, &mut stream(0));
    let probes = [Some(1.0), Some(2.0), Some(4.0), Some(3.0)];
    joint.tell(&[&probes[..], &[Some(1e9), Some(-1e9)]].concat());
    plain.tell(&probes);
    assert_eq!(&plain, joint.weights());
    assert_eq!(joint.controller().told[4..], [None, None]);
}

#[test]
fn a_shared_model_is_asked_once_a_pair_and_told_their_mean() {
    let config = JointConfig { pairing: Pairing::Shared, centre: 1, ..JointConfig::default() };
    let mut joint = joint(config);
    let points = joint.ask(6, &mut stream(0));
    assert_eq!(joint.controller().asked, 4, "two pairs, an odd probe and a centre");
    let models: Vec<u32> = points.iter().map(|p| p.dna.genes()[0]).collect();
    assert_eq!(models, [0, 0, 1, 1, 2, 3]);
    joint.tell(&[Some(1.0), Some(3.0), None, Some(7.0), Some(9.0), Some(5.0)]);
    assert_eq!(joint.controller().told, [Some(2.0), Some(7.0), Some(9.0), Some(5.0)]);
}

#[test]
fn only_antithetic_weights_come_in_pairs() {
    let weights = WeightsConfig::CmaEs(CmaEsConfig::default()).build(vec![0.0; 4], None).unwrap();
    let config = JointConfig { pairing: Pairing::Shared, ..JointConfig::default() };
    let refused = EsEnas::<Weights, Counting>::new(config, space(), weights, Counting::default());
    assert_eq!(refused.err().map(|error| error.key).as_deref(), Some("pairing"));
}

/// §4.3.2: the controller sees a random few of the values, θ all of them.
#[test]
fn a_subsample_hides_values_from_the_controller_only() {
    let view = View { subsample: Some(10), ..View::default() };
    let mut joint = joint(JointConfig { centre: 0, view, ..JointConfig::default() });
    let mut plain = es();
    joint.ask(150, &mut stream(0));
    plain.ask(150, &mut stream(0));
    let values: Vec<_> = (0..150).map(|i| Some(f64::from(i * 37 % 101))).collect();
    joint.tell(&values);
    plain.tell(&values);
    assert_eq!(joint.controller().told.iter().flatten().count(), 10);
    let seen = joint.controller().told.iter().zip(&values);
    assert!(seen.filter(|(told, _)| told.is_some()).all(|(told, value)| told == value));
    assert_eq!(&plain, joint.weights());
}

/// §4.3.3: the controller's objective counts edges above the target, θ's does not.
#[test]
fn a_constraint_lowers_what_the_controller_sees() {
    let constraint = Constraint { cost: Cost::Active, target: 2.0, exponent: -1.0, offset: 0.0 };
    let view = View { constraint: Some(constraint), ..View::default() };
    let mut joint = joint(JointConfig { centre: 0, view, ..JointConfig::default() });
    joint.ask(6, &mut stream(0));
    joint.tell(&[Some(6.0), Some(6.0), Some(-6.0), Some(6.0), Some(6.0), Some(-6.0)]);
    // Models 0 … 5 select 1, 2, 2, 3, 3 and 3 that are neither false nor 0: digit and mask.
    assert_eq!(
        joint.controller().told,
        [Some(6.0), Some(6.0), Some(-6.0), Some(4.0), Some(4.0), Some(-9.0)]
    );
}

#[test]
fn bad_views_are_refused_with_their_key() {
    let refused = |view| {
        let config = JointConfig { view, ..JointConfig::default() };
        EsEnas::new(config, space(), es(), Counting::default()).err().unwrap().to_string()
    };
    assert_eq!(
        refused(View { subsample: Some(0), constraint: None }),
        "subsample must be at least 1, got 0"
    );
    let cost = Cost::Table([("masc".to_owned(), vec![0.0, 1.0])].into());
    let constraint = Some(Constraint { cost, target: 2.0, exponent: -1.0, offset: 0.0 });
    let message = refused(View { subsample: None, constraint });
    assert!(message.starts_with("constraint.cost ") && message.contains("`masc`"), "{message}");
}

/// Both halves learn: neither the best model nor the best θ alone is near the optimum.
#[test]
fn models_and_weights_are_found_together() {
    let space = space();
    let controller = Controller::new(ControllerConfig::default(), space.clone()).unwrap();
    let config = EsConfig { sigma: 0.1.into(), step_size: 0.1.into(), ..EsConfig::default() };
    let weights = Es::new(config, vec![2.0; 10], None).unwrap();
    let mut joint = EsEnas::new(JointConfig::default(), space, weights, controller).unwrap();
    let value = |p: &Candidate| {
        let wrong = p.dna.genes().iter().zip([3, 1, 4, 1, 0, 1, 1, 0, 0]).filter(|(a, b)| *a != b);
        sphere(&p.theta) - wrong.count() as f64
    };
    for iteration in 0..150 {
        let points = joint.ask(joint.population(), &mut stream(iteration));
        let values: Vec<_> = points.iter().map(|p| Some(value(p))).collect();
        drop(points);
        joint.tell(&values);
    }
    let (dna, ..) = joint.controller().best().unwrap();
    assert_eq!(dna.genes(), [3, 1, 4, 1, 0, 1, 1, 0, 0]);
    let centre = esenas::WeightOptimizer::centre(joint.weights());
    assert!(sphere(&centre) > -0.5, "{:?}", centre.to_vec());
}
