//! A study from its first run to its last look, and how it shows itself.

use esenas_store::Reader;
use serde_json::Value;

use crate::harness::Place;

#[test]
fn a_study_runs_and_ends_with_what_to_do_next() {
    let place = Place::with_study();
    let said = place.ok("run study.toml");
    for words in [
        "28,561 models, 20 weights, 24 evaluations per iteration",
        "all iterations are done: 30 iterations, 720 evaluations",
        "└─ blocks",
        "records  runs/study\n",
        "esenas show runs/study",
        "esenas best runs/study --theta best.npy",
    ] {
        assert!(said.contains(words), "no `{words}` in\n{said}");
    }
    let again = place.ok("run study.toml");
    assert!(again.contains("runs/study is finished; nothing is left to do"), "{again}");
    assert!(again.contains("all iterations are done: 30 iterations, 720 evaluations"), "{again}");
}

#[test]
fn settings_are_overridden_and_directories_chosen() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet --out here --set stop.iterations=3 --set weights.sigma=0.2");
    let reader = Reader::open(&place.path("here")).unwrap();
    assert_eq!(reader.progress().unwrap().iterations, 3);
    assert!(reader.header().unwrap().spec.contains("sigma = 0.2"));
    assert!(!place.path("runs").exists());
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let place = Place::with_study();
    let runs = ["1", "8"].map(|n| {
        place.ok(&format!("run study.toml --quiet --out w{n} --workers {n}"));
        let digest = Reader::open(&place.path(&format!("w{n}"))).unwrap().content_digest().unwrap();
        (place.ok(&format!("best w{n} --json")), digest)
    });
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn json_is_one_object_per_iteration_and_nothing_else() {
    let place = Place::with_study();
    let said = place.ok("run study.toml --json");
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 30);
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["iteration"], index);
        assert_eq!(line["total_evaluations"], 24 * (index + 1));
        assert!(line["best"].is_f64() && line["value_mean"].is_f64() && line["seconds"].is_f64());
    }
}

#[test]
fn quiet_says_nothing() {
    assert_eq!(Place::with_study().ok("run study.toml --quiet"), "");
}

#[test]
fn a_fresh_run_discards_the_old_one_and_only_that() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet");
    place.write("runs/study/notes.txt", "mine");
    let refused = place.run("run study.toml --set weights.sigma=0.4");
    refused.refused(2, &["runs/study", "weights.sigma", "0.4 here", "0.5 there", "--fresh"]);
    place.ok("run study.toml --set stop.iterations=4 --fresh --quiet");
    assert_eq!(Reader::open(&place.path("runs/study")).unwrap().progress().unwrap().iterations, 4);
    assert_eq!(place.bytes("runs/study/notes.txt"), b"mine");
    // A study that cannot run must not cost the one that is there.
    assert_eq!(place.run("run study.toml --fresh --set weights.sigma=-1").code, 2);
    assert!(place.path("runs/study/esenas.db").exists());
}

/// Red when limits are taken for a part of what a study is.
#[test]
fn a_study_can_always_be_continued() {
    let place = Place::with_study();
    let done = || Reader::open(&place.path("runs/study")).unwrap().progress().unwrap().iterations;
    place.ok("run study.toml --quiet --set stop.iterations=2");
    place.ok("run study.toml --quiet --set stop.iterations=3");
    assert_eq!(done(), 3);
    assert!(place.ok("resume runs/study").contains("is finished"));
    let said = place.ok("resume runs/study --iterations +3");
    assert!(said.contains("going on after 3 iterations") && done() == 6, "{said}");
    // 24 evaluations in an iteration.
    place.ok("resume runs/study --quiet --evaluations +25");
    assert_eq!(done(), 8);
    place.ok("resume runs/study --quiet --iterations 30");
    place.ok("run study.toml --quiet --out straight");
    let digest = |dir: &str| Reader::open(&place.path(dir)).unwrap().content_digest().unwrap();
    assert_eq!(digest("runs/study"), digest("straight"));
    for wrong in ["+", "0", "-3", "+ 3", "five", "4294967296"] {
        let said = place.run(&format!("resume runs/study --iterations={wrong}"));
        assert_eq!(said.code, 2, "{wrong}: {}", said.err);
    }
}

/// Red when a budget that comes later has the rules choose anew.
#[test]
fn what_rules_chose_stays_chosen() {
    let place = Place::new();
    let study = "[problem]\nkind = \"bbob\"\nd_con = 5\nd_cat = 2\n";
    place.write("open.toml", study);
    let said = place.ok("run open.toml --set stop.evaluations=40");
    assert!(said.contains("auto: d = 5, 2 decisions, 40 evaluations: "), "{said}");
    let again = place.ok("run open.toml --set stop.evaluations=90000 --set stop.iterations=9");
    assert!(!again.contains("auto:") && again.contains("going on"), "{again}");
    let spec = Reader::open(&place.path("runs/open")).unwrap().header().unwrap().spec;
    assert!(spec.contains("kind = \"line-es\"") && spec.contains("evaluations = 90000"), "{spec}");
}

#[test]
fn check_prints_a_study_that_is_the_same_study() {
    let place = Place::with_study();
    let resolved = place.ok("check study.toml --set seed=9");
    assert!(resolved.contains("# |M|  28,561 models, of 16 possible decisions"), "{resolved}");
    assert!(resolved.contains("# d    20 weights"), "{resolved}");
    assert!(
        resolved.contains("# n    24 evaluations per iteration, 8 of the centre"),
        "{resolved}"
    );
    place.write("resolved.toml", &resolved);
    assert_eq!(place.ok("check resolved.toml").replace("resolved.toml", "study.toml"), resolved);
    assert!(!place.path("runs").exists(), "check runs nothing");
}

/// Whoever reads the log may go away; the study goes on.
#[test]
fn a_study_outlives_the_reader_of_its_log() {
    let place = Place::with_study();
    let mut child = place.command("run study.toml --set stop.iterations=2000").spawn().unwrap();
    drop(child.stdout.take());
    child.wait().unwrap();
    let state = Reader::open(&place.path("runs/study")).unwrap().progress().unwrap();
    assert_eq!(state.iterations, 2000);
}

/// Red when nobody is told what a σ is of where the sides of the box differ.
#[test]
fn check_says_where_a_sigma_is_a_share_of_the_sides() {
    let place = Place::new();
    let said = |bounds: &str| {
        let problem = "stop = { iterations = 2 }\n[problem]\nkind = \"command\"\nargv = [\"cat\"]\n\
                       dimension = 2\nspace = { a = { oneof = [1, 2] } }\n";
        place.write("box.toml", &format!("{problem}bounds = {bounds}\n"));
        place.ok("check box.toml")
    };
    assert!(said("[[0.0, 1.0], [10.0, 200.0]]").contains("# σ    a share of each interval"));
    assert!(!said("[0.0, 200.0]").contains("# σ"));
}
