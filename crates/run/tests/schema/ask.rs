//! Makes the schema by asking the sections what they take.

use esenas_run::Spec;
use serde_json::{Map, Value, json};

/// The schema of a study.
pub(crate) fn schema() -> Value {
    let study = json!({ "preset": "paper", "problem": { "kind": "synthetic" } });
    let mut properties = Map::new();
    for key in fields(&study, &[]) {
        let at = [key.as_str()];
        let property = match key.as_str() {
            "weights" | "controller" => optional_kind(&study, &key, tagged(&study, &at)),
            "problem" => tagged(&study, &at),
            // One of the two, so beside no other section.
            _ => describe(&study, &at),
        };
        properties.insert(key, property);
    }
    let weights = properties.insert("weights".into(), json!({ "$ref": "#/$defs/weights" }));
    let controller =
        properties.insert("controller".into(), json!({ "$ref": "#/$defs/controller" }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study of esenas",
        "type": "object",
        "required": ["problem"],
        "additionalProperties": false,
        "properties": properties,
        "$defs": {
            "controller": controller,
            "weights": weights,
            "schedule": schedule(),
            "time": {
                "description": "seconds, or a time such as \"90m\"",
                "anyOf": [{ "type": "number", "minimum": 0 }, { "type": "string" }],
            },
            "design": { "description": "a design of the space, as objectives get it" },
            "known": {
                "type": "object",
                "required": ["design"],
                "additionalProperties": false,
                "properties": {
                    "design": { "$ref": "#/$defs/design" },
                    "theta": { "type": "array", "items": { "type": "number" } },
                    "value": { "type": "number" },
                },
            },
            "space": {
                "description": "a space, see docs/spaces.md, or the path of a JSON or TOML file with one",
            },
            "bounds": {
                "description": "[low, high], or one such pair for each coordinate",
                "type": "array",
            },
        },
    })
}

fn schedule() -> Value {
    let course = json!({
        "type": "object",
        "required": ["from", "to", "iterations"],
        "additionalProperties": false,
        "properties": {
            "from": { "type": "number" },
            "to": { "type": "number" },
            "iterations": { "type": "integer", "minimum": 0 },
        },
    });
    let one = |name: &str| {
        json!({
            "type": "object",
            "required": [name],
            "additionalProperties": false,
            "properties": { name: course },
        })
    };
    json!({ "anyOf": [{ "type": "number" }, one("linear"), one("cosine")] })
}

/// Says of what is at `path` what may be there.
fn describe(study: &Value, path: &[&str]) -> Value {
    let accepts = |value: Value| complaint(&with(study, path, value)).is_none();
    let refuses = |value: Value| complaint(&with(study, path, value)).unwrap_or_default();
    let key = path.last().copied().unwrap_or_default();
    let course = json!({ "linear": { "from": 1.0, "to": 1.0, "iterations": 1 } });
    let about_key = |complaint: &str| complaint == "missing field `kind`";
    let mut schema = if key == "policy" {
        tagged(study, path)
    } else if key == "space" {
        json!({ "$ref": "#/$defs/space" })
    } else if key == "constraints" {
        let limit = table(study, &["constraints", "?"]);
        json!({ "type": "object", "additionalProperties": limit })
    } else if key == "design" {
        json!({ "$ref": "#/$defs/design" })
    } else if key == "designs" {
        json!({ "type": "array", "items": { "$ref": "#/$defs/known" } })
    } else if accepts(json!([0.0, 1.0])) && accepts(json!([[0.0, 1.0]])) {
        json!({ "$ref": "#/$defs/bounds" })
    } else if about_key(&refuses(json!({}))) {
        let of_weights = ["weights", "first", "then"].contains(&key);
        json!({ "$ref": if of_weights { "#/$defs/weights" } else { "#/$defs/controller" } })
    } else if !fields(&with(study, path, json!({})), path).is_empty()
        && !refuses(json!("?")).starts_with("unknown variant")
    {
        table(study, path)
    } else if accepts(json!(0.5)) && accepts(course) {
        json!({ "$ref": "#/$defs/schedule" })
    } else if accepts(json!(0.5)) && accepts(json!("1m")) {
        json!({ "$ref": "#/$defs/time" })
    } else if accepts(json!(0.5)) && accepts(json!([0.5])) {
        let each = json!({ "type": "array", "items": { "type": "number" } });
        json!({ "anyOf": [{ "type": "number" }, each] })
    } else if accepts(json!(0.5)) {
        json!({ "type": "number" })
    } else if accepts(json!(1)) && accepts(json!("any")) {
        let count = json!({ "type": "integer", "minimum": 0 });
        json!({ "anyOf": [count, { "type": "array", "items": count }, { "const": "any" }] })
    } else if accepts(json!(1)) {
        json!({ "type": "integer", "minimum": 0 })
    } else if accepts(json!([1])) && !accepts(json!([0.5])) {
        json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } })
    } else if accepts(json!(true)) {
        json!({ "type": "boolean" })
    } else if accepts(json!(["?"])) {
        json!({ "type": "array", "items": { "type": "string" } })
    } else if accepts(json!([0.5])) {
        json!({ "type": "array", "items": { "type": "number" } })
    } else if accepts(json!({ "?": ["?"] })) {
        json!({ "type": "object" })
    } else if accepts(json!({ "?": [0.5] })) {
        let costs = json!({ "type": "array", "items": { "type": "number" } });
        json!({ "type": "object", "additionalProperties": costs })
    } else if refuses(json!(["?"])).starts_with("unknown variant") {
        let items = names(&refuses(json!(["?"])));
        json!({ "type": "array", "items": { "type": "string", "enum": items } })
    } else if refuses(json!("?")).starts_with("unknown variant") {
        variants(study, path, &names(&refuses(json!("?"))))
    } else {
        assert!(accepts(json!("?")), "{path:?} takes nothing that is known here");
        json!({ "type": "string" })
    };
    let default = serde_json::from_value::<Spec>(study.clone()).ok();
    let default = default.and_then(|spec| at(&spec.to_value(), path).cloned());
    if let Some(default) = default.filter(|value| !value.is_null() && !value.is_object()) {
        schema["default"] = default;
    }
    schema
}

/// An enum: its plain members as text, the others as tables.
fn variants(study: &Value, path: &[&str], names: &[String]) -> Value {
    let accepts = |value: Value| complaint(&with(study, path, value)).is_none();
    let (plain, others): (Vec<_>, Vec<_>) = names.iter().partition(|name| accepts(json!(name)));
    let mut options = vec![json!({ "type": "string", "enum": plain })];
    for name in others {
        let inner: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
        let study = with(study, path, json!({}));
        options.push(json!({
            "type": "object",
            "required": [name],
            "additionalProperties": false,
            "properties": { name.as_str(): describe(&study, &inner) },
        }));
    }
    if options.len() == 1 { options.remove(0) } else { json!({ "anyOf": options }) }
}

/// A table of one kind.
fn table(study: &Value, path: &[&str]) -> Value {
    let (study, required) = fill(study, path);
    let mut properties = Map::new();
    for key in fields(&study, path) {
        let inner: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
        let mut property = describe(&study, &inner);
        undefault(&mut property, required.contains(&key));
        properties.insert(key.clone(), property);
    }
    assert!(!properties.is_empty(), "{path:?} takes no keys");
    let mut schema =
        json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// A table of several kinds.
fn tagged(study: &Value, path: &[&str]) -> Value {
    let unknown = complaint(&with(study, path, json!({ "kind": "?" }))).unwrap_or_default();
    let kind = |kind: &String| {
        let study = with(study, path, json!({ "kind": kind }));
        let (study, mut required) = fill(&study, path);
        let mut properties = Map::from_iter([("kind".to_owned(), json!({ "const": kind }))]);
        for key in fields(&study, path) {
            let inner: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
            let mut property = describe(&study, &inner);
            undefault(&mut property, required.contains(&key));
            properties.insert(key.clone(), property);
        }
        required.insert(0, "kind".to_owned());
        json!({
            "type": "object",
            "required": required,
            "additionalProperties": false,
            "properties": properties,
        })
    };
    json!({ "anyOf": names(&unknown).iter().map(kind).collect::<Vec<_>>() })
}

/// A section that names no kind is of the kind it would have if it were left out.
fn optional_kind(study: &Value, section: &str, mut schema: Value) -> Value {
    let spec: Spec = serde_json::from_value(study.clone()).expect("a study");
    let default = spec.to_value()[section]["kind"].clone();
    for option in schema["anyOf"].as_array_mut().into_iter().flatten() {
        if option["properties"]["kind"]["const"] == default
            && let Some(required) = option["required"].as_array_mut()
        {
            required.retain(|key| key != "kind");
        }
    }
    schema
}

/// What must be given has no default: what was found there is what [`fill`] put.
fn undefault(property: &mut Value, required: bool) {
    if let Value::Object(map) = property
        && required
    {
        map.remove("default");
    }
}

/// Gives the table at `path` all that it must have; returns the study and the names of that.
fn fill(study: &Value, path: &[&str]) -> (Value, Vec<String>) {
    let mut study = match at(study, path) {
        Some(Value::Object(_)) => study.clone(),
        _ => with(study, path, json!({})),
    };
    let mut required = Vec::new();
    while let Some(field) = complaint(&study).and_then(|said| {
        said.strip_prefix("missing field `").map(|rest| rest.trim_end_matches('`').to_owned())
    }) {
        let sample = match field.as_str() {
            "argv" => json!(["?"]),
            "space" => json!({}),
            "cost" => json!("active"),
            "env" => json!("Pendulum"),
            "policy" => json!({ "kind": "unstructured" }),
            "weights" => json!({ "kind": "es" }),
            "controller" => json!({ "kind": "random" }),
            "pairing" => json!("independent"),
            _ => json!(1),
        };
        let inner: Vec<&str> = path.iter().copied().chain([field.as_str()]).collect();
        study = with(&study, &inner, sample);
        required.push(field);
        assert!(required.len() < 20, "{path:?} misses {required:?}");
    }
    (study, required)
}

/// The keys that the table at `path` takes.
fn fields(study: &Value, path: &[&str]) -> Vec<String> {
    let mut inner = path.to_vec();
    inner.push("?");
    names(&complaint(&with(study, &inner, json!(0))).unwrap_or_default())
}

fn complaint(study: &Value) -> Option<String> {
    serde_json::from_value::<Spec>(study.clone()).err().map(|error| error.to_string())
}

/// The names in backticks behind `expected`.
fn names(complaint: &str) -> Vec<String> {
    let expected = complaint.split_once(", expected").map_or("", |(_, expected)| expected);
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |at, key| at.get(key))
}

/// `study` with `value` at `path`.
fn with(study: &Value, path: &[&str], value: Value) -> Value {
    let mut study = study.clone();
    let mut at = &mut study;
    for key in path {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[*key];
    }
    *at = value;
    study
}
