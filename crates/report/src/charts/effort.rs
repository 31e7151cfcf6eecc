//! What the search costs: failed evaluations, and where the time goes.

use super::Chart;
use super::series::Group;
use crate::study::Point;
use crate::{Axis, Band, Data, Figure, Line, Panel, Stroke};

/// As many parts of the way over which times are summed up: single iterations are noise.
const PARTS: usize = 40;

pub(super) fn chart(groups: &[Group<'_>]) -> Option<Chart> {
    let mut panels = vec![rate(groups)?, failed(groups)?];
    if let [group] = groups {
        panels.extend(group.seeds.first().map(|data| shares(group, data)));
    }
    panels.retain(|panel| panel.lines.iter().any(|line| !line.points.is_empty()));
    let title = "Effort";
    let figure = Figure { title: title.to_owned(), rows: vec![panels], size: None };
    (!figure.rows[0].is_empty()).then_some(Chart { name: "effort", title, timed: true, figure })
}

/// The parts of the way: each from a point to a later one.
fn parts(data: &Data) -> Vec<(&Point, &Point)> {
    let step = data.points.len().div_ceil(PARTS).max(1);
    let mut ends: Vec<&Point> = data.points.iter().step_by(step).collect();
    ends.extend(data.points.last());
    let parts = ends.windows(2).map(|pair| (pair[0], pair[1]));
    parts.filter(|(from, to)| from.record.iteration < to.record.iteration).collect()
}

/// A number of each part, of the first seed of each group.
fn lines(groups: &[Group<'_>], of: impl Fn(&Point, &Point) -> f64) -> Vec<Line> {
    let line = |(colour, group): (usize, &Group<'_>)| {
        let stroke = Stroke::nth(colour);
        let points = |data: &Data| -> Vec<(f64, f64)> {
            parts(data).into_iter().map(|(from, to)| (group.x(to), of(from, to))).collect()
        };
        let seeds = group.seeds.iter().map(|data| points(data)).filter(|it| !it.is_empty());
        let line = |points| Line { label: group.name.clone(), stroke, points };
        seeds.map(line).collect::<Vec<_>>()
    };
    groups.iter().enumerate().flat_map(line).collect()
}

fn rate(groups: &[Group<'_>]) -> Option<Panel> {
    let of = |from: &Point, to: &Point| {
        let evaluations = to.record.total_evaluations - from.record.total_evaluations;
        evaluations as f64 / (to.elapsed() - from.elapsed())
    };
    let lines = lines(groups, of);
    Some(Panel {
        title: "Speed".to_owned(),
        x: groups.first()?.axis(),
        y: Axis { range: Some((0.0, 1.05 * most(&lines))), ..Axis::new("evaluations / s") },
        lines,
        ..Panel::default()
    })
}

fn most(lines: &[Line]) -> f64 {
    let points = lines.iter().flat_map(|line| &line.points);
    points.map(|point| point.1).filter(|y| y.is_finite()).fold(0.0, f64::max)
}

fn failed(groups: &[Group<'_>]) -> Option<Panel> {
    let of = |from: &Point, to: &Point| {
        let failures = to.record.total_failures - from.record.total_failures;
        failures as f64 / (to.record.iteration - from.record.iteration) as f64
    };
    let lines = lines(groups, of);
    let most = most(&lines);
    Some(Panel {
        title: "Failed evaluations".to_owned(),
        x: groups.first()?.axis(),
        y: Axis {
            range: Some((0.0, if most > 0.0 { 1.05 * most } else { 1.0 })),
            ..Axis::new("failures per iteration")
        },
        lines,
        ..Panel::default()
    })
}

/// Time spent on something up to a point.
type Spent = fn(&Point) -> f64;

/// Ask, evaluate, tell and store, one upon the other.
fn shares(group: &Group<'_>, data: &Data) -> Panel {
    let kinds: [(&str, Spent); 4] = [
        ("evaluate", |it| it.spent.evaluate),
        ("ask", |it| it.spent.ask),
        ("tell", |it| it.spent.tell),
        ("store", |it| it.spent.store),
    ];
    let mut panel = Panel {
        title: "Where the time goes".to_owned(),
        x: group.axis(),
        y: Axis { range: Some((0.0, 100.0)), ..Axis::new("share (%)") },
        ..Panel::default()
    };
    let parts = parts(data);
    let mut below = vec![0.0; parts.len()];
    for (kind, (label, of)) in kinds.into_iter().enumerate() {
        let (colour, mut points) = (kind + 1, Vec::new());
        for ((from, to), below) in parts.iter().zip(&mut below) {
            let all = to.elapsed() - from.elapsed();
            let share = 100.0 * (of(to) - of(from)) / all;
            let share = if share.is_finite() { share } else { 0.0 };
            points.push((group.x(to), *below, *below + share));
            *below += share;
        }
        let top = points.iter().map(|&(x, _, high)| (x, high)).collect();
        let stroke = Stroke { width: 1, ..Stroke::solid(colour) };
        panel.bands.push(Band { colour, opacity: 0.5, points });
        panel.lines.push(Line { label: label.to_owned(), stroke, points: top });
    }
    panel
}
