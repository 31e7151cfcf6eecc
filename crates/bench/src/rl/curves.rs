//! Curves that were kept as CSV, read again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::plan::Cell;
use super::row;
use crate::BenchError;

/// A column of a curve, by iteration.
pub(super) type Column = Vec<f64>;

/// The columns of the curves of a cell, seed by seed.
pub(super) type Curves = Vec<BTreeMap<String, Column>>;

/// The curves of `cell` as it is now.
pub(super) fn curves(cell: &Cell, results: &Path) -> Result<Curves, BenchError> {
    let rows = row::read(&results.join(format!("{}.csv", cell.group)))?;
    let mut curves = Curves::new();
    for row in rows.iter().filter(|row| row.is_of(cell, row.seed)) {
        let path = results.join(format!("{}-seed{}.csv", cell.name, row.seed));
        let text = fs::read_to_string(&path).map_err(BenchError::file(&path))?;
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap_or_default();
        let mut curve: BTreeMap<String, Column> = BTreeMap::new();
        for line in lines {
            for (name, number) in header.iter().zip(line) {
                let number = number.parse().unwrap_or(f64::NAN);
                curve.entry((*name).to_owned()).or_default().push(number);
            }
        }
        curves.push(curve);
    }
    Ok(curves)
}

/// The mean of a column over seeds, as far as all of them go.
pub(super) fn mean(curves: &Curves, name: &str) -> Column {
    let columns: Vec<&Column> = curves.iter().filter_map(|curve| curve.get(name)).collect();
    let length = columns.iter().map(|column| column.len()).min().unwrap_or(0);
    let at = |i| columns.iter().map(|column| column[i]).sum::<f64>() / columns.len() as f64;
    (0..length).map(at).collect()
}
