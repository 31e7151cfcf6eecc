use super::episode::Episode;
use super::head::{Pull, Verdict};
use super::policy::{Policy, Tally};
use super::*;
use crate::controllers::testing::{self, flat, many, stream, sum};
use crate::{Purpose, Seed};

/// A network small enough for tests of everything but what it learns.
fn small() -> PolicyGradientConfig {
    PolicyGradientConfig { hidden: 6, embedding: 5, ..PolicyGradientConfig::default() }
}

fn recurrent(config: PolicyGradientConfig, space: Space) -> PolicyGradient {
    PolicyGradient::new(config, Arc::new(space)).unwrap()
}

fn factorized(space: Space) -> FactorizedPolicyGradient {
    FactorizedPolicyGradient::new(FactorizedPolicyGradientConfig::default(), Arc::new(space))
        .unwrap()
}

/// Every kind of choice, conditional ones, and a larger set.
fn mixed() -> Space {
    Space::list([testing::mixed(), many(3, 6, true, true)]).unwrap()
}

#[test]
fn refuses_bad_settings() {
    let refused = |config| {
        PolicyGradient::new(config, Arc::new(Space::bool())).map(|_| ()).unwrap_err().to_string()
    };
    let good = PolicyGradientConfig::default();
    assert_eq!(
        refused(PolicyGradientConfig { hidden: 0, ..good }),
        "hidden must be from 1 to 4096, got 0"
    );
    for learning_rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let expected = format!("learning_rate must be above 0 and at most 1, got {learning_rate}");
        assert_eq!(refused(PolicyGradientConfig { learning_rate, ..good }), expected);
    }
    let training = Training { steps: 0, ..Training::default() };
    assert_eq!(
        refused(PolicyGradientConfig { training, ..good }),
        "training.steps must be from 1 to 1e6, got 0"
    );
    let space = Arc::new(many(1 << 10, 1 << 20, true, true));
    let error = PolicyGradient::new(good, space.clone()).unwrap_err();
    assert_eq!(error.key, "kind", "{error}");
    let config = FactorizedPolicyGradientConfig::default();
    let error = FactorizedPolicyGradient::new(config, space).unwrap_err();
    assert!(error.what.contains("1073741824 weights"), "{error}");
}

#[test]
fn conforms() {
    let space = mixed();
    testing::conforms(recurrent(small(), mixed()), |dna| space.check(dna).is_ok());
    testing::conforms(factorized(mixed()), |dna| space.check(dna).is_ok());
}

#[test]
fn resume_equals_never_stopped() {
    testing::resumes(recurrent(small(), mixed()), sum);
    testing::resumes(factorized(mixed()), sum);
}

#[test]
fn a_space_without_decisions_has_one_point() {
    for space in [Space::constant(7), flat(3, 1), many(4, 4, true, true)] {
        let only = space.first();
        testing::conforms(recurrent(small(), space.clone()), |dna| *dna == only);
        testing::conforms(factorized(space.clone()), |dna| *dna == only);
        assert_eq!(factorized(space.clone()).log_prob(&only), 0.0);
        let mut recurrent = recurrent(small(), space);
        assert_eq!((recurrent.likeliest(), recurrent.log_prob(&only)), (None, None));
        recurrent.ask(1, &mut stream(0));
        assert_eq!((recurrent.likeliest(), recurrent.log_prob(&only)), (Some(only), Some(0.0)));
    }
}

/// Σ (α log p + β H), with an α and a β of every decision's own, by finite differences. Red when
/// any gradient is off: of the cell, the pointer, an embedding, the mask, the polynomials.
fn check_gradient<P: Policy>(mut policy: P, episodes: &[Episode]) {
    let step: f32 = 4e-3;
    let batch: Vec<&Episode> = episodes.iter().collect();
    let pull = |at: usize, t: usize| {
        let part = |k: usize| ((at * 7 + t * 3 + k) % 5) as f32 - 1.5;
        Pull { log_p: part(0), entropy: part(2) }
    };
    let loss = |policy: &P| {
        let verdicts = policy.judge(&batch, &mut P::Room::default());
        let of = |(at, verdicts): (usize, &Vec<Verdict>)| {
            let part = |(t, verdict): (usize, &Verdict)| {
                let Pull { log_p, entropy } = pull(at, t);
                f64::from(log_p) * verdict.log_p + f64::from(entropy) * verdict.entropy
            };
            verdicts.iter().enumerate().map(part).sum::<f64>()
        };
        verdicts.iter().enumerate().map(of).sum::<f64>()
    };
    let mut gradient = vec![0.0; policy.weights().len()];
    let judge = |at: usize, t: usize, _: Verdict, _: &mut Tally| pull(at, t);
    policy.learn(&batch, &judge, &mut gradient, &mut P::Room::default());
    let largest = gradient.iter().fold(0.0, |most: f32, g| most.max(g.abs()));
    assert!(largest > 0.1, "{largest}");
    for (at, &stated) in gradient.iter().enumerate() {
        let weight = policy.weights()[at];
        let mut side = |by: f32| {
            policy.weights_mut()[at] = weight + by;
            loss(&policy)
        };
        let difference = (side(step) - side(-step)) / f64::from(2.0 * step);
        policy.weights_mut()[at] = weight;
        let off = (difference - f64::from(stated)).abs();
        assert!(off < 2e-3 * f64::from(largest), "{at}: {stated} for {difference}");
    }
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let space = mixed();
    let mut draws = stream(3);
    let episodes: Vec<_> =
        (0..5).map(|_| Episode::replay(&space, &space.sample(&mut draws))).collect();
    let mut policy = Pointer::new(&space, 4, 3, 0.7);
    policy.start(11);
    // Scores of some size, so that entropies have a gradient.
    policy.weights_mut().iter_mut().for_each(|w| *w *= 2.0);
    check_gradient(policy, &episodes);

    let mut policy = Factorized::new();
    episodes.iter().flat_map(|episode| &episode.0).for_each(|step| policy.meet(step));
    policy.weights_mut().iter_mut().for_each(|w| *w = draws.unit() as f32 * 2.0 - 1.0);
    check_gradient(policy, &episodes);
}

/// Red when a set has several probabilities, or slots are drawn from what is allowed alone.
#[test]
fn untrained_sets_are_all_alike() {
    for (distinct, sets) in [(true, 84.0), (false, 165.0)] {
        let space = many(3, 9, distinct, true);
        for dna in space.enumerate() {
            let p = factorized(space.clone()).log_prob(&dna).exp();
            assert!((p * sets - 1.0).abs() < 1e-5, "{dna:?}: {p}");
        }
    }
    // The recurrent one has its embeddings of candidates, small ones.
    let mut policy = recurrent(PolicyGradientConfig::default(), many(8, 64, true, true));
    let points = policy.ask(400, &mut stream(0));
    let mean = points.iter().flat_map(Dna::genes).map(|g| f64::from(*g)).sum::<f64>() / 3200.0;
    assert!((mean - 31.5).abs() < 3.0, "{mean}");
}

/// What is drawn has the probabilities that are stated. Red when sampling and replaying differ.
#[test]
fn points_come_with_the_probability_stated() {
    fn check(points: &[Dna], log_prob: impl Fn(&Dna) -> f64) {
        let mut counts = std::collections::BTreeMap::new();
        points.iter().for_each(|dna| *counts.entry(dna).or_insert(0.0) += 1.0);
        let (mut chi2, mut cells) = (0.0, 0.0);
        for (dna, count) in counts {
            let expected = points.len() as f64 * log_prob(dna).exp();
            if expected > 8.0 {
                let error: f64 = count - expected;
                chi2 += error * error / expected;
                cells += 1.0;
            }
        }
        assert!(chi2 < cells + 4.0 * f64::sqrt(2.0 * cells) + 10.0, "{chi2} of {cells} cells");
    }
    let branch = |n| Space::list([many(2, n, true, true), Space::bool()]).unwrap();
    let space =
        Space::list([Space::oneof([branch(3), branch(4)]).unwrap(), many(2, 3, true, false)])
            .unwrap();
    let teach = |dna: &Dna| Some(sum(dna));
    let mut one = recurrent(PolicyGradientConfig { learning_rate: 0.02, ..small() }, space.clone());
    let mut two = factorized(space);
    for iteration in 0..4 {
        let points = one.ask(64, &mut stream(iteration));
        one.tell(&points.iter().map(teach).collect::<Vec<_>>());
        let points = two.ask(64, &mut stream(iteration));
        two.tell(&points.iter().map(teach).collect::<Vec<_>>());
    }
    check(&one.ask(20_000, &mut stream(9)), |dna| one.clone().log_prob(dna).unwrap());
    check(&two.ask(20_000, &mut stream(9)), |dna| two.log_prob(dna));
}

#[test]
fn what_says_nothing_moves_nothing() {
    let mut policy = recurrent(small(), mixed());
    let points = policy.ask(33, &mut stream(0));
    policy.tell(&points.iter().map(|dna| Some(sum(dna))).collect::<Vec<_>>());
    for values in [vec![Some(-3.0); 33], vec![Some(1.0), None, Some(f64::NAN)]] {
        policy.ask(33, &mut stream(1));
        let mut before = policy.clone();
        policy.tell(&values);
        before.tell(&[]);
        assert_eq!(policy, before);
    }
}

/// Red when a thread's share of a sum, or of the randomness, depends on how many there are.
#[test]
fn one_thread_equals_eight() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut policy = recurrent(small(), mixed());
            for iteration in 0..3 {
                let points = policy.ask(75, &mut stream(iteration));
                policy.tell(&points.iter().map(|dna| Some(sum(dna))).collect::<Vec<_>>());
            }
            postcard::to_allocvec(&policy).unwrap()
        })
    };
    assert_eq!(run(1), run(8));
}

/// They are those of what would be drawn, exactly, and asking for them changes nothing.
#[test]
fn marginals_are_those_of_the_policy() {
    let mut policy = factorized(flat(2, 3));
    for iteration in 0..20 {
        let points = policy.ask(50, &mut stream(iteration));
        policy.tell(&points.iter().map(|dna| Some(sum(dna))).collect::<Vec<_>>());
    }
    let before = policy.clone();
    let marginals = policy.marginals(0, &mut stream(0)).unwrap();
    assert_eq!(policy, before);
    let p = |genes: [u32; 2]| policy.log_prob(&Dna::from(genes.to_vec())).exp();
    for (at, (_, of)) in marginals.iter().enumerate() {
        for v in 0..3 {
            let exact: f64 = (0..3).map(|w| p(if at == 0 { [v, w] } else { [w, v] })).sum();
            assert!((of[v as usize] - exact).abs() < 1e-6, "{of:?} for {exact}");
        }
    }
    let mode = policy.likeliest().unwrap();
    assert_eq!(marginals.top(2).iter().map(|top| top.1).collect::<Vec<_>>(), mode.genes());
}

/// As the paper shows a controller 10 of the 150 values of an iteration. So few settle early, not
/// always on the best; a random model has 7.5 of 15. Red when values meet the wrong points.
#[test]
fn learns_from_a_few_of_the_values() {
    let mut policy = factorized(flat(5, 4));
    for iteration in 0..150 {
        let points = policy.ask(150, &mut stream(iteration));
        let value = |(at, dna): (usize, &Dna)| (at % 15 == 4).then(|| sum(dna));
        policy.tell(&points.iter().enumerate().map(value).collect::<Vec<_>>());
    }
    let mode = policy.likeliest().unwrap();
    assert!(sum(&mode) >= 12.0, "{mode:?}");
}

/// The recurrent one's is in `tests/policy_gradient.rs`.
#[test]
fn golden_trace() {
    assert_eq!(testing::trace(factorized(mixed()), sum), 2167200677926734208);
}

/// Where the mean of the last batch is, of values from 0 for random points to 1 for the best.
fn learned(
    mut policy: impl Optimizer<Point = Dna>,
    value: impl Fn(&Dna) -> f64,
    n: usize,
    iterations: u32,
    seed: u64,
) -> f64 {
    let mut reached = 0.0;
    for iteration in 0..iterations {
        let points = policy.ask(n, &mut Seed(seed).stream(Purpose::Ask, iteration, 0));
        let values: Vec<f64> = points.iter().map(&value).collect();
        reached = values.iter().sum::<f64>() / n as f64;
        policy.tell(&values.into_iter().map(Some).collect::<Vec<_>>());
    }
    reached
}

/// The best candidate of decision `at` of 20 of 11 is worth 1, the others less the farther.
fn separable(dna: &Dna) -> f64 {
    let worth = |(at, gene): (u32, &u32)| 1.0 - f64::from(gene.abs_diff((at * 7 + 3) % 11)) / 4.0;
    (0..).zip(dna.genes()).map(worth).sum::<f64>() / 20.0
}

/// Decision i pays only relative to the one before it; the first is free.
fn chained(dna: &Dna) -> f64 {
    let right = dna.genes().windows(2).filter(|pair| pair[1] == (pair[0] + 3) % 11).count();
    right as f64 / 19.0
}

/// How many of 8 members among 64 are the right ones.
fn members(dna: &Dna) -> f64 {
    dna.genes().iter().filter(|gene| *gene % 8 == 5).count() as f64 / 8.0
}

fn medium(learning_rate: f64) -> PolicyGradientConfig {
    PolicyGradientConfig {
        hidden: 32,
        embedding: 32,
        learning_rate,
        ..PolicyGradientConfig::default()
    }
}

/// 20,000 evaluations each, here and below.
#[test]
fn learns_twenty_decisions_of_eleven() {
    for seed in 0..3 {
        let reached = learned(factorized(flat(20, 11)), separable, 200, 100, seed);
        assert!(reached > 0.98, "factorized, seed {seed}: {reached}");
    }
    let reached = learned(recurrent(medium(5e-3), flat(20, 11)), separable, 200, 100, 1);
    assert!(reached > 0.97, "recurrent: {reached}");
}

/// There are eleven optima, one for each first choice, and on average every candidate is worth the
/// same at every decision. The recurrent policy learns at once which candidate should follow which.
/// The factorized one can only agree on candidates: neighbours do so by chance, first here, then
/// there, on different optima, and where two such stretches meet a decision is lost for good, for
/// nothing less than a whole stretch changed together would be better.
///
/// Red when the recurrence is cut (the choice before is not seen), or decisions get each other's
/// values.
#[test]
fn learns_a_chain_where_independent_decisions_cannot() {
    for seed in 0..3 {
        for learning_rate in [0.01, 0.03, 0.1] {
            let config = FactorizedPolicyGradientConfig { learning_rate, ..Default::default() };
            let policy = FactorizedPolicyGradient::new(config, Arc::new(flat(20, 11))).unwrap();
            let reached = learned(policy, chained, 200, 100, seed);
            assert!(reached < 0.93, "factorized, seed {seed}, {learning_rate}: {reached}");
        }
    }
    for seed in 0..2 {
        let reached = learned(recurrent(medium(5e-3), flat(20, 11)), chained, 200, 100, seed);
        assert!(reached > 0.97, "recurrent, seed {seed}: {reached}");
    }
}

#[test]
fn learns_a_subset_of_8_among_64() {
    let policy = factorized(many(8, 64, true, true));
    let reached = learned(policy, members, 200, 100, 1);
    assert!(reached > 0.97, "factorized: {reached}");
    let policy = recurrent(medium(2e-3), many(8, 64, true, true));
    let reached = learned(policy, members, 200, 100, 1);
    assert!(reached > 0.97, "recurrent: {reached}");
}
