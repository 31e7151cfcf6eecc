//! What a DNA says: its value, as JSON.

use serde_json::{Map, Value};

use super::candidates::nth;
use super::members::split;
use super::{Candidates, Choice, Dna, DnaError, Kind, Space};

impl Space {
    /// The value `dna` stands for, if it is of this space. Numbers are not its business, and null:
    /// [`Layout::decode`](crate::Layout::decode) fills them in.
    pub fn decode(&self, dna: &Dna) -> Result<Value, DnaError> {
        self.check(dna)?;
        Ok(self.value(dna.genes()))
    }

    /// The value of genes that begin with this node, and were checked.
    fn value(&self, genes: &[u32]) -> Value {
        match &self.kind {
            Kind::Constant(value) => value.clone(),
            Kind::Numbers(_) => Value::Null,
            Kind::Product(product) => {
                let mut rest = genes;
                let values = product.parts.iter().map(|part| {
                    let (own, next) = split(rest, part.extent(rest).genes);
                    rest = next;
                    part.value(own)
                });
                match &product.names {
                    Some(names) => {
                        Value::Object(names.iter().cloned().zip(values).collect::<Map<_, _>>())
                    }
                    None => Value::Array(values.collect()),
                }
            }
            Kind::Choice(choice) => {
                let mut values =
                    choice.members(genes).map(|member| choice.candidate(member.value, member.part));
                if choice.bare {
                    values.next().unwrap_or_default()
                } else {
                    Value::Array(values.collect())
                }
            }
        }
    }
}

impl Choice {
    fn candidate(&self, value: u32, part: &[u32]) -> Value {
        match &self.candidates {
            Candidates::List(list) => {
                list.get(value as usize).map(|space| space.value(part)).unwrap_or_default()
            }
            Candidates::Range { low, step, .. } => Value::from(nth(*low, *step, value.into())),
        }
    }
}
