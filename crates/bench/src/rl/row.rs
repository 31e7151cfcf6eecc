//! A finished study as a line of `results/rl/<group>.csv`: written, read again, and recognized.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::plan::Cell;
use crate::BenchError;

/// What came of a study with one seed. Returns have alive bonuses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Of which build.
    pub commit: String,
    /// Its file below `studies/rl/`, without the ending.
    pub study: String,
    /// Its seed.
    pub seed: u64,
    /// A hash of the study's text, so that results of other settings are not taken for these.
    pub settings: String,
    /// How long it ran.
    pub iterations: u64,
    /// How many episodes it played.
    pub evaluations: u64,
    /// How many seconds that took, stops left out.
    pub wall_time_s: f64,
    /// The authors' statistic: the mean of the centre evaluations, each with a model of its own,
    /// over the last iterations.
    pub final_mean: f64,
    /// Their deviation within an iteration, on average over these.
    pub final_std: f64,
    /// The largest such mean of a single iteration.
    pub peak_mean: f64,
    /// Of a masked network: the largest such mean of an iteration with more than 90 % pruned.
    pub pruned_mean: Option<f64>,
    /// The share of edges that was in use then.
    pub pruned_usage: Option<f64>,
    /// In how many fresh episodes, whose starts are random, the rest was measured.
    pub episodes: u64,
    /// The weights where the search stood, with the model chosen for them.
    pub centre_mean: f64,
    /// Its deviation.
    pub centre_std: f64,
    /// The candidate with the best value.
    pub best_mean: f64,
    /// Its deviation.
    pub best_std: f64,
    /// The first observation of every episode, where all have one start.
    pub start: String,
}

const COLUMNS: [&str; 18] = [
    "commit",
    "study",
    "seed",
    "settings",
    "iterations",
    "evaluations",
    "wall_time_s",
    "final_mean",
    "final_std",
    "peak_mean",
    "pruned_mean",
    "pruned_usage",
    "episodes",
    "centre_mean",
    "centre_std",
    "best_mean",
    "best_std",
    "start",
];

impl Row {
    fn line(&self) -> String {
        let some = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:.4}"));
        let cells: [String; COLUMNS.len()] = [
            self.commit.clone(),
            self.study.clone(),
            self.seed.to_string(),
            self.settings.clone(),
            self.iterations.to_string(),
            self.evaluations.to_string(),
            format!("{:.0}", self.wall_time_s),
            format!("{:.2}", self.final_mean),
            format!("{:.2}", self.final_std),
            format!("{:.2}", self.peak_mean),
            some(self.pruned_mean),
            some(self.pruned_usage),
            self.episodes.to_string(),
            format!("{:.2}", self.centre_mean),
            format!("{:.2}", self.centre_std),
            format!("{:.2}", self.best_mean),
            format!("{:.2}", self.best_std),
            self.start.clone(),
        ];
        cells.join(",")
    }

    /// A line below `header`, if it is one of ours. Names and numbers hold no commas.
    fn parse(header: &str, line: &str) -> Option<Self> {
        let cells: BTreeMap<&str, &str> = header.split(',').zip(line.split(',')).collect();
        let text = |name: &str| cells.get(name).map(|cell| (*cell).to_owned());
        let count = |name: &str| cells.get(name)?.parse::<u64>().ok();
        let number = |name: &str| cells.get(name)?.parse::<f64>().ok();
        Some(Self {
            commit: text("commit")?,
            study: text("study")?,
            seed: count("seed")?,
            settings: text("settings")?,
            iterations: count("iterations")?,
            evaluations: count("evaluations")?,
            wall_time_s: number("wall_time_s")?,
            final_mean: number("final_mean")?,
            final_std: number("final_std")?,
            peak_mean: number("peak_mean")?,
            pruned_mean: number("pruned_mean"),
            pruned_usage: number("pruned_usage"),
            episodes: count("episodes")?,
            centre_mean: number("centre_mean")?,
            centre_std: number("centre_std")?,
            best_mean: number("best_mean")?,
            best_std: number("best_std")?,
            start: text("start")?,
        })
    }

    /// What stands beside the paper's number: the authors' statistic, and of a masked network the
    /// best reward with more than 90 % pruned, if it ever got there.
    pub(super) fn reward(&self, cell: &Cell) -> Option<f64> {
        if cell.masked { self.pruned_mean } else { Some(self.final_mean) }
    }

    /// Whether it is of `cell` as it is now.
    pub(super) fn is_of(&self, cell: &Cell, seed: u64) -> bool {
        self.study == cell.name && self.seed == seed && self.settings == cell.settings()
    }
}

/// The rows of a group; none if there is no file of such rows.
pub(super) fn read(path: &Path) -> Result<Vec<Row>, BenchError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).map_err(BenchError::file(path))?;
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    Ok(lines.filter_map(|line| Row::parse(header, line)).collect())
}

/// Writes `row` in the place of an older one of its study and seed, and keeps the others.
pub(super) fn keep(path: &Path, row: Row) -> Result<(), BenchError> {
    let mut rows = read(path)?;
    rows.retain(|it| (&it.study, it.seed) != (&row.study, row.seed));
    rows.push(row);
    rows.sort_by(|a, b| (&a.study, a.seed).cmp(&(&b.study, b.seed)));
    let lines: String = rows.iter().map(|row| row.line() + "\n").collect();
    let text = format!("{}\n{lines}", COLUMNS.join(","));
    // A row that is cut off would be lost with all others.
    let beside = path.with_extension("csv.new");
    fs::write(&beside, text).map_err(BenchError::file(&beside))?;
    fs::rename(&beside, path).map_err(BenchError::file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_and_take_the_place_of_older_ones() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("group.csv");
        assert_eq!(read(&path).unwrap(), []);
        let row = |seed, final_mean| Row {
            commit: "abc".to_owned(),
            study: "group/env-random".to_owned(),
            seed,
            final_mean,
            pruned_mean: (seed == 1).then_some(0.25),
            start: "0.5 -1".to_owned(),
            ..Row::default()
        };
        for one in [row(1, 3.0), row(0, 4.0), row(1, 5.25)] {
            keep(&path, one).unwrap();
        }
        assert_eq!(read(&path).unwrap(), [row(0, 4.0), row(1, 5.25)]);
        // Results of older programs, which have other columns, are nobody's.
        fs::write(&path, "commit,study,seed,best_mean\na,group/env-random,0,340\n").unwrap();
        assert_eq!(read(&path).unwrap(), []);
    }
}
