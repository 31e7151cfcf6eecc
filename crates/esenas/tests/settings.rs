//! Bad input, whatever the settings: every option of every part is told any values at all, and what
//! no optimizer can work with is refused by name. (`conformance.rs` does the former for every part
//! at its defaults and every pair of parts.)

use std::sync::Arc;

use esenas::controllers::ControllerConfig;
use esenas::weights::WeightsConfig;
use esenas::{
    Bounds, Dna, HybridConfig, JointConfig, Optimizer, Purpose, Search, SearchConfig, Seed, Space,
    Start,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const DIM: usize = 4;

fn start() -> Start {
    let form = json!({
        "edges": { "manyof": { "int": [0, 5] }, "k": 3, "sorted": true },
        "order": { "permutation": ["a", "b", "c"] },
        "block": { "oneof": [{ "size": { "oneof": [3, 5, 7] } }, "skip"] },
    });
    let space = Arc::new(Space::from_value(&form).unwrap());
    let bounds = Some(Bounds::new(vec![-5.0], vec![5.0], DIM).unwrap());
    Start { space, theta: vec![0.5; DIM], bounds }
}

fn search(weights: &Value, controller: &Value, joint: &Value) -> SearchConfig {
    SearchConfig::EsEnas {
        weights: serde_json::from_value(weights.clone()).expect("weights"),
        controller: serde_json::from_value(controller.clone()).expect("a controller"),
        joint: serde_json::from_value(joint.clone()).expect("joint"),
    }
}

/// Settings that no default has, each at least once.
fn variants() -> Vec<SearchConfig> {
    let plain = (json!({ "kind": "es" }), json!({ "kind": "regularized-evolution" }));
    let course = json!({ "from": 1.0, "to": 0.01, "iterations": 3 });
    let weights = [
        json!({ "kind": "es", "normalize": "off" }),
        json!({ "kind": "es", "normalize": "off", "rule": { "momentum": {} } }),
        json!({ "kind": "es", "normalize": "off", "rule": { "adam": {} }, "weight_decay": 0.1 }),
        json!({ "kind": "es", "normalize": "off", "rule": { "clip-up": {} } }),
        json!({ "kind": "es", "normalize": "ranks", "top": 2, "directions": 6 }),
        json!({ "kind": "es", "sampling": "orthogonal", "sigma": { "linear": course } }),
        json!({ "kind": "es", "sampling": "hadamard", "step_size": { "cosine": course } }),
        json!({ "kind": "cma-es", "active": false, "boundary": "clip" }),
        json!({ "kind": "cma-es", "recombination": "all", "population": 3 }),
        json!({ "kind": "sep-cma-es", "recombination": "all" }),
        json!({ "kind": "cma-es", "mirrored": true, "population": 6 }),
        json!({ "kind": "sep-cma-es", "mirrored": true, "recombination": "all" }),
        json!({ "kind": "snes", "sigma_rate": 2.0, "step_size": 0.3 }),
        json!({ "kind": "lm-ma-es", "vectors": 1 }),
        json!({ "kind": "line-es", "population": 5 }),
        json!({ "kind": "growing", "weights": { "kind": "cma-es" }, "after": 1, "exponent": 1.0 }),
        json!({ "kind": "restarts", "weights": { "kind": "es" }, "growth": 10.0 }),
    ];
    let controllers = [
        json!({ "kind": "regularized-evolution", "population": 1, "tournament": 1 }),
        json!({ "kind": "hill-climb", "reevaluate": true }),
        json!({ "kind": "hill-climb", "reevaluate": false }),
        json!({ "kind": "neat", "population": 4, "species": 2, "threshold": 0.5, "stagnation": 1,
                "refocus": 2, "crossover": 1.0, "interspecies": 1.0, "champion": 1 }),
        json!({ "kind": "asng", "utilities": "logarithmic", "alpha": 1.01 }),
        json!({ "kind": "asng", "step_size": 2.0 }),
        json!({ "kind": "nsga2", "population": 2, "cost": "decisions", "crossover": 0.0 }),
        json!({ "kind": "factorized-policy-gradient", "learning_rate": 1.0 }),
        json!({ "kind": "sweep" }),
        json!({ "kind": "policy-gradient", "hidden": 3, "embedding": 2, "learning_rate": 1.0 }),
    ];
    let constraint = json!({ "cost": "active", "target": 2.0 });
    let joints = [
        json!({ "pairing": "shared", "centre": 1, "centre_teaches": false }),
        json!({ "view": { "subsample": 2 } }),
        json!({ "view": { "constraint": constraint.clone() }, "centre_models": "mode" }),
    ];
    let of_weights = weights.iter().map(|it| search(it, &plain.1, &json!({ "centre": 1 })));
    let of_controllers = controllers.iter().map(|it| search(&plain.0, it, &json!({ "centre": 0 })));
    let of_joints = joints.iter().map(|it| search(&plain.0, &json!({ "kind": "asng" }), it));
    let baseline = SearchConfig::Hybrid {
        evolution: ControllerConfig::HillClimb(Default::default()),
        hybrid: HybridConfig { mutation_scale: 1e3 },
        population: 3,
    };
    let views = [json!({}), json!({ "subsample": 2 }), json!({ "constraint": constraint })];
    let by_turns = views.map(|view| SearchConfig::Alternating {
        weights: WeightsConfig::LineEs(Default::default()),
        controller: ControllerConfig::Sweep(Default::default()),
        alternating: serde_json::from_value(json!({ "centre": 2, "view": view })).expect("a view"),
    });
    let products = of_weights.chain(of_controllers).chain(of_joints);
    products.chain(by_turns).chain([baseline]).collect()
}

/// Whatever an objective returns.
fn told() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        Just(None),
        prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]).prop_map(Some),
        prop::sample::select(vec![f64::MAX, f64::MIN, f64::MIN_POSITIVE, 0.0, 1.0]).prop_map(Some),
        (-1e6..1e6).prop_map(Some),
        any::<f64>().prop_map(Some),
    ]
}

/// Tells `values`, as many as there are, after each ask, and checks state and points: in a box,
/// without one, and on a grid.
fn endures(config: &SearchConfig, batches: &[(usize, Vec<Option<f64>>)]) {
    let boxed = start();
    let free = Start { bounds: None, ..start() };
    let steps = |it: Bounds| it.with_steps(vec![1.0, 0.0, 0.5, 10.0], DIM).expect("a grid");
    let gridded = Start { bounds: start().bounds.map(steps), ..start() };
    for (start, reach) in [(boxed, 5.0), (free, f64::MAX), (gridded, 5.0)] {
        let space = start.space.clone();
        let mut search = Search::new(config.clone(), start).expect("a search");
        for (iteration, (n, values)) in batches.iter().enumerate() {
            let points = search.ask(*n, &mut Seed(5).stream(Purpose::Ask, iteration as u32, 0));
            assert_eq!(points.len(), *n, "{config:?}");
            for point in &points {
                space.check(&point.dna).unwrap_or_else(|e| panic!("{config:?}: {e}"));
                let theta = point.theta.to_vec();
                assert!(theta.iter().all(|t| t.abs() <= reach), "{config:?}: {theta:?}");
            }
            search.tell(values);
            // As a checkpoint has it: without the room that is computed in.
            let state: Search = postcard::from_bytes(&bytes(&search)).expect("a search");
            let shown = format!("{state:?} {:?}", state.statistics());
            let mut words = shown.split(|c: char| !c.is_alphanumeric());
            assert!(words.all(|word| word != "NaN" && word != "inf"), "{config:?} {values:?}");
        }
    }
}

fn bytes(search: &Search) -> Vec<u8> {
    postcard::to_stdvec(search).expect("bytes")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_values_leave_any_state_finite(
        batches in prop::collection::vec((0..20usize, prop::collection::vec(told(), 0..24)), 1..12),
    ) {
        variants().iter().for_each(|config| endures(config, &batches));
    }
}

/// The cases an objective that is broken, or constant, makes again and again.
#[test]
fn the_same_answer_for_ever_leaves_any_state_finite() {
    let answers =
        [None, Some(f64::NAN), Some(f64::INFINITY), Some(f64::MIN), Some(-0.0), Some(7.0)];
    for config in variants() {
        for answer in answers {
            endures(&config, &vec![(8, vec![answer; 8]); 30]);
        }
    }
}

/// Values too many or too few: what is missing is `None`, what is too much is nobody's.
#[test]
fn values_of_the_wrong_length_are_those_that_were_asked_for() {
    for config in variants() {
        let told = |values: &[Option<f64>]| {
            let mut search = Search::new(config.clone(), start()).expect("a search");
            search.ask(6, &mut Seed(5).stream(Purpose::Ask, 0, 0));
            search.tell(values);
            bytes(&search)
        };
        let four = [Some(1.0), Some(3.0), Some(2.0), Some(5.0)];
        let six = [four[0], four[1], four[2], four[3], None, None];
        assert!(told(&four) == told(&six), "{config:?}");
        let six = [four[0], four[1], four[2], four[3], Some(4.0), Some(0.0)];
        let eight = [four[0], four[1], four[2], four[3], Some(4.0), Some(0.0), Some(9.0), None];
        assert!(told(&six) == told(&eight), "{config:?}");
    }
}

fn in_toml(number: f64) -> String {
    if number.is_nan() { "nan".into() } else { format!("{number:?}") }
}

/// σ, θ and its box, of each optimizer of θ and of those that are made of others.
#[test]
fn no_optimizer_starts_from_a_bad_sigma_or_point() {
    // In TOML, which has NaN and infinity.
    let with = |kind: &str, sigma: f64| -> WeightsConfig {
        let part = |kind| format!("{{ kind = '{kind}', sigma = {} }}", in_toml(sigma));
        let text = match kind {
            "growing" | "restarts" => format!("kind = '{kind}'\nweights = {}", part("sep-cma-es")),
            _ => format!("kind = '{kind}'\nsigma = {}", in_toml(sigma)),
        };
        toml::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
    };
    let kinds = ["es", "cma-es", "sep-cma-es", "snes", "lm-ma-es", "growing", "restarts"];
    for kind in kinds {
        let refused = |sigma, theta: &[f64], bounds: Option<Bounds>| {
            let built = with(kind, sigma).build(theta.to_vec(), bounds);
            built.err().unwrap_or_else(|| panic!("{kind}: {sigma} {theta:?}")).to_string()
        };
        for sigma in [0.0, -1.0, 1e200, f64::NAN, f64::INFINITY] {
            let message = refused(sigma, &[0.0; 2], None);
            assert!(
                message.contains("sigma must lie between 1e-100 and 1e100"),
                "{kind}: {message}"
            );
            assert!(message.ends_with(&format!("got {sigma}")), "{kind}: {message}");
        }
        let message = refused(0.5, &[0.0, f64::NAN], None);
        assert_eq!(message, "theta must start finite, got NaN at coordinate 1", "{kind}");
        let bounds = Bounds::new(vec![-1.0; 3], vec![1.0; 3], 3).ok();
        let message = refused(0.5, &[0.0; 2], bounds);
        assert!(message.contains("bounds must have 1 or 2 entries"), "{kind}: {message}");
    }
}

/// A model that is none of the space's is refused where it comes in, with what is wrong.
#[test]
fn dna_of_the_wrong_length_is_refused() {
    let Start { space, .. } = start();
    let genes = space.first().genes().to_vec();
    for wrong in [&genes[1..], &[&genes[..], &[0]].concat(), &[]] {
        let wrong = Dna::from(wrong.to_vec());
        let message = space.check(&wrong).expect_err("the wrong length").to_string();
        assert_eq!(space.decode(&wrong).expect_err("the wrong length").to_string(), message);
        assert!(message.contains("gene") || message.contains("decision"), "{message}");
    }
}

/// No space of a billion decisions is built, however it is written.
#[test]
fn a_billion_decisions_are_refused_in_writing_too() {
    let refused = |form: Value| Space::from_value(&form).expect_err("too large").to_string();
    let billion = json!({ "manyof": [0, 1], "k": 1_000_000_000, "distinct": false });
    assert!(refused(billion).contains("a space has at most 16777216"));
    let distinct = json!({ "manyof": { "int": [0, 2_000_000_000] }, "k": 1_000_000_000 });
    assert!(refused(distinct).contains("a space has at most 16777216"));
    let order = json!({ "permutation": { "int": [1, 1_000_000_000] } });
    assert!(refused(order).contains("a space has at most 16777216"));
}

#[test]
fn joining_what_cannot_be_joined_is_refused() {
    let refused = |weights: Value, joint: Value| {
        let config = search(&weights, &json!({ "kind": "random" }), &joint);
        Search::new(config, start()).expect_err("cannot be joined").to_string()
    };
    let message = refused(json!({ "kind": "cma-es" }), json!({ "pairing": "shared" }));
    assert!(message.contains("pairing must be \"independent\""), "{message}");
    let constraint = json!({ "cost": "active", "target": -1.0 });
    let message = refused(json!({ "kind": "es" }), json!({ "view": { "constraint": constraint } }));
    assert!(message.contains("target") && message.contains("-1"), "{message}");
    let unknown = serde_json::from_value::<JointConfig>(json!({ "paring": "shared" })).unwrap_err();
    assert!(unknown.to_string().contains("`pairing`"), "{unknown}");
}
