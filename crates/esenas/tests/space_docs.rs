//! `docs/spaces.md` and `docs/space.schema.json` say what the code does.

use std::sync::Arc;

use esenas::space::Space;
use esenas::{Layout, Purpose, Seed};
use serde_json::Value;

const PAGE: &str = include_str!("../../../docs/spaces.md");
const SCHEMA: &str = include_str!("../../../docs/space.schema.json");

/// The fenced blocks of the page: tag and text.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let fences: Vec<&str> = PAGE.split("```").collect();
    let block = |text: &&'static str| text.split_once('\n').expect("a tag, then text");
    fences.iter().skip(1).step_by(2).map(block).collect()
}

fn read(tag: &str, text: &str) -> Result<Space, String> {
    match tag {
        "toml" => toml::from_str(text).map_err(|error| error.to_string()),
        _ => serde_json::from_str(text).map_err(|error| error.to_string()),
    }
}

/// With its numbers where a search begins.
fn design(layout: &Layout, dna: &esenas::Dna) -> Value {
    let mut theta = layout.start(&mut Seed(1).stream(Purpose::Start, 0, 0));
    layout.bounds().inspect(|bounds| bounds.place(0, &mut theta));
    layout.to_user(&mut theta);
    theta.iter_mut().for_each(|x| *x = (*x * 1e12).round() / 1e12);
    layout.decode(dna, &theta).unwrap().to_value(usize::MAX)
}

#[test]
fn every_block_does_what_the_page_says() {
    let mut checked = 0;
    for pair in blocks().chunks(2) {
        let [(tag, text), ("text", claims)] = pair else { panic!("{pair:?}: a space, then text") };
        if *tag == "json bad" {
            let space = read("json", text);
            let layout = space.and_then(|it| Layout::new(Arc::new(it)).map_err(|e| e.to_string()));
            assert_eq!(layout.unwrap_err(), claims.trim());
            checked += 1;
            continue;
        }
        let space = read(tag, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let layout = Layout::new(Arc::new(space.clone())).unwrap();
        for claim in claims.lines() {
            let (what, said) = claim.split_once(": ").expect("what: it is");
            let dna = || serde_json::from_str(what.split_once(' ').unwrap().1).unwrap();
            match what.split(' ').next().unwrap() {
                "size" => assert_eq!(space.size().to_string(), said),
                "decisions" => assert_eq!(space.loci().to_string(), said),
                "dna" => {
                    assert_eq!(space.decode(&dna()), Ok(serde_json::from_str(said).unwrap()));
                }
                "refused" => assert_eq!(space.check(&dna()).unwrap_err().to_string(), said),
                "path" => assert_eq!(space.path(what[5..].parse().unwrap()), said),
                "numbers" => assert_eq!(layout.dim().to_string(), said),
                "block" => {
                    let mut blocks = layout.blocks().iter();
                    let block = blocks.find(|it| format!("{:?}", it.range) == what[6..]).unwrap();
                    assert_eq!(block.path, said);
                }
                "active" => {
                    let mut ranges = Vec::new();
                    layout.active(&dna(), &mut ranges);
                    let ranges: Vec<_> = ranges.iter().map(|range| format!("{range:?}")).collect();
                    assert_eq!(ranges.join(", "), said);
                }
                "design" => assert_eq!(design(&layout, &dna()), said.parse::<Value>().unwrap()),
                other => panic!("{other}"),
            }
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
}

/// The part of JSON Schema that ours uses; anything else in it is an error here.
fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(rules) = schema.as_object() else { return schema == &Value::Bool(true) };
    let accepts = |schema: &Value, value: &Value| accepts(root, schema, value);
    let any = |schemas: &Value| schemas.as_array().unwrap().iter().any(|s| accepts(s, value));
    rules.iter().all(|(rule, want)| match (rule.as_str(), value) {
        ("$schema" | "title" | "description" | "default" | "$defs", _) => true,
        ("$ref", _) => {
            let target = want.as_str().unwrap().strip_prefix('#').unwrap();
            accepts(root.pointer(target).expect(target), value)
        }
        ("anyOf", _) => any(want),
        ("not", _) => !accepts(want, value),
        ("enum", _) => want.as_array().unwrap().contains(value),
        ("type", _) => match want {
            Value::Array(types) => types.iter().any(|t| is(t.as_str().unwrap(), value)),
            name => is(name.as_str().unwrap(), value),
        },
        ("minimum", Value::Number(n)) => n.as_f64() >= want.as_f64(),
        ("maximum", Value::Number(n)) => n.as_f64() <= want.as_f64(),
        ("minItems", Value::Array(items)) => items.len() as u64 >= want.as_u64().unwrap(),
        ("maxItems", Value::Array(items)) => items.len() as u64 <= want.as_u64().unwrap(),
        ("items", Value::Array(items)) => items.iter().all(|item| accepts(want, item)),
        ("required", Value::Object(map)) => {
            want.as_array().unwrap().iter().all(|key| map.contains_key(key.as_str().unwrap()))
        }
        ("properties", Value::Object(map)) => {
            map.iter().all(|(key, part)| want.get(key).is_none_or(|schema| accepts(schema, part)))
        }
        ("additionalProperties", Value::Object(map)) => map.iter().all(|(key, part)| {
            rules.get("properties").is_some_and(|p| p.get(key).is_some()) || accepts(want, part)
        }),
        ("propertyNames", Value::Object(map)) => {
            map.keys().all(|key| accepts(want, &Value::from(key.as_str())))
        }
        // Only slips of the reserved words are told by pattern; the reader judges those.
        ("pattern", _) => false,
        ("minimum" | "maximum" | "minItems" | "maxItems" | "items", _) => true,
        ("required" | "properties" | "additionalProperties" | "propertyNames", _) => true,
        (other, _) => panic!("the schema uses `{other}`, which this test does not know"),
    })
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}"),
    }
}

#[test]
fn the_schema_accepts_the_page_and_refuses_what_is_malformed() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for (tag, text) in blocks() {
        let value: Value = match tag {
            "json" => serde_json::from_str(text).unwrap(),
            "toml" => toml::from_str(text).unwrap(),
            _ => continue,
        };
        assert!(accepts(&schema, &schema, &value), "{text}");
        let written = serde_json::to_value(read(tag, text).unwrap()).unwrap();
        assert!(accepts(&schema, &schema, &written), "{written}");
    }
    for bad in [
        r#"{ "oneof": [] }"#,
        r#"{ "oneof": 3 }"#,
        r#"{ "manyof": [1, 2] }"#,
        r#"{ "manyof": [1, 2], "k": 0 }"#,
        r#"{ "manyof": [1, 2], "k": 1, "sort": true }"#,
        r#"{ "a": { "int": [1] } }"#,
        r#"{ "int": [1, 2], "step": 0 }"#,
        r#"[{ "bool": true }]"#,
        r#"{ "oneof": [1], "a": 2 }"#,
        r#"{ "real": [0] }"#,
        r#"{ "weights": [0] }"#,
        r#"{ "weights": [2], "first": "ones" }"#,
    ] {
        let value = serde_json::from_str(bad).unwrap();
        assert!(!accepts(&schema, &schema, &value), "the schema accepts {bad}");
        assert!(Space::from_value(&value).is_err(), "the reader accepts {bad}");
    }
}
