//! Points that nobody asked for: what every optimizer does with a given one and its value.

use std::sync::Arc;

use esenas::controllers::{Controller, ControllerConfig};
use esenas::weights::WeightsConfig;
use esenas::{
    Bounds, Candidate, Dna, JointConfig, ModelOptimizer, Optimizer, Purpose, Role, Search,
    SearchConfig, Seed, Space, Start, Stream, Theta, WeightOptimizer,
};
use serde_json::json;

fn stream(iteration: u32) -> Stream {
    Seed(5).stream(Purpose::Ask, iteration, 0)
}

fn space() -> Arc<Space> {
    let form = json!({ "a": { "int": [0, 9] }, "b": { "manyof": { "int": [0, 5] }, "k": 2, "sorted": true } });
    Arc::new(Space::from_value(&form).unwrap())
}

fn weights() -> Vec<WeightsConfig> {
    let kind = |kind: &str| json!({ "kind": kind });
    let plain = ["es", "cma-es", "sep-cma-es", "snes", "lm-ma-es", "line-es"].map(kind);
    let within = ["growing", "restarts"].map(|it| json!({ "kind": it, "weights": kind("cma-es") }));
    plain.into_iter().chain(within).map(|it| serde_json::from_value(it).unwrap()).collect()
}

fn told(optimizer: &mut impl Optimizer, iteration: u32) {
    let n = optimizer.ask(12, &mut stream(iteration)).len();
    let values: Vec<_> = (0..n).map(|i| Some(-((i * 7 % 11) as f64))).collect();
    optimizer.tell(&values);
}

/// Red when one that leads is not gone on from, or one that does not changes θ.
#[test]
fn weights_go_on_from_a_point_that_leads() {
    let bounds = Bounds::new(vec![-2.0], vec![3.0], 6).unwrap();
    let given = [2.9, -1.9, 0.5, 0.0, 1.0, -1.0];
    for config in weights() {
        for bounds in [None, Some(bounds.clone())] {
            let mut weights = config.clone().build(vec![0.5; 6], bounds).unwrap();
            told(&mut weights, 0);
            let before = weights.clone();
            weights.learn(&Theta::dense(given.to_vec()), 1.0, false);
            assert_eq!(weights, before, "{config:?}");
            weights.learn(&Theta::dense(given.to_vec()), 2.0, true);
            let centre = weights.centre().to_vec();
            let near = centre.iter().zip(given).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(near, "{config:?}: {centre:?}");
            (1..4).for_each(|iteration| told(&mut weights, iteration));
            assert!(weights.centre().to_vec().iter().all(|x| x.is_finite()), "{config:?}");
        }
    }
}

fn controller(kind: &str) -> Controller {
    let config: ControllerConfig = serde_json::from_value(json!({ "kind": kind })).unwrap();
    Controller::new(config, space()).unwrap()
}

/// Red when a given model is forgotten: each of these either stands there or breeds from it.
#[test]
fn controllers_go_on_from_a_model_that_leads() {
    let given: Dna = vec![7, 2, 5].into();
    for kind in ["asng", "sweep", "one-plus-one", "hill-climb", "regularized-evolution", "nsga2"] {
        let mut controller = controller(kind);
        (0..3).for_each(|iteration| told(&mut controller, iteration));
        controller.learn(&given, 100.0, true);
        assert_eq!(controller.best().map(|(dna, ..)| dna), Some(&given));
        if let Some(likeliest) = controller.likeliest() {
            assert_eq!(likeliest, given, "{kind}");
        }
        let space = space();
        let near = |dna: &&Dna| {
            let differing = dna.genes().iter().zip(given.genes()).filter(|(a, b)| a != b).count();
            space.check(dna).is_ok() && differing <= 1
        };
        let asked: Vec<Dna> = (3..30)
            .flat_map(|iteration| {
                let asked = controller.ask(12, &mut stream(iteration));
                controller.tell(&[Some(0.0); 12]);
                asked
            })
            .collect();
        let close = asked.iter().filter(near).count();
        assert!(close > 20, "{kind}: {close} of {}", asked.len());
    }
}

/// Red when a controller of another kind is taken over, or one of the same is not.
#[test]
fn a_search_takes_over_a_controller_of_its_kind() {
    let search = |kind: &str| {
        let controller = serde_json::from_value(json!({ "kind": kind })).unwrap();
        let weights = serde_json::from_value(json!({ "kind": "es", "directions": 4 })).unwrap();
        let config = SearchConfig::EsEnas { weights, controller, joint: JointConfig::default() };
        Search::new(config, Start { space: space(), theta: vec![0.0; 3], bounds: None }).unwrap()
    };
    let mut asng = search("asng");
    let (dna, theta) = (Dna::from(vec![7, 2, 5]), Theta::dense(vec![0.0; 3]));
    asng.learn(&Candidate { dna: dna.clone(), theta, role: Role::Given }, 1.0, true);
    let mut same = search("asng");
    assert!(same.take_over(asng.clone()) && same.likeliest() == Some(dna));
    let mut other = search("regularized-evolution");
    let before = other.clone();
    assert!(!other.take_over(asng) && other == before);
    assert!(!search("regularized-evolution").take_over(search("hill-climb")));
}
