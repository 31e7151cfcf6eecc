//! `space`: size, decisions, samples, validation.

use serde_json::{Value, json};

use crate::harness::Place;

const SPACE: &str = r#"{"block": {"oneof": [null, {"units": {"oneof": [16, 32, 64]}}]},
 "edges": {"manyof": [0, 1, 2, 3], "k": 2}}"#;

fn place() -> Place {
    let place = Place::new();
    place.write("space.json", SPACE);
    place
}

#[test]
fn a_space_is_described() {
    let place = place();
    let said = place.ok("space space.json");
    for words in ["models     ", "decisions  3 to 4 per model", "block.oneof[1].units", "edges[1]"]
    {
        assert!(said.contains(words), "no `{words}` in\n{said}");
    }
    let size: u128 = place.ok("space space.json --size").trim().parse().unwrap();
    assert!(size > 4, "{size}");
    place.write("large.toml", "bits = { manyof = [0, 1], k = 1000, distinct = false }\n");
    assert_eq!(place.ok("space large.toml --size"), "10^301.0\n");
}

#[test]
fn samples_are_valid_and_depend_on_the_seed_alone() {
    let place = place();
    let samples = place.ok("space space.json --sample 5 --seed 3");
    assert_eq!(samples, place.ok("space space.json --sample 5 --seed 3"));
    assert_ne!(samples, place.ok("space space.json --sample 5 --seed 4"));
    for line in samples.lines() {
        let sample: Value = serde_json::from_str(line).unwrap();
        let dna = sample["dna"].to_string();
        let said = place.ok(&format!("space space.json --validate {dna}"));
        assert!(said.starts_with("valid\n"), "{said}");
        assert_ne!(sample["model"], json!(null));
    }
}

#[test]
fn a_wrong_dna_or_space_is_refused_with_the_place() {
    let place = place();
    let said = place.run("space space.json --validate [7,0,0]");
    said.refused(2, &["gene 0", "block", "0 to 1"]);
    place.run("space space.json --validate x").refused(2, &["DNA"]);
    place.write("bad.json", r#"{"block": {"oneof": []}}"#);
    place.run("space bad.json").refused(2, &["bad.json", "block", "candidate"]);
    place.run("space nothing.json").refused(2, &["nothing.json"]);
}
