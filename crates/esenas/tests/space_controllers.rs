//! Controllers that look into a space, on random nested spaces and whatever values come back.

#[path = "common/spaces.rs"]
mod spaces;

use std::sync::Arc;

use esenas::controllers::{Asng, AsngConfig, Nsga2, Nsga2Config};
use esenas::space::{Dna, Space};
use esenas::{ModelOptimizer, Optimizer, Purpose, Seed};
use proptest::prelude::*;
use spaces::{small_spaces, spaces};

fn answers() -> impl Strategy<Value = Vec<Vec<Option<f64>>>> {
    let value = prop_oneof![
        prop::num::f64::ANY.prop_map(Some),
        (-3i32..3).prop_map(|v| Some(f64::from(v))),
        Just(None),
    ];
    prop::collection::vec(prop::collection::vec(value, 0..20), 1..15)
}

/// Asks, a little more or less than will be told, and tells, seeing the points and then the state.
fn play<O: Optimizer<Point = Dna>>(
    optimizer: &mut O,
    answers: &[Vec<Option<f64>>],
    mut see: impl FnMut(&mut O, &[Dna]),
) {
    for (iteration, values) in (0u32..).zip(answers) {
        let n = (values.len() + 2).saturating_sub(iteration as usize % 4);
        let points = optimizer.ask(n, &mut Seed(5).stream(Purpose::Ask, iteration, 0));
        assert_eq!(points.len(), n);
        see(optimizer, &points);
        optimizer.tell(values);
        see(optimizer, &points);
        assert!(optimizer.statistics().iter().all(|(_, value)| value.is_finite()));
    }
}

fn check_asng(asng: &mut Asng, space: &Space, points: &[Dna]) {
    for dna in points.iter().chain([&asng.likeliest().unwrap()]) {
        assert_eq!(space.check(dna), Ok(()));
    }
    for (locus, arity) in (0..).zip(space.arities()) {
        let Some(p) = asng.probabilities(locus) else { continue };
        assert_eq!(p.len(), arity as usize);
        assert!(p.iter().all(|p| *p > 0.0 && *p < 1.0), "{p:?}");
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{p:?}");
    }
    let bytes = postcard::to_stdvec(asng).unwrap();
    let back: Asng = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(back, *asng);
}

proptest! {
    #[test]
    fn asng_stays_a_distribution(space in spaces(), answers in answers(), large: bool) {
        let space = Arc::new(space);
        let step_size = if large { 100.0 } else { 0.35 };
        let config = AsngConfig { step_size, ..AsngConfig::default() };
        let mut asng = Asng::new(config, space.clone()).unwrap();
        play(&mut asng, &answers, |asng, points| check_asng(asng, &space, points));
    }

    /// Every point of a small space is drawn, as long as nothing is learned, and can be again after
    /// everything has spoken against it.
    #[test]
    fn asng_reaches_everything(space in small_spaces(12)) {
        let space = Arc::new(space);
        let mut asng = Asng::new(AsngConfig::default(), space.clone()).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for iteration in 0..20 {
            seen.extend(asng.ask(200, &mut Seed(6).stream(Purpose::Ask, iteration, 0)));
        }
        prop_assert_eq!(Some(seen.len() as u128), space.size().exact);
    }

    #[test]
    fn nsga2_stays_in_the_space(space in spaces(), answers in answers()) {
        let config = Nsga2Config { population: 6, ..Nsga2Config::default() };
        let space = Arc::new(space);
        let mut nsga2 = Nsga2::new(config, space.clone()).unwrap();
        play(&mut nsga2, &answers, |nsga2, points| {
            for dna in points {
                assert_eq!(space.check(dna), Ok(()));
            }
            let bytes = postcard::to_stdvec(nsga2).unwrap();
            let back: Nsga2 = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(back, *nsga2);
        });
    }
}
