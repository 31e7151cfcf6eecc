//! What came of the studies: a row for each, a curve for each, and a table beside the paper's.

use std::fs;
use std::path::{Path, PathBuf};

use esenas_report::Table;
use esenas_run::problem::rl::mean_and_deviation;

use super::length::{LAST, last};
use super::run::{Finished, Settings};
use super::{Cell, Row, row};
use crate::BenchError;

/// What was written.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// For people.
    pub table: String,
    /// The files.
    pub files: Vec<PathBuf>,
}

/// A masked network counts as pruned when it uses less than this share of its edges.
const PRUNED: f64 = 0.1;

fn rows_of(cell: &Cell, results: &Path) -> PathBuf {
    results.join(format!("{}.csv", cell.group))
}

/// Whether the study as it is now, and as long, has a result.
pub(super) fn is_known(cell: &Cell, seed: u64, settings: &Settings) -> Result<bool, BenchError> {
    let rows = row::read(&rows_of(cell, &settings.results))?;
    let least = u64::from(settings.length.unwrap_or(cell.length).first);
    Ok(rows
        .iter()
        .any(|row| row.is_of(cell, seed) && (!cell.is_of_paper() || least <= row.iterations)))
}

/// Where the genes of a study's chosen model are.
pub(super) fn model_of(cell: &Cell, seed: u64, results: &Path) -> PathBuf {
    results.join(format!("{}-seed{seed}.model", cell.name))
}

/// Writes a finished study's curve, its chosen model and its row.
pub(super) fn keep(finished: &Finished, settings: &Settings) -> Result<Vec<PathBuf>, BenchError> {
    let Finished { cell, seed, .. } = finished;
    let path = settings.results.join(format!("{}-seed{seed}.csv", cell.name));
    let folder = path.parent().unwrap_or(&settings.results);
    fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
    fs::write(&path, curve(finished).csv()).map_err(BenchError::file(&path))?;
    let mut files = vec![path];
    if !finished.model.is_empty() {
        let genes: Vec<String> = finished.model.iter().map(u32::to_string).collect();
        let path = model_of(cell, *seed, &settings.results);
        fs::write(&path, genes.join(" ") + "\n").map_err(BenchError::file(&path))?;
        files.push(path);
    }
    let rows = rows_of(cell, &settings.results);
    row::keep(&rows, row(finished, &settings.commit))?;
    files.push(rows);
    Ok(files)
}

fn row(finished: &Finished, commit: &str) -> Row {
    let Finished { cell, seed, curve, .. } = finished;
    let (best_mean, best_std) = mean_and_deviation(&finished.best);
    let (centre_mean, centre_std) = mean_and_deviation(&finished.centre);
    let means: Vec<f64> = curve.iter().filter_map(|it| Some(it.centre?.mean)).collect();
    let deviations: Vec<f64> = curve.iter().filter_map(|it| Some(it.centre?.std)).collect();
    let pruned = pruned(finished);
    let start = finished.start.iter().flatten().map(|x| format!("{x}"));
    Row {
        commit: commit.to_owned(),
        study: cell.name.clone(),
        seed: *seed,
        settings: cell.settings(),
        iterations: curve.len() as u64,
        evaluations: finished.evaluations,
        wall_time_s: finished.elapsed.as_secs_f64(),
        final_mean: last(&means),
        final_std: last(&deviations),
        peak_mean: means.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        pruned_mean: pruned.map(|(mean, _)| mean),
        pruned_usage: pruned.map(|(_, usage)| usage),
        episodes: finished.best.len() as u64,
        centre_mean,
        centre_std,
        best_mean,
        best_std,
        start: start.collect::<Vec<_>>().join(" "),
    }
}

/// "The best achieved reward with > 90 % of the network pruned": the centre's, and what it used.
fn pruned(finished: &Finished) -> Option<(f64, f64)> {
    let iterations = finished.curve.iter().zip(&finished.used);
    iterations
        .filter_map(|(record, used)| Some((record.centre?.mean, used.as_ref()?.share)))
        .filter(|(_, usage)| *usage < PRUNED)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
}

/// Values of every iteration.
fn curve(finished: &Finished) -> Table {
    let columns =
        ["iteration", "evaluations", "mean", "max", "centre_mean", "centre_std", "best", "edges"];
    let each = finished.used.iter().flatten().map(|used| used.each.len()).max().unwrap_or(0);
    let columns = columns.map(str::to_owned).into_iter().chain(["usage".to_owned()]);
    let mut table = Table::new(columns.chain((0..each).map(|edge| format!("edge_{edge}"))));
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:.3}"));
    for (record, used) in finished.curve.iter().zip(&finished.used) {
        let values = record.values.as_ref();
        let centre = record.centre.as_ref();
        let own = [
            record.iteration.to_string(),
            record.total_evaluations.to_string(),
            number(values.map(|it| it.mean)),
            number(values.map(|it| it.max)),
            number(centre.map(|it| it.mean)),
            number(centre.map(|it| it.std)),
            number(record.best),
            number(used.as_ref().map(|it| it.edges)),
            used.as_ref().map_or_else(String::new, |it| format!("{:.4}", it.share)),
        ];
        let each =
            (0..each).map(|at| number(used.as_ref().and_then(|it| it.each.get(at).copied())));
        table.row(own.into_iter().chain(each));
    }
    table
}

/// What is known of `cells`, written now or before.
pub(super) fn outcome(
    cells: &[(Cell, u64)],
    settings: &Settings,
    mut files: Vec<PathBuf>,
) -> Result<Outcome, BenchError> {
    files.sort();
    files.dedup();
    let mut studies: Vec<(&Cell, Vec<Row>)> = Vec::new();
    for (cell, seed) in cells {
        let rows = row::read(&rows_of(cell, &settings.results))?;
        let Some(row) = rows.into_iter().find(|row| row.is_of(cell, *seed)) else { continue };
        match studies.iter_mut().find(|(known, _)| known.name == cell.name) {
            Some((_, seeds)) => seeds.push(row),
            None => studies.push((cell, vec![row])),
        }
    }
    Ok(Outcome { table: beside(&studies).markdown(), files })
}

/// Over seeds, beside the paper.
fn beside(studies: &[(&Cell, Vec<Row>)]) -> Table {
    let paper = format!("authors' statistic, last {LAST}");
    let columns =
        ["study", "paper", &paper, "chosen model, fresh", "best, fresh", "seeds", "iterations"];
    let mut table = Table::new(columns);
    for (cell, seeds) in studies {
        let over = |of: fn(&Row) -> f64| {
            let (mean, std) = mean_and_deviation(&seeds.iter().map(of).collect::<Vec<_>>());
            format!("{mean:.1} ± {std:.1}")
        };
        let iterations: Vec<String> = seeds.iter().map(|it| it.iterations.to_string()).collect();
        table.row([
            cell.name.clone(),
            cell.paper.map_or_else(|| "–".to_owned(), |paper| paper.to_string()),
            over(|it| it.final_mean),
            over(|it| it.centre_mean),
            over(|it| it.best_mean),
            seeds.len().to_string(),
            iterations.join(", "),
        ]);
    }
    table
}
