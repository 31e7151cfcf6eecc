//! `report`, and what else is drawn or written for other eyes.

use crate::harness::Place;

const FIGURES: [&str; 7] =
    ["history", "model", "choices", "importance", "weights", "controller", "effort"];

#[test]
fn a_study_becomes_a_page_with_figures_and_a_table() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet --out a");
    assert_eq!(place.ok("report a"), "a/report/index.html\n");
    for figure in FIGURES {
        let svg = String::from_utf8(place.bytes(&format!("a/report/{figure}.svg"))).unwrap();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{figure}");
        assert!(place.bytes(&format!("a/report/{figure}.png")).starts_with(b"\x89PNG"), "{figure}");
    }
    assert!(place.path("a/report/history-time.svg").exists());
    assert!(!place.path("a/report/importance-time.svg").exists());
    let html = String::from_utf8(place.bytes("a/report/index.html")).unwrap();
    let found: Vec<&str> =
        FIGURES.into_iter().filter(|name| html.contains(&format!("id=\"{name}\""))).collect();
    assert_eq!(found, FIGURES);
    let table = String::from_utf8(place.bytes("a/report/table.tex")).unwrap();
    assert!(table.contains("a & 1 & 720 & "), "{table}");
}

#[test]
fn seeds_are_one_curve_and_other_settings_another() {
    let place = Place::with_study();
    for seed in [1, 2] {
        place.ok(&format!("run study.toml --quiet --out seed{seed} --set seed={seed}"));
    }
    place.ok("run study.toml --quiet --out other --set controller.kind=asng");
    place.ok("report seed1 seed2 other --out out --title Ours");
    let svg = String::from_utf8(place.bytes("out/history.svg")).unwrap();
    assert!(svg.contains("seed1 and 1 more seed") && svg.contains("other"), "{svg}");
    let table = String::from_utf8(place.bytes("out/table.md")).unwrap();
    assert_eq!(table.lines().count(), 4, "{table}");
    let html = String::from_utf8(place.bytes("out/index.html")).unwrap();
    assert!(html.contains("<h1>Ours</h1>"));
}

#[test]
fn what_is_no_study_is_refused() {
    let place = Place::with_study();
    place.run("report nowhere").refused(2, &["nowhere"]);
    place.ok("run study.toml --quiet --out a");
    place.write("file", "");
    let said = place.run("report a --out file");
    said.refused(1, &["file"]);
}

/// A policy is a network: its edges are drawn, and named in the heat map.
#[test]
fn a_policy_is_drawn_as_a_network() {
    let place = Place::new();
    let policy = "{ kind = \"edge-pruning\", hidden = [3], edges = \"any\" }";
    let study = format!(
        "[stop]\niterations = 3\n\n[problem]\nkind = \"rl\"\nenv = \"Pendulum\"\nhorizon = 20\n\
         policy = {policy}\n\n[weights]\ndirections = 4\n\n[centre]\nevaluations = 2\n\n\
         [constraint]\ncost = \"active\"\ntarget = 5\n"
    );
    place.write("study.toml", &study);
    place.ok("run study.toml --quiet --out a");
    place.ok("report a");
    let text =
        |name: &str| String::from_utf8(place.bytes(&format!("a/report/{name}.svg"))).unwrap();
    assert!(text("model").contains("of 12 edges"), "{}", text("model"));
    assert!(text("masks").contains("s0 → h1"), "{}", text("masks"));
    assert!(text("size").contains("Mean number of edges") && text("size").contains("target"));
}

/// Where weights are shared, the classes of the matrices are drawn.
#[test]
fn a_quantized_policy_is_drawn_as_matrices() {
    let place = Place::new();
    let study = "[stop]\niterations = 2\n\n[problem]\nkind = \"rl\"\nenv = \"Pendulum\"\nhorizon = 20\n\
                 policy = { kind = \"quantization\", hidden = [3], partitions = 2 }\n\n[weights]\n\
                 directions = 4\n\n[centre]\nevaluations = 2\n";
    place.write("study.toml", study);
    place.ok("run study.toml --quiet --out a");
    place.ok("report a");
    let model = String::from_utf8(place.bytes("a/report/model.svg")).unwrap();
    for words in ["states → hidden units (Best)", "hidden units → actions (Best)"] {
        assert!(model.contains(words), "{model}");
    }
}

#[test]
fn events_are_written_while_a_study_runs() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet --out a --tensorboard live");
    place.ok("export a --format tensorboard --timings --out after");
    let file = std::fs::read_dir(place.path("live")).unwrap().next().unwrap().unwrap().file_name();
    let name = file.to_str().unwrap();
    let (live, after) = (format!("live/{name}"), format!("after/{name}"));
    assert_eq!(place.bytes(&live), place.bytes(&after));
    // A study that goes on begins its file anew, from the records.
    place.ok("resume a --rewind 28 --quiet --tensorboard live");
    place.ok("export a --format tensorboard --timings --out after");
    assert_eq!(place.bytes(&live), place.bytes(&after));
    let said = place.run("run study.toml --quiet --out b --tensorboard study.toml");
    assert_eq!((said.code, said.err.contains("study.toml")), (1, true), "{said:?}");
}

/// Red when the answer is not where the search stands, or its evaluations teach the study
/// something.
#[test]
fn the_answer_is_where_a_study_stands_and_can_be_evaluated() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet --out a --set controller.kind=asng --set problem.noise=0.1");
    let before = place.ok("best a --json");
    let said = place.ok("answer a");
    assert!(said.contains("--evaluations N") && said.contains("└─ blocks"), "{said}");
    let parsed = |words: &str| serde_json::from_str::<serde_json::Value>(&place.ok(words)).unwrap();
    let plain = parsed("answer a --json");
    let models = place.ok("export a --format jsonl --rows models");
    let last: serde_json::Value = serde_json::from_str(models.lines().last().unwrap()).unwrap();
    assert_eq!((&plain["dna"], &plain["model"]), (&last["dna"], &last["model"]));
    assert_eq!((plain["theta"].as_array().unwrap().len(), &plain["score"]), (20, &().into()));
    let scored = parsed("answer a --json --evaluations 50 --theta a.npy");
    assert_eq!(scored["theta"], plain["theta"]);
    let (score, close) = (&scored["score"], |x: f64| (0.05..0.2).contains(&x));
    assert_eq!((&score["evaluations"], &score["failures"]), (&50.into(), &0.into()));
    assert!(close(score["deviation"].as_f64().unwrap()), "noise of 0.1: {score}");
    assert_eq!(parsed("answer a --json -n 50 --workers 1")["score"], *score, "addressed noise");
    assert!(place.ok("answer a -n 3").starts_with("score      -"));
    assert!(place.path("a.npy").exists());
    assert_eq!(place.ok("best a --json"), before);
}

/// Of ASNG they are exact, of the network they are averaged; and the last likeliest model is the
/// one that the state holds.
#[test]
fn a_distribution_records_what_it_holds_likely() {
    let place = Place::with_study();
    for (kind, found) in [("asng", "exact"), ("policy-gradient", "averaged")] {
        place.ok(&format!("run study.toml --quiet --out {kind} --set controller.kind={kind}"));
        let said = place.ok(&format!("export {kind} --format csv --rows marginals"));
        let mut sums = std::collections::BTreeMap::<&str, f64>::new();
        for line in said.lines().skip(1).filter(|line| line.contains(",blocks[0],")) {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells[4], found, "{line}");
            *sums.entry(cells[0]).or_default() += cells[3].parse::<f64>().unwrap();
        }
        assert_eq!(sums.len(), 30);
        assert!(sums.values().all(|sum| (sum - 1.0).abs() < 1e-5), "{kind}: {sums:?}");
        let models = place.ok(&format!("export {kind} --format jsonl --rows models"));
        assert_eq!(models.lines().count(), 30);
        let now = place.ok(&format!("answer {kind} --json"));
        let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let (last, now) = (parsed(models.lines().last().unwrap()), parsed(&now));
        assert_eq!((&last["dna"], &last["model"]), (&now["dna"], &now["model"]), "{kind}");
        let table = place.ok(&format!("export {kind} --format csv --rows models"));
        assert!(table.starts_with("iteration,dna,model\n0,"), "{table}");
    }
    let every =
        "run study.toml --quiet --out some --set controller.kind=asng --set record.every=10";
    place.ok(every);
    assert_eq!(place.ok("export some --format jsonl --rows models").lines().count(), 3);
    place.ok("run study.toml --quiet --out none");
    assert_eq!(place.ok("export none --format jsonl --rows models"), "");
    place.run("export none --format tensorboard --rows models --out l").refused(2, &["--rows"]);
}

#[test]
fn marginals_are_frequencies() {
    let place = Place::with_study();
    place.ok("run study.toml --quiet --out a");
    let said = place.ok("export a --format csv --rows marginals");
    let mut sums = std::collections::BTreeMap::<(String, String), f64>::new();
    for line in said.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [iteration, decision, _, frequency, "counted"] = cells[..] else { panic!("{line}") };
        let key = (iteration.to_owned(), decision.to_owned());
        *sums.entry(key).or_default() += frequency.parse::<f64>().unwrap();
    }
    let at = |key: &str| sums.iter().filter(|(k, _)| k.1 == key).collect::<Vec<_>>();
    let blocks = at("blocks[0]");
    assert_eq!(blocks.len(), 30);
    assert!(blocks.iter().all(|(_, sum)| (**sum - 1.0).abs() < 1e-9), "{blocks:?}");
    assert!(at("blocks[0].slope").iter().all(|(_, sum)| (0.0..=1.0 + 1e-9).contains(*sum)));
    assert!(place.ok("export a --format jsonl --rows marginals").starts_with("{\"decision\":"));
    place.run("export a --format csv --rows marginals --timings").refused(2, &["--timings"]);
}
