//! Appendix D: models that were chosen in the end, a matrix of edges in a panel.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use esenas_report::{Axis, Cell as Rectangle, Figure, Fill, Panel};
use esenas_run::spec::ProblemConfig;

use super::super::plan::Cell;
use super::super::{report, row};
use super::figure;
use crate::BenchError;

/// Which edges a linear policy of Swimmer has.
pub(super) fn architectures(cells: &[Cell], results: &Path) -> Result<Figure, BenchError> {
    let mut row = Vec::new();
    for cell in cells.iter().filter(|cell| cell.group == "swimmer-mask") {
        for seed in 0..3 {
            row.extend(matrices(cell, seed, results)?);
        }
    }
    let rows = row.chunks(3).map(<[Panel]>::to_vec).collect();
    Ok(figure("Edges of a linear policy for Swimmer in the end (appendix D)", rows))
}

/// Which colours the edges of HalfCheetah's quantized policies have.
pub(super) fn partitions(cells: &[Cell], results: &Path) -> Result<Figure, BenchError> {
    let groups = ["quantization-linear", "quantization"];
    let meant = |cell: &&Cell| groups.contains(&cell.group.as_str()) && cell.env == "HalfCheetah";
    let rows: Result<_, _> =
        cells.iter().filter(meant).map(|cell| matrices(cell, 0, results)).collect();
    Ok(figure("Partitions of HalfCheetah's edges, seed 0 (appendix D)", rows?))
}

/// A panel for each matrix of the model chosen with this seed; none if that was not run.
fn matrices(cell: &Cell, seed: u64, results: &Path) -> Result<Vec<Panel>, BenchError> {
    let known = row::read(&results.join(format!("{}.csv", cell.group)))?;
    let ProblemConfig::Rl(problem) = cell.problem()? else { return Ok(Vec::new()) };
    let (true, Some(policy)) = (known.iter().any(|row| row.is_of(cell, seed)), problem.class())
    else {
        return Ok(Vec::new());
    };
    let path = report::model_of(cell, seed, results);
    let text = fs::read_to_string(&path).map_err(BenchError::file(&path))?;
    let genes: Vec<usize> = text.split_whitespace().filter_map(|it| it.parse().ok()).collect();
    let (layout, hidden) = (policy.layout(), policy.layout().hidden());
    let mut matrices: BTreeMap<usize, Vec<Rectangle>> = BTreeMap::new();
    for (edge, colour) in genes.into_iter().enumerate().take(layout.edges()) {
        let (source, target) = layout.ends(edge);
        // The first vertices of the layers on either side.
        let (from, to) = match source < layout.observation() {
            true => (0, layout.observation()),
            false => (hidden.start, hidden.end),
        };
        let (x, y) = ((source - from) as f64, (target - to) as f64);
        let (x, y) = ((x, x + 1.0), (y, y + 1.0));
        matrices.entry(from).or_default().push(Rectangle { x, y, fill: Fill::Class(colour) });
    }
    let panel = |(from, cells)| Panel {
        title: format!("{}, {}, seed {seed}", cell.group, cell.controller),
        x: Axis::new(if from == 0 { "states" } else { "hidden units" }),
        y: Axis::new("targets"),
        cells,
        ..Panel::default()
    };
    Ok(matrices.into_iter().map(panel).collect())
}
