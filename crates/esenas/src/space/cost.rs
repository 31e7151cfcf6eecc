//! Additive costs of a DNA, for constrained search (§4.3.3).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::members::split;
use super::{Candidates, Choice, Dna, Kind, Space};

/// What a DNA costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// One for each selection that is not `false`, `0` or `null`: the edges of a boolean mask. The
    /// members of a distinct choice all count, whatever their values: the k edges of a subset.
    Active,
    /// One for each decision made.
    Decisions,
    /// What an evaluation measured: of the model alone nothing.
    Measured,
    /// By path of a decision, the cost of each of its candidates; decisions that are not listed are
    /// free. A path without slot numbers (`edges`) prices all slots alike.
    Table(BTreeMap<String, Vec<f64>>),
}

/// A cost that does not fit the space.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CostError {
    /// No decision has this path.
    #[error("cost table: `{0}` is not the path of a decision of the space")]
    NoDecision(String),
    /// Not one cost per candidate.
    #[error(
        "cost table, `{path}`: {found} costs; accepted is one for each of {expected} candidates"
    )]
    WrongCount {
        /// The path in the table.
        path: String,
        /// Costs listed.
        found: usize,
        /// Candidates there are.
        expected: u32,
    },
    /// Not a cost.
    #[error("cost table, `{path}`: {cost}; accepted is a finite number from 0 on")]
    NotACost {
        /// The path in the table.
        path: String,
        /// What is listed.
        cost: f64,
    },
    /// Two paths of the table mean the same decision.
    #[error("cost table: `{0}` has a price already, under another path")]
    Twice(String),
}

/// A [`Cost`] made for one space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price(Priced);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Priced {
    Free,
    Active,
    Decisions,
    /// Which of the columns prices a locus, if any; costs of candidates by column.
    Table {
        columns: Vec<Option<u32>>,
        costs: Vec<Vec<f64>>,
    },
}

impl Cost {
    /// Fits this cost to `space`.
    pub fn price(&self, space: &Space) -> Result<Price, CostError> {
        Ok(Price(match self {
            Cost::Measured => Priced::Free,
            Cost::Active => Priced::Active,
            Cost::Decisions => Priced::Decisions,
            Cost::Table(table) => Priced::table(table, space)?,
        }))
    }
}

impl Priced {
    fn table(table: &BTreeMap<String, Vec<f64>>, space: &Space) -> Result<Self, CostError> {
        let arities = space.arities();
        let mut columns = vec![None; arities.len()];
        let mut costs = Vec::new();
        for (path, column) in table {
            let path = || path.clone();
            if let Some(&cost) = column.iter().find(|cost| !(cost.is_finite() && **cost >= 0.0)) {
                return Err(CostError::NotACost { path: path(), cost });
            }
            let loci = space.find(&path()).ok_or_else(|| CostError::NoDecision(path()))?;
            for locus in loci {
                let expected = arities[locus as usize];
                if column.len() != expected as usize {
                    let found = column.len();
                    return Err(CostError::WrongCount { path: path(), found, expected });
                }
                if columns[locus as usize].replace(costs.len() as u32).is_some() {
                    return Err(CostError::Twice(space.path(locus)));
                }
            }
            costs.push(column.clone());
        }
        Ok(Self::Table { columns, costs })
    }
}

impl Price {
    /// What `dna`, a point of `space`, costs.
    pub fn of(&self, space: &Space, dna: &Dna) -> f64 {
        match &self.0 {
            Priced::Free => 0.0,
            Priced::Decisions => dna.genes().len() as f64,
            Priced::Active => active(space, dna.genes()) as f64,
            Priced::Table { columns, costs } => {
                let mut total = 0.0;
                space.visit(dna, |decision, value| {
                    let column = columns.get(decision.locus as usize).copied().flatten();
                    let column = column.and_then(|column| costs.get(column as usize));
                    total += column.and_then(|c| c.get(value as usize)).copied().unwrap_or(0.0);
                });
                total
            }
        }
    }
}

fn active(space: &Space, genes: &[u32]) -> usize {
    match &space.kind {
        Kind::Constant(_) | Kind::Numbers(_) => 0,
        Kind::Product(product) => {
            let mut rest = genes;
            let mut each = |part: &Space| {
                let (own, next) = split(rest, part.extent(rest).genes);
                rest = next;
                active(part, own)
            };
            product.parts.iter().map(&mut each).sum()
        }
        Kind::Choice(choice) => {
            let each = choice.members(genes).map(|member| {
                let below = choice.branch(member.value).map_or(0, |s| active(s, member.part));
                usize::from(choice.distinct || choice.is_active(member.value)) + below
            });
            each.sum()
        }
    }
}

impl Choice {
    fn is_active(&self, value: u32) -> bool {
        match &self.candidates {
            Candidates::List(list) => !list.get(value as usize).is_some_and(
                |space| matches!(&space.kind, Kind::Constant(value) if is_nothing(value)),
            ),
            Candidates::Range { low, step, .. } => {
                super::candidates::nth(*low, *step, value.into()) != 0
            }
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Many;

    fn table(entries: &[(&str, &[f64])]) -> Cost {
        Cost::Table(
            entries.iter().map(|(path, costs)| (path.to_string(), costs.to_vec())).collect(),
        )
    }

    fn cost(cost: &Cost, space: &Space, dna: impl Into<Dna>) -> f64 {
        cost.price(space).unwrap().of(space, &dna.into())
    }

    /// A mask of three edges, then a block that may have a size.
    fn space() -> Space {
        let mask = Many { k: 3, distinct: false, sorted: false };
        let size = Space::dict([("size", Space::int(0..=2).unwrap())]).unwrap();
        Space::dict([
            ("mask", Space::manyof(mask, [false, true]).unwrap()),
            ("block", Space::oneof([Space::from(Value::Null), size]).unwrap()),
        ])
        .unwrap()
    }

    #[test]
    fn selections_are_counted() {
        let space = space();
        assert_eq!(cost(&Cost::Active, &space, [0, 1, 0, 1]), 2.0);
        assert_eq!(cost(&Cost::Active, &space, [1, 2, 0, 0, 0]), 2.0);
        assert_eq!(cost(&Cost::Active, &space, [1, 0, 0, 0, 0]), 1.0);
        assert_eq!(cost(&Cost::Decisions, &space, [1, 0, 0, 0, 0]), 5.0);
        // Edge 0 is an edge.
        assert_eq!(cost(&Cost::Active, &Space::subset(2, 0..=5).unwrap(), [0, 3]), 2.0);
    }

    #[test]
    fn tables_price_one_slot_or_all() {
        let space = space();
        let priced = table(&[("mask", &[0.0, 1.5]), ("block.oneof[1].size", &[1.0, 10.0, 100.0])]);
        assert_eq!(cost(&priced, &space, [1, 2, 1, 0, 1]), 103.0);
        assert_eq!(cost(&priced, &space, [0, 1, 0, 0]), 1.5);
        assert_eq!(cost(&table(&[("mask[2]", &[0.0, 7.0])]), &space, [0, 1, 1, 0]), 0.0);
        // All slots, below a candidate.
        let many = Many { k: 2, distinct: false, sorted: true };
        let lists = Space::manyof(many, [Space::from(0), Space::bool()]).unwrap();
        assert_eq!(cost(&table(&[("$.oneof[1]", &[1.0, 2.0])]), &lists, [1, 1, 1, 0]), 3.0);
        assert_eq!(cost(&table(&[("$", &[1.0, 2.0])]), &lists, [0, 1, 0]), 3.0);
    }

    #[test]
    fn tables_that_do_not_fit_are_refused() {
        let space = space();
        let refused = |entries| table(entries).price(&space).unwrap_err();
        let path = "mask[3]".to_string();
        assert_eq!(refused(&[("mask[3]", &[0.0, 1.0])]), CostError::NoDecision(path));
        assert!(matches!(refused(&[("block.oneof[0]", &[1.0])]), CostError::NoDecision(_)));
        assert!(matches!(refused(&[("", &[1.0])]), CostError::NoDecision(_)));
        assert!(matches!(
            refused(&[("mask", &[0.0])]),
            CostError::WrongCount { found: 1, expected: 2, .. }
        ));
        assert!(matches!(refused(&[("mask", &[0.0, f64::NAN])]), CostError::NotACost { .. }));
        assert!(matches!(refused(&[("mask", &[0.0, -1.0])]), CostError::NotACost { .. }));
        let twice = refused(&[("mask", &[0.0, 1.0]), ("mask[1]", &[0.0, 1.0])]);
        assert_eq!(twice, CostError::Twice("mask[1]".into()));
    }

    #[test]
    fn costs_are_written_plainly() {
        let read = |json: &str| serde_json::from_str::<Cost>(json).unwrap();
        assert_eq!(read("\"active\""), Cost::Active);
        assert_eq!(read("{\"table\": {\"mask\": [0, 1]}}"), table(&[("mask", &[0.0, 1.0])]));
    }
}
