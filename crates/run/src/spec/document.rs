//! A study file as it was written: its values, and the line of each key.

use std::collections::BTreeMap;
use std::path::Path;

use esenas::Space;
use serde_json::{Map, Number, Value};
use toml::de::{DeTable, DeValue};

use super::SpecError;
use super::blame::lookup;
use super::fault::{Fault, shown};
use super::text::{self, Lines};

/// The values of a study file, as JSON, and where they came from.
#[derive(Clone)]
pub(super) struct Document {
    name: String,
    pub(super) value: Value,
    /// By dotted path.
    origins: BTreeMap<String, Origin>,
}

#[derive(Clone)]
enum Origin {
    Line(usize),
    /// As given to `--set`.
    Override(String),
}

impl Document {
    pub(super) fn new(name: &str, value: Value) -> Self {
        Self { name: name.to_owned(), value, origins: BTreeMap::new() }
    }

    pub(super) fn parse(name: &str, text: &str) -> Result<Self, SpecError> {
        let lines = Lines::new(text);
        let syntax = |error: toml::de::Error| SpecError::Syntax {
            place: match error.span() {
                Some(span) => format!("{name}, line {}", lines.of(span.start)),
                None => name.to_owned(),
            },
            what: error.message().to_owned(),
        };
        let mut origins = BTreeMap::new();
        note(DeTable::parse(text).map_err(syntax)?.get_ref(), "", &lines, &mut origins);
        let table: toml::Table = toml::from_str(text).map_err(syntax)?;
        let mut document = Self { origins, ..Self::new(name, Value::Null) };
        let value = json(toml::Value::Table(table), "");
        document.value = value.map_err(|fault| document.locate(fault))?;
        Ok(document)
    }

    /// Applies `a.b=c`. The value is TOML, or else a string.
    pub(super) fn set(&mut self, text: &str) -> Result<(), SpecError> {
        let wrong = |what: &str| SpecError::Override { text: text.to_owned(), what: what.into() };
        let form = "write key=value, as in weights.sigma=0.2";
        let (key, value) = text.split_once('=').ok_or_else(|| wrong(form))?;
        let path = dotted(key).ok_or_else(|| wrong(form))?;
        let read = |value: &str| -> Option<toml::Value> {
            let mut table: toml::Table = toml::from_str(&format!("value = {value}")).ok()?;
            table.remove("value").filter(|_| table.is_empty())
        };
        let value = value.trim();
        let value = read(value).unwrap_or_else(|| toml::Value::String(value.to_owned()));
        let key = path.join(".");
        let value = json(value, &key).map_err(|fault| wrong(&fault.to_string()))?;
        let below = format!("{key}.");
        self.origins.retain(|at, _| !at.starts_with(&below));
        let (last, parents) = path.split_last().ok_or_else(|| wrong(form))?;
        let mut at = &mut self.value;
        for (depth, parent) in parents.iter().enumerate() {
            let Value::Object(map) = at else {
                return Err(wrong(&format!("`{}` is not a table", path[..depth].join("."))));
            };
            at = map.entry(parent.clone()).or_insert_with(|| Value::Object(Map::new()));
            let origin = Origin::Override(text.to_owned());
            self.origins.entry(path[..=depth].join(".")).or_insert(origin);
        }
        self.origins.insert(key, Origin::Override(text.to_owned()));
        match at {
            Value::Object(map) => drop(map.insert(last.clone(), value)),
            _ => return Err(wrong(&format!("`{}` is not a table", parents.join(".")))),
        }
        Ok(())
    }

    /// Puts the space that is in a file of its own where the study names the file.
    ///
    /// A name that begins like JSON is JSON: so a space that TOML cannot express is written.
    pub(super) fn inline_space(&mut self, directory: &Path) -> Result<(), SpecError> {
        let Some(Value::String(name)) = lookup(&self.value, "problem.space").cloned() else {
            return Ok(());
        };
        let space = match name.trim_start().starts_with(['{', '[', '"']) || name == "null" {
            true => space_json(&name),
            false => read_space(&directory.join(&name)),
        };
        let space = space.map_err(|what| self.locate(Fault::new("problem.space", what)))?;
        if let Some(at) = self.value.pointer_mut("/problem/space") {
            *at = space;
        }
        Ok(())
    }

    /// Says where a fault is.
    pub(super) fn locate(&self, fault: Fault) -> SpecError {
        let value = lookup(&self.value, &fault.key).map(shown);
        let mut key = fault.key.as_str();
        let origin = loop {
            match (self.origins.get(key), key.rfind('.')) {
                (Some(origin), _) => break Some(origin),
                (None, Some(dot)) => key = &key[..dot],
                (None, None) => break None,
            }
        };
        let place = match origin {
            Some(Origin::Line(line)) => format!("{}, line {line}", self.name),
            Some(Origin::Override(text)) => format!("--set {text}"),
            None => self.name.clone(),
        };
        fault.at(place, value)
    }
}

/// The parts of a dotted key, quoted or not.
fn dotted(key: &str) -> Option<Vec<String>> {
    let table: toml::Table = toml::from_str(&format!("{key} = 0")).ok()?;
    let (mut path, mut at) = (Vec::new(), toml::Value::Table(table));
    while let toml::Value::Table(table) = at {
        let mut entries = table.into_iter();
        let (Some((key, value)), None) = (entries.next(), entries.next()) else { return None };
        path.push(key);
        at = value;
    }
    Some(path)
}

fn read_space(path: &Path) -> Result<Value, String> {
    let at = |error: String| format!("cannot read the space in {}: {error}", path.display());
    let text = text::read(path).map_err(|error| at(error.to_string()))?;
    if path.extension().is_some_and(|extension| extension == "toml") {
        let table: toml::Table = toml::from_str(&text).map_err(|e| at(e.message().to_owned()))?;
        return json(toml::Value::Table(table), "").map_err(|fault| at(fault.to_string()));
    }
    space_json(&text).map_err(at)
}

/// Read as a space first: of a name that is there twice, a plain value would keep the last in silence.
fn space_json(text: &str) -> Result<Value, String> {
    serde_json::from_str::<Space>(text).map_err(|error| error.to_string())?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn note(table: &DeTable, path: &str, lines: &Lines, origins: &mut BTreeMap<String, Origin>) {
    for (key, value) in table {
        let name = key.get_ref();
        let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        origins.insert(path.clone(), Origin::Line(lines.of(key.span().start)));
        if let DeValue::Table(table) = value.get_ref() {
            note(table, &path, lines, origins);
        }
    }
}

/// As JSON, which has neither dates nor numbers that are not finite: no key takes either.
fn json(value: toml::Value, path: &str) -> Result<Value, Fault> {
    Ok(match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(integer) => Value::from(integer),
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Float(float) => match Number::from_f64(float) {
            Some(number) => Value::Number(number),
            None => return Err(Fault::new(path, format!("must be finite, got {float}"))),
        },
        toml::Value::Datetime(date) => {
            return Err(Fault::new(path, format!("is the date {date}")).help("quote it"));
        }
        toml::Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| json(item, path)).collect::<Result<_, _>>()?)
        }
        toml::Value::Table(table) => {
            let entry = |(key, value): (String, toml::Value)| {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                json(value, &path).map(|value| (key, value))
            };
            Value::Object(table.into_iter().map(entry).collect::<Result<_, _>>()?)
        }
    })
}
