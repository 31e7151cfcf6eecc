use serde_json::json;

use super::*;
use crate::controllers::testing::{self, flat, many, mixed, stream, sum};
use crate::{Purpose, Seed};

fn asng(space: Space) -> Asng {
    Asng::new(AsngConfig::default(), Arc::new(space)).unwrap()
}

#[test]
fn refuses_bad_numbers() {
    let refused =
        |config| Asng::new(config, Arc::new(Space::bool())).map(|_| ()).unwrap_err().to_string();
    let good = AsngConfig::default();
    for step_size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let expected = format!("step_size must be above 0 and at most 100, got {step_size}");
        assert_eq!(refused(AsngConfig { step_size, ..good }), expected);
    }
    assert_eq!(
        refused(AsngConfig { alpha: 0.9, ..good }),
        "alpha must be finite and at least 1, got 0.9"
    );
    assert_eq!(
        refused(AsngConfig { margin: 1.0, ..good }),
        "margin must be from 0.5 to 0.9999, got 1"
    );
}

/// Red when slots that share their distribution are counted, or kept, one by one.
#[test]
fn refuses_what_would_not_fit_and_no_more() {
    let space = Arc::new(many(1 << 17, 1024, false, false));
    let error = Asng::new(AsngConfig::default(), space).unwrap_err();
    assert_eq!(error.key, "kind");
    assert!(error.to_string().contains("134217728 candidates"), "{error}");
    let asng = asng(many(10_000, 100_000, true, true));
    assert_eq!(asng.probabilities(9_999).unwrap().len(), 100_000);
    assert_eq!(asng.model.flat().len(), 100_000);
}

#[test]
fn conforms() {
    let space = mixed();
    testing::conforms(asng(mixed()), |dna| space.check(dna).is_ok());
}

#[test]
fn resume_equals_never_stopped() {
    testing::resumes(asng(mixed()), sum);
}

#[test]
fn golden_trace() {
    assert_eq!(testing::trace(asng(mixed()), sum), 15571752821839052068);
}

#[test]
fn a_space_without_decisions_has_one_point() {
    for space in [Space::constant(7), flat(3, 1), many(4, 4, true, true)] {
        let only = space.first();
        testing::conforms(asng(space.clone()), |dna| *dna == only);
        let asng = asng(space);
        assert_eq!(asng.likeliest().unwrap(), only);
        assert_eq!(asng.statistics(), [("entropy", 0.0), ("mode", 1.0), ("delta", 1.0)]);
        assert_eq!(asng.probabilities(0), None);
    }
}

/// What `told` says of points that were never asked for.
fn teach(asng: &mut Asng, told: &[(&[u32], f64)]) {
    asng.asked = told.iter().map(|(genes, _)| Dna::from(genes.to_vec())).collect();
    asng.tell(&told.iter().map(|(_, value)| Some(*value)).collect::<Vec<_>>());
}

/// The equations, written down for one decision of 3 and one of 2 in the paper's coordinates, the
/// last probability of each left out, with the Fisher matrix in full. Red when any term of the
/// update is off: sign, norm, √D, β, γ, Δ.
#[test]
fn two_steps_follow_the_equations() {
    let mut asng = asng(Space::list([flat(1, 3), flat(1, 2)]).unwrap());
    let batches: [&[(&[u32], f64)]; 2] = [
        &[(&[0, 0], 5.0), (&[1, 0], 1.0), (&[2, 1], 4.0)],
        &[(&[0, 1], -1.0), (&[0, 0], 2.0), (&[1, 0], 2.0), (&[2, 1], 9.0)],
    ];
    let ranks: [&[f64]; 2] = [&[2.0, -2.0, 0.0], &[-3.0, 0.0, 0.0, 3.0]];
    let mut p = [vec![1.0 / 3.0; 3], vec![0.5; 2]];
    let mut s = [vec![0.0; 3], vec![0.0; 2]];
    let (mut gamma, mut delta): (f64, f64) = (0.0, 1.0);
    for (batch, ranks) in batches.into_iter().zip(ranks) {
        let mut g = p.clone();
        let mut squared = 0.0;
        for at in 0..2 {
            g[at].fill(0.0);
            for ((genes, _), u) in batch.iter().zip(ranks) {
                for value in 0..p[at].len() {
                    let e = f64::from(u8::from(genes[at] as usize == value));
                    g[at][value] += u * (e - p[at][value]);
                }
            }
            let k = p[at].len() - 1;
            for i in 0..k {
                for j in 0..k {
                    let own = if i == j { 1.0 / p[at][i] } else { 0.0 };
                    squared += g[at][i] * (own + 1.0 / p[at][k]) * g[at][j];
                }
            }
        }
        let length = 0.35 * 2.0f64.sqrt() / delta;
        let beta = length / 3.0f64.sqrt();
        let mut signal = 0.0;
        for at in 0..2 {
            for value in 0..p[at].len() {
                let unit = g[at][value] / p[at][value].sqrt() / squared.sqrt();
                s[at][value] = (1.0 - beta) * s[at][value] + (beta * (2.0 - beta)).sqrt() * unit;
                signal += s[at][value] * s[at][value];
                p[at][value] += length * g[at][value] / squared.sqrt();
            }
        }
        gamma = (1.0 - beta) * (1.0 - beta) * gamma + beta * (2.0 - beta);
        delta *= (beta * (gamma - signal / 1.5)).exp();

        teach(&mut asng, batch);
        let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-12, "{one} {other}");
        for (at, p) in p.iter().enumerate() {
            asng.probabilities(at as u32).unwrap().iter().zip(p).for_each(|(a, b)| close(*a, *b));
        }
        close(asng.delta, delta);
        close(asng.gamma, gamma);
    }
}

/// A subset's step is that of its members' shares. Red when slots are mixed up, or not shared.
#[test]
fn a_subset_learns_who_its_members_were() {
    let mut asng = asng(many(2, 4, true, true));
    teach(&mut asng, &[(&[0, 1], 3.0), (&[1, 3], 2.0), (&[0, 2], 1.0)]);
    let p = asng.probabilities(0).unwrap();
    // G = 2·(½, ½, 0, 0) − 2·(½, 0, ½, 0): candidate 1 gains what 2 loses.
    assert!((p[0] - 0.25).abs() < 1e-15 && (p[3] - 0.25).abs() < 1e-15, "{p:?}");
    assert!(p[1] > 0.25 && (p[1] + p[2] - 0.5).abs() < 1e-15, "{p:?}");
    // δ = ‖S‖ = √(Σ k G² / (p (1 − k p))), G = ±x: 4x² · 8 = δ², with k = 2 and D = 2.
    assert!((p[1] - 0.25 - 0.35 * 2.0f64.sqrt() / 32.0f64.sqrt()).abs() < 1e-12, "{p:?}");
    assert_eq!(asng.probabilities(1), asng.probabilities(0), "the slots share it");
}

/// Red when a branch is taught by points that did not take it, or drifts by rounding.
#[test]
fn branches_not_taken_stay_to_the_bit() {
    let branch = |n| Space::list([flat(2, n), many(2, 5, true, true)]).unwrap();
    let mut asng = asng(Space::oneof([branch(3), branch(4)]).unwrap());
    for iteration in 0..30 {
        let points = asng.ask(40, &mut stream(iteration));
        asng.tell(&points.iter().map(|dna| Some(sum(dna))).collect::<Vec<_>>());
    }
    let before = asng.clone();
    let below = |asng: &Asng, loci: std::ops::Range<u32>| -> Vec<Vec<f64>> {
        loci.map(|locus| asng.probabilities(locus).unwrap().to_vec()).collect()
    };
    let points = asng.ask(60, &mut stream(99));
    let value = |dna: &Dna| (dna.genes()[0] == 0).then(|| sum(dna));
    asng.tell(&points.iter().map(value).collect::<Vec<_>>());
    assert_eq!(below(&asng, 5..9), below(&before, 5..9), "the branch whose points failed");
    assert_ne!(below(&asng, 1..5), below(&before, 1..5), "the other");
    assert_eq!(below(&asng, 0..1), below(&before, 0..1), "only one side was heard");
}

/// Few points, little said: a decision made by one of many points moves less than one made by all.
#[test]
fn a_rare_branch_moves_little() {
    let mut asng = asng(
        Space::list([Space::oneof([Space::from(0), flat(1, 2)]).unwrap(), flat(1, 2)]).unwrap(),
    );
    let common: &[u32] = &[0, 0];
    let mut batch = vec![(common, 0.0); 40];
    batch.extend(vec![(&[0, 1][..], 1.0); 40]);
    batch.push((&[1, 1, 0], 2.0));
    asng.ask(200, &mut stream(0)); // Meets the branch.
    teach(&mut asng, &batch);
    let moved = |locus| asng.probabilities(locus).unwrap()[1] - 0.5;
    assert!(moved(1) > 0.0 && moved(1) < 0.05 * moved(2), "{} {}", moved(1), moved(2));
}

/// Red when weights do not sum to zero, or rounding is blown up to a step of full length.
#[test]
fn what_says_nothing_moves_nothing() {
    let mut asng = asng(mixed());
    for iteration in 0..5 {
        let points = asng.ask(33, &mut stream(iteration));
        asng.tell(&points.iter().map(|dna| Some(sum(dna))).collect::<Vec<_>>());
    }
    let points = asng.ask(33, &mut stream(9));
    asng.asked.clear();
    let before = asng.clone();
    let mut silent = |points: Vec<Dna>, values: Vec<Option<f64>>| {
        asng.asked = points;
        asng.tell(&values);
        assert_eq!(asng, before);
    };
    silent(points.clone(), vec![Some(-3.0); 33]);
    silent(points.clone(), vec![Some(1.0), None, Some(f64::NAN)]);
    // One and the same point, with values like noise: they cancel.
    let noise = (0..33).map(|at| Some(f64::from(at * 7 % 33) * 0.1)).collect();
    silent(vec![points[0].clone(); 33], noise);
}

/// Red when values, rather than their order, count.
#[test]
fn only_the_order_of_values_counts() {
    let run = |transform: fn(f64) -> f64| {
        let mut asng = asng(mixed());
        for iteration in 0..20 {
            let points = asng.ask(25, &mut stream(iteration));
            asng.tell(&points.iter().map(|dna| Some(transform(sum(dna)))).collect::<Vec<_>>());
        }
        asng
    };
    assert_eq!(run(|v| v), run(|v| (0.1 * v).exp() * 1e200 - 1e199));
}

#[test]
fn starts_uniform_and_says_so() {
    let asng = asng(Space::list([flat(3, 4), many(2, 8, true, true)]).unwrap());
    let [(_, entropy), (_, mode), _] = asng.statistics()[..] else { panic!("three figures") };
    assert!((entropy - 1.0).abs() < 1e-12);
    assert!((mode - (3.0 * 0.25 + 2.0 * 0.25) / 5.0).abs() < 1e-12, "{mode}");
}

/// A reward that adds up over what each slot selects, or over the members of a set.
struct Additive {
    weights: Vec<f64>,
    arity: usize,
    /// Whether it matters in which slot.
    slots: bool,
    random: f64,
    best: f64,
}

/// Gaussian, by the sum of twelve.
fn gaussian(stream: &mut Stream) -> f64 {
    (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0
}

impl Additive {
    fn decisions(len: usize, arity: usize, seed: u64) -> Self {
        let mut stream = Seed(seed).stream(Purpose::Problem, 0, 0);
        let weights: Vec<f64> = (0..len * arity).map(|_| gaussian(&mut stream)).collect();
        let best = weights.chunks(arity).map(|w| w.iter().copied().fold(f64::MIN, f64::max)).sum();
        let random = weights.iter().sum::<f64>() / arity as f64;
        Self { weights, arity, slots: true, random, best }
    }

    fn subset(k: usize, arity: usize, seed: u64) -> Self {
        let mut stream = Seed(seed).stream(Purpose::Problem, 0, 0);
        let weights: Vec<f64> = (0..arity).map(|_| gaussian(&mut stream)).collect();
        let mut sorted = weights.clone();
        sorted.sort_by(|one, other| other.total_cmp(one));
        let random = weights.iter().sum::<f64>() * k as f64 / arity as f64;
        Self { best: sorted[..k].iter().sum(), weights, arity, slots: false, random }
    }

    fn of(&self, dna: &Dna) -> f64 {
        let weight = |(slot, gene): (usize, &u32)| {
            self.weights[if self.slots { slot * self.arity } else { 0 } + *gene as usize]
        };
        dna.genes().iter().enumerate().map(weight).sum()
    }

    /// How far the mean of the last batch got, from random (0) to the optimum (1). The noise has
    /// the deviation of random points' values, about.
    fn learned(&self, space: Space, n: usize, iterations: u32, seed: u64) -> f64 {
        let mut asng = asng(space);
        let mut reached = 0.0;
        for iteration in 0..iterations {
            let points = asng.ask(n, &mut Seed(seed).stream(Purpose::Ask, iteration, 0));
            let values: Vec<f64> = points.iter().map(|dna| self.of(dna)).collect();
            let mean = values.iter().sum::<f64>() / n as f64;
            reached = (mean - self.random) / (self.best - self.random);
            let noise = &mut Seed(seed).stream(Purpose::Evaluate, iteration, 0);
            let deviation = (points[0].genes().len() as f64).sqrt();
            let noisy = values.iter().map(|v| Some(v + deviation * gaussian(noise)));
            asng.tell(&noisy.collect::<Vec<_>>());
        }
        reached
    }
}

/// This and the next two are what the step constant was chosen on. Red when the step, or the Fisher
/// information of a subset, no longer scales with the number of decisions.
#[test]
fn learns_twenty_decisions_of_eleven() {
    for seed in 0..5 {
        let reached = Additive::decisions(20, 11, seed).learned(flat(20, 11), 200, 100, seed);
        assert!(reached > 0.93, "seed {seed}: {reached}");
    }
}

#[test]
fn learns_a_subset_of_64_among_736() {
    let problem = Additive::subset(64, 736, 1);
    let reached = problem.learned(many(64, 736, true, true), 200, 100, 1);
    assert!(reached > 0.94, "{reached}");
}

/// A quarter of the 20,000 evaluations the others have: those reach 0.63 to 0.66.
#[test]
fn learns_736_decisions_of_17() {
    let reached = Additive::decisions(736, 17, 1).learned(flat(736, 17), 200, 25, 1);
    assert!(reached > 0.25, "{reached}");
}

#[test]
fn learns_a_subset_of_8_among_64() {
    for seed in 0..5 {
        let problem = Additive::subset(8, 64, seed);
        let reached = problem.learned(many(8, 64, true, true), 200, 100, seed);
        assert!(reached > 0.9, "seed {seed}: {reached}");
    }
}

/// Ends with the mode at the best point of `space`, whose value is 0.
fn finds(space: Space, objective: impl Fn(&Dna) -> f64, iterations: u32) {
    for seed in 0..5 {
        let mut asng = asng(space.clone());
        for iteration in 0..iterations {
            let points = asng.ask(60, &mut Seed(seed).stream(Purpose::Ask, iteration, 0));
            asng.tell(&points.iter().map(|dna| Some(objective(dna))).collect::<Vec<_>>());
        }
        assert_eq!(objective(&asng.likeliest().unwrap()), 0.0, "seed {seed}");
        let [(_, entropy), (_, mode), _] = asng.statistics()[..] else { panic!("three figures") };
        assert!(entropy < 0.5 && mode > 0.6, "seed {seed}: {entropy} {mode}");
    }
}

/// Red when later slots do not learn, or learn from candidates that were taken.
#[test]
fn finds_a_permutation() {
    let target = |slot: u32| (slot * 5 + 3) % 12;
    let wrong = |(slot, gene): (u32, &u32)| f64::from(u8::from(*gene != target(slot)));
    let objective = |dna: &Dna| -(0..).zip(dna.genes()).map(wrong).sum::<f64>();
    finds(many(12, 12, true, false), objective, 80);
}

/// Red when draws of a choice that may repeat are kept apart, or do not share what they learn.
#[test]
fn finds_a_multiset_of_one_candidate() {
    let wrong = |gene: &u32| f64::from(gene.abs_diff(5));
    let objective = |dna: &Dna| -dna.genes().iter().map(wrong).sum::<f64>();
    finds(many(5, 8, false, true), objective, 80);
}

/// The first branch is the better one at random, the second once its decisions are right. Red
/// when a branch is left for good, or its decisions learn nothing.
#[test]
fn finds_the_branch_that_is_better_once_learned() {
    let space = Space::oneof([flat(2, 3), flat(4, 5), Space::from(json!("nothing"))]).unwrap();
    let objective = |dna: &Dna| match dna.genes() {
        [0, rest @ ..] => f64::from(rest.iter().sum::<u32>()) - 7.0,
        [1, rest @ ..] => f64::from(rest.iter().sum::<u32>()) - 16.0,
        _ => -12.0,
    };
    finds(space, objective, 120);
}

/// Red when the best is not the first, a tie is split, or a plateau moves.
#[test]
fn logarithmic_utilities_are_those_of_the_better_half() {
    let of = |values: &[f64]| super::utilities(super::Utilities::Logarithmic, values.to_vec());
    let u = of(&[1.0, 4.0, 2.0, 3.0]); // n = 4: ln 2.5 − ln 1, ln 2.5 − ln 2, 0, 0
    let (first, second) = (2.5_f64.ln(), 1.25_f64.ln());
    let mean = (first + second) / 4.0;
    for (u, expected) in u.iter().zip([-mean, first - mean, -mean, second - mean]) {
        assert!((u - 1e6 * expected).abs() < 1.0, "{u} {expected}");
    }
    assert_eq!(of(&[5.0; 6]), [0.0; 6]);
    let tied = of(&[7.0, 7.0, 1.0]);
    assert_eq!(tied[0], tied[1]);
    assert!(tied[0] > 0.0 && tied[2] < 0.0);
    assert_eq!((of(&[1.0]), of(&[])), (vec![0.0], vec![]));
}
