//! `results/rl/README.md`: every table with what was run beside the paper's numbers, and what was
//! not run.

use std::fs;
use std::path::{Path, PathBuf};

use esenas_report::Table;

use super::figures;
use super::length::LAST;
use super::plan::{Cell, Plan};
use super::row::{self, Row};
use super::tables::over;
use crate::BenchError;

const HEAD: &str = "# Results of the studies of policies

Written by `esenas bench rl --page`. A CSV per group has a row for each study and seed, and a folder per group its curve
and its chosen model. Runs in [each-start](each-start/README.md) and [swimmer-mask](swimmer-mask/README.md) are of other settings and in no
table here.

- **ours** is the authors' statistic: the mean over the centre evaluations, each with a fresh model, over the last LAST iterations. Of a
  masked network it is the best such mean with more than 90 % pruned, as in the paper; one that did not get there is *never pruned*.
- **chosen model** is one model with the weights of the centre over fresh episodes. Their starts are random, also where training had one.
- Both are mean ± deviation over seeds, whose number is in brackets.
";

impl Plan {
    /// Writes the page and the figures of `results`, and returns their paths.
    pub fn write_page(&self, results: &Path) -> Result<Vec<PathBuf>, BenchError> {
        let figures = figures::write(self, results)?;
        let mut text = HEAD.replace("LAST", &LAST.to_string());
        text += &self.order(results)?;
        for (name, table) in self.tables(results)? {
            text += &format!("\n## {name}\n\n{}", table.markdown());
        }
        text += "\n## Figures\n\nWhat was not run is not drawn.\n";
        for path in &figures {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            text += &format!("\n![{stem}]({stem}.svg)\n");
        }
        let path = results.join("README.md");
        fs::create_dir_all(results).map_err(BenchError::file(results))?;
        fs::write(&path, text).map_err(BenchError::file(&path))?;
        Ok([vec![path], figures].concat())
    }

    /// How far the queue is, and the cells of table 1.
    fn order(&self, results: &Path) -> Result<String, BenchError> {
        let cells = self.cells();
        let mut progress = Table::new(["what", "runs", "done"]);
        let mut first = Table::new(["table 1", "paper", "ours", "chosen model"]);
        let mut done = 0;
        for (what, names, seeds) in self.aims() {
            let mut here = 0;
            for name in names {
                let Some(cell) = cells.iter().find(|cell| cell.name == *name) else { continue };
                let rows = rows(cell, results)?;
                here += rows.iter().filter(|row| seeds.contains(&row.seed)).count();
                // Further seeds are in the line of the first.
                if what.starts_with("table 1") && seeds.contains(&0) {
                    let rows: Vec<&Row> = rows.iter().collect();
                    first.row([
                        name.clone(),
                        cell.paper.map_or_else(|| "–".to_owned(), |it| it.to_string()),
                        over(&rows, |row| row.reward(cell)),
                        over(&rows, |row| Some(row.centre_mean)),
                    ]);
                }
            }
            progress.row([
                what.to_owned(),
                (names.len() * seeds.len()).to_string(),
                here.to_string(),
            ]);
        }
        for cell in &cells {
            done += rows(cell, results)?.len();
        }
        let all = self.queue()?.len();
        progress.row(["everything".to_owned(), all.to_string(), done.to_string()]);
        Ok(format!(
            "\n## What was run\n\n{}\n`bash scripts/paper-runs.sh` goes on with the rest.\n\n## table 1\n\n{}",
            progress.markdown(),
            first.markdown()
        ))
    }
}

fn rows(cell: &Cell, results: &Path) -> Result<Vec<Row>, BenchError> {
    let mut rows = row::read(&results.join(format!("{}.csv", cell.group)))?;
    rows.retain(|row| row.is_of(cell, row.seed));
    Ok(rows)
}
