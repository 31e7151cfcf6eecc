//! The way back: which DNA and which numbers a design has.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::form::flatten;
use super::path::{bracket, whole};
use super::{Candidates, Choice, Dna, Kind, Numbers, Product, Real, Space, Tensor};

/// Of at most so many slots the candidates are moved about until all have one.
const MOST_DEALT: usize = 1000;

/// A design that is not of the space: where, what stands there, and what is accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("design, at `{}`: {found}; accepted is {accepted}", whole(path))]
pub struct DesignError {
    path: String,
    found: String,
    accepted: String,
    /// How much fitted before this did not: of several candidates the one that fits best says what
    /// is wrong.
    fitted: u32,
}

/// Numbers of a design.
pub(crate) struct Found {
    pub(crate) place: u32,
    pub(crate) path: String,
    pub(crate) values: Vec<f64>,
}

impl DesignError {
    fn new(found: &Value, accepted: impl Into<String>) -> Self {
        let mut found = found.to_string();
        if let Some((end, _)) = found.char_indices().nth(60) {
            found.truncate(end);
            found.push('…');
        }
        Self { path: String::new(), found, accepted: accepted.into(), fitted: 0 }
    }

    fn under(mut self, segment: &str, fitted: u32) -> Self {
        self.path.insert_str(0, segment);
        self.fitted += fitted;
        self
    }

    /// Weights that two places share, and have differently.
    pub(crate) fn shared(path: String, other: &str) -> Self {
        let accepted = format!("the same as at `{}`, with which it is shared", whole(other));
        Self { path, found: "an array of its own".to_owned(), accepted, fitted: 0 }
    }
}

/// What fitted so far.
#[derive(Default)]
struct Fit {
    genes: Vec<u32>,
    numbers: Vec<Found>,
    path: String,
}

impl Space {
    /// The DNA of `design`, and its numbers. Of several candidates that fit, the first is taken.
    pub(crate) fn fit(&self, design: &Value) -> Result<(Dna, Vec<Found>), DesignError> {
        let mut fit = Fit::default();
        self.fit_from(design, 0, &mut fit)?;
        Ok((Dna::from(fit.genes), fit.numbers))
    }

    /// What fitted of a node that does not is left behind.
    fn fit_from(&self, design: &Value, place: u32, fit: &mut Fit) -> Result<(), DesignError> {
        match &self.kind {
            Kind::Constant(value) if alike(value, design) => Ok(()),
            Kind::Constant(value) => Err(DesignError::new(design, value.to_string())),
            Kind::Numbers(numbers) => {
                let values = numbers.fit(design)?;
                fit.numbers.push(Found { place, path: fit.path.clone(), values });
                Ok(())
            }
            Kind::Product(product) => product.fit(design, place, fit),
            Kind::Choice(choice) if choice.bare => {
                choice.fit_slot(design, place, 0, fit, &|_| true)
            }
            Kind::Choice(choice) => choice.fit(design, place, fit),
        }
    }
}

impl Fit {
    /// Goes into the part at `segment`, before which so many fitted.
    fn within(
        &mut self,
        segment: &str,
        fitted: usize,
        enter: impl FnOnce(&mut Self) -> Result<(), DesignError>,
    ) -> Result<(), DesignError> {
        let length = self.path.len();
        self.path.push_str(segment);
        let result = enter(self);
        self.path.truncate(length);
        result.map_err(|error| error.under(segment, fitted as u32))
    }
}

impl Product {
    fn fit(&self, design: &Value, place: u32, fit: &mut Fit) -> Result<(), DesignError> {
        let parts: Vec<&Value> = match (&self.names, design) {
            (Some(names), Value::Object(map)) => {
                let strange = map.keys().find(|key| !names.contains(key));
                let named: Option<Vec<_>> = names.iter().map(|name| map.get(name)).collect();
                match named.filter(|_| strange.is_none()) {
                    Some(parts) => parts,
                    None => return Err(DesignError::new(design, self.accepted())),
                }
            }
            (None, Value::Array(items)) if items.len() == self.parts.len() => {
                items.iter().collect()
            }
            _ => return Err(DesignError::new(design, self.accepted())),
        };
        let mut place = place;
        for (index, (part, value)) in self.parts.iter().zip(parts).enumerate() {
            let segment = self.segment(index);
            fit.within(&segment, index, |fit| part.fit_from(value, place, fit))?;
            place += part.places();
        }
        Ok(())
    }

    fn accepted(&self) -> String {
        match &self.names {
            Some(names) => format!("an object with the keys {}", names.join(", ")),
            None => format!("an array of {}", self.parts.len()),
        }
    }
}

impl Choice {
    /// Slot after slot, each with the first candidate that leaves the later ones theirs.
    fn fit(&self, design: &Value, place: u32, fit: &mut Fit) -> Result<(), DesignError> {
        let items = match design {
            Value::Array(items) if items.len() == self.slots as usize => items,
            _ => {
                let accepted = format!("an array of {} selections", self.slots);
                return Err(DesignError::new(design, accepted));
            }
        };
        let exclusive = self.distinct && !self.sorted;
        let dealt = if exclusive { self.deal(items, place) } else { None };
        let (mut low, mut taken) = (0, BTreeSet::new());
        for (slot, item) in (0..).zip(items) {
            let accepts = |value: u32| match &dealt {
                Some(dealt) => dealt[slot as usize] == value,
                None => low <= value && !taken.contains(&value),
            };
            let before = fit.genes.len();
            fit.within(&bracket(slot), slot as usize, |fit| {
                self.fit_slot(item, place, slot, fit, &accepts)
            })?;
            let value = fit.genes[before];
            if self.sorted {
                low = value + u32::from(self.distinct);
            } else if exclusive {
                taken.insert(value);
            }
        }
        Ok(())
    }

    /// The candidate of each slot, all different (Kuhn's algorithm); none if there are not enough,
    /// or where the first one free has to do, because slots are one or very many.
    fn deal(&self, items: &[Value], place: u32) -> Option<Vec<u32>> {
        if !(2..=MOST_DEALT).contains(&items.len()) {
            return None;
        }
        let fits = |(slot, item): (u32, &Value)| -> Vec<u32> {
            let alone = |value: &u32| {
                self.fit_candidate(item, place, slot, &mut Fit::default(), *value).is_ok()
            };
            self.likely(item).filter(alone).collect()
        };
        let fits: Vec<Vec<u32>> = (0..).zip(items).map(fits).collect();
        let mut owner = BTreeMap::new();
        for slot in 0..items.len() {
            let mut tried = BTreeSet::new();
            if !settle(slot, &fits, &mut owner, &mut tried) {
                return None;
            }
        }
        let mut dealt = vec![0; items.len()];
        owner.into_iter().for_each(|(value, slot)| dealt[slot] = value);
        Some(dealt)
    }

    /// The first candidate in `slot` that is accepted and fits.
    fn fit_slot(
        &self,
        design: &Value,
        place: u32,
        slot: u32,
        fit: &mut Fit,
        accepts: &dyn Fn(u32) -> bool,
    ) -> Result<(), DesignError> {
        let mut nearest: Option<DesignError> = None;
        for value in self.likely(design).filter(|value| accepts(*value)) {
            let before = (fit.genes.len(), fit.numbers.len());
            let Err(error) = self.fit_candidate(design, place, slot, fit, value) else {
                return Ok(());
            };
            fit.genes.truncate(before.0);
            fit.numbers.truncate(before.1);
            if nearest.as_ref().is_none_or(|nearest| error.fitted > nearest.fitted) {
                nearest = Some(error);
            }
        }
        match nearest.filter(|error| error.fitted > 0 || self.arity == 1) {
            Some(error) => Err(error),
            None => Err(DesignError::new(design, self.accepted())),
        }
    }

    fn fit_candidate(
        &self,
        design: &Value,
        place: u32,
        slot: u32,
        fit: &mut Fit,
        value: u32,
    ) -> Result<(), DesignError> {
        fit.genes.push(value);
        match self.candidates.listed().get(value as usize) {
            Some(space) => space.fit_from(design, self.branch_place(place, slot, value), fit),
            None => Ok(()),
        }
    }

    /// The candidates that may fit: of a range, the one.
    fn likely(&self, design: &Value) -> impl Iterator<Item = u32> + use<> {
        match &self.candidates {
            Candidates::List(list) => 0..list.len() as u32,
            Candidates::Range { low, step, count } => {
                let at = whole_number(design).and_then(|at| {
                    let above = (at >= *low).then(|| at.abs_diff(*low))?;
                    (above.is_multiple_of(*step) && above / step < *count).then_some(above / step)
                });
                at.map_or(0..0, |at| at as u32..at as u32 + 1)
            }
        }
    }

    fn accepted(&self) -> String {
        let selected = match (self.bare, self.sorted) {
            (false, true) => " in ascending order of the candidates",
            (false, false) if self.distinct => ", none twice",
            _ => "",
        };
        match &self.candidates {
            Candidates::Range { low, step, count } => {
                let high = super::candidates::nth(*low, *step, count - 1);
                let step = if *step == 1 { String::new() } else { format!(" in steps of {step}") };
                format!("an integer from {low} to {high}{step}{selected}")
            }
            Candidates::List(list) => {
                let mut words: Vec<_> =
                    list.iter().take(8).map(|space| space.to_value().to_string()).collect();
                words.iter_mut().filter(|word| word.len() > 60).for_each(|word| {
                    let end = word.char_indices().nth(60).map_or(word.len(), |(end, _)| end);
                    word.truncate(end);
                    word.push('…');
                });
                let more = if list.len() > 8 { ", …" } else { "" };
                format!("one of {}{more}{selected}", words.join(", "))
            }
        }
    }
}

/// Finds `slot` a candidate, moving those that have one to another where that helps.
fn settle(
    slot: usize,
    fits: &[Vec<u32>],
    owner: &mut BTreeMap<u32, usize>,
    tried: &mut BTreeSet<u32>,
) -> bool {
    for &value in &fits[slot] {
        if !tried.insert(value) {
            continue;
        }
        let free = match owner.get(&value).copied() {
            None => true,
            Some(other) => settle(other, fits, owner, tried),
        };
        if free {
            owner.insert(value, slot);
            return true;
        }
    }
    false
}

impl Numbers {
    fn fit(&self, design: &Value) -> Result<Vec<f64>, DesignError> {
        match self {
            Self::Real(real) => real.fit(design).map(|value| vec![value]),
            Self::Weights(tensor) => tensor.fit(design),
        }
    }
}

impl Real {
    fn fit(&self, design: &Value) -> Result<f64, DesignError> {
        let Self { low, high, step, .. } = *self;
        let fits = |value: &f64| {
            let off = step.map_or(0.0, |step| {
                let nearest = (low + ((value - low) / step).round() * step).min(high);
                (value - nearest).abs() / step
            });
            (low..=high).contains(value) && off <= 1e-6
        };
        let grid = step.map_or(String::new(), |step| format!(" in steps of {step}"));
        let accepted = || format!("a number from {low} to {high}{grid}");
        design.as_f64().filter(fits).ok_or_else(|| DesignError::new(design, accepted()))
    }
}

impl Tensor {
    fn fit(&self, design: &Value) -> Result<Vec<f64>, DesignError> {
        let mut values = Vec::with_capacity(self.count());
        let numbers = flatten(design, &mut values).is_ok();
        let (low, high) = self.bounds.unwrap_or((f64::MIN, f64::MAX));
        if numbers && is_of(design, &self.shape) && values.iter().all(|x| (low..=high).contains(x))
        {
            return Ok(values);
        }
        let within = self.bounds.map_or(String::new(), |_| format!(" from {low} to {high}"));
        Err(DesignError::new(
            design,
            format!("an array of shape {:?} of numbers{within}", self.shape),
        ))
    }
}

/// Whether arrays within arrays have this shape.
fn is_of(design: &Value, shape: &[usize]) -> bool {
    match (shape, design) {
        ([], Value::Array(_)) => false,
        ([], _) => true,
        ([axis, rest @ ..], Value::Array(items)) => {
            items.len() == *axis && items.iter().all(|item| is_of(item, rest))
        }
        _ => false,
    }
}

/// Whether two values are the same, whichever way their numbers are written.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        _ => one == other,
    }
}

fn whole_number(value: &Value) -> Option<i64> {
    let whole = |x: f64| (x.fract() == 0.0 && x.abs() < 9e15).then_some(x as i64);
    value.as_i64().or_else(|| value.as_f64().and_then(whole))
}
