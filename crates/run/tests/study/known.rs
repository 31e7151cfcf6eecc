//! Designs that are known before they are proposed, and runs that others go on from.

use std::path::Path;

use esenas_run::{Known, Point, Spec, Study, StudyError};
use esenas_store::{EvaluationRecord, Outcome, Reader, Role};
use serde_json::{Value, json};

use super::run;

const EVALUATIONS: u64 = 40;

fn study(more: Value) -> Spec {
    let space = json!({
        "op": { "oneof": ["a", { "b": { "real": [0, 10] } }] },
        "flow": { "real": [1e-4, 1.0], "log": true },
        "w": { "weights": [2], "first": "zeros" },
    });
    let mut study = json!({
        "seed": 3, "stop": { "evaluations": EVALUATIONS },
        "problem": { "kind": "callable", "space": space },
    });
    for (key, value) in more.as_object().unwrap() {
        study[key] = value.clone();
    }
    Spec::from_value("test", study).unwrap_or_else(|error| panic!("{error}"))
}

/// 3 at most: where b is 7, the flow 0.01 and all weights 0.5.
fn value(point: &Point<'_>) -> f64 {
    let design = point.design();
    let number = |name: &str| design.get(name).unwrap().number().unwrap();
    let weights = design.get("w").unwrap().array().unwrap().to_vec();
    let b = design.get("op").unwrap().get("b").map_or(0.0, |b| b.number().unwrap());
    let off: f64 = weights.iter().map(|w| (w - 0.5).powi(2)).sum();
    3.0 - (b - 7.0).abs() - (number("flow").log10() + 2.0).abs() - off
}

fn best() -> Value {
    json!({ "op": { "b": 7 }, "flow": 0.01, "w": [0.5, 0.5] })
}

fn given(directory: &Path) -> Vec<(u64, EvaluationRecord)> {
    let pages = Reader::open(directory).unwrap();
    let pages = pages.evaluations(0).map(Result::unwrap).collect::<Vec<_>>();
    let all = pages.into_iter().flat_map(|(at, all)| all.into_iter().map(move |it| (at, it)));
    all.filter(|(_, it)| it.role == Role::Given).collect()
}

/// Red when it is not evaluated, evaluated twice, not recorded, or not learned from.
#[test]
fn a_given_design_is_evaluated_once_and_led_by() {
    let place = tempfile::tempdir().unwrap();
    let spec = study(json!({ "designs": [{ "design": best() }, { "design": best() }] }));
    for rest in [1, u64::MAX] {
        let study = Study::new(spec.clone(), value).unwrap();
        let study = study.open_or_create(place.path(), Default::default()).unwrap();
        let report = run(study, rest).unwrap();
        assert_eq!(report.best.unwrap().record.value, 3.0);
    }
    let found = given(place.path());
    assert_eq!(found.len(), 1);
    let (iteration, record) = &found[0];
    assert!((record.numbers[0] - 0.01).abs() < 1e-15 && record.numbers[1..] == [7.0]);
    assert_eq!(*iteration, 0);
    let Outcome::Done { value, .. } = record.outcome else { panic!() };
    assert_eq!(value, 3.0);
    // It is one more evaluation of its iteration, and its place is after the search's.
    let reader = Reader::open(place.path()).unwrap();
    let first = reader.iterations(0).next().unwrap().unwrap();
    assert_eq!(first.evaluations, record.index + 1);
}

/// Red when a value that is known costs an evaluation, or the search does not go on from it.
#[test]
fn a_known_value_is_learned_from_before_the_first_points() {
    let known = json!({ "design": best(), "value": 2.5 });
    let mut running = Study::ask_tell(study(json!({ "designs": [known] }))).unwrap().start();
    let asked = running.ask();
    let centre = running.study().centre().unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(near(centre[1], 7.0) && near(centre[0], 0.01) && near(centre[2], 0.5), "{centre:?}");
    let outcomes = vec![Ok(esenas_run::Evaluation::new(1.0)); asked.len()];
    running.tell(outcomes, &mut |_| esenas_run::Control::Continue).unwrap();
    assert_eq!(running.study().evaluations(), asked.len() as u64);
    let best = running.study().best().unwrap();
    assert_eq!((best.record.value, best.record.index), (2.5, asked.len() as u64));
    // Neither the same nor a worse one changes where it stands.
    let before = running.study().centre();
    running.enqueue(&Known { value: Some(2.5), ..Known::new(self::best()) }).unwrap();
    let worse = json!({ "op": "a", "flow": 1.0, "w": [0, 0] });
    running.enqueue(&Known { value: Some(-9.0), ..Known::new(worse) }).unwrap();
    running.ask();
    assert_eq!(running.study().centre(), before);
}

#[test]
fn a_study_begins_at_a_design() {
    let mut spec = study(json!({}));
    let place = "problem.start";
    let mut settings = spec.to_value();
    settings["problem"]["start"] = json!({ "design": best() });
    spec = Spec::from_value(place, settings).unwrap();
    let mut running = Study::ask_tell(spec.clone()).unwrap().start();
    let centre = running.study().centre().unwrap();
    assert!((centre[1] - 7.0).abs() < 1e-9 && (centre[0] - 0.01).abs() < 1e-9, "{centre:?}");
    let asked = running.ask();
    let (_, last) = asked.job(asked.len() - 1);
    assert_eq!((last.role, last.dna.genes()), (esenas::Role::Given, &[1][..]));
    // What is kept is read again.
    let again = Spec::parse("again", &spec.to_toml(), Path::new(""), &[]).unwrap();
    assert_eq!(again.to_value(), spec.to_value());
}

/// Red when another run's θ or controller is left behind, or an unfit run is not refused.
#[test]
fn a_study_goes_on_from_another_run() {
    let place = tempfile::tempdir().unwrap();
    let evolution = json!({ "controller": { "kind": "regularized-evolution" } });
    let study_of = |spec| Study::new(spec, value).unwrap();
    let first = study_of(study(evolution.clone()));
    let first = first.create(place.path(), Default::default()).unwrap();
    run(first, u64::MAX).unwrap();
    let there =
        Study::<'_>::open_with(place.path(), Default::default(), |_| Ok::<_, StudyError>(None));
    let centre = there.unwrap().centre().unwrap();
    let mut warm = evolution.clone();
    warm["warm_start"] = json!(place.path());
    warm["seed"] = json!(8);
    let spec = study(warm);
    let mut running = Study::ask_tell(spec.clone()).unwrap().start();
    let own = running.study().centre().unwrap();
    assert!(own.iter().zip(&centre).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs())));
    let statistics = |running: &mut esenas_run::Running<'_>| {
        let asked = running.ask();
        let outcomes = vec![Ok(esenas_run::Evaluation::new(0.0)); asked.len()];
        let mut seen = 0.0;
        let watch = &mut |report: &esenas_run::IterationReport<'_>| {
            seen = report.record.statistics["population"];
            esenas_run::Control::Continue
        };
        running.tell(outcomes, watch).unwrap();
        (seen, asked.len() as f64)
    };
    let (population, asked) = statistics(&mut running);
    assert!(population >= asked + EVALUATIONS as f64, "{population} after {asked}");

    // Of another kind of controller the model is evaluated first.
    let mut other = json!({ "controller": { "kind": "asng" } });
    other["warm_start"] = json!(place.path());
    let mut running = Study::ask_tell(study(other)).unwrap().start();
    let asked = running.ask();
    assert_eq!(asked.job(asked.len() - 1).1.role, esenas::Role::Given);

    let refused = |key: &str, value: Value| {
        let mut settings = spec.to_value();
        settings[key] = value;
        let spec = Spec::from_value("test", settings).unwrap();
        spec.plan().unwrap_err().to_string()
    };
    let said = refused("problem", json!({ "kind": "callable", "space": { "real": [0, 1] } }));
    assert!(said.contains("warm_start") && said.contains("θ has 4 numbers, not 1"), "{said}");
    let said = refused("warm_start", json!("/nowhere/at/all"));
    assert!(said.contains("warm_start") && said.contains("/nowhere/at/all"), "{said}");
}

#[test]
fn what_is_no_design_is_refused_by_its_place() {
    let refused = |known: Value| {
        let spec = study(json!({ "designs": [{ "design": best() }, known] }));
        spec.plan().unwrap_err().to_string()
    };
    let mut off = best();
    off["op"]["b"] = json!(11);
    let said = refused(json!({ "design": off }));
    assert!(said.contains("designs[1].design") && said.contains("at `op`"), "{said}");
    let said = refused(json!({ "design": best(), "theta": [1.0] }));
    assert!(said.contains("designs[1].theta"), "{said}");
}
