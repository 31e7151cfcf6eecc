//! Where the keys of a study were written: what a refusal points at.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::SpecError;
use super::blame::lookup;
use super::fault::{Fault, shown};

/// Where a study was written. It is no part of what the study is: all are equal.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    /// By dotted path.
    origins: Arc<BTreeMap<String, Origin>>,
}

#[derive(Clone, Debug)]
pub(super) enum Origin {
    Line(usize),
    /// As given to `--set`.
    Override(String),
}

impl Default for Source {
    fn default() -> Self {
        Self::new("the study")
    }
}

impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Source {
    /// That of a study which messages call `name`.
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), origins: Arc::default() }
    }

    pub(super) fn origins(&mut self) -> &mut BTreeMap<String, Origin> {
        Arc::make_mut(&mut self.origins)
    }

    /// Says where a fault of `study` is: at its key, or the nearest above that was written.
    pub(super) fn locate(&self, fault: Fault, study: &Value) -> SpecError {
        let value = lookup(study, &fault.key).map(shown);
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
