//! What a study file may say, and how it is told that it may not.

mod auto;

use std::path::Path;

use esenas::SearchConfig;
use esenas::joint::{Baseline, CentreModels};
use esenas_run::spec::{ProblemConfig, SpecError};
use esenas_run::{Overview, Spec};
use proptest::prelude::*;

const STUDY: &str = "\
seed = 3

[stop]
iterations = 10

[problem]
kind = \"synthetic\"
dimension = 30

[weights]
kind = \"es\"
sigma = 0.3

[controller]
kind = \"regularized-evolution\"
";

fn parse(text: &str, overrides: &[&str]) -> Result<Spec, SpecError> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    planned(Spec::parse("study.toml", text, Path::new(""), &overrides)?)
}

/// The study, if it can run.
fn planned(spec: Spec) -> Result<Spec, SpecError> {
    spec.plan().map(|plan| plan.spec().clone())
}

fn overview(spec: &Spec) -> Overview {
    spec.clone().plan().unwrap().overview()
}

/// The refusal of the study with a line put in the place of another.
fn refused(line: &str, instead: &str) -> String {
    assert!(STUDY.contains(line));
    parse(&STUDY.replace(line, instead), &[]).unwrap_err().to_string()
}

#[test]
fn a_study_is_resolved_and_reads_back_as_itself() {
    let spec = parse(STUDY, &[]).unwrap();
    let text = spec.to_toml();
    assert_eq!(parse(&text, &[]).unwrap(), spec);
    assert_eq!(parse(&text, &[]).unwrap().to_toml(), text);
    for written in ["directions = 64", "step_size = 0.5", "teaches = true", "share = 0.5"] {
        assert!(text.contains(written), "{written} is not in\n{text}");
    }
    assert!(!text.contains("worker"));
    let overview = overview(&spec);
    assert_eq!((overview.dimension, overview.evaluations, overview.centre), (30, 136, 8));
    assert_eq!(overview.size.exact, Some(13_u128.pow(4)));
}

#[test]
fn unknown_keys_name_the_line_and_the_nearest() {
    assert_eq!(
        refused("sigma = 0.3", "sgima = 0.3"),
        "study.toml, line 12: `weights.sgima` = 0.3: unknown key; did you mean `sigma`? \
         (accepted: `sigma`, `step_size`, `directions`, `sampling`, `normalize`, `top`, `rule`, \
         `weight_decay`)"
    );
    let top = refused("seed = 3", "sead = 3");
    assert!(top.starts_with("study.toml, line 1: `sead` = 3: unknown key; did you mean `seed`?"));
    let deep = refused("sigma = 0.3", "rule = { adam = { beta3 = 0.1 } }");
    assert!(deep.starts_with("study.toml, line 12: `weights.rule.adam.beta3` = 0.1: unknown key"));
    let section = refused("[stop]", "[problm]\nx = 1\n[stop]");
    assert!(section.contains("line 3: `problm` = { x = 1 }: unknown key; did you mean `problem`?"));
}

#[test]
fn unknown_kinds_name_what_there_is() {
    let kind = refused("kind = \"es\"", "kind = \"ess\"");
    assert!(kind.starts_with(
        "study.toml, line 11: `weights.kind` = \"ess\": unknown value; did you mean `es`? \
         (accepted: `es`, `cma-es`,"
    ));
    let missing = refused("kind = \"synthetic\"", "");
    assert!(
        missing
            .contains("line 6: `problem.kind`: is missing; accepted: `synthetic`, `bbob`, `rl`,")
    );
    let pairing = refused("seed = 3", "pairing = \"both\"");
    assert!(pairing.contains("`pairing` = \"both\": unknown value"));
    let none = parse("seed = 1", &[]).unwrap_err().to_string();
    assert_eq!(none, "study.toml: `problem`: is missing; give a [problem] with a kind");
}

/// Red when a section that sets one thing has to name its kind, or loses the rest.
#[test]
fn a_section_without_a_kind_is_of_the_default_one() {
    let bare = "stop.iterations = 1\nproblem.kind = \"synthetic\"\n";
    let bare = &format!("preset = \"paper\"\n{bare}");
    for (overrides, whole) in [
        (&["weights.sigma=0.2"][..], "weights = { kind = \"es\", sigma = 0.2 }"),
        (
            &["controller.population=9"],
            "controller = { kind = \"regularized-evolution\", population = 9 }",
        ),
        (
            &["hybrid.evolution.tournament=3"],
            "[hybrid]\nevolution = { kind = \"regularized-evolution\", tournament = 3 }",
        ),
    ] {
        let written = parse(&format!("{bare}{whole}"), &[]).unwrap();
        assert_eq!(parse(bare, overrides).unwrap(), written, "{overrides:?}");
    }
    let other = parse(bare, &["weights.kind=snes", "weights.directions=3"]).unwrap_err();
    assert!(other.to_string().contains("`weights.directions` = 3: unknown key"), "{other}");
}

#[test]
fn wrong_types_say_what_would_do() {
    for (instead, said) in [
        ("directions = 1.5", "`weights.directions` = 1.5: must be an integer from 0 to 4294967295"),
        ("directions = -1", "`weights.directions` = -1: must be an integer"),
        ("sigma = \"wide\"", "`weights.sigma` = \"wide\": must be a number, { linear = … }"),
        ("weight_decay = []", "`weights.weight_decay` = []: must be a number"),
        ("top = true", "`weights.top` = true: must be an integer"),
        ("sigma = inf", "`weights.sigma`: must be finite, got inf"),
        ("sigma = 2020-01-01", "`weights.sigma`: is the date 2020-01-01; quote it"),
    ] {
        let refusal = refused("sigma = 0.3", instead);
        assert!(refusal.starts_with("study.toml, line 12: "), "{refusal}");
        assert!(refusal.contains(said), "{refusal}");
    }
}

#[test]
fn values_out_of_range_are_blamed_on_their_keys() {
    for (instead, key) in [
        ("sigma = -0.3", "weights.sigma"),
        ("rule.adam.beta1 = 2", "weights.rule.adam.beta1"),
        ("directions = 0", "weights.directions"),
        ("[hybrid]", "weights"),
    ] {
        let refusal = refused("sigma = 0.3", instead);
        assert!(refusal.contains(&format!(": `{key}` = ")), "{refusal}");
        assert!(refusal.starts_with("study.toml, line 1"), "{refusal}");
    }
    for (line, instead, key) in [
        ("dimension = 30", "dimension = 0", "problem.dimension"),
        ("dimension = 30", "dimension = 300000000000", "problem.dimension"),
        ("dimension = 30", "blocks = 0", "problem.blocks"),
        ("dimension = 30", "noise = -1", "problem.noise"),
        ("iterations = 10", "iterations = 0", "stop.iterations"),
        ("iterations = 10", "wall_time = \"5x\"", "stop.wall_time"),
        ("seed = 3", "subsample = 0", "subsample"),
        ("seed = 3", "constraint = { cost = \"active\", target = -1 }", "constraint.target"),
        ("seed = 3", "failures.share = 1.5", "failures.share"),
        ("seed = 3", "centre.every = 0", "centre.every"),
    ] {
        let refusal = refused(line, instead);
        assert!(refusal.contains(&format!(": `{key}` = ")), "{refusal}");
    }
}

#[test]
fn impossible_combinations_are_refused() {
    let endless = refused("iterations = 10", "");
    assert!(endless.contains("`stop` = {}: nothing ends this study; give iterations"), "{endless}");
    let pairs = parse(STUDY, &["pairing=shared", "weights={kind=\"snes\"}"]).unwrap_err();
    assert!(pairs.to_string().starts_with("--set pairing=shared: `pairing` = \"shared\": must be"));
    let both = parse(STUDY, &["hybrid.population=5"]).unwrap_err().to_string();
    assert!(both.contains("cannot stand beside [hybrid]"), "{both}");
    let wide = parse(STUDY, &["weights={kind=\"es\",directions=4000000000}"]).unwrap_err();
    assert!(wide.to_string().contains("evaluations in an iteration"), "{wide}");
    let large = parse(STUDY, &["weights={kind=\"cma-es\"}", "problem.dimension=100000"]);
    let large = large.unwrap_err().to_string();
    assert!(large.contains("use sep-cma-es, lm-ma-es, snes or es"), "{large}");
    let space = "problem = { kind = \"command\", argv = [\"f\"], dimension = 2, \
                 space = { a = { oneof = [1, 2] } }, start = \"uniform\" }";
    let text = format!("{space}\n[stop]\niterations = 1");
    let refusal = parse(&text, &[]).unwrap_err().to_string();
    assert!(refusal.contains("line 1: `problem.start` = \"uniform\""), "{refusal}");
}

#[test]
fn overrides_are_applied_before_anything_is_checked() {
    let set = ["weights.sigma=0.7", "problem.function=rastrigin", "record.every=5"];
    let spec = parse(STUDY, &set).unwrap();
    let text = spec.to_toml();
    assert!(text.contains("sigma = 0.7") && text.contains("function = \"rastrigin\""));
    assert_eq!(spec.record.every, 5);
    let whole = parse(STUDY, &["weights={ kind = \"snes\", population = 7 }"]).unwrap();
    assert!(whole.to_toml().contains("population = 7"));
    for (set, said) in [
        ("weights.sgma=1", "--set weights.sgma=1: `weights.sgma` = 1: unknown key"),
        ("weights={top=true}", "--set weights={top=true}: `weights.top` = true: must be"),
        ("constraint.target=1", "--set constraint.target=1: `constraint.cost`: is missing"),
        ("sigma", "--set sigma: write key=value"),
        ("=3", "--set =3: write key=value"),
        ("seed.x=3", "--set seed.x=3: `seed` is not a table"),
        ("seed=nan", "--set seed=nan: `seed` must be finite"),
    ] {
        let refusal = parse(STUDY, &[set]).unwrap_err().to_string();
        assert!(refusal.starts_with(said), "{refusal}");
    }
}

#[test]
fn what_is_not_toml_names_the_line() {
    let refusal = refused("sigma = 0.3", "sigma = = 3");
    assert!(refusal.starts_with("study.toml, line 12: not TOML: "), "{refusal}");
    let twice = refused("sigma = 0.3", "sigma = 1\nsigma = 2");
    assert!(twice.starts_with("study.toml, line 13: not TOML: "), "{twice}");
}

#[test]
fn a_space_may_be_in_a_file_and_hold_what_toml_cannot() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("s.json"), r#"{"a":{"oneof":[null,{"b":null},2]}}"#)
        .unwrap();
    let text = "problem = { kind = \"callable\", dimension = 2, space = \"s.json\" }\n\
                [stop]\niterations = 1";
    let spec = Spec::parse("x", text, directory.path(), &[]).unwrap();
    assert_eq!(overview(&spec).size.exact, Some(3));
    // The file is not needed any more.
    assert_eq!(parse(&spec.to_toml(), &[]).unwrap(), Spec { choice: None, ..spec });
    let missing = parse(text, &[]).unwrap_err().to_string();
    assert!(missing.contains("`problem.space` = \"s.json\": cannot read the space in s.json"));
    std::fs::write(directory.path().join("s.json"), "{\"a\":{\"oneof\":[]}}").unwrap();
    let empty = Spec::parse("x", text, directory.path(), &[]).unwrap_err().to_string();
    assert!(empty.contains("x, line 1: `problem.space"), "{empty}");
    assert!(empty.contains("at least one candidate"), "{empty}");
}

#[test]
fn differences_are_listed_by_key() {
    let (one, two) = (parse(STUDY, &[]).unwrap(), parse(STUDY, &["weights.sigma=0.4"]).unwrap());
    let shown: Vec<String> = one.differences(&two).iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["weights.sigma: 0.3 here, 0.4 there"]);
    let other = parse(STUDY, &["weights={kind=\"snes\"}"]).unwrap();
    let shown: Vec<String> = one.differences(&other).iter().map(ToString::to_string).collect();
    assert!(shown.contains(&"weights.directions: 64 here, not set there".to_owned()), "{shown:?}");
    assert!(one.differences(&one).is_empty());
    let longer = parse(STUDY, &["stop.iterations=99"]).unwrap();
    assert_eq!(one.fingerprint(), longer.fingerprint());
    assert_ne!(one.fingerprint(), two.fingerprint());
}

#[test]
fn studies_of_rust_are_checked_as_well() {
    let mut spec = parse(STUDY, &[]).unwrap();
    spec.seed = u64::MAX;
    let refusal = planned(spec.clone()).unwrap_err().to_string();
    assert!(refusal.starts_with("study.toml, line 1: `seed` = "), "{refusal}");
    spec.seed = 1;
    if let SearchConfig::EsEnas { joint, .. } = &mut spec.search {
        joint.centre = 0;
    }
    assert_eq!(overview(&spec).evaluations, 128);
    assert!(matches!(spec.problem, ProblemConfig::Synthetic(_)));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = parse(&text, &[]);
    }

    #[test]
    fn any_override_is_applied_or_refused(text in "[a-z.=\\[\\]{}\" 0-9\n]{0,40}", any in ".{0,40}") {
        let _ = parse(STUDY, &[&text, &any]);
    }

    /// The study with any piece cut out and any other put in.
    #[test]
    fn any_change_is_read_or_refused(
        from in 0..STUDY.len(), length in 0usize..40, piece in "[ -~\n]{0,20}",
        dotted in "(weights|problem|stop|controller|centre|record)\\.[a-z_]{1,10} = [-0-9.a-z\"\\[\\]{}]{1,6}\n",
    ) {
        let to = STUDY.len().min(from + length);
        let changed = format!("{dotted}{}{piece}{}", &STUDY[..from], &STUDY[to..]);
        if let Ok(spec) = parse(&changed, &[]) {
            prop_assert_eq!(parse(&spec.to_toml(), &[]).unwrap(), spec);
        }
    }
}

/// A problem with a box, and no word of how to search.
const SILENT: &str =
    "[problem]\nkind = \"bbob\"\nd_con = 100\nd_cat = 20\n[stop]\nevaluations = 2000\n";

/// Red when an option is read and lost, or written so that it cannot be read.
#[test]
fn options_of_the_product_are_read_and_written() {
    let said = format!("baseline = \"additive\"\n{SILENT}[centre]\nmodels = \"mode\"\n");
    let spec = parse(&said, &[]).unwrap();
    let SearchConfig::EsEnas { joint, .. } = &spec.search else { panic!() };
    assert_eq!(joint.baseline, Baseline::Additive);
    assert_eq!(joint.centre_models, CentreModels::Mode);
    assert_eq!(parse(&spec.to_toml(), &[]).unwrap().search, spec.search);
}

/// Red when another pair is held, or an option that makes no difference there is taken.
#[test]
fn only_line_es_and_sweeps_are_held() {
    let held = ["pairing=held", "weights.kind=line-es", "controller.kind=sweep"];
    let said = |more: &[&str]| parse(SILENT, &[&held[..], more].concat());
    let spec = said(&[]).unwrap();
    assert!(matches!(spec.search, SearchConfig::Alternating { .. }));
    let text = spec.to_toml();
    assert!(text.contains("pairing = \"held\""), "{text}");
    assert_eq!(parse(&text, &[]).unwrap().search, spec.search);
    let followed = said(&["next.after=900"]).unwrap();
    let SearchConfig::Alternating { alternating, .. } = &followed.search else { panic!() };
    assert_eq!(alternating.next.as_ref().unwrap().after, 900);
    assert_eq!(parse(&followed.to_toml(), &[]).unwrap().search, followed.search);
    let plain = said(&["next.weights.kind=cma-es"]).unwrap_err().to_string();
    assert!(plain.contains("`next.weights.kind` = "), "{plain}");
    let apart = parse(SILENT, &["pairing=shared", "next.after=900"]).unwrap_err().to_string();
    assert!(apart.contains("`next` = ") && apart.contains("held"), "{apart}");
    for (more, key) in [
        ("weights.kind=cma-es", "weights.kind"),
        ("controller.kind=asng", "controller.kind"),
        ("centre.evaluations=1", "centre.evaluations"),
        ("centre.every=2", "centre.every"),
        ("centre.models=mode", "centre.models"),
        ("centre.teaches=false", "centre.teaches"),
        ("baseline=additive", "baseline"),
    ] {
        let refused = said(&[more]).unwrap_err().to_string();
        assert!(refused.contains(&format!("`{key}` = ")), "{more}: {refused}");
        assert!(refused.contains("held"), "{more}: {refused}");
    }
}

/// Red when a key that is no more is merely unknown, or there is no word of what takes its place.
#[test]
fn keys_that_are_no_more_are_refused_by_name() {
    for (key, value, instead) in [
        ("then.after", "900", "problem.start"),
        ("offsets.rate", "0.2", "weights that a choice owns"),
        ("centre.models", "\"incumbent\"", "\"mode\""),
        ("weights.kind", "\"phases\"", "\"restarts\""),
    ] {
        let refused = parse(SILENT, &[&format!("{key}={value}")]).unwrap_err().to_string();
        let named =
            refused.contains(key.split(".after").next().unwrap().split(".rate").next().unwrap());
        assert!(
            named && refused.contains("was removed; ") && refused.contains(instead),
            "{refused}"
        );
    }
}

/// Red when a grid that cannot be is taken, or is not said to be the fault of `steps`.
#[test]
fn grids_are_refused_by_key() {
    let study = |lines: &str| {
        let text = format!(
            "[stop]\nevaluations = 100\n[problem]\nkind = \"command\"\nargv = [\"true\"]\n\
             dimension = 3\n{lines}\n[problem.space]\na = {{ oneof = [1, 2] }}\n"
        );
        parse(&text, &[])
    };
    let refused = |lines: &str| study(lines).unwrap_err().to_string();
    let bounds = "bounds = [0.0, 10.0]\n";
    for (steps, said) in [
        ("-1.0", "must be 0, for a continuous coordinate, or at most the width"),
        ("nan", "must be finite, got NaN"),
        ("[1.0, 0.0, 11.0]", "got 11 in [0, 10] at coordinate 2"),
        ("1e-13", "got 0.0000000000001 in [0, 10]"),
        ("[1.0, 1.0]", "must have 1 or 3 entries, got 2"),
        ("\"one\"", "must be a step, or a list of as many steps as dimensions"),
    ] {
        let refusal = refused(&format!("{bounds}steps = {steps}"));
        assert!(refusal.contains("`problem.steps`") && refusal.contains(said), "{refusal}");
    }
    let refusal = refused("steps = 1.0");
    assert!(refusal.contains("`problem.steps`") && refusal.contains("need bounds"), "{refusal}");
    let spec = study(&format!("{bounds}steps = [1.0, 0.0, 2.5]")).unwrap();
    let text = spec.to_toml();
    assert!(text.contains("steps = [1.0, 0.0, 2.5]"), "{text}");
    assert_eq!(parse(&text, &[]).unwrap().to_toml(), text);
}
