//! `studies/rl/` is what `studies/rl/paper.toml` describes, and `bench rl` runs such studies.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use esenas_bench::rl::{Plan, Selection, Settings, run};
use esenas_run::Spec;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/rl")
}

/// The study files there are, by name without the ending.
fn files() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for group in fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()) {
        if group.is_dir() {
            for file in fs::read_dir(&group).unwrap().map(|entry| entry.unwrap().path()) {
                let name = file.strip_prefix(folder()).unwrap().with_extension("");
                found.insert(name.to_str().unwrap().to_owned());
            }
        }
    }
    found
}

#[test]
fn the_studies_are_those_described() {
    let cells = Plan::paper().cells();
    if std::env::var_os("ESENAS_UPDATE").is_some() {
        for name in files() {
            fs::remove_file(folder().join(name + ".toml")).unwrap();
        }
        for cell in &cells {
            let file = folder().join(format!("{}.toml", cell.name));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, &cell.study).unwrap();
        }
    }
    let described: BTreeSet<String> = cells.iter().map(|cell| cell.name.clone()).collect();
    assert_eq!(files(), described, "run this test with ESENAS_UPDATE=1");
    for cell in &cells {
        let text = fs::read_to_string(folder().join(format!("{}.toml", cell.name))).unwrap();
        assert!(text == cell.study, "{}: run this test with ESENAS_UPDATE=1", cell.name);
    }
}

/// 8 environments × 4 classes × 3 controllers, 4 baselines of table 1 in 4 environments, two
/// ablations.
#[test]
fn there_is_a_study_for_every_cell_of_the_papers_tables() {
    let cells = Plan::paper().cells();
    assert_eq!(cells.len(), 8 * 4 * 3 + 4 * 4 + 2 * 4 * 2);
    let numbers = cells.iter().filter(|cell| cell.paper.is_some()).count();
    assert_eq!(numbers, 3 * 8 * 3 + 4 * 3 + 4 * 4);
    for cell in &cells {
        let spec = Spec::parse(&cell.name, &cell.study, Path::new(""), &[]);
        let spec = spec.unwrap_or_else(|error| panic!("{error}"));
        let overview = spec.plan().unwrap().overview();
        assert_eq!((overview.evaluations, overview.centre), (200, 50), "{}", cell.name);
    }
}

#[test]
fn cells_are_selected_by_name_and_unknown_names_are_refused() {
    let plan = Plan::paper();
    let names = |groups: &[&str], envs: &[&str], controllers: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let selection =
            Selection { groups: owned(groups), envs: owned(envs), controllers: owned(controllers) };
        let cells = plan.select(&selection).map_err(|error| error.to_string())?;
        Ok::<_, String>(cells.into_iter().map(|cell| cell.name).collect::<Vec<_>>())
    };
    let one = names(&["edge-pruning"], &["swimmer"], &["regularized-evolution"]).unwrap();
    assert_eq!(one, ["edge-pruning/swimmer-regularized-evolution"]);
    assert_eq!(names(&[], &["Thrower"], &[]).unwrap().len(), 12);
    let auto = names(&["edge-pruning", "toeplitz"], &["hopper"], &["auto"]).unwrap();
    assert_eq!(auto, ["edge-pruning/hopper-auto", "toeplitz/hopper-auto"]);
    let error = names(&[], &["Ant"], &[]).unwrap_err();
    assert!(error.contains("`Ant`") && error.contains("Walker2d"), "{error}");
    assert!(names(&["toeplitz"], &["Swimmer"], &[]).unwrap_err().contains("nothing"));
}

const TINY: &str = r#"
environments = ["Pendulum"]
[study]
stop = { iterations = 4 }
weights = { directions = 2, kind = "es" }
centre = { evaluations = 2 }
[[group]]
name = "tiny"
source = "a test"
policy = { kind = "edge-pruning", hidden = [4], edges = 8 }
controllers = ["regularized-evolution", "random"]
paper = { Pendulum = [[-150, 10], [-1200]] }
"#;

/// Stopped in the middle and asked again, it goes on, and the results are those of a run without
/// stops.
#[test]
fn a_benchmark_goes_on_where_it_was_stopped() {
    let cells = Plan::parse(TINY).unwrap().cells();
    let place = tempfile::tempdir().unwrap();
    let settings = |name: &str| Settings {
        seeds: vec![0, 1],
        iterations: Some(3),
        episodes: 2,
        runs: place.path().join(name).join("runs"),
        results: place.path().join(name).join("results"),
        workers: None,
        commit: "abc".to_owned(),
    };
    let never = AtomicBool::new(false);
    let whole = run(&cells, &settings("whole"), &never, |_, _, _| {}).unwrap().unwrap();
    assert!(whole.table.contains("-150 ± 10") && whole.table.contains("-1200"), "{}", whole.table);
    assert_eq!(whole.files.len(), 4 + 1);

    let stop = AtomicBool::new(false);
    let mut seen = 0;
    let stopped = run(&cells, &settings("stopped"), &stop, |_, _, _| {
        seen += 1;
        stop.store(seen == 5, Ordering::Relaxed);
    });
    assert!(stopped.unwrap().is_none());
    let rest = run(&cells, &settings("stopped"), &never, |_, _, _| seen += 1).unwrap().unwrap();
    assert_eq!((seen, &rest.table), (12, &whole.table), "nothing is run twice");
    let curve = |name: &str| {
        fs::read_to_string(settings(name).results.join("tiny/pendulum-random-seed1.csv")).unwrap()
    };
    assert_eq!(curve("stopped"), curve("whole"));
    assert_eq!(curve("whole").lines().count(), 4);
    let rows = fs::read_to_string(settings("whole").results.join("tiny.csv")).unwrap();
    assert!(rows.starts_with("commit,study,seed,iterations,evaluations,wall_time_s,"), "{rows}");
    assert!(rows.contains("\nabc,tiny/pendulum-regularized-evolution,1,3,18,"), "{rows}");
}

/// Red when `auto` gets more evaluations than the paper, or its rows take the place of others.
#[test]
fn auto_has_as_many_evaluations_as_the_paper_and_rows_of_its_own() {
    let plan = Plan::parse(TINY).unwrap();
    let place = tempfile::tempdir().unwrap();
    let settings = Settings {
        seeds: vec![3],
        iterations: Some(11),
        episodes: 1,
        runs: place.path().join("runs"),
        results: place.path().join("results"),
        workers: None,
        commit: "abc".to_owned(),
    };
    for controller in ["random", "auto", "auto"] {
        let controllers = vec![controller.to_owned()];
        let cells = plan.select(&Selection { controllers, ..Selection::default() }).unwrap();
        run(&cells, &settings, &AtomicBool::new(false), |_, _, _| {}).unwrap().unwrap();
    }
    let rows = fs::read_to_string(place.path().join("results/tiny.csv")).unwrap();
    let rows: Vec<_> = rows.lines().skip(1).map(|row| &row[..row.len().min(32)]).collect();
    // 11 iterations of the paper's are 66 evaluations; an iteration that has begun is finished.
    let expected = ["abc,tiny/pendulum-random,3,11,66", "abc,tiny/pendulum-auto,3,"];
    assert!(
        rows.len() == 2 && rows.iter().zip(expected).all(|(a, b)| a.starts_with(b)),
        "{rows:?}"
    );
    let study = Spec::stored(&place.path().join("runs/tiny/pendulum-auto-seed3")).unwrap();
    assert_eq!((study.stop.evaluations, study.stop.iterations), (Some(66), None));
}

#[test]
fn a_description_that_is_none_is_refused() {
    let error = Plan::parse("environments = 3").unwrap_err().to_string();
    assert!(error.starts_with("not a description of studies: "), "{error}");
}
