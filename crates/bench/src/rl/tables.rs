//! The paper's tables with our numbers beside, from the results that are kept as CSV.

use std::path::Path;

use esenas_report::Table;
use esenas_run::problem::rl::mean_and_deviation;

use super::plan::{Cell, Plan};
use super::row::{self, Row};
use crate::BenchError;

/// A group of studies: its name, and its table.
pub type GroupTable = (String, Table);

impl Plan {
    /// A table for each group: environments down, and for each controller the paper's number, ours
    /// by the authors' statistic, and the chosen model's in fresh episodes. Ours are the mean ±
    /// deviation over seeds with their number in brackets. `results` is where `bench rl` writes.
    pub fn tables(&self, results: &Path) -> Result<Vec<GroupTable>, BenchError> {
        let cells = self.cells();
        let mut tables = Vec::new();
        for group in cells.chunk_by(|a, b| a.group == b.group) {
            let name = &group[0].group;
            let rows = row::read(&results.join(format!("{name}.csv")))?;
            tables.push((name.clone(), table(group, &rows)));
        }
        Ok(tables)
    }
}

fn table(group: &[Cell], rows: &[Row]) -> Table {
    let mut controllers: Vec<&str> = Vec::new();
    for cell in group {
        if !controllers.contains(&cell.controller.as_str()) {
            controllers.push(&cell.controller);
        }
    }
    let columns = controllers.iter().flat_map(|it| {
        [format!("{it}: paper"), format!("{it}: ours"), format!("{it}: chosen model")]
    });
    let mut table = Table::new(["environment".to_owned()].into_iter().chain(columns));
    for line in group.chunk_by(|a, b| a.env == b.env) {
        let cells = controllers.iter().flat_map(|controller| {
            let cell = line.iter().find(|cell| cell.controller == *controller);
            let paper = cell.and_then(|cell| cell.paper);
            let known = |row: &&Row| cell.is_some_and(|cell| row.is_of(cell, row.seed));
            let seeds: Vec<&Row> = rows.iter().filter(known).collect();
            let paper = paper.map_or_else(|| "–".to_owned(), |it| it.to_string());
            let reward = |row: &Row| cell.and_then(|cell| row.reward(cell));
            [paper, over(&seeds, reward), over(&seeds, |row| Some(row.centre_mean))]
        });
        table.row([line[0].env.clone()].into_iter().chain(cells));
    }
    table
}

/// Mean and deviation over seeds.
pub(super) fn over(seeds: &[&Row], of: impl Fn(&Row) -> Option<f64>) -> String {
    let values: Vec<f64> = seeds.iter().filter_map(|row| of(row)).collect();
    let (mean, deviation) = mean_and_deviation(&values);
    match values.len() {
        0 if seeds.is_empty() => "not run".to_owned(),
        0 => "never pruned".to_owned(),
        1 => format!("{mean:.0} (1)"),
        n => format!("{mean:.0} ± {deviation:.0} ({n})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red when a number of another statistic, or of other settings, stands beside the paper's.
    #[test]
    fn our_numbers_stand_beside_the_papers() {
        let (place, plan) = (tempfile::tempdir().unwrap(), Plan::paper());
        let name = "edge-pruning/swimmer-regularized-evolution";
        let cell = plan.cells().into_iter().find(|cell| cell.name == name).unwrap();
        for (seed, final_mean, settings) in
            [(0, 340.0, cell.settings()), (1, 350.0, cell.settings()), (2, 9.0, "old".to_owned())]
        {
            let (study, centre_mean, best_mean) = (name.to_owned(), final_mean + 15.0, 999.0);
            let row =
                Row { study, seed, settings, final_mean, centre_mean, best_mean, ..Row::default() };
            row::keep(&place.path().join("edge-pruning.csv"), row).unwrap();
        }
        let tables = plan.tables(place.path()).unwrap();
        let (_, table) = tables.iter().find(|(name, _)| name == "edge-pruning").unwrap();
        let text = table.markdown();
        let line = text.lines().find(|line| line.contains("Swimmer")).unwrap();
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        assert_eq!(cells[5..8], ["343 ± 2", "345 ± 5 (2)", "360 ± 5 (2)"], "{line}");
        assert_eq!(cells[2..5], ["105 ± 116", "not run", "not run"], "{line}");
        // What a mask earned before it pruned is no number of the paper's.
        let cell = plan.cells().into_iter().find(|it| it.name == "masked/hopper-random").unwrap();
        let (study, settings) = (cell.name.clone(), cell.settings());
        let row = Row { study, settings, final_mean: 2000.0, ..Row::default() };
        let said = |row: Row| {
            row::keep(&place.path().join("masked.csv"), row).unwrap();
            let tables = plan.tables(place.path()).unwrap();
            let (_, table) = tables.into_iter().find(|(name, _)| name == "masked").unwrap();
            let text = table.markdown();
            let line = text.lines().find(|line| line.contains("Hopper")).unwrap().to_owned();
            line.split('|').nth(3).unwrap().trim().to_owned()
        };
        assert_eq!(said(row.clone()), "never pruned");
        assert_eq!(said(Row { pruned_mean: Some(900.0), ..row }), "900 (1)");
        assert!(tables.len() > 5 && table.latex().contains("345 $\\pm$ 5 (2)"));
    }
}
