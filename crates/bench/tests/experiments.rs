//! Experiments stop and go on, on any number of threads, and report the same.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use esenas_bbob::{Function, Mode};
use esenas_bench::bbob::{self, Algorithm, Experiment, Plan, Preset};
use esenas_bench::{BenchError, theory};

fn plan() -> Plan {
    let plan = Plan::new(Preset::Smoke, Mode::Instance, Experiment::Figure2).evaluations(300);
    Plan {
        functions: vec![Function::Sphere, Function::Rastrigin],
        sizes: vec![(0, 5), (3, 5)],
        seeds: 2,
        algorithms: Algorithm::PAPER.into_iter().filter(|it| *it != Algorithm::EsEnasPpo).collect(),
        ..plan
    }
}

fn threads(n: usize) -> Option<NonZeroUsize> {
    NonZeroUsize::new(n)
}

fn report(folder: &Path, n: usize) -> String {
    let stop = AtomicBool::new(false);
    let results = bbob::run(&plan(), folder, threads(n), &stop, |_| {}).unwrap().unwrap();
    bbob::report(&results, folder).unwrap().text
}

#[test]
fn stopped_and_resumed_is_never_stopped_on_any_number_of_threads() {
    let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let expected = report(whole.path(), 1);
    let stop = AtomicBool::new(false);
    let mut last = None;
    let show = |progress: esenas_bench::pool::Progress| {
        stop.store(progress.done >= 20, Ordering::Relaxed);
        last = Some(progress);
    };
    let stopped = bbob::run(&plan(), parts.path(), threads(3), &stop, show).unwrap();
    assert!(stopped.is_none() && last.unwrap().done < last.unwrap().total);
    assert_eq!(report(parts.path(), 4), expected);
    for name in ["table.csv", "figure2.svg", "appendix-b.png", "ecdf.svg"] {
        let bytes = |folder: &Path| std::fs::read(folder.join(name)).unwrap();
        assert_eq!(bytes(parts.path()), bytes(whole.path()), "{name}");
    }
}

#[test]
fn the_report_has_every_setting_algorithm_and_claim() {
    let place = tempfile::tempdir().unwrap();
    let text = report(place.path(), 2);
    for words in ["d_cat = 0", "d_cat = 3", "d_con = 5", "Reg-Evo", "CMA-ES, λ = 128", "p = "] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    // Three of Figure 2, and three of each λ.
    assert_eq!(
        text.matches("**holds**").count() + text.matches("**does not hold**").count(),
        12,
        "{text}"
    );
}

#[test]
fn cells_of_other_settings_and_empty_plans_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let run = |plan: Plan| bbob::run(&plan, place.path(), None, &AtomicBool::new(false), |_| {});
    let few =
        Plan { functions: vec![Function::Sphere], algorithms: vec![Algorithm::Random], ..plan() };
    assert!(run(few.clone()).unwrap().is_some());
    // More of the same is no other experiment.
    assert!(run(Plan { seeds: 3, ..few.clone() }).unwrap().is_some());
    let error = run(few.clone().evaluations(301)).unwrap_err();
    assert!(matches!(error, BenchError::Differs { .. }) && error.is_bad_input(), "{error}");
    assert!(matches!(run(Plan { seeds: 0, ..few }), Err(BenchError::Nothing(_))));
}

#[test]
fn ablations_have_a_figure_of_their_own() {
    let place = tempfile::tempdir().unwrap();
    let plan = Plan::new(Preset::Smoke, Mode::Centered, Experiment::Ablations).evaluations(300);
    let plan = Plan { functions: vec![Function::Sphere], sizes: vec![(2, 4)], ..plan };
    let results = bbob::run(&plan, place.path(), None, &AtomicBool::new(false), |_| {});
    let report = bbob::report(&results.unwrap().unwrap(), place.path()).unwrap();
    assert!(report.text.contains("shared pairs / ES-ENAS (Reg-Evo)"), "{}", report.text);
    assert!(place.path().join("ablations.svg").exists());
}

#[test]
fn theory_reports_exponents() {
    let place = tempfile::tempdir().unwrap();
    let plan = theory::Plan { trials: 5, ..theory::Plan::smoke() };
    let [one, two] =
        [1, 2].map(|n| theory::run(&plan, threads(n), &AtomicBool::new(false), |_| {}));
    let rows = one.unwrap().unwrap();
    assert_eq!(Some(&rows), two.unwrap().as_ref());
    let (text, files) = theory::report(&rows, place.path()).unwrap();
    assert!(text.contains("κ = 10, B = 2d") && text.contains("What hill climbing needs"), "{text}");
    assert_eq!(files.len(), 5, "{files:?}");
}
