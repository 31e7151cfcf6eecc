//! The paper's tables with our numbers beside, from the results that are kept as CSV.

use std::collections::BTreeMap;
use std::path::Path;

use esenas_report::Table;
use esenas_run::problem::rl::mean_and_deviation;

use super::Plan;
use super::plan::Cell;
use crate::BenchError;

/// A group of studies: its name, and its table.
pub type GroupTable = (String, Table);

/// What the best candidate of each seed earned on average, by study.
type Ours = BTreeMap<String, Vec<f64>>;

impl Plan {
    /// A table for each group: environments down, and for each controller the paper's number and
    /// ours, which is the mean ± deviation over seeds with their number in brackets. `results` is
    /// where `bench rl` writes; groups that nothing was run of have our side empty.
    pub fn tables(&self, results: &Path) -> Result<Vec<GroupTable>, BenchError> {
        let cells = self.cells();
        let mut tables = Vec::new();
        for group in cells.chunk_by(|a, b| a.group == b.group) {
            let name = &group[0].group;
            let path = results.join(format!("{name}.csv"));
            let ours = match path.exists() {
                true => {
                    let text = std::fs::read_to_string(&path).map_err(BenchError::file(&path))?;
                    read(&text)
                }
                false => Ours::new(),
            };
            tables.push((name.clone(), table(group, &ours)));
        }
        Ok(tables)
    }
}

/// The column `best_mean` of each study. Names and numbers hold no commas.
fn read(text: &str) -> Ours {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| header.iter().position(|it| *it == name);
    let (Some(study), Some(best)) = (column("study"), column("best_mean")) else {
        return Ours::new();
    };
    let mut ours = Ours::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        if let (Some(study), Some(Ok(best))) =
            (cells.get(study), cells.get(best).map(|x| x.parse()))
        {
            ours.entry((*study).to_owned()).or_default().push(best);
        }
    }
    ours
}

fn table(group: &[Cell], ours: &Ours) -> Table {
    let mut controllers: Vec<&str> = Vec::new();
    for cell in group {
        if !controllers.contains(&cell.controller.as_str()) {
            controllers.push(&cell.controller);
        }
    }
    let columns = controllers.iter().flat_map(|it| [format!("{it}: paper"), format!("{it}: ours")]);
    let mut table = Table::new(["environment".to_owned()].into_iter().chain(columns));
    for row in group.chunk_by(|a, b| a.env == b.env) {
        let none = || "–".to_owned();
        let cells = controllers.iter().flat_map(|controller| {
            let cell = row.iter().find(|cell| cell.controller == *controller);
            let paper = cell.and_then(|cell| cell.paper).map_or_else(none, |it| it.to_string());
            let seeds = cell.and_then(|cell| ours.get(&cell.name));
            let ours = seeds.map_or_else(none, |seeds| {
                let (mean, deviation) = mean_and_deviation(seeds);
                match seeds.len() {
                    1 => format!("{mean:.0} (1)"),
                    n => format!("{mean:.0} ± {deviation:.0} ({n})"),
                }
            });
            [paper, ours]
        });
        table.row([row[0].env.clone()].into_iter().chain(cells));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_numbers_stand_beside_the_papers() {
        let place = tempfile::tempdir().unwrap();
        let rows = "commit,study,seed,best_mean\n\
                    a,edge-pruning/swimmer-regularized-evolution,0,340\n\
                    a,edge-pruning/swimmer-regularized-evolution,1,350\n";
        std::fs::write(place.path().join("edge-pruning.csv"), rows).unwrap();
        let tables = Plan::paper().tables(place.path()).unwrap();
        let (_, table) = tables.iter().find(|(name, _)| name == "edge-pruning").unwrap();
        let text = table.markdown();
        let line = text.lines().find(|line| line.contains("Swimmer")).unwrap();
        assert!(line.contains("343 ± 2 ") && line.contains("345 ± 5 (2)"), "{line}");
        assert!(tables.len() > 5 && table.latex().contains("345 $\\pm$ 5 (2)"));
    }
}
