//! `docs/study.schema.json` and `docs/study.md` say what the study file takes.
//!
//! The schema is made by asking: what a section takes is in the complaints about what it does not
//! take. So a new kind or key is in the schema as soon as `ESENAS_BLESS=1 cargo test -p esenas-run
//! --test schema` is run, and the test fails until it is.

mod ask;
mod check;

use std::path::{Path, PathBuf};

use esenas_run::{Spec, spec};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema() -> Value {
    serde_json::from_str(spec::schema()).expect("the schema is JSON")
}

/// Studies of the folder and examples in the documentation: name and text.
fn studies() -> Vec<(String, String)> {
    let mut studies = Vec::new();
    let mut folders = vec![root().join("studies")];
    while let Some(entries) = folders.pop().map(|folder| std::fs::read_dir(folder).unwrap()) {
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("rl/paper.toml") {
                // What the studies beside it are made from.
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                studies.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(studies.len() >= 3);
    let document = std::fs::read_to_string(root().join("docs/study.md")).unwrap();
    let examples = document.split("```toml\n").skip(1).map(|rest| rest.split("```").next());
    for (at, example) in examples.flatten().enumerate() {
        studies.push((format!("docs/study.md, example {at}"), example.to_owned()));
    }
    studies
}

#[test]
fn the_schema_is_what_the_sections_take() {
    let made = serde_json::to_string_pretty(&ask::schema()).unwrap() + "\n";
    let path = root().join("docs/study.schema.json");
    if std::env::var_os("ESENAS_BLESS").is_some() {
        std::fs::write(path, made).unwrap();
    } else {
        assert_eq!(made, spec::schema(), "run this test with ESENAS_BLESS=1 to write the schema");
    }
}

#[test]
fn every_study_and_example_fits_the_schema_and_can_run() {
    let schema = schema();
    for (name, text) in studies() {
        let planned = Spec::parse(&name, &text, &root(), &[]).and_then(Spec::plan);
        let spec = planned.unwrap_or_else(|e| panic!("{e}")).spec().clone();
        let table: toml::Table = toml::from_str(&text).unwrap();
        let written = serde_json::to_value(&table).unwrap();
        check::fits(&schema, &written).unwrap_or_else(|e| panic!("{name}: {e}"));
        let table: toml::Table = toml::from_str(&spec.to_toml()).unwrap();
        let resolved = serde_json::to_value(&table).unwrap();
        check::fits(&schema, &resolved).unwrap_or_else(|e| panic!("{name}, resolved: {e}"));
    }
}

#[test]
fn the_schema_refuses_what_the_study_refuses() {
    let schema = schema();
    for (text, refused) in [
        ("seed = 1\n[problem]\nkind = \"synthetic\"", false),
        ("seed = -1\n[problem]\nkind = \"synthetic\"", true),
        ("sed = 1\n[problem]\nkind = \"synthetic\"", true),
        ("seed = 1", true),
        ("[problem]\nkind = \"syntetic\"", true),
        ("weights = { kind = \"es\", sgma = 1 }\n[problem]\nkind = \"synthetic\"", true),
        (
            "weights = { kind = \"es\", rule = { adam = {} } }\n[problem]\nkind = \"synthetic\"",
            false,
        ),
        (
            "weights = { kind = \"es\", rule = { adam = { b = 1 } } }\n[problem]\nkind = \"synthetic\"",
            true,
        ),
        ("problem = { kind = \"command\", argv = [] }", true),
    ] {
        let table: toml::Table = toml::from_str(text).unwrap();
        let value = serde_json::to_value(&table).unwrap();
        assert_eq!(check::fits(&schema, &value).is_err(), refused, "{text}");
    }
}

#[test]
fn every_key_is_documented() {
    fn keys(schema: &Value, found: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            found.extend(properties.keys().cloned());
        }
        match schema {
            Value::Object(map) => map.values().for_each(|value| keys(value, found)),
            Value::Array(items) => items.iter().for_each(|value| keys(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    keys(&schema(), &mut found);
    let document = std::fs::read_to_string(root().join("docs/study.md")).unwrap();
    found.retain(|key| !document.contains(&format!("`{key}`")));
    assert!(found.is_empty(), "docs/study.md does not mention {found:?}");
    assert!(schema()["properties"].get("weights").is_some());
}
