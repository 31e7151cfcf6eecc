//! Marginals against what they must be: the sum of the probabilities of all models that select a
//! candidate.

#[path = "common/spaces.rs"]
mod spaces;

use std::sync::Arc;

use esenas::controllers::{
    Asng, AsngConfig, FactorizedPolicyGradient, FactorizedPolicyGradientConfig, Marginals,
    PolicyGradient, PolicyGradientConfig,
};
use esenas::space::{Dna, Space};
use esenas::{ModelOptimizer, Optimizer, Purpose, Seed, Stream};
use proptest::prelude::*;
use spaces::small_spaces;

fn stream(iteration: u32) -> Stream {
    Seed(5).stream(Purpose::Look, iteration, 0)
}

/// Makes it leave its first distribution.
fn teach(controller: &mut impl Optimizer<Point = Dna>) {
    for iteration in 0..3 {
        let points = controller.ask(12, &mut Seed(5).stream(Purpose::Ask, iteration, 0));
        let value =
            |dna: &Dna| dna.genes().iter().zip(1..).map(|(g, at)| f64::from(g * at % 5)).sum();
        controller.tell(&points.iter().map(|dna| Some(value(dna))).collect::<Vec<_>>());
    }
}

/// The same, from the probability of every model.
fn enumerated(space: &Space, p: impl Fn(&Dna) -> f64) -> Vec<f64> {
    let all: Vec<Dna> = space.enumerate().collect();
    let mut sums: Vec<f64> = vec![];
    for dna in &all {
        let one = Marginals::of(space, std::slice::from_ref(dna)).unwrap().numbers();
        sums.resize(one.len(), 0.0);
        sums.iter_mut().zip(one).for_each(|(sum, x)| *sum += p(dna) * f64::from(x));
    }
    sums
}

fn furthest(found: &Marginals, expected: &[f64]) -> f64 {
    let found = found.numbers();
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Red when the recurrence of sorted choices, or the condition of a branch, is off.
    #[test]
    fn independent_decisions_have_exact_ones(space in small_spaces(300)) {
        let space = Arc::new(space);
        let config = FactorizedPolicyGradientConfig { learning_rate: 0.3, ..Default::default() };
        let mut policy = FactorizedPolicyGradient::new(config, space.clone()).unwrap();
        teach(&mut policy);
        let found = policy.marginals(2000, &mut stream(0)).unwrap();
        let expected = enumerated(&space, |dna| policy.log_prob(dna).exp());
        let bound = if found.is_exact() { 1e-5 } else { 0.08 };
        prop_assert!(furthest(&found, &expected) < bound, "{found:?} {expected:?}");
    }

    /// Red when a probability is added at the wrong candidate.
    #[test]
    fn a_network_has_averaged_ones(space in small_spaces(300)) {
        let space = Arc::new(space);
        let config = PolicyGradientConfig {
            hidden: 7, embedding: 5, learning_rate: 0.05, ..PolicyGradientConfig::default()
        };
        let mut policy = PolicyGradient::new(config, space.clone()).unwrap();
        prop_assert_eq!(policy.marginals(1, &mut stream(0)), None);
        teach(&mut policy);
        let before = policy.clone();
        let found = policy.marginals(2000, &mut stream(0)).unwrap();
        prop_assert_eq!(before, policy.clone());
        prop_assert!(!found.is_exact());
        let expected = enumerated(&space, |dna| policy.log_prob(dna).unwrap().exp());
        prop_assert!(furthest(&found, &expected) < 0.08, "{found:?} {expected:?}");
    }

    /// Against what it draws, for its probabilities of whole models have no closed form.
    #[test]
    fn those_of_asng_are_the_frequencies_it_draws(space in small_spaces(300)) {
        let space = Arc::new(space);
        let mut asng = Asng::new(AsngConfig::default(), space.clone()).unwrap();
        teach(&mut asng);
        let found = asng.marginals(2000, &mut stream(0)).unwrap();
        let drawn = Marginals::of(&space, &asng.ask(4000, &mut stream(1))).unwrap();
        let drawn: Vec<f64> = drawn.numbers().into_iter().map(f64::from).collect();
        prop_assert!(furthest(&found, &drawn) < 0.12, "{found:?} {drawn:?}");
    }
}

/// The bits must not depend on who takes which shard.
#[test]
fn one_thread_and_many_average_alike() {
    let space = Arc::new(Space::list([Space::subset(3, 0..=9).unwrap(), Space::bool()]).unwrap());
    let mut policy = PolicyGradient::new(PolicyGradientConfig::default(), space).unwrap();
    teach(&mut policy);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| policy.marginals(200, &mut stream(0)).unwrap())
    };
    assert_eq!(on(1), on(8));
}
