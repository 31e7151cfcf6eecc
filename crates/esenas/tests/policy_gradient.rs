//! The policy-gradient controllers on random nested spaces.

#[path = "common/spaces.rs"]
mod spaces;

use std::sync::Arc;

use esenas::controllers::{
    FactorizedPolicyGradient, FactorizedPolicyGradientConfig, PolicyGradient, PolicyGradientConfig,
};
use esenas::space::{Dna, Space};
use esenas::{ModelOptimizer, Optimizer, Purpose, Seed};
use proptest::prelude::*;
use spaces::{small_spaces, spaces};

fn recurrent(space: &Arc<Space>) -> PolicyGradient {
    let config = PolicyGradientConfig {
        hidden: 7,
        embedding: 5,
        learning_rate: 0.05,
        ..PolicyGradientConfig::default()
    };
    PolicyGradient::new(config, space.clone()).unwrap()
}

fn factorized(space: &Arc<Space>) -> FactorizedPolicyGradient {
    let config = FactorizedPolicyGradientConfig { learning_rate: 0.3, ..Default::default() };
    FactorizedPolicyGradient::new(config, space.clone()).unwrap()
}

/// Makes it leave its first distribution.
fn teach(policy: &mut impl Optimizer<Point = Dna>, space: &Space) {
    for iteration in 0..3 {
        let points = policy.ask(12, &mut Seed(5).stream(Purpose::Ask, iteration, 0));
        points.iter().for_each(|dna| assert_eq!(space.check(dna), Ok(())));
        let value =
            |dna: &Dna| dna.genes().iter().zip(1..).map(|(g, at)| f64::from(g * at % 5)).sum();
        policy.tell(&points.iter().map(|dna| Some(value(dna))).collect::<Vec<_>>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Red when a mask, an order of presentation or a normalization is off.
    #[test]
    fn probabilities_sum_to_one(space in small_spaces(600)) {
        let space = Arc::new(space);
        let mut policy = recurrent(&space);
        teach(&mut policy, &space);
        let sum: f64 = space.enumerate().map(|dna| policy.log_prob(&dna).unwrap().exp()).sum();
        prop_assert!((sum - 1.0).abs() < 1e-6, "recurrent: {sum}");
        let mut policy = factorized(&space);
        teach(&mut policy, &space);
        let sum: f64 = space.enumerate().map(|dna| policy.log_prob(&dna).exp()).sum();
        prop_assert!((sum - 1.0).abs() < 1e-6, "factorized: {sum}");
    }

    #[test]
    fn modes_are_points_of_the_space(space in spaces()) {
        let space = Arc::new(space);
        let mut policy = recurrent(&space);
        teach(&mut policy, &space);
        let mode = policy.likeliest().unwrap();
        prop_assert_eq!(space.check(&mode), Ok(()));
        prop_assert!(policy.log_prob(&mode).unwrap() <= 1e-9);
        let mut policy = factorized(&space);
        teach(&mut policy, &space);
        prop_assert_eq!(space.check(&policy.likeliest().unwrap()), Ok(()));
    }
}

/// The network after three iterations of a fixed seed, in figures.
#[test]
fn golden_trace() {
    let form = serde_json::json!([
        { "manyof": { "int": [0, 7] }, "k": 3, "sorted": true },
        { "permutation": ["a", "b", "c"] },
        { "oneof": [{ "oneof": [3, 5, 7] }, "skip"] },
    ]);
    let space = Arc::new(Space::from_value(&form).unwrap());
    let mut policy = recurrent(&space);
    teach(&mut policy, &space);
    let log_prob = policy.log_prob(&space.first()).unwrap();
    let [(_, entropy), (_, kl), _, (_, loss), _, (_, baseline)] = policy.statistics()[..] else {
        panic!("six figures")
    };
    let figures = [log_prob, entropy, kl, loss, baseline];
    for (figure, golden) in figures.into_iter().zip(GOLDEN) {
        assert!((figure - golden).abs() < 1e-3, "{figures:?}");
    }
}

const GOLDEN: [f64; 5] = [-13.515800, 0.971077, 0.052128, -0.927389, 11.145833];
