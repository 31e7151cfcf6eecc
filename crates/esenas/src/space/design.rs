//! Designs: what a DNA and its numbers stand for, together.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::candidates::nth;
use super::members::split;
use super::{Candidates, Choice, Kind, Numbers, Space};

/// A point of a space with its numbers in place. Nothing is copied: constants are the space's,
/// arrays are views of θ.
#[derive(Clone, Debug, PartialEq)]
pub enum Design<'a> {
    /// A value as it is.
    Constant(&'a Value),
    /// An integer of a range.
    Integer(i64),
    /// A real.
    Number(f64),
    /// Weights.
    Array(Array<'a>),
    /// Parts in a row.
    List(Vec<Design<'a>>),
    /// Named parts, in the order of the names.
    Map(Vec<(&'a str, Design<'a>)>),
}

/// Weights: a view of θ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Array<'a> {
    /// The numbers, the last axis fastest.
    pub values: &'a [f64],
    /// How many along each axis.
    pub shape: &'a [usize],
    /// Where in θ they begin.
    pub offset: usize,
    /// The name under which they are shared, if they are.
    pub name: Option<&'a str>,
}

impl<'a> Design<'a> {
    /// The part of this name.
    pub fn get(&self, name: &str) -> Option<Cow<'_, Design<'a>>> {
        match self {
            Self::Constant(value) => value.get(name).map(|part| Cow::Owned(Self::Constant(part))),
            Self::Map(parts) => {
                let at = parts.binary_search_by(|(other, _)| (*other).cmp(name)).ok()?;
                Some(Cow::Borrowed(&parts[at].1))
            }
            _ => None,
        }
    }

    /// The part at this place of a list.
    pub fn item(&self, index: usize) -> Option<Cow<'_, Design<'a>>> {
        match self {
            Self::Constant(value) => value.get(index).map(|part| Cow::Owned(Self::Constant(part))),
            Self::List(parts) => parts.get(index).map(Cow::Borrowed),
            _ => None,
        }
    }

    /// The number it is.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Constant(value) => value.as_f64(),
            Self::Integer(value) => Some(*value as f64),
            Self::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer it is.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Self::Constant(value) => value.as_i64(),
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// The text it is.
    pub fn text(&self) -> Option<&'a str> {
        match self {
            Self::Constant(value) => value.as_str(),
            _ => None,
        }
    }

    /// The weights it is.
    pub fn array(&self) -> Option<&'a [f64]> {
        match self {
            Self::Array(array) => Some(array.values),
            _ => None,
        }
    }

    /// As JSON. Arrays of up to `inline` numbers are written out; a larger one is where to find it
    /// in θ: `{ "offset": …, "shape": […] }`, and its name if it has one.
    pub fn to_value(&self, inline: usize) -> Value {
        match self {
            Self::Constant(value) => (*value).clone(),
            Self::Integer(value) => (*value).into(),
            Self::Number(value) => (*value).into(),
            Self::Array(array) if array.values.len() <= inline => nested(array.values, array.shape),
            Self::Array(Array { shape, offset, name, .. }) => match name {
                Some(name) => json!({ "name": name, "offset": offset, "shape": shape }),
                None => json!({ "offset": offset, "shape": shape }),
            },
            Self::List(parts) => parts.iter().map(|part| part.to_value(inline)).collect(),
            Self::Map(parts) => {
                let part =
                    |(name, part): &(&str, Design)| (name.to_string(), part.to_value(inline));
                Value::Object(parts.iter().map(part).collect::<Map<_, _>>())
            }
        }
    }
}

/// Numbers as arrays within arrays.
fn nested(values: &[f64], shape: &[usize]) -> Value {
    match shape {
        [] => values.first().copied().into(),
        [_] => values.into(),
        [axis, rest @ ..] => {
            values.chunks(values.len() / axis).map(|part| nested(part, rest)).collect()
        }
    }
}

impl Space {
    /// The design of genes that were checked; `numbers` has, for each place, where in θ it begins
    /// and what stands there.
    pub(crate) fn design<'a>(
        &'a self,
        genes: &[u32],
        numbers: &impl Fn(u32) -> (usize, &'a [f64]),
    ) -> Design<'a> {
        self.design_from(genes, 0, numbers)
    }

    fn design_from<'a>(
        &'a self,
        genes: &[u32],
        place: u32,
        numbers: &impl Fn(u32) -> (usize, &'a [f64]),
    ) -> Design<'a> {
        match &self.kind {
            Kind::Constant(value) => Design::Constant(value),
            Kind::Numbers(leaf) => {
                let (offset, values) = numbers(place);
                match &**leaf {
                    Numbers::Real(_) => Design::Number(values.first().copied().unwrap_or(0.0)),
                    Numbers::Weights(tensor) => {
                        let (shape, name) = (&tensor.shape[..], tensor.name.as_deref());
                        Design::Array(Array { values, shape, offset, name })
                    }
                }
            }
            Kind::Product(product) => {
                let (mut place, mut rest) = (place, genes);
                let parts = product.parts.iter().map(|part| {
                    let (own, next) = split(rest, part.extent(rest).genes);
                    let design = part.design_from(own, place, numbers);
                    (rest, place) = (next, place + part.places());
                    design
                });
                match &product.names {
                    Some(names) => {
                        Design::Map(names.iter().map(String::as_str).zip(parts).collect())
                    }
                    None => Design::List(parts.collect()),
                }
            }
            Kind::Choice(choice) => {
                let mut parts = (0..).zip(choice.members(genes)).map(|(slot, member)| {
                    let place = choice.branch_place(place, slot, member.value);
                    choice.candidate_design(member.value, member.part, place, numbers)
                });
                match choice.bare {
                    true => parts.next().unwrap_or(Design::Constant(&Value::Null)),
                    false => Design::List(parts.collect()),
                }
            }
        }
    }
}

impl Choice {
    fn candidate_design<'a>(
        &'a self,
        value: u32,
        part: &[u32],
        place: u32,
        numbers: &impl Fn(u32) -> (usize, &'a [f64]),
    ) -> Design<'a> {
        match &self.candidates {
            Candidates::List(list) => list
                .get(value as usize)
                .map_or(Design::Constant(&Value::Null), |it| it.design_from(part, place, numbers)),
            Candidates::Range { low, step, .. } => Design::Integer(nth(*low, *step, value.into())),
        }
    }
}
