//! As much of JSON Schema as the schema of a study uses.

use serde_json::Value;

/// Whether `value` fits `schema`, or where it does not.
pub(crate) fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    fit(schema, schema, value, "$")
}

fn fit(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let wrong = |what: String| Err(format!("{at}: {what}"));
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target =
            root.pointer(reference.trim_start_matches('#')).expect("it refers to something");
        return fit(root, target, value, at);
    }
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        let tried: Vec<_> = options.iter().map(|option| fit(root, option, value, at)).collect();
        if tried.iter().all(Result::is_err) {
            return wrong(format!("{value} fits no alternative: {tried:?}"));
        }
    }
    if let Some(expected) = schema.get("const")
        && expected != value
    {
        return wrong(format!("{value} is not {expected}"));
    }
    if let Some(options) = schema.get("enum").and_then(Value::as_array)
        && !options.contains(value)
    {
        return wrong(format!("{value} is none of {options:?}"));
    }
    if let Some(name) = schema.get("type").and_then(Value::as_str) {
        let is = match name {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            other => panic!("type {other}"),
        };
        if !is {
            return wrong(format!("{value} is not of type {name}"));
        }
    }
    if let (Some(least), Some(number)) = (schema.get("minimum"), value.as_f64())
        && number < least.as_f64().unwrap()
    {
        return wrong(format!("{number} is less than {least}"));
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(items) = schema.get("items") {
            fit(root, items, item, &format!("{at}[{index}]"))?;
        }
    }
    let Some(map) = value.as_object() else { return Ok(()) };
    for required in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        if !map.contains_key(required.as_str().unwrap()) {
            return wrong(format!("{required} is missing"));
        }
    }
    for (key, value) in map {
        let at = format!("{at}.{key}");
        match (
            schema.get("properties").and_then(|all| all.get(key)),
            schema.get("additionalProperties"),
        ) {
            (Some(property), _) => fit(root, property, value, &at)?,
            (None, Some(Value::Bool(false))) => return Err(format!("{at}: unknown key")),
            (None, Some(other)) => fit(root, other, value, &at)?,
            (None, None) => {}
        }
    }
    Ok(())
}
