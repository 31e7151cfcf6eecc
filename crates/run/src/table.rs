//! Evaluations as rows of a table: a column for whatever a design has, by its place in it.
//!
//! `material`, or `material.kind` and `material.layers`; `edges[0]`. Arrays of weights have none.

use esenas::space::Design;
use esenas::{Dna, Layout};
use esenas_store::EvaluationRecord;
use serde_json::Value;

/// Reads the rows of a study's evaluations.
#[derive(Clone, Debug)]
pub struct Rows {
    layout: Layout,
    /// What is recorded of a design, in place.
    theta: Vec<f64>,
}

impl Rows {
    /// Of a study with this layout.
    pub fn new(layout: Layout) -> Self {
        Self { theta: vec![0.0; layout.dim()], layout }
    }

    /// The reals of a recorded design, by the paths of their blocks. None of what is no design of
    /// the study.
    pub fn reals(&self, record: &EvaluationRecord) -> Option<Vec<(&str, f64)>> {
        let dna = self.dna(record)?;
        let reals = self.layout.reals(&dna);
        let paths = reals.into_iter().map(|block| block.path.as_str());
        Some(paths.zip(record.numbers.iter().copied()).collect())
    }

    /// What a recorded design has, by place. None of what is no design of the study.
    pub fn design(&mut self, record: &EvaluationRecord) -> Option<Vec<(String, Value)>> {
        let dna = self.dna(record)?;
        let places = self.layout.reals(&dna).into_iter().map(|block| block.range.start);
        places.zip(&record.numbers).for_each(|(at, number)| self.theta[at] = *number);
        let mut columns = Vec::new();
        flatten(&self.layout.design(&dna, &self.theta), String::new(), &mut columns);
        Some(columns)
    }

    fn dna(&self, record: &EvaluationRecord) -> Option<Dna> {
        let dna = Dna::from_bytes(&record.dna).ok()?;
        let known = self.layout.space().check(&dna).is_ok();
        (known && self.layout.reals(&dna).len() == record.numbers.len()).then_some(dna)
    }
}

fn flatten(design: &Design<'_>, path: String, into: &mut Vec<(String, Value)>) {
    match design {
        Design::Constant(value) => constant(value, path, into),
        Design::Integer(value) => into.push((path, (*value).into())),
        Design::Number(value) => into.push((path, (*value).into())),
        Design::Array(_) => {}
        Design::List(parts) => {
            (0..).zip(parts).for_each(|(at, part)| flatten(part, item(&path, at), into));
        }
        Design::Map(parts) => {
            parts.iter().for_each(|(name, part)| flatten(part, member(&path, name), into));
        }
    }
}

fn constant(value: &Value, path: String, into: &mut Vec<(String, Value)>) {
    match value {
        Value::Array(parts) => {
            (0..).zip(parts).for_each(|(at, part)| constant(part, item(&path, at), into));
        }
        Value::Object(parts) => {
            parts.iter().for_each(|(name, part)| constant(part, member(&path, name), into));
        }
        scalar => into.push((path, scalar.clone())),
    }
}

fn item(path: &str, at: usize) -> String {
    format!("{path}[{at}]")
}

fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use esenas::Space;
    use esenas_store::{Outcome, Role};
    use serde_json::json;

    use super::*;

    /// Red when a number stands in another's column, or one of a branch that is not taken in any.
    #[test]
    fn a_design_is_a_row_of_what_it_has() {
        let space = json!({
            "angle": { "oneof": ["none", { "deg": { "real": [0, 90] }, "turns": { "int": [1, 4] } }] },
            "flow": { "real": [1e-3, 1.0], "log": true },
            "k": { "const": { "a": [1, null] } },
            "w": { "weights": [3] },
        });
        let space = Arc::new(Space::from_value(&space).unwrap());
        let mut rows = Rows::new(Layout::new(space).unwrap());
        let record = |genes: Vec<u32>, numbers: Vec<f64>| EvaluationRecord {
            index: 0,
            role: Role::Probe,
            dna: Dna::from(genes).to_bytes(),
            numbers,
            outcome: Outcome::Failed { reason: String::new() },
        };
        let both = record(vec![1, 2], vec![30.0, 0.5]);
        let reals = [("angle.oneof[1].deg", 30.0), ("flow", 0.5)];
        assert_eq!(rows.reals(&both).unwrap(), reals);
        let columns = |columns: Option<Vec<(String, Value)>>| {
            let columns = columns.unwrap().into_iter().map(|(name, x)| format!("{name}={x}"));
            columns.collect::<Vec<_>>().join(" ")
        };
        let seen = columns(rows.design(&both));
        assert_eq!(seen, "angle.deg=30.0 angle.turns=3 flow=0.5 k.a[0]=1 k.a[1]=null");
        let one = record(vec![0], vec![0.25]);
        assert_eq!(columns(rows.design(&one)), "angle=\"none\" flow=0.25 k.a[0]=1 k.a[1]=null");
        assert_eq!(rows.design(&record(vec![0], vec![0.25, 1.0])), None);
        assert_eq!(rows.design(&record(vec![7], vec![])), None);
    }
}
