//! `studies/rl/` is what `studies/rl/paper.toml` describes, and `bench rl` runs such studies.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use esenas_bench::rl::{Cell, Length, Plan, Selection, Settings, run};
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
/// ablations, and the other starts.
#[test]
fn there_is_a_study_for_every_cell_of_the_papers_tables() {
    let cells = Plan::paper().cells();
    assert_eq!(cells.len(), 8 * 4 * 3 + 4 * 4 + 2 * 4 * 2 + 2 + 1 + 4 + 2);
    let numbers = cells.iter().filter(|cell| cell.paper.is_some()).count();
    assert_eq!(numbers, 3 * 8 * 3 + 4 * 3 + 4 * 4);
    for cell in &cells {
        let spec = Spec::parse(&cell.name, &cell.study, Path::new(""), &[]);
        let spec = spec.unwrap_or_else(|error| panic!("{error}"));
        let studied = spec.to_value();
        let overview = spec.plan().unwrap().overview();
        let problem = &studied["problem"];
        // Where there is one model and one start, one evaluation of the centre says all.
        let centre = if overview.decisions == 0 { 1 } else { 50 };
        assert_eq!(
            (overview.evaluations, overview.centre),
            (150 + centre, centre),
            "{}",
            cell.name
        );
        assert_eq!(studied["centre"]["teaches"], false, "{}", cell.name);
        let starts = if cell.name.starts_with("random-starts") { "each" } else { "fixed" };
        assert_eq!(problem["starts"], starts, "{}", cell.name);
        if cell.name.ends_with("regularized-evolution") {
            assert_eq!(studied["controller"]["population"], 150, "{}", cell.name);
        }
        if cell.name.starts_with("quantization/") {
            assert_eq!(problem["policy"]["hidden"][0], 41);
        }
    }
}

/// Section 4.3.2 changes what the controller sees, and nothing else.
#[test]
fn the_sample_study_changes_one_thing() {
    let cells = Plan::paper().cells();
    let study = |name: &str| {
        let cell = cells.iter().find(|cell| cell.name == name).unwrap();
        Spec::parse(&cell.name, &cell.study, Path::new(""), &[]).unwrap()
    };
    let all = study("edge-pruning/hopper-policy-gradient");
    let few = study("samples/hopper-policy-gradient");
    let differences = few.differences(&all);
    assert_eq!(differences.len(), 1, "{differences:?}");
    assert_eq!(differences[0].key, "subsample");
}

/// Everything is run once, first what table 1 needs, by the controllers that are better in the
/// paper.
#[test]
fn the_queue_has_every_cell_once_and_begins_as_described() {
    let plan = Plan::paper();
    let queue = plan.queue().unwrap();
    let names: BTreeSet<_> = queue.iter().map(|(cell, seed)| (&cell.name, *seed)).collect();
    assert_eq!((names.len(), queue.len()), (queue.len(), 3 * plan.cells().len()));
    let at = |name: &str, seed: u64| {
        queue.iter().position(|(cell, with)| cell.name == name && *with == seed).unwrap()
    };
    // One start or one each is known of both controllers before what rests on it.
    assert!(
        at("random-starts/reacher-policy-gradient", 0)
            < at("quantization/walker2d-regularized-evolution", 0)
    );
    let better = |group: &str, env: &str| {
        let controllers = ["policy-gradient", "regularized-evolution"];
        let names = controllers.map(|controller| format!("{group}/{env}-{controller}"));
        let mean = |name: &String| {
            let (cell, _) = queue.iter().find(|(cell, _)| cell.name == *name).unwrap();
            cell.paper.unwrap().mean
        };
        names.into_iter().max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap()
    };
    let envs =
        ["Swimmer", "Reacher", "Hopper", "HalfCheetah", "Walker2d", "Pusher", "Striker", "Thrower"];
    for env in envs.map(str::to_lowercase) {
        for group in ["quantization-linear", "quantization", "edge-pruning"] {
            // 12 for the starts, 24 for table 1, 1 for the first θ, and 20 more.
            assert!(at(&better(group, &env), 0) < 12 + 24 + 1 + 20, "{group} {env}");
        }
    }
    for (group, envs) in [
        ("quantization", &["halfcheetah", "hopper", "walker2d"][..]),
        ("edge-pruning", &["striker", "halfcheetah", "hopper", "walker2d"]),
    ] {
        for env in envs {
            assert!(at(&better(group, env), 0) < 4 + 8, "{group} {env}");
        }
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
length = { first = 4, step = 1, most = 4, gain = 0.1 }
[study]
weights = { directions = 2, kind = "es" }
centre = { evaluations = 2 }
[[group]]
name = "tiny"
source = "a test"
policy = { kind = "edge-pruning", hidden = [4], edges = 8 }
controllers = ["regularized-evolution", "random"]
paper = { Pendulum = [[-150, 10], [-1200]] }
"#;

fn seeded(cells: &[Cell], seeds: &[u64]) -> Vec<(Cell, u64)> {
    cells.iter().flat_map(|cell| seeds.iter().map(|seed| (cell.clone(), *seed))).collect()
}

fn settings(place: &Path, iterations: u32, jobs: usize) -> Settings {
    Settings {
        length: Some(Length::exactly(iterations)),
        episodes: 2,
        runs: place.join("runs"),
        results: place.join("results"),
        jobs: NonZeroUsize::new(jobs).unwrap(),
        workers: NonZeroUsize::new(1),
        commit: "abc".to_owned(),
    }
}

/// Stopped in the middle and asked again, it goes on, and the results are those of a run without
/// stops; on any number of threads.
#[test]
fn a_benchmark_goes_on_where_it_was_stopped() {
    let jobs = seeded(&Plan::parse(TINY).unwrap().cells(), &[0, 1]);
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str, threads| settings(&place.path().join(name), 3, threads);
    let never = AtomicBool::new(false);
    let whole = run(&jobs, &at("whole", 1), &never, |_| {}).unwrap().unwrap();
    assert!(whole.table.contains("-150 ± 10") && whole.table.contains("-1200"), "{}", whole.table);
    assert_eq!(whole.files.len(), 4 + 4 + 1, "curves, models, rows");

    let stop = AtomicBool::new(false);
    let mut seen = 0;
    let stopped = run(&jobs, &at("stopped", 1), &stop, |_| {
        seen += 1;
        // In the second study, with an iteration to spare: whoever runs may be one ahead.
        stop.fetch_or(seen == 4, Ordering::Relaxed);
    });
    assert!(stopped.unwrap().is_none());
    let rows = || fs::read_to_string(at("stopped", 1).results.join("tiny.csv")).unwrap();
    assert_eq!(rows().lines().count(), 1 + 1, "what has ended is written");
    let rest = run(&jobs, &at("stopped", 2), &never, |_| seen += 1).unwrap().unwrap();
    assert_eq!((seen, &rest.table), (12, &whole.table), "nothing is run twice");
    let again = run(&jobs, &at("stopped", 1), &never, |_| seen += 1).unwrap().unwrap();
    assert_eq!((seen, &again.table), (12, &whole.table), "nor once more");
    let curve = |name: &str| {
        fs::read_to_string(at(name, 1).results.join("tiny/pendulum-random-seed1.csv")).unwrap()
    };
    assert_eq!(curve("stopped"), curve("whole"));
    assert_eq!(curve("whole").lines().count(), 4);
    assert!(rows().starts_with("commit,study,seed,settings,iterations,evaluations,"), "{}", rows());
    assert!(rows().contains("\nabc,tiny/pendulum-regularized-evolution,1,"), "{}", rows());
}

/// A result of a study that was described otherwise is not taken for one of this.
#[test]
fn results_of_other_settings_are_run_again() {
    let place = tempfile::tempdir().unwrap();
    let never = AtomicBool::new(false);
    let mut seen = 0;
    let mut count = |text: &str, runs: &str| {
        let jobs = seeded(&Plan::parse(text).unwrap().cells()[..1], &[0]);
        let settings = Settings { runs: place.path().join(runs), ..settings(place.path(), 2, 1) };
        run(&jobs, &settings, &never, |_| seen += 1).unwrap().unwrap();
        seen
    };
    assert_eq!(count(TINY, "one"), 2);
    assert_eq!(count(&format!("# A remark.\n{TINY}"), "one"), 2);
    assert_eq!(count(&TINY.replace("edges = 8", "edges = 9"), "two"), 4);
}

/// A study goes on while it gains: here a gain of nothing at all is one.
#[test]
fn studies_go_on_while_they_gain() {
    let place = tempfile::tempdir().unwrap();
    let never = AtomicBool::new(false);
    let length = |gain| Length { first: 4, step: 2, most: 8, gain };
    for (gain, iterations) in [(f64::NEG_INFINITY, 8), (f64::INFINITY, 4)] {
        let jobs = seeded(&Plan::parse(TINY).unwrap().cells()[..1], &[0]);
        let there = place.path().join(iterations.to_string());
        let settings = Settings { length: Some(length(gain)), ..settings(&there, 1, 1) };
        let mut seen = 0;
        run(&jobs, &settings, &never, |_| seen += 1).unwrap().unwrap();
        assert_eq!(seen, iterations);
        let rows = fs::read_to_string(there.join("results/tiny.csv")).unwrap();
        assert!(rows.contains(&format!(",{iterations},{},", 6 * iterations)), "{rows}");
    }
}

/// Red when `auto` gets more evaluations than the paper, or its rows take the place of others.
#[test]
fn auto_has_as_many_evaluations_as_the_paper_and_rows_of_its_own() {
    let plan = Plan::parse(TINY).unwrap();
    let place = tempfile::tempdir().unwrap();
    let settings = settings(place.path(), 11, 1);
    for controller in ["random", "auto", "auto"] {
        let controllers = vec![controller.to_owned()];
        let cells = plan.select(&Selection { controllers, ..Selection::default() }).unwrap();
        run(&seeded(&cells, &[3]), &settings, &AtomicBool::new(false), |_| {}).unwrap().unwrap();
    }
    let rows = fs::read_to_string(place.path().join("results/tiny.csv")).unwrap();
    let rows: Vec<_> = rows.lines().skip(1).collect();
    assert_eq!(rows.len(), 2);
    assert!(rows[0].starts_with("abc,tiny/pendulum-auto,3,"), "{rows:?}");
    // 11 iterations of the paper's are 66 evaluations; an iteration that has begun is finished.
    assert!(rows[1].starts_with("abc,tiny/pendulum-random,3,") && rows[1].contains(",11,66,"));
    let study = Spec::stored(&place.path().join("runs/tiny/pendulum-auto-seed3")).unwrap();
    assert_eq!((study.stop.evaluations, study.stop.iterations), (Some(66), None));
}

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/rl")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let there = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &there);
        } else {
            fs::copy(&entry, there).unwrap();
        }
    }
}

/// Red when a table or a figure of `results/rl` is not what its rows and curves say.
#[test]
fn the_page_of_the_results_is_what_they_say() {
    let place = tempfile::tempdir().unwrap();
    copy(&results(), place.path());
    let written = match std::env::var_os("ESENAS_UPDATE") {
        Some(_) => Plan::paper().write_page(&results()).unwrap(),
        None => Plan::paper().write_page(place.path()).unwrap(),
    };
    for path in written {
        let name = path.file_name().unwrap();
        let kept = fs::read_to_string(results().join(name)).unwrap_or_default();
        assert!(kept == fs::read_to_string(&path).unwrap(), "{name:?}: esenas bench rl --page");
    }
}

/// What was run is in the tables and figures, and what was not is said.
#[test]
fn what_was_run_is_on_the_page_and_drawn() {
    let place = tempfile::tempdir().unwrap();
    let settings = Settings { commit: "abc".to_owned(), ..settings(place.path(), 2, 1) };
    let plan = Plan::parse(&TINY.replace("\"tiny\"", "\"edge-pruning\"")).unwrap();
    run(&seeded(&plan.cells(), &[0]), &settings, &AtomicBool::new(false), |_| {}).unwrap().unwrap();
    // What is there is short of what is described.
    let shorter = TINY.replace("\"tiny\"", "\"edge-pruning\"");
    let shorter = format!(
        "{shorter}\n[[queue]]\nwhat = \"a test\"\nseeds = [0, 1]\ncells = [\"edge-pruning/pendulum-random\"]\n"
    );
    let plan = Plan::parse(&shorter).unwrap();
    let files = plan.write_page(&settings.results).unwrap();
    let page = fs::read_to_string(&files[0]).unwrap();
    let line = page.lines().find(|line| line.starts_with("| a test")).unwrap();
    assert_eq!(line.split('|').map(str::trim).collect::<Vec<_>>()[2..4], ["2", "1"], "{page}");
    assert!(
        page.contains("-150 ± 10") && page.contains("![controllers](controllers.svg)"),
        "{page}"
    );
    let drawn = fs::read_to_string(settings.results.join("controllers.svg")).unwrap();
    assert!(drawn.contains("Pendulum, edge-pruning"));
}

#[test]
fn a_description_that_is_none_is_refused() {
    let error = Plan::parse("environments = 3").unwrap_err().to_string();
    assert!(error.starts_with("not a description of studies: "), "{error}");
}
