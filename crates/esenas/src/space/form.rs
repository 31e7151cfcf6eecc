//! The written form: JSON, and through it TOML. `docs/spaces.md` tells users,
//! `docs/space.schema.json` their editors.
//!
//! A scalar is a constant, an array a list, an object a map; an object with one of the reserved
//! words `oneof`, `manyof`, `permutation`, `int`, `bool` is a choice, with `real` or `weights`
//! numbers, with `const` any constant.

use serde_json::{Map, Value, json};

use super::candidates::nth;
use super::nearest::{RESERVED, foreign, nearest, resembles};
use super::numbers::{INTERVAL, NAME, SCALE, SHAPE, STEP};
use super::path::{bracket, branch, name};
use super::{
    Candidates, Choice, First, Kind, Many, Numbers, Real, Space, SpaceError, SpaceFault, Tensor,
};

/// What candidates may be, in messages.
const CANDIDATES: &str = "an array of candidates, or { \"int\": [low, high] }";
const COUNT: &str = "an integer from 1 on";
const FLAG: &str = "true or false";
const FIRST: &str = "\"zeros\", \"uniform\", \"gaussian\", or an array of numbers";

impl Space {
    /// Reads the written form.
    pub fn from_value(value: &Value) -> Result<Self, SpaceError> {
        match value {
            Value::Array(items) => {
                let part = |(index, item)| {
                    Self::from_value(item).map_err(|error| error.under(&bracket(index)))
                };
                let parts: Result<Vec<_>, _> = (0..).zip(items).map(part).collect();
                Self::list(parts?)
            }
            Value::Object(map) => match RESERVED.into_iter().find(|word| map.contains_key(*word)) {
                Some(word) => form(word, map),
                None => dict(map),
            },
            scalar => Ok(Self::constant(scalar.clone())),
        }
    }

    /// The written form. Reading it gives an equal space.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Constant(value) if plain(value) => value.clone(),
            Kind::Constant(value) => json!({ "const": value }),
            Kind::Numbers(numbers) => numbers.to_value(),
            Kind::Product(product) => {
                let values = product.parts.iter().map(Self::to_value);
                match &product.names {
                    Some(names) => {
                        Value::Object(names.iter().cloned().zip(values).collect::<Map<_, _>>())
                    }
                    None => Value::Array(values.collect()),
                }
            }
            Kind::Choice(choice) => choice.to_value(),
        }
    }
}

fn dict(map: &Map<String, Value>) -> Result<Space, SpaceError> {
    // What a TOML date looks like to a reader that does not know dates.
    if map.keys().any(|key| key.starts_with("$__toml_private")) {
        return Err(SpaceFault::Date.into());
    }
    if let Some((word, form)) = foreign(map) {
        return Err(SpaceFault::Foreign { word, form }.into());
    }
    let mut parts = Vec::with_capacity(map.len());
    for (key, value) in map {
        parts.push((key, Space::from_value(value).map_err(|error| error.under(&name(key)))?));
    }
    Space::dict(parts)
}

/// An object with the reserved word `word`.
fn form(word: &'static str, map: &Map<String, Value>) -> Result<Space, SpaceError> {
    let keys: &[&'static str] = match word {
        "manyof" => &["manyof", "k", "distinct", "sorted"],
        "int" => &["int", "step"],
        "real" => &["real", "log", "step"],
        "weights" => &["weights", "scale", "name", "first", "bounds"],
        _ => &[word],
    };
    if let Some(key) = map.keys().find(|key| !keys.contains(&key.as_str())) {
        let nearest = nearest(key, keys);
        return Err(SpaceFault::UnknownKey { form: word, key: key.clone(), nearest }.into());
    }
    let value = &map[word];
    match word {
        "oneof" => Space::oneof(candidates("oneof", value)?),
        "permutation" => Space::permutation(candidates("permutation", value)?),
        "int" => Space::oneof(int(map)?),
        "real" => Space::real(real(map)?),
        "weights" => Space::weights(weights(map)?),
        "const" => {
            let space = Space::constant(value.clone());
            space.shape.admit().map(|_| space)
        }
        "bool" if *value == json!({}) => Ok(Space::bool()),
        "bool" => Err(wrong("bool", value, "{}")),
        _ => {
            let accepted = COUNT;
            let Some(k) = map.get("k") else {
                return Err(SpaceFault::MissingKey { form: "manyof", key: "k", accepted }.into());
            };
            let k = k.as_u64().ok_or_else(|| wrong("k", k, accepted))?;
            // More than 32 bits is refused as what it is: too many decisions, or too few
            // candidates.
            let k = u32::try_from(k).unwrap_or(u32::MAX);
            let distinct = flag(map, "distinct", true)?;
            let sorted = flag(map, "sorted", false)?;
            Space::manyof(Many { k, distinct, sorted }, candidates("manyof", value)?)
        }
    }
}

fn candidates(word: &'static str, value: &Value) -> Result<Candidates, SpaceError> {
    match value {
        Value::Array(items) => {
            let candidate = |(index, item)| {
                Space::from_value(item).map_err(|error| error.under(&branch(index)))
            };
            let list: Result<Vec<_>, _> = items.iter().enumerate().map(candidate).collect();
            Ok(list?.into())
        }
        Value::Object(map) if map.contains_key("int") => {
            form("int", map)?;
            int(map)
        }
        other => Err(wrong(word, other, CANDIDATES)),
    }
}

/// The number that `real` and what stands beside it describe.
fn real(map: &Map<String, Value>) -> Result<Real, SpaceError> {
    let (low, high) =
        interval(&map["real"]).ok_or_else(|| wrong("real", &map["real"], INTERVAL))?;
    let number = |step: &Value| step.as_f64().ok_or_else(|| wrong("step", step, STEP));
    let step = map.get("step").map(number).transpose()?;
    Ok(Real { low, high, log: flag(map, "log", false)?, step })
}

/// The block that `weights` and what stands beside it describe.
fn weights(map: &Map<String, Value>) -> Result<Tensor, SpaceError> {
    let shape = &map["weights"];
    let axis = |axis: &Value| axis.as_u64().and_then(|axis| usize::try_from(axis).ok());
    let axes = shape.as_array().and_then(|axes| axes.iter().map(axis).collect::<Option<Vec<_>>>());
    let axes = axes.ok_or_else(|| wrong("weights", shape, SHAPE))?;
    let scale = |it: &Value| it.as_f64().ok_or_else(|| wrong("scale", it, SCALE));
    let bounds = |it: &Value| interval(it).ok_or_else(|| wrong("bounds", it, INTERVAL));
    let name = |it: &Value| it.as_str().map(str::to_owned).ok_or_else(|| wrong("name", it, NAME));
    Ok(Tensor {
        shape: axes,
        scale: map.get("scale").map(scale).transpose()?,
        first: map.get("first").map_or(Ok(First::default()), first)?,
        bounds: map.get("bounds").map(bounds).transpose()?,
        name: map.get("name").map(name).transpose()?,
    })
}

fn first(value: &Value) -> Result<First, SpaceError> {
    match value {
        Value::String(word) if word == "zeros" => Ok(First::Zeros),
        Value::String(word) if word == "uniform" => Ok(First::Uniform),
        Value::String(word) if word == "gaussian" => Ok(First::Gaussian),
        Value::Array(_) => {
            let mut numbers = Vec::new();
            flatten(value, &mut numbers).map_err(|found| wrong("first", found, FIRST))?;
            Ok(First::Given(numbers))
        }
        other => Err(wrong("first", other, FIRST)),
    }
}

/// The numbers of an array, or of arrays within it, in order; or what is no number.
pub(super) fn flatten<'a>(value: &'a Value, numbers: &mut Vec<f64>) -> Result<(), &'a Value> {
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| flatten(item, numbers)),
        other => {
            numbers.push(other.as_f64().ok_or(other)?);
            Ok(())
        }
    }
}

fn interval(value: &Value) -> Option<(f64, f64)> {
    match value.as_array().map(Vec::as_slice) {
        Some([low, high]) => low.as_f64().zip(high.as_f64()),
        _ => None,
    }
}

/// The range that `int` and `step` of an object describe.
fn int(map: &Map<String, Value>) -> Result<Candidates, SpaceError> {
    let bounds = &map["int"];
    let (low, high) = match bounds.as_array().map(Vec::as_slice) {
        Some([low, high]) => low.as_i64().zip(high.as_i64()),
        _ => None,
    }
    .filter(|(low, high)| low <= high)
    .ok_or_else(|| wrong("int", bounds, "[low, high], integers of 64 bits with low ≤ high"))?;
    let step = match map.get("step") {
        None => 1,
        Some(step) => step.as_u64().filter(|&s| s > 0).ok_or_else(|| wrong("step", step, COUNT))?,
    };
    Ok(Candidates::int(low, high, step))
}

fn flag(map: &Map<String, Value>, key: &'static str, default: bool) -> Result<bool, SpaceError> {
    match map.get(key) {
        None => Ok(default),
        Some(value) => value.as_bool().ok_or_else(|| wrong(key, value, FLAG)),
    }
}

fn wrong(key: &'static str, value: &Value, accepted: &'static str) -> SpaceError {
    let mut found = value.to_string();
    if let Some((end, _)) = found.char_indices().nth(60) {
        found.truncate(end);
        found.push('…');
    }
    SpaceFault::WrongValue { key, found, accepted }.into()
}

/// Whether a constant is read back as itself: no name in it would be refused or taken for a form.
fn plain(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(plain),
        Value::Object(map) => {
            map.iter().all(|(key, value)| {
                resembles(key).is_none() && !key.starts_with("$__toml_private") && plain(value)
            }) && foreign(map).is_none()
        }
        _ => true,
    }
}

impl Numbers {
    fn to_value(&self) -> Value {
        let mut form = Map::new();
        match self {
            Self::Real(Real { low, high, log, step }) => {
                form.insert("real".into(), json!([low, high]));
                log.then(|| form.insert("log".into(), true.into()));
                step.map(|step| form.insert("step".into(), step.into()));
            }
            Self::Weights(Tensor { shape, scale, first, bounds, name }) => {
                form.insert("weights".into(), json!(shape));
                scale.map(|scale| form.insert("scale".into(), scale.into()));
                bounds.map(|(low, high)| form.insert("bounds".into(), json!([low, high])));
                name.as_ref().map(|name| form.insert("name".into(), json!(name)));
                let first = match first {
                    First::Gaussian => return form.into(),
                    First::Zeros => json!("zeros"),
                    First::Uniform => json!("uniform"),
                    First::Given(numbers) => json!(numbers),
                };
                form.insert("first".into(), first);
            }
        }
        form.into()
    }

    /// In a word: what it is.
    pub(super) fn word(&self) -> String {
        match self {
            Self::Real(Real { low, high, .. }) => format!("{low} to {high}"),
            Self::Weights(Tensor { name: Some(name), .. }) => name.clone(),
            Self::Weights(Tensor { shape, .. }) => format!("weights {shape:?}"),
        }
    }
}

impl Choice {
    fn to_value(&self) -> Value {
        let candidates = match &self.candidates {
            Candidates::List(list) => list.iter().map(Space::to_value).collect(),
            &Candidates::Range { low, step, count } => {
                let bounds = [low, nth(low, step, count - 1)];
                match step {
                    1 => json!({ "int": bounds }),
                    _ => json!({ "int": bounds, "step": step }),
                }
            }
        };
        let whole = self.slots == self.arity && self.distinct && !self.sorted;
        if self.bare && candidates.is_object() {
            candidates
        } else if self.bare && candidates == json!([false, true]) {
            json!({ "bool": {} })
        } else if self.bare {
            json!({ "oneof": candidates })
        } else if whole {
            json!({ "permutation": candidates })
        } else {
            json!({
                "manyof": candidates,
                "k": self.slots,
                "distinct": self.distinct,
                "sorted": self.sorted,
            })
        }
    }
}
