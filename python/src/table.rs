//! Recorded evaluations, as columns of a table.

use std::collections::BTreeMap;

use esenas::{Dna, Layout};
use esenas_run::Rows;
use esenas_store::{EvaluationRecord, Outcome, Role};
use pyo3::prelude::*;
use serde_json::Value;

use crate::values::to_python;

/// Columns that every evaluation has, and those of designs and metrics.
pub(crate) struct Table {
    rows: Rows,
    fixed: [Vec<Value>; 7],
    /// What designs have, then metrics; of each value the row it is in.
    named: [BTreeMap<String, Vec<(usize, Value)>>; 2],
}

const FIXED: [&str; 7] = ["iteration", "index", "role", "value", "score", "failure", "dna"];

impl Table {
    pub(crate) fn new(layout: Layout) -> Self {
        Self { rows: Rows::new(layout), fixed: Default::default(), named: Default::default() }
    }

    pub(crate) fn add(&mut self, iteration: u64, records: &[EvaluationRecord]) {
        records.iter().for_each(|record| self.add_one(iteration, record));
    }

    fn add_one(&mut self, iteration: u64, record: &EvaluationRecord) {
        let row = self.fixed[0].len();
        let (value, score, failure, metrics) = match &record.outcome {
            Outcome::Done { value, score, metrics } => {
                (Some(*value), score.or(Some(*value)), None, metrics.as_ref())
            }
            Outcome::Failed { reason } => (None, None, Some(reason.as_str()), None),
        };
        let role = match record.role {
            Role::Probe => "probe",
            Role::Centre => "centre",
            Role::Given => "given",
        };
        let dna = Dna::from_bytes(&record.dna).map_or(Value::Null, |dna| dna.genes().into());
        let cells: [Value; 7] = [
            iteration.into(),
            record.index.into(),
            role.into(),
            value.into(),
            score.into(),
            failure.into(),
            dna,
        ];
        self.fixed.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        for (name, cell) in self.rows.design(record).unwrap_or_default() {
            self.named[0].entry(name).or_default().push((row, cell));
        }
        for (name, x) in metrics.into_iter().flatten() {
            self.named[1].entry(format!("metrics.{name}")).or_default().push((row, (*x).into()));
        }
    }

    pub(crate) fn columns(self, py: Python<'_>) -> PyResult<Vec<(String, Vec<Bound<'_, PyAny>>)>> {
        let rows = self.fixed[0].len();
        let mut columns = Vec::new();
        for (name, cells) in FIXED.into_iter().zip(self.fixed) {
            let cells = cells.iter().map(|cell| to_python(py, cell));
            columns.push((name.to_owned(), cells.collect::<PyResult<_>>()?));
        }
        for (name, cells) in self.named.into_iter().flatten() {
            let mut column = vec![py.None().into_bound(py); rows];
            for (row, cell) in cells {
                column[row] = to_python(py, &cell)?;
            }
            // A place in a design may be called as what every evaluation has.
            let taken = FIXED.contains(&name.as_str());
            columns.push((if taken { format!("design.{name}") } else { name }, column));
        }
        Ok(columns)
    }
}
