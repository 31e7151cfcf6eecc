//! Models as pictures: networks, partitions, trees; the first best beside the final one.

use serde_json::Value;

use super::Chart;
use crate::model::{Matrix, Network, Picture};
use crate::{Axis, Cell, Data, Figure, Fill, Line, Note, Panel, Side, Stroke};

/// The pictures of one study's models; of several studies there are none.
pub(super) fn chart(studies: &[Data]) -> Option<Chart> {
    let [data] = studies else { return None };
    let portraits = &data.portraits;
    let first = portraits.first()?;
    let (rows, size) = match &first.picture {
        Picture::Network(network) => {
            let high = network.layers.iter().map(Vec::len).max().unwrap_or(1);
            let panels = portraits.iter().filter_map(|it| match &it.picture {
                Picture::Network(network) => Some(graph(&it.title, network)),
                _ => None,
            });
            (vec![panels.collect()], (380.0, (17.0 * high as f64).clamp(180.0, 900.0)))
        }
        Picture::Partition(_) => {
            let row = |(title, matrices): (&String, &Vec<Matrix>)| {
                matrices.iter().map(|it| matrix(title, it)).collect::<Vec<_>>()
            };
            let all = portraits.iter().filter_map(|it| match &it.picture {
                Picture::Partition(matrices) => Some((&it.title, matrices)),
                _ => None,
            });
            (all.map(row).collect(), (340.0, 200.0))
        }
        Picture::Tree(_) => {
            let trees: Vec<(&String, Vec<Branch>)> = portraits
                .iter()
                .filter_map(|it| match &it.picture {
                    Picture::Tree(value) => Some((&it.title, branches(value))),
                    _ => None,
                })
                .collect();
            let high = trees.iter().map(|(_, lines)| lines.len()).max().unwrap_or(1);
            let panels = trees.iter().map(|(title, lines)| tree(title, lines, high)).collect();
            (vec![panels], (360.0, 17.0 * high as f64 + 10.0))
        }
    };
    let title = "The model";
    let figure = Figure { title: title.to_owned(), rows, size: Some(size) };
    Some(Chart { name: "model", title, timed: false, figure })
}

/// A network: layers from left to right, positive weights blue, negative ones orange, the heavier
/// the wider.
fn graph(title: &str, network: &Network) -> Panel {
    let last = network.layers.len().saturating_sub(1).max(1) as f64;
    let mut places = Vec::new();
    for (layer, names) in network.layers.iter().enumerate() {
        let x = layer as f64 / last;
        let y = |at: usize| 1.0 - (at as f64 + 0.5) / names.len() as f64;
        places.extend((0..names.len()).map(|at| (x, y(at))));
    }
    let heaviest = network.edges.iter().map(|edge| edge.2.abs()).fold(0.0, f64::max);
    let line = |&(from, to, weight): &(usize, usize, f64)| {
        let share = if heaviest > 0.0 { weight.abs() / heaviest } else { 0.0 };
        let colour = if weight < 0.0 { 1 } else { 0 };
        let stroke = Stroke { width: 1 + (4.0 * share).round() as u32, ..Stroke::solid(colour) };
        Line { label: String::new(), stroke, points: vec![places[from], places[to]] }
    };
    let mut edges: Vec<_> = network.edges.clone();
    edges.sort_by(|a, b| a.2.abs().total_cmp(&b.2.abs()));
    let mut lines: Vec<Line> = edges.iter().map(line).collect();
    if heaviest > 0.0 {
        let key = |label: &str, colour| Line {
            label: label.to_owned(),
            stroke: Stroke { width: 3, ..Stroke::solid(colour) },
            points: vec![(f64::NAN, f64::NAN)],
        };
        lines.extend([key("positive weight", 0), key("negative weight", 1)]);
    }
    let used = |at: usize| network.edges.iter().any(|edge| edge.0 == at || edge.1 == at);
    let mut notes = Vec::new();
    let names = network.layers.iter().enumerate();
    let names = names.flat_map(|(layer, names)| names.iter().map(move |name| (layer, name)));
    for (at, (layer, name)) in names.enumerate() {
        let ends = [0, network.layers.len() - 1];
        let side = if layer == ends[0] { Side::Left } else { Side::Right };
        // Where nothing ends, the vertex is small.
        let disc = Some((6, if used(at) { 4.0 } else { 1.5 }));
        notes.push(Note { at: places[at], text: name.clone(), size: 9.0, side, disc });
    }
    let kept = format!("{} of {} edges", network.edges.len(), network.possible);
    let weights = if heaviest > 0.0 { "" } else { "; weights not kept" };
    Panel {
        title: title.to_owned(),
        x: Axis { range: Some((-0.12, 1.16)), ..Axis::new(format!("{kept}{weights}")) },
        y: Axis { range: Some((0.0, 1.0)), ..Axis::default() },
        lines,
        notes,
        bare: true,
        ..Panel::default()
    }
}

/// A matrix whose entries are coloured by class; rows from above.
fn matrix(title: &str, matrix: &Matrix) -> Panel {
    let high = matrix.rows.len();
    let cell = |(row, column, class): (usize, usize, usize)| {
        let (x, y) = (column as f64, (high - 1 - row) as f64);
        Cell { x: (x, x + 1.0), y: (y, y + 1.0), fill: Fill::Class(class) }
    };
    let rows = matrix.rows.iter().enumerate();
    let all = rows.flat_map(|(row, classes)| {
        classes.iter().enumerate().map(move |(column, class)| (row, column, *class))
    });
    let wide = matrix.rows.first().map_or(0, Vec::len);
    Panel {
        title: format!("{} ({})", matrix.name, title.split(':').next().unwrap_or(title)),
        x: Axis { names: numbers(wide), ..Axis::new(matrix.sides.1.clone()) },
        y: Axis {
            names: numbers(high).into_iter().rev().collect(),
            ..Axis::new(matrix.sides.0.clone())
        },
        cells: all.map(cell).collect(),
        ..Panel::default()
    }
}

fn numbers(n: usize) -> Vec<String> {
    (0..n).map(|at| at.to_string()).collect()
}

/// A line of a tree: how deep, and what is written.
struct Branch {
    depth: usize,
    text: String,
}

/// As many lines of a tree, and letters of a line.
const LINES: usize = 60;
const LETTERS: usize = 48;

fn branches(value: &Value) -> Vec<Branch> {
    let mut lines = Vec::new();
    grow(None, value, 0, &mut lines);
    if lines.len() > LINES {
        let more = lines.len() - LINES + 1;
        lines.truncate(LINES - 1);
        lines.push(Branch { depth: 0, text: format!("… and {more} more") });
    }
    lines
}

fn grow(name: Option<String>, value: &Value, depth: usize, lines: &mut Vec<Branch>) {
    let is_plain = |value: &Value| !value.is_object() && !value.is_array();
    let (parts, inline): (Vec<(String, &Value)>, bool) = match value {
        Value::Object(map) => {
            let parts: Vec<_> = map.iter().map(|(name, part)| (name.clone(), part)).collect();
            let inline = parts.len() < 4 && parts.iter().all(|(_, part)| is_plain(part));
            (parts, inline)
        }
        Value::Array(list) => {
            let parts = list.iter().enumerate().map(|(at, part)| (format!("[{at}]"), part));
            (parts.collect(), list.iter().all(is_plain))
        }
        _ => (Vec::new(), true),
    };
    let name = name.unwrap_or_default();
    if inline {
        let text = match value {
            Value::Object(_) => {
                let each = parts.iter().map(|(name, part)| format!("{name} {}", word(part)));
                each.collect::<Vec<_>>().join(", ")
            }
            other => word(other),
        };
        let text = format!("{name}  {text}");
        let text = match text.chars().count() > LETTERS {
            true => text.chars().take(LETTERS - 1).chain(['…']).collect(),
            false => text,
        };
        return lines.push(Branch { depth, text: text.trim().to_owned() });
    }
    lines.push(Branch { depth, text: if name.is_empty() { "model".to_owned() } else { name } });
    for (name, part) in parts {
        grow(Some(name), part, depth + 1, lines);
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            format!("[{}]", list.iter().map(word).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Lines of text from above, with elbows to what they belong to.
fn tree(title: &str, branches: &[Branch], high: usize) -> Panel {
    let place = |at: usize, depth: usize| (0.02 + 0.06 * depth as f64, (high - at) as f64 - 0.5);
    let (mut lines, mut notes) = (Vec::new(), Vec::new());
    let mut above: Vec<(f64, f64)> = Vec::new();
    for (at, branch) in branches.iter().enumerate() {
        let to = place(at, branch.depth);
        above.truncate(branch.depth);
        if let Some(&from) = above.last() {
            let points = vec![from, (from.0, to.1), (to.0, to.1)];
            let stroke = Stroke { width: 1, ..Stroke::solid(5) };
            lines.push(Line { label: String::new(), stroke, points });
        }
        above.resize(branch.depth, to);
        above.push(to);
        let (text, side) = (branch.text.clone(), Side::Right);
        notes.push(Note { at: to, text, size: 11.0, side, disc: Some((0, 3.0)) });
    }
    Panel {
        title: title.to_owned(),
        x: Axis { range: Some((0.0, 1.0)), ..Axis::default() },
        y: Axis { range: Some((0.0, high as f64)), ..Axis::default() },
        lines,
        notes,
        bare: true,
        ..Panel::default()
    }
}
