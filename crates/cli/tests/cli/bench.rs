//! `bench`: the smoke preset.

use crate::harness::Place;

const SMOKE: &str = "bench bbob --preset smoke --out b -q";

#[test]
fn an_experiment_is_run_reported_and_not_run_again() {
    let place = Place::new();
    let said = place.ok(SMOKE);
    for words in ["d_cat = 10", "ES-ENAS (PPO)", "Sign tests", "claims", "wrote b/figure2.svg"] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    for name in ["figure2.png", "appendix-b.svg", "ecdf.svg", "table.csv", "report.md"] {
        assert!(!place.bytes(&format!("b/{name}")).is_empty(), "{name}");
    }
    let cells = place.bytes("b/cells.jsonl");
    assert_eq!(place.ok(SMOKE), said);
    assert_eq!(place.bytes("b/cells.jsonl"), cells);
}

#[test]
fn what_cannot_be_run_is_refused() {
    let place = Place::new();
    place.run("bench bbob --functions Spere").refused(2, &["--functions", "`Sphere`"]);
    assert_eq!(place.run("bench bbob --seeds 0").code, 2);
    place.run("bench bbob --algorithms ep").refused(2, &["`ep`", "es-enas-ppo"]);
    place.ok("bench bbob --functions Sphere --algorithms random --evaluations 20 --out b -q");
    let other = place.run("bench bbob --functions Sphere --evaluations 30 --out b");
    other.refused(2, &["other settings", "cells.jsonl"]);
}

#[test]
fn the_theorem_is_measured() {
    let said = Place::new().ok("bench theory --out t -q");
    assert!(said.contains("measured exponent") && said.contains("wrote t/theory.svg"), "{said}");
}

#[test]
fn peers_are_chosen_by_size_and_budget() {
    let place = Place::new();
    place.run("bench peers --sizes 10").refused(2, &["--sizes", "`10`", "10x20"]);
    place.run("bench peers --algorithms es").refused(2, &["`es`", "cma-enas"]);
    let said =
        place.ok("bench peers --functions Sphere --sizes 2x3 --budgets 60 --seeds 1 --out p -q");
    assert!(said.contains("2 × 3, 60 evaluations"), "{said}");
}
