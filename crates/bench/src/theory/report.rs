//! Theorem 1 as a table, a figure and exponents.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use esenas_report::statistics::{Fit, fit};
use esenas_report::{Axis, Figure, Line, Panel, Stroke, Table};

use super::measure::predicted;
use super::{Batch, Row};
use crate::BenchError;

/// Exponents are fitted from here on: below, √d and √log B are of one size.
const LARGE: u32 = 64;

/// Writes theory.md, theory.csv and the figure; returns what it says, and the files.
pub fn report(rows: &[Row], folder: &Path) -> Result<(String, Vec<PathBuf>), BenchError> {
    std::fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
    let text = markdown(rows);
    let mut files = Vec::new();
    for (name, text) in [("theory.md", &text), ("theory.csv", &table(rows).csv())] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(BenchError::file(&path))?;
        files.push(path);
    }
    files.extend(figure(rows).save(&folder.join("theory"))?);
    Ok((text, files))
}

/// The rows of one κ and one B, in the order of d.
fn series(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|a, b| a.condition == b.condition && a.batch == b.batch)
}

/// ratio ~ d^slope, of what `of` says.
fn exponent(rows: &[Row], of: impl Fn(&Row) -> f64) -> Option<Fit> {
    let large = rows.iter().filter(|row| row.dim >= LARGE.min(rows[rows.len() - 1].dim / 2));
    fit(&large.map(|row| (f64::from(row.dim).ln(), of(row).ln())).collect::<Vec<_>>())
}

fn bound(row: &Row) -> f64 {
    predicted(row.dim, row.batch.at(row.dim), row.condition)
}

fn markdown(rows: &[Row]) -> String {
    let mut text = "# Theorem 1, measured\n\n\
        The one-step improvement of ES over that of batched hill climbing, both with B evaluations and \
        their best hyperparameter, on quadratics of condition number κ.\n\n\
        ## Growth: ratio ~ d^exponent\n\n"
        .to_owned();
    let mut exponents = Table::new(["series", "measured exponent", "of the bound"]);
    for rows in series(rows) {
        let name = format!("κ = {}, {}", rows[0].condition, rows[0].batch.name());
        let measured = exponent(rows, |row| row.measured.ratio());
        let expected = exponent(rows, bound);
        exponents.row([
            name,
            measured.map_or(String::new(), |fit| format!("{:.2} ± {:.2}", fit.slope, fit.error)),
            expected.map_or(String::new(), |fit| format!("{:.2}", fit.slope)),
        ]);
    }
    let _ = write!(text, "{}\n## Measurements\n\n{}", exponents.markdown(), table(rows).markdown());
    text
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "kappa",
        "d",
        "B",
        "delta_es",
        "eta",
        "delta_mut",
        "sigma_mut",
        "ratio",
        "bound",
    ]);
    for row in rows {
        let it = &row.measured;
        let numbers = [it.es, it.step_size, it.mutation, it.mutation_scale, it.ratio(), bound(row)];
        let whole =
            [row.condition.to_string(), row.dim.to_string(), row.batch.at(row.dim).to_string()];
        table.row(whole.into_iter().chain(numbers.map(|number| format!("{number:.4e}"))));
    }
    table
}

fn figure(rows: &[Row]) -> Figure {
    let mut batches: Vec<Batch> = rows.iter().map(|row| row.batch).collect();
    batches.sort_unstable();
    batches.dedup();
    let colour = |batch: Batch| batches.iter().position(|it| *it == batch).unwrap_or(0);
    let panel = |rows: &[Row]| {
        let mut lines = Vec::new();
        for rows in series(rows) {
            let (batch, at) = (rows[0].batch, colour(rows[0].batch));
            let measured = |row: &Row| (f64::from(row.dim), row.measured.ratio());
            lines.push(Line {
                label: batch.name(),
                stroke: Stroke { marked: true, ..Stroke::solid(at) },
                points: rows.iter().map(measured).collect(),
            });
            // The bound has no constant: it is drawn through the first measurement that counts.
            let Some(first) = rows.iter().position(|row| row.dim >= LARGE) else { continue };
            let constant = rows[first].measured.ratio() / bound(&rows[first]);
            let expected = |row: &Row| (f64::from(row.dim), constant * bound(row));
            lines.push(Line {
                label: format!("growth of the bound, {}", batch.name()),
                stroke: Stroke { width: 1, ..Stroke::dashed(at) },
                points: rows[first..].iter().map(expected).collect(),
            });
        }
        Panel {
            title: format!("κ = {}", rows[0].condition),
            x: Axis { label: "d".to_owned(), logarithmic: true, ..Axis::default() },
            y: Axis { label: "Δ_ES / Δ_MUT".to_owned(), logarithmic: true, ..Axis::default() },
            lines,
            ..Panel::default()
        }
    };
    let panels = rows.chunk_by(|a, b| a.condition == b.condition).map(panel).collect();
    let title = "One step of ES against one of hill climbing, both tuned (Theorem 1)";
    Figure { title: title.to_owned(), rows: vec![panels], size: None }
}
