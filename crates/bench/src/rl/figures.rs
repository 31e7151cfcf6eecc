//! The figures of section 4.3 and appendices C.1 and D, from the curves that are kept as CSV. What
//! was not run is not drawn.

mod models;

use std::fs;
use std::path::{Path, PathBuf};

use esenas_report::{Axis, Cell as Rectangle, Figure, Fill, Key, Line, Panel, Stroke};

use super::curves::{Column, curves, mean};
use super::plan::{Cell, Plan};
use crate::BenchError;

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
        ("architectures", models::architectures(&cells, results)?),
        ("partitions", models::partitions(&cells, results)?),
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

/// Appendix D: 2·|p − ½| of every edge over time, where p is over the models of all seeds.
fn masks(cells: &[Cell], results: &Path) -> Result<Figure, BenchError> {
    let mut row = Vec::new();
    for cell in cells.iter().filter(|cell| cell.group == "swimmer-mask") {
        let curves = curves(cell, results)?;
        let edges = (0..).map(|e| format!("edge_{e}"));
        let settled = |name: &String| -> Column {
            mean(&curves, name).iter().map(|p| 2.0 * (p - 0.5).abs()).collect()
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

#[cfg(test)]
mod tests {
    use super::super::{Row, report, row};
    use super::*;

    const STUDIES: &str = r#"
environments = ["HalfCheetah"]
length = { first = 2, step = 1, most = 2, gain = 0.1 }
[study]
[[group]]
name = "quantization-linear"
source = "a test"
policy = { kind = "quantization", hidden = [] }
controllers = ["random"]
[[group]]
name = "swimmer-mask"
source = "a test"
policy = { kind = "edge-pruning", hidden = [], edges = "any" }
controllers = ["random"]
[[group]]
name = "constrained"
source = "a test"
policy = { kind = "edge-pruning", edges = "any" }
controllers = ["random"]
[[group]]
name = "masked"
source = "a test"
policy = { kind = "masked" }
controllers = ["random"]
"#;

    /// Red when a figure shows another column, another place, or results of other settings.
    #[test]
    fn figures_show_what_the_curves_have() {
        let (place, plan) = (tempfile::tempdir().unwrap(), Plan::parse(STUDIES).unwrap());
        let (cells, at) = (plan.cells(), place.path());
        assert_eq!(write(&plan, at).unwrap(), Vec::<PathBuf>::new(), "nothing was run");
        for (number, cell) in cells.iter().enumerate() {
            for seed in [0, 1] {
                let (study, settings) = (cell.name.clone(), cell.settings());
                let row = Row { study, seed, settings, ..Row::default() };
                row::keep(&at.join(format!("{}.csv", cell.group)), row).unwrap();
                let p = 0.25 + 0.5 * seed as f64;
                let text = format!(
                    "iteration,evaluations,centre_mean,edges,usage,edge_0,edge_1\n\
                     0,200,1,90,0.5,0.5,0\n1,400,{number}.5,70,0.05,{p},1\n"
                );
                fs::create_dir_all(at.join(&cell.group)).unwrap();
                fs::write(at.join(format!("{}-seed{seed}.csv", cell.name)), text).unwrap();
            }
        }
        let genes: Vec<String> = (0..17 * 6).map(|edge| (edge % 17).to_string()).collect();
        fs::write(report::model_of(&cells[0], 0, at), genes.join(" ")).unwrap();

        for seed in [0, 1] {
            let genes = (0..17 * 6).map(|edge| (edge % 2).to_string()).collect::<Vec<_>>();
            fs::write(report::model_of(&cells[1], seed, at), genes.join(" ")).unwrap();
        }

        let heat = &masks(&cells, at).unwrap().rows[0][0];
        let fills: Vec<Fill> = heat.cells.iter().map(|it| it.fill).collect();
        assert_eq!(fills, [0.0, 0.0, 1.0, 1.0].map(Fill::Heat));
        let partition = &models::partitions(&cells, at).unwrap().rows[0][0];
        assert_eq!(partition.cells.len(), 17 * 6);
        let last = partition.cells.last().unwrap();
        assert_eq!((last.x, last.y, last.fill), ((16.0, 17.0), (5.0, 6.0), Fill::Class(101 % 17)));
        let panels = constrained(&cells, at).unwrap().rows;
        assert_eq!(panels[0][0].lines[0].points, [(200.0, 1.0), (400.0, 2.5)]);
        assert_eq!(panels[1][0].lines[0].points, [(200.0, 90.0), (400.0, 70.0)]);
        assert_eq!(panels[1][0].lines[1].points, [(0.0, 64.0), (400.0, 64.0)]);
        let masked = &pruning(&cells, at).unwrap().rows[0][0];
        assert_eq!(masked.lines[0].points, [(0.5, 1.0), (0.05, 3.5)]);
        let mask = &models::architectures(&cells, at).unwrap().rows[0][1];
        assert_eq!(mask.title, "swimmer-mask, random, seed 1");
        assert_eq!((mask.cells.len(), mask.cells[101 % 2].fill), (17 * 6, Fill::Class(1)));
        assert_eq!(write(&plan, at).unwrap().len(), 6);
    }
}
