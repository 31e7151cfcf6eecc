use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::controllers::testing::{self, Script, stream};

fn mask(len: usize) -> Space {
    Space::list((0..len).map(|_| Space::bool())).unwrap()
}

fn nsga2(population: usize, space: Space) -> Nsga2 {
    let config = Nsga2Config { population, ..Nsga2Config::default() };
    Nsga2::new(config, Arc::new(space)).unwrap()
}

/// Concave in what is active, with weights of their own: each cost has a best mask.
fn value(dna: &Dna) -> f64 {
    let weight = |(at, gene): (u32, &u32)| f64::from(gene * (at * 7 % 11 + 1));
    (0..).zip(dna.genes()).map(weight).sum::<f64>().sqrt()
}

fn individual(at: u32, value: f64, cost: f64) -> Individual {
    Individual { dna: [at].into(), value, count: 1, cost }
}

#[test]
fn refuses_bad_settings() {
    let refused = |config: Nsga2Config| {
        Nsga2::new(config, Arc::new(mask(3))).map(|_| ()).unwrap_err().to_string()
    };
    let good = Nsga2Config::default;
    assert_eq!(
        refused(Nsga2Config { population: 1, ..good() }),
        "population must be at least 2, got 1"
    );
    assert_eq!(
        refused(Nsga2Config { crossover: 1.5, ..good() }),
        "crossover must be from 0 to 1, got 1.5"
    );
    assert_eq!(
        refused(Nsga2Config { mutation: f64::NAN, ..good() }),
        "mutation must be from 0 to 1, got NaN"
    );
    let cost = Cost::Table(BTreeMap::from([("nowhere".to_owned(), vec![1.0])]));
    assert!(refused(Nsga2Config { cost, ..good() }).contains("`nowhere`"));
}

#[test]
fn conforms() {
    let space = Space::oneof([mask(4), Space::subset(2, 0..=4).unwrap()]).unwrap();
    testing::conforms(nsga2(10, space.clone()), |dna| space.check(dna).is_ok());
    let only = Space::constant(json!(null));
    testing::conforms(nsga2(10, only.clone()), |dna| *dna == only.first());
}

#[test]
fn resume_equals_never_stopped() {
    testing::resumes(nsga2(10, mask(9)), value);
}

#[test]
fn golden_trace() {
    assert_eq!(testing::trace(nsga2(10, mask(12)), value), 8446247008533409097);
}

/// All of the front of 4096 masks, in 1500 evaluations. Red when either objective has the wrong
/// sign, the ends of the front are lost, or survivors are not the best.
#[test]
fn finds_the_whole_front() {
    let space = mask(12);
    let active = |dna: &Dna| dna.genes().iter().sum::<u32>();
    let mut best = [f64::MIN; 13];
    for dna in space.enumerate() {
        let at = active(&dna) as usize;
        best[at] = best[at].max(value(&dna));
    }
    assert!(best.is_sorted_by(|one, other| one < other), "each cost is on the front");
    for seed in 0..5 {
        let mut nsga2 = nsga2(50, space.clone());
        for iteration in 0..50 {
            let stream = &mut crate::Seed(seed).stream(crate::Purpose::Ask, iteration, 0);
            let points = nsga2.ask(30, stream);
            nsga2.tell(&points.iter().map(|dna| Some(value(dna))).collect::<Vec<_>>());
        }
        let mut found: Vec<_> = nsga2.front().iter().map(|(_, v, cost)| (*cost, *v)).collect();
        found.dedup();
        let expected: Vec<_> = (0..).map(f64::from).zip(best).collect();
        assert_eq!(found, expected, "seed {seed}");
    }
}

/// Red when survival forgets the parents, or does not wait for enough values.
#[test]
fn selection_waits_for_a_population_of_values() {
    let mut nsga2 = nsga2(6, mask(8));
    for (iteration, (values, parents)) in [
        (vec![Some(1.0), None, Some(2.0), Some(f64::NAN)], 0),
        (vec![Some(3.0); 3], 0),
        (vec![Some(4.0)], 6),
    ]
    .into_iter()
    .enumerate()
    {
        nsga2.ask(values.len(), &mut stream(iteration as u32));
        nsga2.tell(&values);
        assert_eq!(nsga2.parents.len(), parents, "iteration {iteration}");
    }
    let before = nsga2.living.clone();
    nsga2.ask(6, &mut stream(9));
    nsga2.tell(&[Some(-1e9); 6]);
    let front: Vec<f64> = nsga2.living.iter().map(|i| i.value).collect();
    assert_eq!(nsga2.living.len(), 6);
    let best = before.iter().map(|i| i.value).fold(f64::MIN, f64::max);
    assert!(front.contains(&best), "the best parent outlives bad children");
}

/// Red when a DNA can live twice, or its last or best value stands for all.
#[test]
fn a_dna_evaluated_again_has_the_mean_of_its_values() {
    let mut nsga2 = nsga2(100, mask(3));
    for value in [1.0, 5.0, 3.0] {
        nsga2.asked = vec![[1, 0, 1].into(), [0, 0, 0].into()];
        nsga2.tell(&[Some(value), Some(f64::MAX * if value > 2.0 { -1.0 } else { 1.0 })]);
    }
    let front = nsga2.front();
    assert_eq!(front.len(), 2);
    assert_eq!((front[0].2, front[1].1, front[1].2), (0.0, 3.0, 2.0));
    assert!((front[0].1 / f64::MAX + 1.0 / 3.0).abs() < 1e-12);
}

/// A front of five, worked out by hand. Red when a distance misses an objective or its range.
#[test]
fn crowding_is_the_way_between_the_neighbours() {
    let front = [(9.0, 10.0), (4.0, 2.0), (1.0, 0.0), (6.0, 8.0), (5.0, 4.0)];
    let individuals: Vec<_> = (0..).zip(front).map(|(at, (v, c))| individual(at, v, c)).collect();
    let crowding: Vec<_> = standings(&individuals).iter().map(|s| s.crowding).collect();
    let inner = |value: f64, cost: f64| value / 8.0 + cost / 10.0;
    let inf = f64::MAX;
    assert_eq!(crowding, [inf, inner(4.0, 4.0), inf, inner(4.0, 6.0), inner(2.0, 6.0)]);
}

/// Winners of tournaments among four ranks, or four distances: the worst only against itself.
#[test]
fn tournaments_go_by_rank_then_distance() {
    let wins = |standing: &dyn Fn(u32) -> Standing| {
        let mut nsga2 = nsga2(4, mask(2));
        nsga2.parents = (0..4).map(|at| ([at].into(), standing(at))).collect();
        let (mut wins, mut stream) = ([0u32; 4], stream(0));
        (0..16_000).for_each(|_| wins[nsga2.tournament(&mut stream).genes()[0] as usize] += 1);
        wins
    };
    let ranked = wins(&|rank| Standing { rank, crowding: f64::from(rank) });
    let spaced = wins(&|at| Standing { rank: 1, crowding: -f64::from(at) });
    for wins in [ranked, spaced] {
        for (wins, expected) in wins.into_iter().zip([7000, 5000, 3000, 1000]) {
            assert!(wins.abs_diff(expected) < 300, "{ranked:?} {spaced:?}");
        }
    }
}

fn dominates(one: &Individual, other: &Individual) -> bool {
    let no_worse = one.value >= other.value && one.cost <= other.cost;
    no_worse && (one.value > other.value || one.cost < other.cost)
}

proptest! {
    /// Against the definition: peel off, again and again, whom nobody left dominates.
    #[test]
    fn ranks_are_fronts_peeled_off(points in prop::collection::vec((-4i8..4, 0u8..6), 0..40)) {
        let individuals: Vec<_> =
            (0..).zip(&points).map(|(at, (v, c))| individual(at, (*v).into(), (*c).into())).collect();
        let found = ranks(&individuals);
        let mut left: Vec<usize> = (0..individuals.len()).collect();
        for rank in 0.. {
            if left.is_empty() {
                break;
            }
            let beaten = |at: usize| left.iter().any(|&by| dominates(&individuals[by], &individuals[at]));
            let (front, rest): (Vec<_>, Vec<_>) = left.iter().partition(|&&at| !beaten(at));
            prop_assert!(front.iter().all(|&at| found[at] == rank));
            left = rest;
        }
    }

    #[test]
    fn any_answers_leave_a_front(script in Script::any(), population in 2usize..12) {
        let space = Space::oneof([mask(3), Space::subset(2, 0..=3).unwrap()]).unwrap();
        let mut nsga2 = nsga2(population, space.clone());
        script.play(&mut nsga2, |nsga2, points, _| {
            assert!(points.iter().all(|dna| space.check(dna).is_ok()));
            assert!(nsga2.living.is_sorted_by(|one, other| one.dna < other.dna));
            assert!(nsga2.living.len() < 2 * population + points.len());
            let front = nsga2.front();
            assert_eq!(front.is_empty(), nsga2.living.is_empty());
            assert!(front.iter().all(|(_, value, cost)| value.is_finite() && cost.is_finite()));
            assert!(front.is_sorted_by(|one, other| one.2 <= other.2 && one.1 <= other.1));
            assert!(standings(&nsga2.living).iter().all(|s| s.crowding >= 0.0));
        });
    }
}
