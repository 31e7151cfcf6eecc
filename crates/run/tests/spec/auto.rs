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

#[test]
fn a_study_that_says_something_is_the_papers_unless_it_asks_for_auto() {
    let said = format!("{SILENT}[weights]\nkind = \"cma-es\"\n");
    let controller = |spec: &Spec| match &spec.search {
        SearchConfig::EsEnas { controller, .. } => serde_json::to_value(controller).unwrap(),
        SearchConfig::Hybrid { .. } => panic!("not a baseline"),
    };
    let (paper, auto) = (parse(&said, &[]).unwrap(), parse(&said, &["preset=auto"]).unwrap());
    assert_eq!(controller(&paper)["kind"], "regularized-evolution");
    assert_eq!(controller(&auto)["kind"], "sweep");
    let SearchConfig::EsEnas { weights: of_auto, .. } = auto.search else { panic!() };
    let SearchConfig::EsEnas { weights: of_paper, .. } = paper.search else { panic!() };
    assert_eq!(of_auto, of_paper);
    // Without a box nothing is chosen.
    let open = "preset = \"auto\"\n[problem]\nkind = \"synthetic\"\n[stop]\niterations = 3\n";
    let closed = parse(open, &[]).unwrap();
    assert_eq!((closed.choice.clone(), closed), (None, parse(open, &["preset=paper"]).unwrap()));
    assert_eq!(
        parse(SILENT, &["preset=papr"]).unwrap_err().to_string(),
        "--set preset=papr: `preset` = \"papr\": unknown value; did you mean `paper`? (accepted: `auto`, `paper`)"
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
        SearchConfig::EsEnas { joint, .. } => joint.pairing,
        SearchConfig::Hybrid { .. } => panic!("not a baseline"),
    };
    let many = ["preset=auto", "problem.d_con=2000"];
    assert_eq!(pairing(&many), Pairing::Shared);
    assert_eq!(pairing(&[&many[..], &["weights={kind=\"snes\"}"]].concat()), Pairing::Independent);
    let short = ["preset=auto", "stop.evaluations=500"];
    assert_eq!(pairing(&short), Pairing::Held);
    assert_eq!(pairing(&[&short[..], &["weights={kind=\"snes\"}"]].concat()), Pairing::Held);
    assert_eq!(pairing(&[&short[..], &["centre={evaluations=8}"]].concat()), Pairing::Held);
    assert_eq!(pairing(&[&short[..], &["centre={evaluations=1}"]].concat()), Pairing::Independent);
}

/// Red when `[auto]` is not passed on to the rules, or is written out, so that a resumption would
/// be told again.
#[test]
fn auto_is_told_of_noise_and_batches() {
    let chosen = |told: &[&str]| {
        let spec = parse(SILENT, told).unwrap();
        let text = spec.to_toml();
        assert!(!text.contains("[auto]"), "{text}");
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
    for said in ["preset=paper", "controller.kind=asng", "hybrid.population=8"] {
        let error = refused(SILENT, &["auto.noise=true", said]);
        assert!(
            error.contains("choose nothing here; leave out what says how to search"),
            "{error}"
        );
    }
    let open = "[problem]\nkind = \"synthetic\"\n[stop]\niterations = 3\n[auto]\nnoise = true\n";
    let error = refused(open, &[]);
    assert!(error.contains("line 5: `auto`") && error.contains("give problem.bounds"), "{error}");
    // Who gives weights has said how many points an iteration has; of models there is still to
    // choose.
    let given = ["preset=auto", "weights.kind=snes"];
    let error = refused(SILENT, &[&given[..], &["auto.batch=256"]].concat());
    assert!(error.contains("`auto.batch` = 256: has no effect beside [weights]"), "{error}");
    let noisy = parse(SILENT, &[&given[..], &["auto.noise=true", "stop.evaluations=500"]].concat());
    let SearchConfig::EsEnas { controller, .. } = noisy.unwrap().search else { panic!() };
    assert_eq!(serde_json::to_value(controller).unwrap()["kind"], "asng");
}
