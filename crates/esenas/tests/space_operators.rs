//! Every operator, on random nested spaces: valid results, and the promises each makes.

#[path = "common/spaces.rs"]
mod spaces;

use std::collections::BTreeSet;

use esenas::space::{Candidates, Crossover, Dna, Many, Move, Space};
use esenas::{Compatibility, Purpose, Seed, Stream};
use proptest::prelude::*;
use spaces::{small_spaces, spaces};

fn stream(seed: u64) -> Stream {
    Seed(seed).stream(Purpose::Ask, 0, 0)
}

proptest! {
    #[test]
    fn a_space_has_as_many_points_as_it_says(space in small_spaces(3000)) {
        let all: Vec<Dna> = space.enumerate().take(3001).collect();
        prop_assert_eq!(Some(all.len() as u128), space.size().exact);
        prop_assert!(all.is_sorted_by(|one, other| one < other), "in order, and distinct");
        for dna in &all {
            prop_assert_eq!(space.check(dna), Ok(()));
            let genes = dna.genes().len() as u32;
            prop_assert!(space.min_len() <= genes && genes <= space.max_len());
        }
        let lengths = || all.iter().map(|dna| dna.genes().len() as u32);
        prop_assert_eq!(lengths().min(), Some(space.min_len()));
        prop_assert_eq!(lengths().max(), Some(space.max_len()));
    }

    #[test]
    fn samples_are_valid(space in spaces(), seed: u64) {
        prop_assert_eq!(space.check(&space.sample(&mut stream(seed))), Ok(()));
    }

    #[test]
    fn mutants_are_valid_and_neighbours_new(space in spaces(), seed: u64) {
        let stream = &mut stream(seed);
        let mut dna = space.sample(stream);
        for _ in 0..20 {
            prop_assert_eq!(space.check(&space.mutate(&dna, stream)), Ok(()));
            let neighbour = space.neighbour(&dna, stream);
            prop_assert_eq!(space.check(&neighbour), Ok(()));
            prop_assert_eq!(neighbour == dna, space.size().exact == Some(1));
            for index in 0..space.changeable(&dna) {
                for by in Move::ALL {
                    let (changed, _) = space.change(&dna, index, |_| by, stream);
                    prop_assert_eq!(space.check(&changed), Ok(()));
                    prop_assert!(changed != dna);
                }
            }
            dna = neighbour;
        }
    }

    /// Every point can be reached from every other by mutation alone.
    #[test]
    fn mutation_reaches_everything(space in small_spaces(12), seed: u64) {
        let stream = &mut stream(seed);
        let mut seen = BTreeSet::new();
        let mut dna = space.sample(stream);
        for _ in 0..3000 {
            seen.insert(dna.clone());
            dna = space.mutate(&dna, stream);
        }
        prop_assert_eq!(Some(seen.len() as u128), space.size().exact);
    }

    #[test]
    fn children_are_valid(space in spaces(), seed: u64, points in 0u32..4) {
        let stream = &mut stream(seed);
        let (one, other) = (space.sample(stream), space.sample(stream));
        for how in [Crossover::Uniform, Crossover::Points(points)] {
            prop_assert_eq!(space.check(&space.crossover(&one, &other, how, stream)), Ok(()));
            prop_assert_eq!(&space.crossover(&one, &one, how, stream), &one);
        }
        prop_assert_eq!(space.crossover(&one, &other, Crossover::Points(0), stream), one);
    }

    /// The distance is a symmetric test of equality.
    #[test]
    fn distance_is_zero_for_equals_alone(space in spaces(), seed: u64) {
        let stream = &mut stream(seed);
        let (one, other) = (space.sample(stream), space.sample(stream));
        let by = Compatibility::default();
        prop_assert_eq!(space.distance(&one, &other, &by), space.distance(&other, &one, &by));
        prop_assert_eq!(space.distance(&one, &other, &by) == 0.0, one == other);
        prop_assert_eq!(space.distance(&one, &one, &by), 0.0);
    }

    /// Building asks exactly for the decisions that visiting shows, whatever is answered.
    #[test]
    fn build_and_visit_agree(space in spaces(), answers in prop::collection::vec(any::<u32>(), 1..9)) {
        let (mut asked, mut shown) = (Vec::new(), Vec::new());
        let dna = space.build(|decision| {
            assert_eq!(decision.options() as usize, decision.allowed().count());
            assert_eq!(decision.allowed().next(), Some(decision.nth(0)));
            assert!(decision.allowed().all(|value| decision.allows(value)));
            asked.push((decision.position, decision.locus, decision.group, decision.options()));
            answers[asked.len() % answers.len()] % 7
        });
        space.visit(&dna, |decision, value| {
            assert!(decision.allows(value));
            assert_eq!(space.arities()[decision.locus as usize], decision.arity);
            shown.push((decision.position, decision.locus, decision.group, decision.options()));
        });
        prop_assert_eq!(space.check(&dna), Ok(()));
        prop_assert_eq!(&asked, &shown);
        prop_assert!(asked.is_sorted_by(|one, other| one.1 < other.1), "loci ascend");
        prop_assert!(asked.iter().all(|decision| decision.1 < space.loci()));
    }

    /// Paths are distinct, and lead back to their locus.
    #[test]
    fn paths_name_one_locus(space in spaces()) {
        let paths: BTreeSet<String> = (0..space.loci()).map(|locus| space.path(locus)).collect();
        prop_assert_eq!(paths.len() as u32, space.loci());
        for locus in 0..space.loci() {
            let path = space.path(locus);
            let found = space.find(&path);
            prop_assert_eq!(found, Some(vec![locus]), "{}", path);
        }
    }

    /// A DNA of another space is refused with an error; operators survive it.
    #[test]
    fn foreign_dna_never_panics(space in spaces(), genes in prop::collection::vec(0u32..5, 0..30), wild: u32, seed: u64) {
        let stream = &mut stream(seed);
        let mut genes = genes;
        if let Some(last) = genes.last_mut() {
            *last = wild;
        }
        let (foreign, own) = (Dna::from(genes), space.sample(stream));
        let valid = space.check(&foreign).is_ok();
        prop_assert_eq!(space.decode(&foreign).is_ok(), valid);
        space.mutate(&foreign, stream);
        space.crossover(&foreign, &own, Crossover::Uniform, stream);
        space.crossover(&own, &foreign, Crossover::Points(2), stream);
        prop_assert!(space.distance(&own, &foreign, &Compatibility::default()) >= 0.0);
        space.next(&foreign);
    }
}

/// χ² of counts that should be equal.
fn chi_squared(counts: &[u32]) -> f64 {
    let mean = counts.iter().sum::<u32>() as f64 / counts.len() as f64;
    counts.iter().map(|&count| (f64::from(count) - mean).powi(2) / mean).sum()
}

/// Draws are equally often each of `expected` outcomes: χ² below its mean plus five deviations.
fn assert_uniform(expected: usize, mut draw: impl FnMut(&mut Stream) -> Dna) {
    let mut seen = std::collections::BTreeMap::<Dna, u32>::new();
    let stream = &mut stream(7);
    for _ in 0..expected * 1000 {
        *seen.entry(draw(stream)).or_default() += 1;
    }
    let counts: Vec<u32> = seen.into_values().collect();
    assert_eq!(counts.len(), expected);
    let degrees = expected as f64 - 1.0;
    assert!(chi_squared(&counts) < degrees + 5.0 * (2.0 * degrees).sqrt());
}

#[test]
fn selections_are_uniform() {
    for (distinct, sorted, expected) in
        [(true, true, 35), (true, false, 210), (false, true, 84), (false, false, 343)]
    {
        let space = Space::manyof(Many { k: 3, distinct, sorted }, 0..=6).unwrap();
        assert_uniform(expected, |stream| space.sample(stream));
    }
    let space = Space::permutation(0..=3).unwrap();
    assert_uniform(24, |stream| space.sample(stream));
}

/// One decision uniformly, another value uniformly: the neighbours of a point are equally likely,
/// where each is reached in one way.
#[test]
fn neighbours_are_as_likely() {
    let space = Space::list(vec![Space::oneof(0..=4).unwrap(); 3]).unwrap();
    assert_uniform(12, |stream| space.neighbour(&[0, 1, 2].into(), stream));
    let space = Space::subset(3, 0..=6).unwrap();
    assert_uniform(12, |stream| space.neighbour(&[1, 2, 5].into(), stream));
}

/// "Uniformly over all possible choices" (A.2.1): of v values a mutant keeps one in v, and all
/// neighbours are as likely. Red when the old value is left out, or has more than its share.
#[test]
fn mutation_is_uniform_over_all_values() {
    let lists = Space::list(vec![Space::oneof(0..=4).unwrap(); 3]).unwrap();
    // Of seven, three are in the set: each may stay or become one of four.
    let sets = Space::subset(3, 0..=6).unwrap();
    let permutations = Space::permutation(0..=3).unwrap();
    let sorted = Space::manyof(Many { k: 2, distinct: false, sorted: true }, 0..=4).unwrap();
    for (space, parent, values) in [
        (lists, Dna::from([0, 1, 2]), 5),
        (sets, Dna::from([1, 2, 5]), 5),
        (permutations, Dna::from([2, 0, 3, 1]), 4),
        (sorted, Dna::from([1, 3]), 5),
    ] {
        let stream = &mut stream(9);
        let kept = (0..4000).filter(|_| space.mutate(&parent, stream) == parent).count();
        // The deviation of the count is below 28.
        assert!(kept.abs_diff(4000 / values) < 140, "{kept} of 4000, {values} values");
    }
    let space = Space::list(vec![Space::oneof(0..=4).unwrap(); 3]).unwrap();
    let parent = Dna::from([0, 1, 2]);
    assert_uniform(12, |stream| {
        loop {
            let mutant = space.mutate(&parent, stream);
            if mutant != parent {
                return mutant;
            }
        }
    });
}

/// What is below a decision is drawn with it, also where its value stays.
#[test]
fn a_value_that_stays_is_drawn_with_what_is_below_it() {
    let coloured = || Space::oneof(0..=999).unwrap();
    let space = Space::oneof([coloured(), coloured()]).unwrap();
    let sets = Space::subset(2, vec![coloured(), coloured(), coloured()]).unwrap();
    let stream = &mut stream(4);
    for (space, parent) in [(space, Dna::from([1, 7])), (sets, Dna::from([0, 7, 1, 8]))] {
        let mutants: Vec<Dna> = (0..400).map(|_| space.mutate(&parent, stream)).collect();
        assert!(mutants.iter().all(|mutant| space.check(mutant).is_ok()));
        let kept = mutants.iter().filter(|mutant| **mutant == parent).count();
        assert!(kept <= 3, "{kept}");
    }
}

/// Decisions that cannot change are not drawn, and those of branches are drawn as often as others.
#[test]
fn every_changeable_decision_is_as_likely() {
    let pair = Space::list([Space::bool(), Space::bool()]).unwrap();
    let forced = Space::oneof([pair]).unwrap();
    let space =
        Space::list([Space::from(1), forced, Space::bool(), Space::subset(2, 0..=1).unwrap()]);
    let space = space.unwrap();
    assert_uniform(3, |stream| space.neighbour(&[0, 0, 0, 0, 0, 1].into(), stream));
}

/// Nested parts travel with their member when a set is mutated.
#[test]
fn parts_travel_with_their_member() {
    let coloured = |values: i64| Space::oneof(0..=values).unwrap();
    let space = Space::subset(2, vec![coloured(9), coloured(9), coloured(9), coloured(9)]).unwrap();
    let parent = Dna::from([1, 7, 2, 8]);
    let stream = &mut stream(3);
    for _ in 0..200 {
        let child = space.neighbour(&parent, stream);
        let pairs: Vec<[u32; 2]> = child.genes().chunks(2).map(|p| [p[0], p[1]]).collect();
        let kept = pairs.iter().filter(|pair| [[1, 7], [2, 8]].contains(pair)).count();
        assert_eq!(kept, 1, "{child:?}");
    }
}

/// Each selection of a child is one of a parent's, in its slot or (for sets) at all.
#[test]
fn genes_come_from_parents() {
    let stream = &mut stream(11);
    let lists = Space::manyof(Many { k: 9, distinct: false, sorted: false }, 0..=4).unwrap();
    let sets = Space::subset(9, 0..=29).unwrap();
    let distinct = Space::manyof(9, 0..=29).unwrap();
    for _ in 0..300 {
        for (space, aligned) in [(&lists, true), (&sets, false), (&distinct, false)] {
            let (one, other) = (space.sample(stream), space.sample(stream));
            let child = space.crossover(&one, &other, Crossover::Uniform, stream);
            for (slot, gene) in child.genes().iter().enumerate() {
                let parents = [&one, &other].map(Dna::genes);
                assert!(match aligned {
                    true => parents.iter().any(|genes| genes[slot] == *gene),
                    false => parents.iter().any(|genes| genes.contains(gene)),
                });
            }
            if std::ptr::eq(space, &sets) {
                let common = one.genes().iter().filter(|gene| other.genes().contains(gene));
                assert!(common.into_iter().all(|gene| child.genes().contains(gene)));
            }
        }
    }
}

/// k-point crossover changes sides k times; uniform crossover gives each gene an even chance.
#[test]
fn points_and_coins() {
    let space = Space::manyof(Many { k: 40, distinct: false, sorted: false }, 0..=1).unwrap();
    let (zeros, ones) = (Dna::from(vec![0; 40]), Dna::from(vec![1; 40]));
    let stream = &mut stream(5);
    let mut total = 0;
    for points in 0..8 {
        let child = space.crossover(&zeros, &ones, Crossover::Points(points), stream);
        let changes = child.genes().windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(changes as u32, points);
    }
    for _ in 0..500 {
        let child = space.crossover(&zeros, &ones, Crossover::Uniform, stream);
        total += child.genes().iter().sum::<u32>();
    }
    assert!((9_600..10_400).contains(&total), "{total}");
}

/// The distance, computed by hand from NEAT's equation.
#[test]
fn distance_by_hand() {
    let by = Compatibility { excess: 100.0, disjoint: 10.0, weight: 1.0 };
    // A set: members 1 and 4 match; 2 and 3 are disjoint; 7, beyond 5, is excess, and 5 is
    // disjoint.
    let space = Space::subset(4, 0..=9).unwrap();
    let distance = |one: [u32; 4], other: [u32; 4]| space.distance(&one.into(), &other.into(), &by);
    assert_eq!(distance([1, 2, 4, 7], [1, 3, 4, 5]), 100.0 + 3.0 * 10.0);
    // A branch: the choice differs, half of what matches; below it, loci 1 and 2 are the first
    // branch's and disjoint or, beyond the other's last, excess.
    let two = Space::list([Space::bool(), Space::bool()]).unwrap();
    let space = Space::list([Space::oneof([Space::from(0), two]).unwrap(), Space::bool()]).unwrap();
    assert_eq!(space.distance(&[0, 1].into(), &[1, 0, 0, 1].into(), &by), 2.0 * 10.0 + 0.5);
    // From 20 genes on, unmatched genes are counted by the size of the larger genome.
    let space = Space::subset(20, 0..=29).unwrap();
    let (low, high) = ((0..20).collect::<Vec<_>>(), (10..30).collect::<Vec<_>>());
    assert_eq!(space.distance(&low.into(), &high.into(), &by), (10.0 * 10.0 + 10.0 * 100.0) / 20.0);
}

/// Large choices cost nothing until they are used.
#[test]
fn large_spaces_are_cheap() {
    let stream = &mut stream(1);
    let space = Space::subset(3, Candidates::int(0, 1_000_000_000, 1)).unwrap();
    let dna = space.sample(stream);
    assert_eq!(space.check(&space.mutate(&dna, stream)), Ok(()));
    let space = Space::permutation(0..=99_999).unwrap();
    let dna = space.sample(stream);
    assert_eq!(space.check(&space.mutate(&dna, stream)), Ok(()));
    assert_eq!(space.check(&space.first()), Ok(()));
}
