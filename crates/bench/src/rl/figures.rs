//! The figures of section 4.3 and appendices C.1 and D, from the curves that are kept as CSV. What was not run
//! is not drawn.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use esenas_report::{Axis, Cell as Rectangle, Figure, Fill, Key, Line, Panel, Stroke};

use super::plan::{Cell, Plan};
use super::row;
use crate::BenchError;

/// A column of a curve, by iteration.
type Column = Vec<f64>;

/// The columns of the curves of a cell, seed by seed.
type Curves = Vec<BTreeMap<String, Column>>;

/// What is drawn into a panel: an entry of the legend, and the cell.
struct Shown<'a> {
    label: String,
    cell: &'a Cell,
    stroke: Stroke,
}

/// Draws what there is into `results`, and returns the files.
pub(super) fn write(plan: &Plan, results: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let cells = plan.cells();
    let drawn = [
        ("controllers", controllers(&cells, results)?),
        ("samples", samples(&cells, results)?),
        ("constrained", constrained(&cells, results)?),
        ("pruning", pruning(&cells, results)?),
        ("starts", starts(&cells, results)?),
        ("masks", masks(&cells, results)?),
    ];
    let mut files = Vec::new();
    for (name, mut figure) in drawn {
        figure.rows.retain(|row| !row.is_empty());
        let path = results.join(format!("{name}.svg"));
        if !figure.rows.is_empty() {
            fs::write(&path, figure.svg()?).map_err(BenchError::file(&path))?;
            files.push(path);
        }
    }
    Ok(files)
}

/// The curves of `cell` as it is now.
fn curves(cell: &Cell, results: &Path) -> Result<Curves, BenchError> {
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
fn mean(curves: &Curves, name: &str) -> Column {
    let columns: Vec<&Column> = curves.iter().filter_map(|curve| curve.get(name)).collect();
    let length = columns.iter().map(|column| column.len()).min().unwrap_or(0);
    let at = |i| columns.iter().map(|column| column[i]).sum::<f64>() / columns.len() as f64;
    (0..length).map(at).collect()
}

/// A panel of `column` over the evaluations; none if nothing was run.
fn over_time(
    title: &str,
    column: &str,
    label: &str,
    shown: &[Shown<'_>],
    results: &Path,
) -> Result<Option<Panel>, BenchError> {
    let mut lines = Vec::new();
    for Shown { label, cell, stroke } in shown {
        let curves = curves(cell, results)?;
        let points = mean(&curves, "evaluations").into_iter().zip(mean(&curves, column));
        let points: Vec<_> = points.filter(|(_, y)| y.is_finite()).collect();
        if !points.is_empty() {
            lines.push(Line { label: label.clone(), stroke: *stroke, points });
        }
    }
    let (x, y) = (Axis::new("episodes"), Axis::new(label));
    let panel = Panel { title: title.to_owned(), x, y, lines, ..Panel::default() };
    Ok((!panel.lines.is_empty()).then_some(panel))
}

/// What a controller is drawn with.
fn colour(controller: &str) -> usize {
    match controller {
        "policy-gradient" => 0,
        "regularized-evolution" => 1,
        _ => 2,
    }
}

/// The cells of a group in an environment, and whether they are drawn with interruptions.
fn of<'a>(cells: &'a [Cell], group: &str, env: &str, dashed: bool) -> Vec<Shown<'a>> {
    let meant = cells.iter().filter(|cell| cell.group == group && cell.env == env);
    let shown = |cell: &'a Cell| {
        let stroke = Stroke { dashed, ..Stroke::solid(colour(&cell.controller)) };
        Shown { label: cell.controller.clone(), cell, stroke }
    };
    meant.map(shown).collect()
}

/// The environments of a group.
fn environments<'a>(cells: &'a [Cell], group: &str) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.group == group) {
        if !found.contains(&cell.env.as_str()) {
            found.push(&cell.env);
        }
    }
    found
}

const REWARD: &str = "mean over the centre's models";

fn figure(title: &str, rows: Vec<Vec<Panel>>) -> Figure {
    Figure { title: title.to_owned(), rows, size: None }
}

/// Section 4.3.1.
fn controllers(cells: &[Cell], results: &Path) -> Result<Figure, BenchError> {
    let mut rows = Vec::new();
    for group in ["quantization-linear", "quantization", "edge-pruning", "nonlinearity"] {
        let mut row = Vec::new();
        for env in environments(cells, group) {
            let title = format!("{env}, {group}");
            let shown = of(cells, group, env, false);
            row.extend(over_time(&title, "centre_mean", REWARD, &shown, results)?);
        }
        rows.extend(row.chunks(4).map(<[Panel]>::to_vec));
    }
    Ok(figure("Controllers (section 4.3.1)", rows))
}

/// Section 4.3.2.
fn samples(cells: &[Cell], results: &Path) -> Result<Figure, BenchError> {
    let mut row = Vec::new();
    for env in environments(cells, "samples") {
        let mut shown = of(cells, "edge-pruning", env, false);
        shown.retain(|it| it.cell.controller != "random");
        shown.iter_mut().for_each(|it| it.label += ", 150 values");
        let mut few = of(cells, "samples", env, true);
        few.iter_mut().for_each(|it| it.label += ", 10 values");
        shown.extend(few);
        row.extend(over_time(env, "centre_mean", REWARD, &shown, results)?);
    }
    Ok(figure("Values that the controller sees (section 4.3.2)", vec![row]))
}

/// Section 4.3.3: rewards above, edges below.
fn constrained(cells: &[Cell], results: &Path) -> Result<Figure, BenchError> {
    let (mut rewards, mut edges) = (Vec::new(), Vec::new());
    for env in environments(cells, "constrained") {
        let shown = of(cells, "constrained", env, false);
        rewards.extend(over_time(env, "centre_mean", REWARD, &shown, results)?);
        let panel = over_time(env, "edges", "edges of the centre's models", &shown, results)?;
        edges.extend(panel.map(|mut panel| {
            let ends = panel.lines.iter().flat_map(|line| line.points.last());
            let end = ends.map(|(x, _)| *x).fold(0.0, f64::max);
            let points = vec![(0.0, 64.0), (end, 64.0)];
            let target = Line { label: "target".to_owned(), stroke: Stroke::dashed(7), points };
            panel.lines.push(target);
            panel
        }));
    }
    Ok(figure("At most 64 edges (section 4.3.3)", vec![rewards, edges]))
}

/// Appendix C.1: what a masked network earns with so many of its edges.
fn pruning(cells: &[Cell], results: &Path) -> Result<Figure, BenchError> {
    let mut rows = Vec::new();
    for group in ["masked", "masked-two-layers"] {
        let mut row = Vec::new();
        for cell in cells.iter().filter(|cell| cell.group == group) {
            let curves = curves(cell, results)?;
            let points = mean(&curves, "usage").into_iter().zip(mean(&curves, "centre_mean"));
            let points: Vec<_> = points.collect();
            if !points.is_empty() {
                let line = Line { label: String::new(), stroke: Stroke::solid(0), points };
                let (x, y) = (Axis::new("share of edges in use"), Axis::new("reward"));
                let title = format!("{}, {group}", cell.env);
                row.push(Panel { title, x, y, lines: vec![line], ..Panel::default() });
            }
        }
        rows.push(row);
    }
    Ok(figure("Rewards of masked networks (appendix C.1)", rows))
}

/// One start for all episodes, or one for each.
fn starts(cells: &[Cell], results: &Path) -> Result<Figure, BenchError> {
    let mut row = Vec::new();
    for env in environments(cells, "random-starts") {
        let mut shown = of(cells, "edge-pruning", env, false);
        shown.retain(|it| it.cell.controller != "random");
        shown.iter_mut().for_each(|it| it.label += ", one start");
        let mut each = of(cells, "random-starts", env, true);
        each.iter_mut().for_each(|it| it.label += ", a start each");
        shown.extend(each);
        row.extend(over_time(env, "centre_mean", REWARD, &shown, results)?);
    }
    Ok(figure("How episodes start", vec![row]))
}

/// Appendix D: 2·|p − ½| of every edge over time, on average over seeds.
fn masks(cells: &[Cell], results: &Path) -> Result<Figure, BenchError> {
    let mut row = Vec::new();
    for cell in cells.iter().filter(|cell| cell.group == "swimmer-mask") {
        let curves = curves(cell, results)?;
        let edges = (0..).map(|e| format!("edge_{e}"));
        let settled = |name: &String| -> Column {
            let of = |curve: &BTreeMap<String, Column>| {
                let p = curve.get(name)?;
                Some(p.iter().map(|p| 2.0 * (p - 0.5).abs()).collect::<Column>())
            };
            let columns: Vec<Column> = curves.iter().filter_map(of).collect();
            let length = columns.iter().map(Vec::len).min().unwrap_or(0);
            let at = |i| columns.iter().map(|c| c[i]).sum::<f64>() / columns.len() as f64;
            (0..length).map(at).collect()
        };
        let heat: Vec<Column> =
            edges.map(|name| settled(&name)).take_while(|it| !it.is_empty()).collect();
        if heat.is_empty() {
            continue;
        }
        let rectangle = |(y, column): (usize, &Column)| {
            let (y, heat) = (y as f64, column.clone());
            let at = move |(x, heat): (usize, f64)| Rectangle {
                x: (x as f64, x as f64 + 1.0),
                y: (y, y + 1.0),
                fill: Fill::Heat(heat),
            };
            heat.into_iter().enumerate().map(at)
        };
        row.push(Panel {
            title: format!("{}, {} seeds", cell.controller, curves.len()),
            x: Axis::new("iteration"),
            y: Axis::new("edge"),
            cells: heat.iter().enumerate().flat_map(rectangle).collect(),
            key: Some(Key { label: "2 |p − ½|".to_owned(), ends: (0.0, 1.0) }),
            ..Panel::default()
        });
    }
    Ok(figure("Edges of a linear policy for Swimmer settle (appendix D)", vec![row]))
}
