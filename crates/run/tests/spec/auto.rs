//! A study that does not say how to search, or asks for `auto`.

use esenas::weights::{EsConfig, WeightsConfig};
use esenas::{Pairing, SearchConfig};
use esenas_run::Spec;

use crate::{SILENT, overview, parse};

/// Red when a resumption would choose again, or a preset is taken for a setting.
#[test]
fn auto_is_written_out_and_the_paper_is_one_word_away() {
    let chosen = parse(SILENT, &[]).unwrap();
    let reason = chosen.choice.clone().unwrap();
    assert!(reason.starts_with("d = 100, 20 decisions, 2000 evaluations: "), "{reason}");
    let text = chosen.to_toml();
    for written in ["kind = \"line-es\"", "kind = \"sweep\"", "pairing = \"held\""] {
        assert!(text.contains(written), "{written} is not in\n{text}");
    }
    assert!(!text.contains("preset"));
    // What is written out is a choice no more, whatever the budget.
    let again = parse(&text, &["stop.evaluations=9000000"]).unwrap();
    assert_eq!((again.search, again.choice), (chosen.search.clone(), None));

    let paper = parse(SILENT, &["preset=paper"]).unwrap();
    let explicit = format!(
        "{SILENT}[weights]\nkind = \"es\"\n[controller]\nkind = \"regularized-evolution\"\n"
    );
    assert_eq!(paper, parse(&explicit, &[]).unwrap());
    assert_eq!(paper.choice, None);
}

fn halves(spec: &Spec) -> (serde_json::Value, serde_json::Value) {
    let (SearchConfig::EsEnas { weights, controller, .. }
    | SearchConfig::Alternating { weights, controller, .. }) = &spec.search
    else {
        panic!("not a baseline")
    };
    (serde_json::to_value(weights).unwrap(), serde_json::to_value(controller).unwrap())
}

/// Red when naming one half throws the other back to the paper's, with its σ.
#[test]
fn what_a_study_leaves_open_is_chosen() {
    let silent = halves(&parse(SILENT, &[]).unwrap());
    let viewed = parse(SILENT, &["subsample=3"]).unwrap();
    assert_eq!(halves(&viewed), silent);
    let weights = parse(SILENT, &["weights.kind=cma-es"]).unwrap();
    assert_eq!(halves(&weights).0["sigma"], 0.5, "what is named has its own defaults");
    assert_eq!(halves(&weights).1["kind"], "asng");
    let controller = parse(SILENT, &["controller.kind=asng"]).unwrap();
    assert_eq!(halves(&controller).0["weights"]["sigma"], 2.0, "a fifth of the box");
    for one in [&weights, &controller] {
        assert!(one.choice.is_some());
        assert_eq!(parse(&one.to_toml(), &[]).unwrap().search, one.search);
    }
    // Nothing that searches is open.
    let named = ["weights.kind=cma-es", "controller.kind=asng"];
    let centre = |overrides: &[&str]| match parse(SILENT, overrides).unwrap() {
        Spec { search: SearchConfig::EsEnas { joint, .. }, choice, .. } => {
            (joint.centre, choice.is_some())
        }
        other => panic!("{:?}", other.search),
    };
    assert_eq!(centre(&named), (8, false));
    assert_eq!(centre(&[&named[..], &["preset=auto"]].concat()), (0, true));
    assert_eq!(
        parse(SILENT, &["preset=papr"]).unwrap_err().to_string(),
        "--set preset=papr: `preset` = \"papr\": unknown value; did you mean `paper`? \
         (accepted: `auto`, `paper`)"
    );
}

/// Red when there is no rule for a problem without a box, without θ, or with one model, or when the
/// paper is no word away from it.
#[test]
fn auto_chooses_without_a_box_without_weights_and_with_one_model() {
    let study = |dimension: usize, space: &str| {
        format!(
            "stop.evaluations = 900\n[problem]\nkind = \"callable\"\ndimension = {dimension}\n\
             space = {space}\n"
        )
    };
    let (choices, one) = ("{ oneof = [1, 2, 3] }", "7");
    let open = parse(&study(40, choices), &[]).unwrap();
    let (weights, controller) = halves(&open);
    assert_eq!((&weights["kind"], &controller["kind"]), (&"sep-cma-es".into(), &"asng".into()));
    let noisy = parse(&study(40, choices), &["auto.noise=true"]).unwrap();
    assert_eq!(halves(&noisy).0["population"], 30);
    let batch = parse(&study(40, choices), &["auto.batch=256"]).unwrap();
    assert_eq!(overview(&batch).evaluations, 256);
    let alone = parse(&study(0, choices), &[]).unwrap();
    assert_eq!(halves(&alone).1["kind"], "pyramid");
    assert_eq!(overview(&alone).evaluations, 2);
    assert!(parse(&study(40, one), &[]).unwrap().choice.is_some());
    let paper = parse(&study(40, choices), &["preset=paper"]).unwrap();
    assert_eq!((paper.choice.clone(), &halves(&paper).0["kind"]), (None, &"es".into()));
    let nothing = parse(&study(0, one), &[]).unwrap_err().to_string();
    assert!(
        nothing.contains("`problem.space` = 7: has one model, and there are no weights"),
        "{nothing}"
    );
}

/// Red when the paper's algorithm is not one word away for a policy, or when what a study says of
/// itself is chosen anew.
#[test]
fn a_policy_without_a_word_of_how_to_search_is_chosen_for() {
    let silent = "[problem]\nkind = \"rl\"\nenv = \"Pendulum\"\n\
                  policy = { kind = \"edge-pruning\", hidden = [4], edges = 8 }\n[stop]\niterations = 3\n";
    let chosen = parse(silent, &[]).unwrap();
    let reason = chosen.choice.clone().unwrap();
    assert!(reason.contains("a policy: "), "{reason}");
    let text = chosen.to_toml();
    assert!(text.contains("kind = \"sep-cma-es\"") && !text.contains("preset"), "{text}");
    assert_eq!(parse(&text, &[]).unwrap().search, chosen.search);

    let paper = parse(silent, &["preset=paper"]).unwrap();
    let said = format!(
        "{silent}[weights]\nkind = \"es\"\n[controller]\nkind = \"regularized-evolution\"\n[centre]\nevaluations = 50\n"
    );
    assert_eq!(paper, parse(&said, &[]).unwrap());
    let SearchConfig::EsEnas { weights, joint, .. } = &paper.search else { panic!() };
    assert_eq!(*weights, WeightsConfig::Es(EsConfig::reinforcement_learning()));
    assert_eq!((joint.pairing, joint.centre), (Pairing::Independent, 50));
}

/// Red when a pair is to share a model with weights that come in none, or models are held and have
/// no evaluations.
#[test]
fn auto_shares_models_only_where_it_chooses_the_pairs() {
    let pairing = |overrides: &[&str]| match parse(SILENT, overrides).unwrap().search {
        SearchConfig::EsEnas { joint, .. } => Some(joint.pairing),
        SearchConfig::Alternating { .. } => None,
        other @ (SearchConfig::Hybrid { .. } | SearchConfig::Front(_)) => panic!("{other:?}"),
    };
    let (independent, shared) = (Some(Pairing::Independent), Some(Pairing::Shared));
    let many = ["preset=auto", "problem.d_con=2000"];
    assert_eq!(pairing(&many), shared);
    assert_eq!(pairing(&[&many[..], &["weights={kind=\"snes\"}"]].concat()), independent);
    let short = ["preset=auto", "stop.evaluations=500"];
    let with = |said: &str| pairing(&[&short[..], &[said]].concat());
    for by_turns in ["seed=1", "weights={kind=\"line-es\"}", "centre={evaluations=8}"] {
        assert_eq!(with(by_turns), None, "{by_turns}");
    }
    for joined in
        ["weights={kind=\"snes\"}", "controller={kind=\"asng\"}", "centre={evaluations=1}"]
    {
        assert_eq!(with(joined), independent, "{joined}");
    }
}

/// Red when `[auto]` is not passed on to the rules, or a resumption would choose again.
#[test]
fn auto_is_told_of_noise_and_batches() {
    let chosen = |told: &[&str]| {
        let spec = parse(SILENT, told).unwrap();
        let text = spec.to_toml();
        assert!(text.contains("chose = [\"weights\", "), "{text}");
        let again = parse(&text, &[]).unwrap();
        assert_eq!((again.search, again.choice), (spec.search.clone(), None));
        (overview(&spec).evaluations, spec.choice.unwrap())
    };
    let (_, silent) = chosen(&[]);
    let (points, reason) = chosen(&["auto.noise=true"]);
    assert!(reason.contains("2000 noisy evaluations: ") && points == 47, "{points}: {reason}");
    let (points, reason) = chosen(&["auto.batch=256"]);
    assert!(reason.ends_with(", in batches of 256") && points == 256, "{points}: {reason}");
    let (points, reason) = chosen(&["auto={noise=true, batch=30}"]);
    assert!(reason.contains("noisy") && reason.contains("batches of 30"), "{reason}");
    assert_eq!(points, 60);
    assert_eq!(chosen(&["auto.noise=false"]).1, silent);
    // A policy has its own rule, and batches too.
    let policy = "[problem]\nkind = \"rl\"\nenv = \"Pendulum\"\npolicy = { kind = \"unstructured\", hidden = [4] }\n\
                  [stop]\niterations = 3\n[auto]\nbatch = 64\n";
    let policy = parse(policy, &[]).unwrap();
    assert_eq!(overview(&policy).evaluations, 64);
    assert!(policy.choice.unwrap().ends_with(", in batches of 64"));
}

/// Red when the rules are told what makes no difference, and nobody hears of it.
#[test]
fn auto_is_not_told_in_vain() {
    let refused = |text: &str, overrides: &[&str]| {
        parse(text, overrides).unwrap_err().to_string().replace("--set ", "")
    };
    let batches = "must be from 1 to 10000000";
    assert_eq!(
        refused(SILENT, &["auto.batch=0"]),
        format!("auto.batch=0: `auto.batch` = 0: {batches}")
    );
    let many = refused(SILENT, &["auto.batch=10000001"]);
    assert!(many.ends_with(batches), "{many}");
    let word = refused(SILENT, &["auto.noise=much"]);
    assert!(word.ends_with("`auto.noise` = \"much\": must be true or false"), "{word}");
    let unknown = refused(SILENT, &["auto.nose=true"]);
    assert!(unknown.contains("did you mean `noise`?"), "{unknown}");
    let named = "controller.kind=asng";
    for said in [["preset=paper", named], ["weights.kind=es", named], ["hybrid.population=8"; 2]] {
        let error = refused(SILENT, &[&["auto.noise=true"][..], &said].concat());
        assert!(
            error.contains("choose nothing here; leave out what says how to search"),
            "{error}"
        );
    }
    // Named weights say how many points an iteration has; models are still to be chosen.
    let given = ["preset=auto", "weights.kind=snes"];
    let error = refused(SILENT, &[&given[..], &["auto.batch=256"]].concat());
    assert!(error.contains("`auto.batch` = 256: has no effect beside [weights]"), "{error}");
    let noisy = parse(SILENT, &[&given[..], &["auto.noise=true", "stop.evaluations=500"]].concat());
    let SearchConfig::EsEnas { controller, .. } = noisy.unwrap().search else { panic!() };
    assert_eq!(serde_json::to_value(controller).unwrap()["kind"], "asng");
}
