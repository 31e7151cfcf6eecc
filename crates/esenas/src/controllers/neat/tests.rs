use proptest::prelude::*;

use super::*;
use crate::Compatibility;
use crate::controllers::testing::{self, Digits, Script, separable, stream};

const LEN: usize = 8;

fn config(population: usize) -> NeatConfig {
    NeatConfig { population, species: 4, ..NeatConfig::default() }
}

fn neat(config: NeatConfig) -> Neat<Digits> {
    Neat::new(config, Digits::new(LEN, 5)).unwrap()
}

/// One generation: asks until the population is evaluated, and advances.
fn generation(neat: &mut Neat<Digits>, at: u32, f: impl Fn(&Vec<u32>) -> f64) -> Vec<Vec<u32>> {
    let points = neat.ask(neat.config.population, &mut stream(at));
    neat.tell(&points.iter().map(|p| Some(f(p))).collect::<Vec<_>>());
    neat.ask(0, &mut stream(1000 + at));
    points
}

fn individual(digit: u32, value: f64) -> Individual<Vec<u32>> {
    Individual { genome: vec![digit; LEN], value }
}

fn species(members: Vec<Individual<Vec<u32>>>) -> Species<Vec<u32>> {
    let best = members[0].value;
    Species { members, best, stale: 0, allotted: 0, unborn: 0 }
}

/// A species of two for each: one of the value given, one of value 0.
fn with_worse(champions: &[(u32, f64)]) -> Vec<Individual<Vec<u32>>> {
    let pair = |&(digit, value)| [individual(digit, value), individual(digit, 0.0)];
    champions.iter().flat_map(pair).collect()
}

fn differ(one: &[u32], other: &[u32]) -> usize {
    one.iter().zip(other).filter(|(a, b)| a != b).count()
}

#[test]
fn refuses_what_is_no_count_share_or_distance() {
    let refused = |config| Neat::new(config, Digits::new(LEN, 5)).unwrap_err().to_string();
    let default = NeatConfig::default();
    let none = NeatConfig { population: 0, ..default };
    assert_eq!(refused(none), "population must be at least 1, got 0");
    assert_eq!(refused(NeatConfig { species: 0, ..default }), "species must be at least 1, got 0");
    assert_eq!(
        refused(NeatConfig { stagnation: 0, ..default }),
        "stagnation must be at least 1, got 0"
    );
    let all_and_more = NeatConfig { crossover: 1.5, ..default };
    assert_eq!(refused(all_and_more), "crossover must be from 0 to 1, got 1.5");
    let not_a_number = NeatConfig { survival: f64::NAN, ..default };
    assert_eq!(refused(not_a_number), "survival must be from 0 to 1, got NaN");
    let negative = NeatConfig { threshold: Some(-1.0), ..default };
    assert_eq!(refused(negative), "threshold must be zero or positive and finite, got -1");
    let compatibility = Compatibility { weight: f64::INFINITY, ..Compatibility::default() };
    let infinite = NeatConfig { compatibility, ..default };
    assert_eq!(
        refused(infinite),
        "compatibility.weight must be zero or positive and finite, got inf"
    );
}

#[test]
fn conforms() {
    for population in [1, 2, 20] {
        testing::conforms(neat(config(population)), |point| Digits::new(LEN, 5).holds(point));
    }
}

#[test]
fn resume_equals_never_stopped() {
    testing::resumes(neat(config(20)), separable);
}

#[test]
fn golden_trace() {
    assert_eq!(testing::trace(neat(config(20)), separable), 17_424_256_538_763_915_693);
}

#[test]
fn converges() {
    testing::converges(neat(config(40)), separable, 40, 50);
}

/// Fitness sharing exists for this: two peaks of equal height, and both stay populated. Red when
/// offspring go by the plain sum of values.
#[test]
fn two_peaks_are_both_kept() {
    let peaks = |p: &Vec<u32>| {
        let near = |digit| p.iter().filter(|d| **d == digit).count();
        near(0).max(near(4)) as f64
    };
    let mut neat = neat(NeatConfig { species: 6, ..config(100) });
    for at in 0..40 {
        generation(&mut neat, at, peaks);
    }
    let holds = |peak| neat.species.iter().flat_map(|s| &s.members).any(|i| i.genome == peak);
    assert!(holds(vec![0; LEN]) && holds(vec![4; LEN]));
}

/// Members are compared with a member of the generation before, whoever founded the species. The
/// only survivor of the old species is all twos; its founder, all zeros, is long gone.
#[test]
fn representatives_are_refreshed() {
    let fixed = NeatConfig { threshold: Some(0.3), ..config(2) };
    let mut neat = neat(fixed);
    neat.species = vec![species(vec![individual(2, 1.0)])];
    neat.arrived = vec![individual(0, 1.0), individual(2, 1.0)];
    neat.ask(0, &mut stream(0));
    let homes: Vec<_> = neat.species.iter().map(|s| s.members[0].genome[0]).collect();
    assert_eq!(homes, [2, 0]);
}

/// Any member may represent: over many draws the first and the last both do.
#[test]
fn representatives_are_drawn_from_all_members() {
    let fixed = NeatConfig { threshold: Some(0.3), ..config(1) };
    let chosen: Vec<bool> = (0..40)
        .map(|at| {
            let mut neat = neat(fixed);
            neat.species = vec![species(vec![individual(2, 1.0), individual(3, 1.0)])];
            neat.arrived = vec![individual(2, 1.0)];
            neat.ask(0, &mut stream(at));
            neat.species[0].stale == 1
        })
        .collect();
    assert!(chosen.contains(&true) && chosen.contains(&false));
}

/// Red when the threshold is strict at zero, or the first compatible species is not taken.
#[test]
fn equal_genomes_share_a_species_at_threshold_zero() {
    let mut neat = neat(NeatConfig { threshold: Some(0.0), ..config(5) });
    neat.arrived = [1, 2, 1, 2, 1].map(|digit| individual(digit, 0.0)).to_vec();
    neat.ask(0, &mut stream(0));
    let sizes: Vec<_> = neat.species.iter().map(|s| s.members.len()).collect();
    assert_eq!(sizes, [3, 2]);
    assert_eq!(neat.threshold, 0.0);
}

/// Three species of two; only the third improves, for a while. After 15 generations without
/// improvement the others have no offspring, and the best one has, although it does not improve
/// either.
#[test]
fn stagnant_species_do_not_reproduce_unless_the_best() {
    let mut neat = neat(NeatConfig { threshold: Some(0.5), refocus: 1000, ..config(6) });
    let arrive = |neat: &mut Neat<Digits>, third: f64| {
        let champions = [(0, 9.0), (2, 7.0), (4, third)];
        neat.arrived = with_worse(&champions);
        neat.ask(0, &mut stream(0));
        let allotted: Vec<_> = neat.species.iter().map(|s| s.allotted > 0).collect();
        let stale: Vec<_> = neat.species.iter().map(|s| s.stale).collect();
        (allotted, stale)
    };
    for at in 0..15 {
        let third = 6.0 + 0.1 * f64::from(at);
        assert_eq!(arrive(&mut neat, third), (vec![true; 3], vec![at, at, 0]));
    }
    assert_eq!(arrive(&mut neat, 6.0), (vec![true, false, true], vec![15, 15, 1]));
    // Nobody near it is born: it dies.
    neat.arrived = [0, 0, 0, 4, 4, 4].map(|digit| individual(digit, 1.0)).to_vec();
    neat.ask(0, &mut stream(0));
    assert_eq!(neat.species.len(), 2);
}

/// Red when three go on reproducing, or when the two are not the best.
#[test]
fn a_stagnant_population_refocuses_on_two_species() {
    let mut neat = neat(NeatConfig { threshold: Some(0.5), stagnation: 1000, ..config(8) });
    let mut arrive = || {
        neat.arrived = with_worse(&[(0, 1.0), (1, 4.0), (2, 2.0), (3, 3.0)]);
        neat.ask(0, &mut stream(0));
        neat.species.iter().map(|s| (s.allotted > 0, s.stale)).collect::<Vec<_>>()
    };
    for at in 0..=20 {
        assert_eq!(arrive(), [(true, at); 4]);
    }
    assert_eq!(arrive(), [(false, 21), (true, 0), (false, 21), (true, 0)]);
    assert!(arrive().iter().all(|(allotted, _)| *allotted), "the clock starts anew");
}

/// Six members: copied first, once, and unchanged. Five: not.
#[test]
fn the_champion_of_more_than_five_is_copied_unchanged() {
    let copies = |members: usize| {
        let mut neat = neat(NeatConfig { crossover: 0.0, ..config(members) });
        neat.arrived = (0..members).map(|at| individual(3, -(at as f64))).collect();
        neat.arrived[2].value = 7.0;
        neat.arrived[2].genome[5] = 4;
        let champion = neat.arrived[2].genome.clone();
        neat.threshold = 1.0;
        let offspring = neat.ask(3 * members, &mut stream(0));
        let copied = offspring.iter().map(|o| *o == champion);
        copied.enumerate().filter(|(_, same)| *same).map(|(at, _)| at).collect::<Vec<_>>()
    };
    assert_eq!(copies(6), [0]);
    assert_eq!(copies(5), [0usize; 0]);
}

/// Ten members survive by two: with mutation alone, every child is one step from either.
#[test]
fn only_the_best_fifth_are_parents() {
    let mut neat = neat(NeatConfig { crossover: 0.0, champion: 10, ..config(10) });
    neat.threshold = 10.0;
    let digits = Digits::new(LEN, 5);
    let mut draws = stream(7);
    let value = |at: usize| (at * 7 % 10) as f64;
    neat.arrived = (0..10)
        .map(|at| Individual { genome: digits.sample(&mut draws), value: value(at) })
        .collect();
    let best: Vec<_> = neat.arrived.iter().filter(|i| i.value >= 8.0).cloned().collect();
    let children = neat.ask(100, &mut stream(0));
    let of = |parent: &Individual<Vec<u32>>| {
        children.iter().filter(|child| differ(child, &parent.genome) == 1).count()
    };
    assert_eq!(of(&best[0]) + of(&best[1]), 100);
    assert!((30..70).contains(&of(&best[0])));
}

/// Of parents without a digit in common, children show how they were made.
#[test]
fn three_quarters_have_two_parents() {
    let mut neat = neat(NeatConfig { mutation: 0.0, survival: 1.0, champion: 2, ..config(2) });
    neat.threshold = 10.0;
    neat.arrived = vec![individual(1, 0.0), individual(3, 1.0)];
    let children = neat.ask(4000, &mut stream(0));
    let mutated = |c: &&Vec<u32>| [1, 3].iter().any(|p| differ(c, &[*p; LEN]) == 1);
    // One of 2⁸ crossings is a parent itself; one of 16 differs from one in one place.
    let alone = children.iter().filter(mutated).count() as f64 / 4000.0;
    let expected = 0.25 + 0.75 / 16.0;
    assert!((alone - expected).abs() < 0.03, "{alone} {expected}");
}

/// Red when the mate from another species is ignored, or when it is the rule.
#[test]
fn species_mate_at_the_rate_given() {
    let crossed = |interspecies| {
        let all = NeatConfig { crossover: 1.0, mutation: 0.0, survival: 1.0, ..config(4) };
        let mut neat = neat(NeatConfig { threshold: Some(0.1), interspecies, ..all });
        neat.arrived = [1, 1, 3, 3].map(|digit| individual(digit, 1.0)).to_vec();
        let children = neat.ask(2000, &mut stream(0));
        children.iter().filter(|c| c.contains(&1) && c.contains(&3)).count()
    };
    assert!(crossed(1.0) > 1900);
    assert!((900..1100).contains(&crossed(0.5)));
    assert_eq!(crossed(0.0), 0);
}

/// Values told late, failed ones left out: a generation is complete when enough are evaluated.
#[test]
fn a_generation_is_its_evaluated_individuals() {
    let mut neat = neat(config(6));
    neat.ask(4, &mut stream(0));
    neat.tell(&[Some(1.0), None, Some(f64::NAN), Some(2.0)]);
    neat.ask(5, &mut stream(1));
    assert_eq!((neat.generation, neat.arrived.len()), (0, 2));
    neat.tell(&[Some(1.0); 5]);
    assert_eq!(neat.arrived.len(), 7);
    neat.ask(15, &mut stream(2));
    assert_eq!((neat.generation, neat.arrived.len()), (1, 1));
    assert!(neat.species.iter().all(|s| s.unborn == 0));
    neat.tell(&[Some(1.0); 15]);
    neat.ask(1, &mut stream(3));
    assert_eq!((neat.generation, neat.arrived.len()), (3, 4));
}

/// A threshold of its own finds the wanted number of species, whatever the scale of distances.
#[test]
fn the_threshold_follows_the_wanted_number_of_species() {
    for scale in [1e-6, 1.0, 1e6] {
        let compatibility = Compatibility { disjoint: scale, ..Compatibility::default() };
        let mut neat =
            Neat::new(NeatConfig { compatibility, species: 8, ..config(100) }, Digits::new(30, 5))
                .unwrap();
        let mut counts = 0;
        for at in 0..40 {
            generation(&mut neat, at, |p| f64::from(p.iter().sum::<u32>()));
            counts += if at < 20 { 0 } else { neat.species.len() };
        }
        assert!((80..=320).contains(&counts), "{scale}: {counts} over 20 generations");
        let threshold = neat.threshold / scale;
        assert!((0.001..1.0).contains(&threshold), "{scale}: {threshold}");
    }
}

#[test]
fn seats_go_by_largest_remainders() {
    assert_eq!(apportion(&[1.0, 1.0, 1.0], 10), [4, 3, 3]);
    assert_eq!(apportion(&[0.5, 0.0, 1.5], 10), [3, 0, 7]);
    assert_eq!(apportion(&[0.0, 2.0], 7), [0, 7]);
    assert_eq!(apportion(&[2.6, 2.7, 4.7], 10), [2, 3, 5]);
}

/// Offspring do not depend on the unit and the zero of the values.
#[test]
fn shares_are_the_same_for_values_scaled_and_shifted() {
    let allotted = |scale: f64, shift: f64| {
        let mut neat = neat(NeatConfig { threshold: Some(0.5), ..config(40) });
        let value = |at: u32| f64::from(at * 13 % 32) * scale + shift;
        neat.arrived = (0..40).map(|at| individual(at * at % 5, value(at))).collect();
        neat.ask(0, &mut stream(0));
        neat.species.iter().map(|s| s.allotted).collect::<Vec<_>>()
    };
    let plain = allotted(1.0, 0.0);
    assert_eq!(plain, allotted(4.0, -64.0));
    assert_eq!(plain, allotted(0.25, 1024.0));
    assert_eq!(plain, allotted(2f64.powi(1000), 0.0));
}

/// A species' share is the mean of its values, not their sum: nine that are mediocre get no more
/// than one that is. Red when the division by the size of the species is left out.
#[test]
fn a_large_species_is_worth_no_more_than_a_small_one() {
    let mut neat = neat(NeatConfig { threshold: Some(0.5), ..config(12) });
    neat.arrived = vec![individual(0, 0.0), individual(1, 5.0)];
    neat.arrived.extend(vec![individual(2, 5.0); 10]);
    neat.ask(0, &mut stream(0));
    let allotted: Vec<_> = neat.species.iter().map(|s| s.allotted).collect();
    assert_eq!(allotted, [0, 6, 6]);
}

proptest! {
    #[test]
    fn seats_sum_to_the_population(
        shares in prop::collection::vec(prop_oneof![Just(0.0), 1e-3..2.0], 0..40),
        one in 1e-3..2.0,
        seats in 1usize..400,
    ) {
        let shares = [shares, vec![one]].concat();
        let allotted = apportion(&shares, seats);
        prop_assert_eq!(allotted.iter().sum::<usize>(), seats);
        let total: f64 = shares.iter().sum();
        for (share, allotted) in shares.iter().zip(&allotted) {
            prop_assert!((share / total * seats as f64 - *allotted as f64).abs() < 1.0 + 1e-9);
            prop_assert!(*share > 0.0 || *allotted == 0);
        }
    }

    #[test]
    fn any_answers_leave_a_sound_generation(script in Script::any(), n in 1usize..12) {
        let mut neat = neat(config(n));
        let mut evaluated = 0;
        script.play(&mut neat, |neat, points, values| {
            evaluated += values.iter().flatten().count();
            let members = neat.species.iter().map(|s| s.members.len()).sum::<usize>();
            assert_eq!(members, if neat.generation == 0 { 0 } else { n });
            assert_eq!(evaluated, neat.generation as usize * n + neat.arrived.len());
            if neat.generation > 0 {
                assert_eq!(neat.species.iter().map(|s| s.allotted).sum::<usize>(), n);
            }
            for species in &neat.species {
                assert!(species.members.is_sorted_by(|a, b| a.value >= b.value));
                assert!(species.champion() <= species.best && species.best.is_finite());
                assert!(species.unborn <= species.allotted);
            }
            assert!(neat.threshold.is_finite());
            assert!(points.iter().all(|p| Digits::new(LEN, 5).holds(p)));
        });
    }
}
