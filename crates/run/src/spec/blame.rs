//! Which key a refusal is about.
//!
//! The kinds of a section are tagged enums, and while reading one of those serde forgets where it
//! is. But every setting has a default: so the key to blame is the smallest part of the document
//! without which the same complaint is not made.

use serde_json::Value;

use super::Spec;
use super::fault::{Fault, suggest};

/// Reads a study, or says which key is wrong, and how.
pub(super) fn read(document: &Value) -> Result<Spec, Fault> {
    let complaint = match serde_json::from_value::<Spec>(document.clone()) {
        Ok(spec) => return Ok(spec),
        Err(error) => error.to_string(),
    };
    let path = culprit(document, &complaint);
    let key = join(&path);
    Err(match missing(&complaint) {
        Some(field) => {
            let at = if key.is_empty() { field.to_owned() } else { format!("{key}.{field}") };
            Fault::new(at, "is missing").help(accepted(document, &path, field))
        }
        None => explain(key, &path, &complaint),
    })
}

/// The path to the smallest part without which `complaint` is not made.
fn culprit(document: &Value, complaint: &str) -> Vec<String> {
    let mut path: Vec<String> = Vec::new();
    while let Some(next) = step(document, &path, complaint) {
        path.push(next);
    }
    path
}

fn step(document: &Value, path: &[String], complaint: &str) -> Option<String> {
    let mut children: Vec<String> = match path.iter().try_fold(document, |at, key| at.get(key))? {
        Value::Object(map) => map.keys().cloned().collect(),
        _ => return None,
    };
    // Without its kind a section is not read at all, whatever else is wrong with it.
    children.sort_by_key(|key| key == "kind");
    let without = |child: &String| {
        let mut document = document.clone();
        let parent = path.iter().try_fold(&mut document, |at, key| at.get_mut(key));
        if let Some(Value::Object(map)) = parent {
            map.remove(child);
        }
        serde_json::from_value::<Spec>(document).err().map(|error| error.to_string())
    };
    // Of several unknown keys it is the one that is named.
    let named = complaint.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    // First, since each try reads all of the document, and there may be many keys.
    if let Some(named) = children.iter().find(|child| named == Some(child))
        && without(named).as_deref() != Some(complaint)
    {
        return Some(named.clone());
    }
    let after: Vec<(String, Option<String>)> =
        children.into_iter().map(|child| (child.clone(), without(&child))).collect();
    let mended = |(child, now): &(String, Option<String>)| match now {
        None => true,
        Some(now) if now == complaint => false,
        Some(now) => (missing(now).is_none() && child != "kind") || named == Some(child),
    };
    // What has no default is missed when it is taken away.
    let missed = |(child, now): &(String, Option<String>)| {
        now.as_deref().and_then(missing) == Some(child)
            && (missing(complaint).is_none() || path.is_empty())
    };
    let found = after.iter().find(|it| mended(it)).or_else(|| after.iter().find(|it| missed(it)));
    found.map(|(child, _)| child.clone())
}

/// The field that is missing, if that is the complaint.
fn missing(complaint: &str) -> Option<&str> {
    complaint.strip_prefix("missing field `")?.strip_suffix('`')
}

/// What a missing `kind` might be.
fn accepted(document: &Value, path: &[String], field: &str) -> String {
    let mut document = document.clone();
    let parent = path.iter().try_fold(&mut document, |at, key| at.get_mut(key));
    if let (Some(Value::Object(map)), "kind") = (parent, field) {
        map.insert("kind".to_owned(), "?".into());
        let error = serde_json::from_value::<Spec>(document).err();
        let names = names(&error.map(|error| error.to_string()).unwrap_or_default());
        return format!("accepted: {}", list(&names));
    }
    match field {
        "problem" => "give a [problem] with a kind".to_owned(),
        _ => "it has no default".to_owned(),
    }
}

/// A complaint of serde's, in the words of the study file.
fn explain(key: String, path: &[String], complaint: &str) -> Fault {
    let name = path.last().map_or("", String::as_str);
    if complaint.starts_with("unknown field") {
        return Fault::new(key, "unknown key").help(suggest(name, &names(complaint)));
    }
    if complaint.starts_with("unknown variant") {
        let given = complaint.split('`').nth(1).unwrap_or_default();
        return Fault::new(key, "unknown value").help(suggest(given, &names(complaint)));
    }
    match complaint.split_once(", expected ") {
        Some((_, expected)) if complaint.starts_with("invalid") => {
            Fault::new(key, format!("must be {}", plain(expected)))
        }
        _ => match complaint.strip_prefix("expected ") {
            Some(expected) => Fault::new(key, format!("must be {expected}")),
            None => Fault::new(key, complaint.to_owned()),
        },
    }
}

/// The names in backticks behind `expected`.
fn names(complaint: &str) -> Vec<String> {
    let expected = complaint.split_once(", expected").map_or("", |(_, expected)| expected);
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Rust's names of types, for people.
fn plain(expected: &str) -> String {
    match expected {
        "f64" => "a number".to_owned(),
        "u16" => "an integer from 0 to 65535".to_owned(),
        "u32" => "an integer from 0 to 4294967295".to_owned(),
        "u64" | "usize" => "an integer from 0 on".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        _ if expected.starts_with("struct ") || expected.contains("internally tagged") => {
            "a table".to_owned()
        }
        _ => expected.to_owned(),
    }
}

fn join(path: &[String]) -> String {
    path.join(".")
}

/// What stands at a dotted path.
pub(super) fn lookup<'a>(document: &'a Value, key: &str) -> Option<&'a Value> {
    key.split('.').try_fold(document, |at, part| at.get(part))
}
