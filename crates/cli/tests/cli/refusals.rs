//! Bad input: code 2, and one paragraph with the file, the line, the key and what would do.

use crate::harness::{Place, STUDY};

#[test]
fn a_bad_spec_is_refused_with_the_place_and_the_nearest_name() {
    let place = Place::new();
    let cases = [
        ("directions = 8", "direcions = 8", &["line 12", "weights.direcions", "directions"][..]),
        ("kind = \"es\"", "kind = \"esp\"", &["line 11", "weights.kind", "esp", "es", "snes"]),
        ("dimension = 20", "dimension = \"many\"", &["line 8", "problem.dimension", "many"]),
        ("seed = 7", "sede = 7", &["line 1", "sede", "seed"]),
        ("directions = 8", "sigma = -1.0", &["line 12", "weights.sigma", "-1.0"]),
        ("iterations = 30", "iterations = 0", &["line 4", "stop.iterations", "at least 1"]),
        ("[stop]", "[stop", &["line 3"]),
    ];
    for (good, bad, words) in cases {
        place.write("bad.toml", &STUDY.replacen(good, bad, 1));
        for command in ["run", "check"] {
            let said = place.run(&format!("{command} bad.toml"));
            said.refused(2, &["bad.toml"]);
            said.refused(2, words);
            assert_eq!(said.out, "");
        }
    }
    assert!(!place.path("runs").exists(), "refused before anything was written");
}

#[test]
fn a_bad_override_is_refused_as_it_was_given() {
    let place = Place::with_study();
    let said = place.run("run study.toml --set weights.sgima=0.2");
    said.refused(2, &["--set", "weights.sgima", "sigma"]);
    place
        .run("run study.toml --set weights.sigma")
        .refused(2, &["--set", "weights.sigma", "key=value"]);
}

#[test]
fn what_is_not_there_is_named() {
    let place = Place::new();
    place.run("run nothing.toml").refused(2, &["nothing.toml"]);
    for command in ["show", "best", "resume", "export --format csv"] {
        place.run(&format!("{command} nothing")).refused(2, &["nothing", "holds no study"]);
    }
    place.run("list nothing").refused(2, &["nothing", "cannot be listed"]);
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let place = Place::with_study();
    let inline = place.run("run study.toml --executor inline --workers 4");
    inline.refused(2, &["--executor inline", "--workers"]);
    for words in ["run study.toml --json --quiet", "run study.toml --workers 0", "run", "fly"] {
        let said = place.run(words);
        assert_eq!((said.code, &*said.out), (2, ""), "{words}");
        assert!(said.err.contains("error:") || said.err.contains("Usage"), "{words}: {}", said.err);
    }
    let executors = ["inline", "threads"].map(|executor| {
        place.ok(&format!("run study.toml --quiet --out {executor} --executor {executor}"));
        place.ok(&format!("best {executor} --json"))
    });
    assert_eq!(executors[0], executors[1]);
}

#[test]
fn ray_is_reached_through_python() {
    let place = Place::with_study();
    for executor in ["ray", "ray=10.0.0.1:6379"] {
        let said = place.run(&format!("run study.toml --executor {executor}"));
        said.refused(2, &["--executor ray", "pip install"]);
    }
    for executor in ["ray=", "slurm", "threads=2"] {
        let said = place.run(&format!("run study.toml --executor {executor}"));
        assert_eq!((said.code, &*said.out), (2, ""), "{executor}");
        assert!(said.err.contains("inline, threads or ray"), "{}", said.err);
    }
}

#[test]
fn a_file_of_weights_needs_a_known_name() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet");
    let said = place.run("best runs/study --theta weights.pt");
    said.refused(2, &["weights.pt", ".f64", ".npy", ".safetensors"]);
    place.run("export runs/study --format tensorboard").refused(2, &["--out"]);
}
