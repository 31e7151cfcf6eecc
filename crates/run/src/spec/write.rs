//! The resolved study as text: what a run directory keeps, and what a resumption is compared with.

use std::collections::BTreeMap;
use std::path::Path;

use esenas_store::{Header, Reader};
use serde_json::Value;

use super::fault::Fault;
use super::{Spec, SpecError};

/// A key in which two studies differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its dotted path.
    pub key: String,
    /// Its value in the one, if it has one.
    pub here: Option<String>,
    /// Its value in the other.
    pub there: Option<String>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |value: &Option<String>| value.clone().unwrap_or("not set".to_owned());
        write!(f, "{}: {} here, {} there", self.key, shown(&self.here), shown(&self.there))
    }
}

impl Spec {
    /// The study with all its defaults, as TOML: the same text for the same study.
    ///
    /// Keys without a value are left out.
    pub fn to_toml(&self) -> String {
        toml::to_string(&table(&self.to_value())).expect("tables of TOML values are TOML")
    }

    /// The study of a run directory.
    pub fn stored(directory: &Path) -> Result<Self, crate::StudyError> {
        Ok(Self::of(&Reader::open(directory)?.header()?, directory)?)
    }

    /// The study that a run directory was made for.
    pub fn of(header: &Header, directory: &Path) -> Result<Self, SpecError> {
        let name = directory.join("study.toml").display().to_string();
        Self::read(&name, &header.spec, directory, &[])
    }

    /// Refuses a study whose text cannot be read again: it could not be resumed.
    pub(crate) fn expect_readable(&self) -> Result<(), SpecError> {
        let what = match Self::read("the study", &self.to_toml(), Path::new(""), &[]) {
            Ok(read) if read.to_value() == self.to_value() => return Ok(()),
            Ok(_) => "would be read as another one".to_owned(),
            Err(error) => format!("could not be read again: {error}"),
        };
        let key = if nests(&self.to_value()) > DEEPEST { "problem.space" } else { "problem" };
        let fault = Fault::new(key, format!("cannot be kept, since it {what}"));
        Err(self.locate(fault.help("use a space that nests less")))
    }

    /// The keys in which `self` (here) and `other` (there) differ, by name.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let (mut here, mut there) = (BTreeMap::new(), BTreeMap::new());
        leaves(&self.to_value(), "", &mut here);
        leaves(&other.to_value(), "", &mut there);
        let keys: std::collections::BTreeSet<&String> = here.keys().chain(there.keys()).collect();
        let differing = keys.into_iter().filter(|key| here.get(*key) != there.get(*key));
        let difference = |key: &String| Difference {
            key: key.clone(),
            here: here.get(key).map(super::fault::shown),
            there: there.get(key).map(super::fault::shown),
        };
        differing.map(difference).collect()
    }

    /// What in the study decides its result, in 16 hexadecimal digits: not when it stops.
    pub fn fingerprint(&self) -> String {
        let mut value = self.to_value();
        if let Value::Object(map) = &mut value {
            map.remove("stop");
        }
        // FNV-1a: it names settings, and guards against nothing.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        format!("{:016x}", value.to_string().bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }

    /// As JSON: keys sorted, all defaults written out.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("a study is numbers, text, lists and tables")
    }
}

/// Everything that is not a table, by dotted path.
fn leaves(value: &Value, path: &str, into: &mut BTreeMap<String, Value>) {
    match value {
        Value::Null => {}
        Value::Object(map) if path != "problem.space" => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leaves(value, &path, into);
            }
        }
        other => drop(into.insert(path.to_owned(), other.clone())),
    }
}

/// The study as TOML, without the keys that have no value.
fn table(study: &Value) -> toml::Table {
    let entries = study.as_object().into_iter().flatten();
    // A space of one model may be null.
    let entries = entries.filter(|(key, value)| !value.is_null() || *key == "space");
    let entry = |(key, value): (&String, &Value)| {
        let value = match (key.as_str(), value) {
            ("space", space) => space_value(space),
            (_, Value::Object(_)) => toml::Value::Table(table(value)),
            _ => toml_value(value).unwrap_or_else(|| value.to_string().into()),
        };
        (key.clone(), value)
    };
    entries.map(entry).collect()
}

/// Readers of TOML stop at about 80 tables and lists within each other.
const DEEPEST: usize = 40;

/// A space that TOML cannot say, since there is a `null` in it or it nests too deep, or that would
/// be taken for the name of a file, is written as text of JSON.
fn space_value(space: &Value) -> toml::Value {
    let plain = !space.is_string() && nests(space) <= DEEPEST;
    let plain = if plain { toml_value(space) } else { None };
    plain.unwrap_or_else(|| space.to_string().into())
}

/// How many lists and tables are within each other.
fn nests(value: &Value) -> usize {
    let below = match value {
        Value::Array(items) => items.iter().map(nests).max(),
        Value::Object(map) => map.values().map(nests).max(),
        _ => return 0,
    };
    1 + below.unwrap_or(0)
}

/// As TOML, which has no `null` and no integers of more than 63 bits.
pub(super) fn toml_value(value: &Value) -> Option<toml::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => toml::Value::Boolean(*flag),
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => toml::Value::Integer(integer),
            (None, Some(float)) if !number.is_u64() => toml::Value::Float(float),
            _ => return None,
        },
        Value::Array(items) => {
            toml::Value::Array(items.iter().map(toml_value).collect::<Option<_>>()?)
        }
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| Some((key.clone(), toml_value(value)?));
            toml::Value::Table(map.iter().map(entry).collect::<Option<_>>()?)
        }
    })
}
