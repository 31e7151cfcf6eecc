use proptest::prelude::*;

use super::*;
use crate::controllers::testing::{self, Script, best, flat, mixed, stream, sum};
use crate::controllers::{HillClimb, HillClimbConfig};

fn pyramid(space: Space) -> Pyramid {
    Pyramid::new(PyramidConfig {}, Arc::new(space)).unwrap()
}

/// Blocks of four bits, each worth most with all ones, else the more the fewer ones it has
/// (a concatenation of traps, Deb and Goldberg 1993). At best 0.
fn traps(dna: &Dna) -> f64 {
    let block = |bits: &[u32]| match bits.iter().sum::<u32>() {
        4 => 0.0,
        ones => -1.0 - f64::from(ones),
    };
    dna.genes().chunks(4).map(block).sum()
}

fn ones(dna: &Dna) -> f64 {
    f64::from(dna.genes().iter().sum::<u32>())
}

/// Tells a batch what its points are worth.
fn step(pyramid: &mut Pyramid, n: usize, iteration: u32, value: impl Fn(&Dna) -> f64) -> Vec<Dna> {
    let points = pyramid.ask(n, &mut stream(iteration));
    pyramid.tell(&points.iter().map(|dna| Some(value(dna))).collect::<Vec<_>>());
    points
}

#[test]
fn refuses_more_pairs_than_it_can_look_at() {
    let error = Pyramid::new(PyramidConfig {}, Arc::new(flat(5000, 2))).unwrap_err().to_string();
    assert!(error.contains("at most 4096 of them, this one has 5000"), "{error}");
}

#[test]
fn conforms() {
    testing::conforms(pyramid(mixed()), |dna| mixed().check(dna).is_ok());
}

#[test]
fn resume_equals_never_stopped() {
    testing::resumes(pyramid(mixed()), sum);
}

#[test]
fn golden_trace() {
    assert_eq!(testing::trace(pyramid(mixed()), sum), 17_933_556_461_564_917_436);
}

#[test]
fn converges() {
    testing::converges(pyramid(flat(32, 2)), traps, 2, 6000);
}

/// What the mixing is for. Red when clusters do not follow the population: a hill climb, or mixing
/// by single decisions, stays at the traps' wrong ends.
#[test]
fn it_solves_what_misleads_single_changes() {
    let climb = HillClimb::new(HillClimbConfig::default(), Arc::new(flat(32, 2)));
    assert!(best(climb, traps, 2, 6000, 0) < -3.0);
    assert_eq!(best(pyramid(flat(32, 2)), traps, 2, 6000, 0), 0.0);
}

/// A model and a try of each of its bits: of one point at a time that is all it takes. Red when a
/// round repeats a bit or leaves one out.
#[test]
fn one_round_sets_all_bits_that_stand_alone() {
    let mut climb = pyramid(flat(30, 2));
    let values = (0..31).flat_map(|at| step(&mut climb, 1, at, ones)).map(|dna| ones(&dna));
    assert_eq!(values.fold(0.0, f64::max), 30.0);
}

/// Of four tries from one model the best is kept, and the others are made again upon it. Red when
/// they are lost, which takes a second round.
#[test]
fn what_was_better_beside_the_best_is_tried_again() {
    let mut climb = pyramid(flat(30, 2));
    let found = (0..).find(|&at| step(&mut climb, 4, at, ones).iter().any(|dna| ones(dna) == 30.0));
    assert!(found.is_some_and(|iterations| iterations < 20), "{found:?}");
}

/// Red when a climb ends at a plateau's first step.
#[test]
fn as_good_is_good_enough() {
    let pairs = |dna: &Dna| {
        let halves = dna.genes().chunks(2).filter(|pair| **pair == [1, 1]);
        halves.count() as f64
    };
    let climb = pyramid(flat(20, 2));
    assert_eq!(best(climb, pairs, 1, 1500, 1), 10.0);
}

/// Red when levels are filled with what did not rise, or with duplicates.
#[test]
fn members_of_higher_levels_are_better() {
    let mut climb = pyramid(flat(24, 2));
    (0..1500).for_each(|at| _ = step(&mut climb, 3, at, traps));
    let mean = |level: &Level| {
        level.members().iter().map(traps).sum::<f64>() / level.members().len() as f64
    };
    let means: Vec<f64> = climb.levels.iter().map(mean).collect();
    assert!(means.len() > 1 && means[1] > means[0], "{means:?}");
    let all: Vec<&Dna> = climb.levels.iter().flat_map(Level::members).collect();
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(all.len(), distinct.len());
}

proptest! {
    #[test]
    fn any_answers_leave_models_of_the_space(script in Script::any()) {
        let mut climb = pyramid(mixed());
        script.play(&mut climb, |climb, points, _| {
            let stands = climb.climbers.iter().filter_map(|it| it.stand.as_ref());
            let members = climb.levels.iter().flat_map(Level::members);
            for dna in points.iter().chain(stands.map(|(dna, _)| dna)).chain(members) {
                assert!(mixed().check(dna).is_ok(), "{dna:?}");
            }
        });
    }
}
