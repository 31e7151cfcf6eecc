//! What came of the studies: a row for each, a curve for each, and a table beside the paper's.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use esenas_report::Table;
use esenas_run::problem::rl::mean_and_deviation;

use super::run::{Finished, Settings};
use crate::BenchError;

/// What was written.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// For people.
    pub table: String,
    /// The files.
    pub files: Vec<PathBuf>,
}

pub(super) fn write(done: &[Finished], settings: &Settings) -> Result<Outcome, BenchError> {
    let mut files = Vec::new();
    let mut save = |path: PathBuf, text: String| -> Result<(), BenchError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
        }
        fs::write(&path, text).map_err(BenchError::file(&path))?;
        files.push(path);
        Ok(())
    };
    for finished in done {
        let name = format!("{}-seed{}", finished.cell.name, finished.seed);
        save(settings.results.join(format!("{name}.csv")), curve(finished).csv())?;
    }
    for (group, rows) in groups(done) {
        let mut table = Table::new(COLUMNS);
        rows.iter().for_each(|finished| table.row(row(finished, &settings.commit)));
        let path = settings.results.join(format!("{group}.csv"));
        let before = fs::read_to_string(&path).unwrap_or_default();
        save(path, beside_others(&before, &table.csv()))?;
    }
    Ok(Outcome { table: beside(done).markdown(), files })
}

/// `rows` after those of `before` that are of other studies or seeds, if they have the same
/// columns.
fn beside_others(before: &str, rows: &str) -> String {
    let of = |row: &str| row.split(',').skip(1).take(2).map(str::to_owned).collect::<Vec<_>>();
    let (header, fresh) = rows.split_once('\n').unwrap_or((rows, ""));
    let known: Vec<_> = fresh.lines().map(of).collect();
    let mut text = format!("{header}\n");
    let old = before.strip_prefix(&text).unwrap_or_default();
    old.lines().filter(|row| !known.contains(&of(row))).for_each(|row| text += &format!("{row}\n"));
    text + fresh
}

const COLUMNS: [&str; 11] = [
    "commit",
    "study",
    "seed",
    "iterations",
    "evaluations",
    "wall_time_s",
    "episodes",
    "best_mean",
    "best_std",
    "centre_mean",
    "centre_std",
];

fn row(finished: &Finished, commit: &str) -> [String; 11] {
    let (best, best_std) = mean_and_deviation(&finished.best);
    let (centre, centre_std) = mean_and_deviation(&finished.centre);
    [
        commit.to_owned(),
        finished.cell.name.clone(),
        finished.seed.to_string(),
        finished.curve.len().to_string(),
        finished.evaluations.to_string(),
        format!("{:.0}", finished.elapsed.as_secs_f64()),
        finished.best.len().to_string(),
        format!("{best:.2}"),
        format!("{best_std:.2}"),
        format!("{centre:.2}"),
        format!("{centre_std:.2}"),
    ]
}

/// Finished studies by group.
fn groups(done: &[Finished]) -> BTreeMap<&str, Vec<&Finished>> {
    let mut groups: BTreeMap<&str, Vec<&Finished>> = BTreeMap::new();
    for finished in done {
        let group = finished.cell.name.split('/').next().unwrap_or_default();
        groups.entry(group).or_default().push(finished);
    }
    groups
}

/// Values of every iteration.
fn curve(finished: &Finished) -> Table {
    let mut table = Table::new([
        "iteration",
        "evaluations",
        "mean",
        "max",
        "centre_mean",
        "centre_std",
        "best",
    ]);
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:.3}"));
    for record in &finished.curve {
        let values = record.values.as_ref();
        let centre = record.centre.as_ref();
        table.row([
            record.iteration.to_string(),
            record.total_evaluations.to_string(),
            number(values.map(|it| it.mean)),
            number(values.map(|it| it.max)),
            number(centre.map(|it| it.mean)),
            number(centre.map(|it| it.std)),
            number(record.best),
        ]);
    }
    table
}

/// Over seeds, beside the paper: the mean and deviation of what the best candidates of each seed
/// earn.
fn beside(done: &[Finished]) -> Table {
    let mut cells: Vec<(&str, Vec<&Finished>)> = Vec::new();
    for finished in done {
        match cells.iter_mut().find(|(name, _)| *name == finished.cell.name) {
            Some((_, seeds)) => seeds.push(finished),
            None => cells.push((&finished.cell.name, vec![finished])),
        }
    }
    let mut table = Table::new(["study", "paper", "ours", "centre", "seeds", "evaluations each"]);
    for (name, seeds) in cells {
        let over = |of: fn(&Finished) -> &[f64]| {
            let means: Vec<f64> = seeds.iter().map(|it| mean_and_deviation(of(it)).0).collect();
            let (mean, std) = mean_and_deviation(&means);
            format!("{mean:.1} ± {std:.1}")
        };
        let paper = seeds[0].cell.paper.map_or_else(|| "–".to_owned(), |paper| paper.to_string());
        table.row([
            name.to_owned(),
            paper,
            over(|it| &it.best),
            over(|it| &it.centre),
            seeds.len().to_string(),
            seeds[0].evaluations.to_string(),
        ]);
    }
    table
}
