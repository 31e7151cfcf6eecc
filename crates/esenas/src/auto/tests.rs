//! The rules, cell by cell.

use super::*;
use crate::controllers::{LocalSearchConfig, PyramidConfig};
use crate::weights::Recombination;

pub(super) fn facts(dim: usize, evaluations: Option<u64>) -> Facts {
    let (grid, active, width, decisions) = (0, dim, 10.0, 10);
    let (loci, orders, noise, batch) = (decisions, 0, false, None);
    Facts { dim, grid, active, width, decisions, loci, orders, evaluations, noise, batch }
}

/// The halves that were chosen.
pub(super) fn halves(choice: Choice) -> (WeightsConfig, ControllerConfig) {
    match choice.search {
        SearchConfig::EsEnas { weights, controller, .. }
        | SearchConfig::Alternating { weights, controller, .. } => (weights, controller),
        other @ (SearchConfig::Hybrid { .. } | SearchConfig::Front(_)) => panic!("{other:?}"),
    }
}

fn flat(dim: usize, evaluations: Option<u64>) -> Facts {
    Facts { decisions: 0, ..facts(dim, evaluations) }
}

/// The table above, cell by cell. Red when a threshold moves or two rules change places.
#[test]
fn rules_are_those_of_the_table() {
    fn said(weights: &WeightsConfig) -> String {
        match weights {
            WeightsConfig::CmaEs(it) => {
                assert!(it.mirrored);
                let active = if it.active { "active" } else { "passive" };
                format!("{active} cma {} {:?}", it.sigma, it.population)
            }
            WeightsConfig::SepCmaEs(it) => {
                assert!(it.mirrored);
                format!("sep {} {:?} {:?}", it.sigma, it.population, it.recombination)
            }
            WeightsConfig::LineEs(it) => format!("line {} {:?}", it.sigma, it.population),
            WeightsConfig::Restarts(it) => {
                format!("restarts {} of {}", it.growth, said(&it.weights.get()))
            }
            other => panic!("{other:?}"),
        }
    }
    let weights = |facts: Facts| said(&halves(facts.choose()).0);
    for evaluations in [Some(1), Some(2000), Some(1_000_000), None] {
        assert_eq!(weights(facts(20, evaluations)), "line 1.2 Some(15)");
        assert_eq!(weights(flat(20, evaluations)), "line 1.2 Some(15)");
        assert_eq!(weights(facts(100, evaluations)), "line 1.2 Some(27)");
        assert_eq!(weights(facts(1000, evaluations)), "line 1.2 Some(39)");
    }
    assert_eq!(weights(facts(2000, None)), "sep 1 Some(26) Better");
    assert_eq!(weights(facts(1, Some(1))), "line 1.2 Some(7)");
    let next = |facts: Facts| match facts.choose().search {
        SearchConfig::Alternating {
            alternating: AlternatingConfig { next: Some(it), .. }, ..
        } => {
            let ControllerConfig::Asng(asng) = it.controller else { panic!("{:?}", it.controller) };
            assert_eq!((asng.step_size, asng.utilities), (0.2, Utilities::Logarithmic));
            format!("{} {}", it.after, said(&it.weights))
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(next(facts(20, None)), "2000 restarts 3 of passive cma 2 Some(12)");
    assert_eq!(next(flat(100, None)), "10000 restarts 3 of active cma 2 Some(18)");
    // As many iterations as without.
    let batch = Facts { batch: Some(120), ..facts(20, None) };
    assert_eq!(next(batch), "20000 restarts 3 of passive cma 2 Some(120)");
}

/// More evaluations are never worse: what is chosen for fewer is what is chosen for more. Red when
/// the rule for exact values up to d = 1000 looks at their number.
#[test]
fn how_many_evaluations_there_are_decides_nothing() {
    for dim in [1, 20, 50, 51, 100, 1000] {
        for decisions in [0, 10] {
            let chosen = |evaluations| {
                let facts = Facts { decisions, ..facts(dim, evaluations) };
                (facts.choose().search, facts.choose_for_others().search)
            };
            for evaluations in [1, 100, 10_000, 1_000_000] {
                assert_eq!(chosen(Some(evaluations)), chosen(None), "d = {dim}");
            }
        }
    }
}

/// Red when weights that branches own are left to those who learn from all points alike.
#[test]
fn owned_weights_are_learned_by_variances() {
    let weights = |dim: i64, owned: i64| {
        let branch = serde_json::json!({ "w": { "weights": [owned / 2] } });
        let other = serde_json::json!({ "w": { "weights": [owned / 2] }, "k": 1 });
        let shared = serde_json::json!({ "weights": [dim - owned] });
        let form = serde_json::json!([{ "oneof": [branch, other] }, shared]);
        let space = Space::from_value(&form).unwrap();
        let facts = Facts::of(&Layout::new(space.into()).unwrap(), Some(5000));
        let used = dim - owned / 2;
        assert_eq!((facts.dim as i64, facts.active as i64, facts.width), (dim, used, 1.0));
        halves(facts.choose()).0
    };
    let WeightsConfig::SepCmaEs(it) = weights(100, 60) else { panic!("{:?}", weights(100, 60)) };
    assert_eq!((it.mirrored, it.sigma, it.population), (true, 0.3, Some(34)));
    assert!(matches!(weights(100, 40), WeightsConfig::LineEs(_)));
    assert!(matches!(weights(50, 40), WeightsConfig::LineEs(_)));
}

/// Red when models are shared or held where each point should have its own, or the other way
/// round, and when they have another share of the evaluations than was measured.
#[test]
fn models_are_where_they_are_learned_best() {
    let seen = |facts: Facts| match facts.choose().search {
        SearchConfig::EsEnas { joint, .. } => (format!("{:?}", joint.pairing), joint.centre),
        SearchConfig::Alternating { alternating, .. } => ("Held".into(), alternating.centre),
        SearchConfig::Hybrid { .. } | SearchConfig::Front(_) => panic!("a baseline"),
    };
    let is = |facts, pairing: &str, centre| assert_eq!(seen(facts), (pairing.into(), centre));
    is(facts(20, None), "Held", 6);
    is(facts(100, None), "Held", 12);
    is(facts(101, None), "Held", 6);
    is(facts(1, None), "Held", 4);
    is(flat(100, None), "Held", 0);
    is(facts(2000, None), "Shared", 1);
    is(flat(2000, None), "Independent", 1);
    let SearchConfig::EsEnas { joint, .. } = facts(2000, None).choose().search else { panic!() };
    assert_eq!(joint.centre_models, CentreModels::Mode);
}

/// Red when a study that names one half is given one that needs the other.
#[test]
fn line_es_and_sweeps_come_together_or_not_at_all() {
    let (weights, controller) = halves(facts(20, Some(1500)).choose_for_others());
    assert!(matches!(weights, WeightsConfig::Restarts(_)), "{weights:?}");
    assert!(matches!(controller, ControllerConfig::Asng(_)), "{controller:?}");
    let (weights, _) = halves(flat(20, Some(1500)).choose_for_others());
    assert!(matches!(weights, WeightsConfig::Restarts(_)), "{weights:?}");
}

/// Red when categories are told other weights than measured, or learned at another pace.
#[test]
fn categories_are_learned_at_the_pace_of_the_budget() {
    let pace = |dim, evaluations| match halves(facts(dim, evaluations).choose()).1 {
        ControllerConfig::Asng(it) => Some((it.step_size, it.utilities, it.margin)),
        other => panic!("{other:?}"),
    };
    assert_eq!(pace(2000, Some(19_999)), Some((1.0, Utilities::Logarithmic, 0.9)));
    assert_eq!(pace(2000, Some(20_000)), Some((0.35, Utilities::Ranks, 0.9)));
    assert_eq!(pace(2000, None), Some((0.2, Utilities::Logarithmic, 0.73)));
}

/// Red when a rule chooses what has no margins.
#[test]
fn whatever_is_chosen_keeps_margins_on_a_grid() {
    fn keeps(weights: &WeightsConfig) -> bool {
        match weights {
            WeightsConfig::CmaEs(_) | WeightsConfig::SepCmaEs(_) => true,
            WeightsConfig::Snes(_) | WeightsConfig::LineEs(_) => true,
            WeightsConfig::Es(_) | WeightsConfig::LmMaEs(_) => false,
            WeightsConfig::Growing(it) => keeps(&it.weights.get()),
            WeightsConfig::Restarts(it) => keeps(&it.weights.get()),
        }
    }
    for dim in [1, 20, 50, 51, 100, 1000, 1001, 100_000] {
        let budgets =
            [1, 4, 11, 39, 109, 111, 199, 201, 599, 601, 1001].map(|n| Some(n * dim as u64));
        for evaluations in budgets.into_iter().chain([None]) {
            for (decisions, noise) in [(0, false), (10, false), (10, true)] {
                let facts = Facts { grid: dim, decisions, noise, ..facts(dim, evaluations) };
                assert!(keeps(&halves(facts.choose()).0), "{facts:?}");
            }
        }
    }
    let bounds = Bounds::new(vec![0.0], vec![9.0], 3).unwrap();
    let bounds = bounds.with_steps(vec![1.0, 0.0, 1.0], 3).unwrap();
    let facts = Facts::new(&Space::oneof(["a", "b"]).unwrap(), 3, &bounds, Some(60));
    let reason = facts.choose().reason;
    assert!(reason.starts_with("d = 3 (2 on a grid), 1 decisions, 60 evaluations"), "{reason}");
}

/// Red when a policy gets other settings than were measured.
#[test]
fn policies_are_left_to_pairs_of_sep_cma_es() {
    let SearchConfig::EsEnas { weights, controller, joint } = policy(480).search else { panic!() };
    let WeightsConfig::SepCmaEs(weights) = weights else { panic!("{weights:?}") };
    assert_eq!((weights.sigma, weights.population, weights.mirrored), (0.1, Some(40), true));
    assert_eq!(weights.recombination, Recombination::Better);
    let evolution = |population| {
        let population = Some(population);
        ControllerConfig::RegularizedEvolution(RegularizedEvolutionConfig {
            population,
            tournament: None,
        })
    };
    assert_eq!(controller, evolution(44));
    // As many as are evaluated at a time, where that is more.
    assert_eq!(halves(policy(480).in_batches(256)).1, evolution(256));
    assert_eq!((joint.pairing, joint.centre), (Pairing::Independent, 4));
}

#[test]
fn the_reason_names_what_it_rests_on() {
    let reason = facts(100, Some(500)).choose().reason;
    assert_eq!(
        reason,
        "d = 100, 10 decisions, 500 evaluations: steps as long as looking along them says, after \
         10000 evaluations covariances"
    );
}

/// Red when orders get a search without moves of their own, or noise one that believes values.
#[test]
fn choices_alone_are_searched_by_what_they_are() {
    let chosen = |space: Space, noise| {
        let bounds = Bounds::new(vec![0.0], vec![1.0], 1).unwrap();
        let facts = Facts { noise, ..Facts::new(&space, 0, &bounds, Some(1000)) };
        halves(facts.choose_without_box()).1
    };
    let order = || Space::permutation(0..=19).unwrap();
    let flag = |n: i64| Space::list((0..n).map(|_| Space::bool())).unwrap();
    let both = |n| Space::list([order(), flag(n)]).unwrap();
    let evolution = ControllerConfig::RegularizedEvolution(RegularizedEvolutionConfig::default());
    let local = ControllerConfig::LocalSearch(LocalSearchConfig {});
    let pyramid = ControllerConfig::Pyramid(PyramidConfig {});
    assert_eq!(chosen(order(), false), local);
    assert_eq!(chosen(both(20), false), local);
    assert_eq!(chosen(both(21), false), pyramid);
    assert_eq!(chosen(flag(9), false), pyramid);
    assert_eq!(chosen(flag(5000), false), evolution);
    assert_eq!(chosen(order(), true), evolution);
}
