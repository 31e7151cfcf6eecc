//! The product of a Gaussian and categoricals, at its two ends: without categories it is the
//! Gaussian's optimizer point for point, and where θ does not matter it is ASNG alone.

use std::sync::Arc;

use esenas::controllers::{Asng, AsngConfig};
use esenas::joint::CentreModels;
use esenas::weights::{Boundary, CmaEsConfig, SepCmaEsConfig, Weights, WeightsConfig};
use esenas::{
    Bounds, Candidate, EsEnas, JointConfig, ModelOptimizer, Optimizer, Purpose, Role, Seed, Space,
    Stream, WeightOptimizer,
};

const DIM: usize = 6;

fn stream(iteration: u32) -> Stream {
    Seed(11).stream(Purpose::Ask, iteration, 0)
}

fn weights() -> Vec<Weights> {
    let bounds = Bounds::new(vec![-3.0], vec![3.0], DIM).unwrap();
    let cma = |boundary| {
        WeightsConfig::CmaEs(CmaEsConfig { sigma: 2.0, boundary, ..CmaEsConfig::default() })
    };
    let sep = WeightsConfig::SepCmaEs(SepCmaEsConfig::default());
    let all = [cma(Boundary::Mirror), cma(Boundary::Clip), sep];
    all.into_iter().map(|it| it.build(vec![1.0; DIM], Some(bounds.clone())).unwrap()).collect()
}

fn product(space: &Arc<Space>, weights: Weights, centre: u32) -> EsEnas<Weights, Asng> {
    let controller = Asng::new(AsngConfig::default(), space.clone()).unwrap();
    let joint = JointConfig { centre, centre_models: CentreModels::Mode, ..JointConfig::default() };
    EsEnas::new(joint, space.clone(), weights, controller).unwrap()
}

fn of_weights(theta: &[f64]) -> Option<f64> {
    Some(-theta.iter().enumerate().map(|(j, x)| (j + 1) as f64 * (x - 0.5).powi(2)).sum::<f64>())
}

/// Red when the product reorders values, draws between the halves, or shows θ anything else.
#[test]
fn without_categories_it_is_the_optimizer_of_weights() {
    let space = Arc::new(Space::from_value(&serde_json::json!({})).unwrap());
    for mut alone in weights() {
        let mut joint = product(&space, alone.clone(), 0);
        for iteration in 0..30 {
            let n = alone.population();
            let ours = joint.ask(n, &mut stream(iteration));
            let theirs = alone.ask(n, &mut stream(iteration));
            let values: Vec<_> = theirs.iter().map(|it| of_weights(&it.to_vec())).collect();
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert_eq!(ours.theta.to_vec(), theirs.to_vec());
            }
            joint.tell(&values);
            alone.tell(&values);
        }
        assert_eq!(joint.weights(), &alone);
    }
}

fn of_model(candidate: &Candidate) -> Option<f64> {
    Some(f64::from(candidate.dna.genes().iter().sum::<u32>()))
}

/// Red when the controller is shown other values than those of its own models.
#[test]
fn where_weights_do_not_matter_it_is_asng() {
    let nested = serde_json::json!({
        "width": { "oneof": [1, 2, 3, 4] },
        "block": { "oneof": [{ "size": { "oneof": [3, 5, 7] } }, "skip"] },
    });
    let space = Arc::new(Space::from_value(&nested).unwrap());
    let mut alone = Asng::new(AsngConfig::default(), space.clone()).unwrap();
    let mut joint = product(&space, weights().remove(0), 0);
    for iteration in 0..30 {
        let ours = joint.ask(8, &mut stream(iteration));
        let mut later = stream(iteration);
        later.bits(); // the weights' one draw
        let theirs = alone.ask(8, &mut later);
        let values: Vec<_> = ours.iter().map(of_model).collect();
        let models: Vec<_> = ours.into_iter().map(|it| it.dna).collect();
        assert_eq!(models, theirs);
        joint.tell(&values);
        alone.tell(&values);
    }
    assert_eq!(joint.controller(), &alone);
}

/// The centre is evaluated with the likeliest model and teaches nobody, whatever its value.
#[test]
fn the_mode_is_evaluated_and_not_learned_from() {
    let space = Arc::new(Space::oneof(["a", "b", "c"]).unwrap());
    let run = |of_centre: f64| {
        let mut joint = product(&space, weights().remove(1), 1);
        for iteration in 0..20 {
            let points = joint.ask(9, &mut stream(iteration));
            assert_eq!(points[8].role, Role::Centre);
            assert_eq!(Some(&points[8].dna), joint.controller().likeliest().as_ref());
            assert_eq!(points[8].theta.to_vec(), joint.weights().centre().to_vec());
            let mut values: Vec<_> = points.iter().map(of_model).collect();
            values[8] = Some(of_centre);
            joint.tell(&values);
        }
        joint
    };
    assert_eq!(run(-1e9), run(1e9));
}

/// Both halves settle: Red when utilities of one half are turned around.
#[test]
fn categories_and_weights_are_learned_together() {
    let choice = serde_json::json!({ "oneof": [0, 1, 2, 3] });
    let space = Arc::new(Space::from_value(&vec![choice; 8].into()).unwrap());
    for weights in weights() {
        let mut joint = product(&space, weights, 1);
        let value = |it: &Candidate| {
            let wrong = it.dna.genes().iter().filter(|gene| **gene != 2).count();
            of_weights(&it.theta.to_vec()).map(|value| value - wrong as f64)
        };
        for iteration in 0..300 {
            let n = joint.population();
            let points = joint.ask(n, &mut stream(iteration));
            joint.tell(&points.iter().map(value).collect::<Vec<_>>());
        }
        assert_eq!(joint.controller().likeliest().unwrap().genes(), [2; 8]);
        let gap = of_weights(&joint.weights().centre().to_vec()).unwrap();
        assert!(gap > -1e-6, "{gap}");
    }
}
