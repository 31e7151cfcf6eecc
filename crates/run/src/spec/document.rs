//! A study file as it was written: its values, and the line of each key.

use std::ops::Range;
use std::path::Path;

use esenas::Space;
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::SpecError;
use super::blame::lookup;
use super::fault::Fault;
use super::source::{Origin, Source};
use super::text::{self, Lines};

/// The values of a study file, as JSON, and where they came from.
pub(super) struct Document {
    pub(super) source: Source,
    pub(super) value: Value,
}

impl Document {
    pub(super) fn new(name: &str, value: Value) -> Self {
        Self { source: Source::new(name), value }
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
        let table = DeTable::parse(text).map_err(syntax)?.into_inner();
        let mut document = Self::new(name, Value::Null);
        let mut visit = |path: &str, span: Range<usize>| {
            let origin = Origin::Line(lines.of(span.start));
            document.source.origins().insert(path.to_owned(), origin);
        };
        let value = json(DeValue::Table(table), "", &mut visit);
        document.value = value.map_err(|fault| document.locate(fault))?;
        Ok(document)
    }

    /// Applies `a.b=c`. The value is TOML, or else a string.
    pub(super) fn set(&mut self, text: &str) -> Result<(), SpecError> {
        let wrong = |what: &str| SpecError::Override { text: text.to_owned(), what: what.into() };
        let form = "write key=value, as in weights.sigma=0.2";
        let (key, value) = text.split_once('=').ok_or_else(|| wrong(form))?;
        let path = dotted(key).ok_or_else(|| wrong(form))?;
        let value = value.trim();
        let line = format!("value = {value}");
        let read = DeTable::parse(&line).ok().map(Spanned::into_inner).and_then(|mut table| {
            table.remove("value").filter(|_| table.is_empty()).map(Spanned::into_inner)
        });
        let key = path.join(".");
        let read = read.unwrap_or_else(|| DeValue::String(value.into()));
        let value = json(read, &key, &mut |_, _| ()).map_err(|fault| wrong(&fault.to_string()))?;
        let below = format!("{key}.");
        let origins = self.source.origins();
        origins.retain(|at, _| !at.starts_with(&below));
        let (last, parents) = path.split_last().ok_or_else(|| wrong(form))?;
        let mut at = &mut self.value;
        for (depth, parent) in parents.iter().enumerate() {
            let Value::Object(map) = at else {
                return Err(wrong(&format!("`{}` is not a table", path[..depth].join("."))));
            };
            at = map.entry(parent.clone()).or_insert_with(|| Value::Object(Map::new()));
            let origin = Origin::Override(text.to_owned());
            origins.entry(path[..=depth].join(".")).or_insert(origin);
        }
        origins.insert(key, Origin::Override(text.to_owned()));
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

    /// The same with what only its environment can say. That runs what the study names, so it is
    /// for studies that somebody is about to run, never for those that are looked at.
    pub(super) fn looked_up(mut self) -> Result<Self, SpecError> {
        let found = crate::problem::look_up(&mut self.value);
        found.map_err(|fault| self.locate(fault)).map(|()| self)
    }

    /// Says where a fault is.
    pub(super) fn locate(&self, fault: Fault) -> SpecError {
        self.source.locate(fault, &self.value)
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
        let table = DeTable::parse(&text).map_err(|error| at(error.message().to_owned()))?;
        let value = json(DeValue::Table(table.into_inner()), "", &mut |_, _| ());
        return value.map_err(|fault| at(fault.to_string()));
    }
    space_json(&text).map_err(at)
}

/// Read as a space first: of a name that is there twice, a plain value would keep the last in
/// silence.
fn space_json(text: &str) -> Result<Value, String> {
    serde_json::from_str::<Space>(text).map_err(|error| error.to_string())?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// As JSON, which has neither dates nor numbers that are not finite: no key takes either. `visit`
/// is told where the key of each path stands.
fn json(
    value: DeValue<'_>,
    path: &str,
    visit: &mut dyn FnMut(&str, Range<usize>),
) -> Result<Value, Fault> {
    Ok(match value {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(integer) => {
            let read = i64::from_str_radix(integer.as_str(), integer.radix());
            let help = "integers have 63 bits";
            let large = |_| Fault::new(path, format!("is too large: {integer}")).help(help);
            Value::from(read.map_err(large)?)
        }
        DeValue::Boolean(flag) => Value::Bool(flag),
        DeValue::Float(float) => {
            let float = float.as_str().parse().unwrap_or(f64::NAN);
            let wrong = || Fault::new(path, format!("must be finite, got {float}"));
            Value::Number(Number::from_f64(float).ok_or_else(wrong)?)
        }
        DeValue::Datetime(date) => {
            return Err(Fault::new(path, format!("is the date {date}")).help("quote it"));
        }
        DeValue::Array(items) => {
            let item = |item: Spanned<DeValue<'_>>| json(item.into_inner(), path, &mut |_, _| ());
            Value::Array(items.into_iter().map(item).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => {
            let mut map = Map::new();
            for (key, value) in table {
                let name = key.get_ref();
                let path =
                    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                visit(&path, key.span());
                map.insert(name.to_string(), json(value.into_inner(), &path, visit)?);
            }
            Value::Object(map)
        }
    })
}
