//! Figures as data for the page's script, which draws them anew: with values under the pointer,
//! parts enlarged, lines switched off and logarithmic axes. The drawing itself stays for paper, for
//! files and where no script runs.
//!
//! Colours are names of the page's (`c0`, `k3`) or, of heat, numbers from 0 to 1.

use serde_json::{Value, json};

use crate::figure::{Axis, Band, Cell, Figure, Fill, Line, Panel};
use crate::palette::{COLOURS, class, heat};

/// Steps of the colours of heat that a page is told.
const STEPS: usize = 32;

/// The data of a figure, if there is something to look into: pictures of models are words and
/// discs.
pub(crate) fn data(figure: &Figure) -> Option<Value> {
    let panels: Vec<&Panel> = figure.rows.iter().flatten().collect();
    let open = |panel: &&Panel| !panel.bare && panel.notes.is_empty();
    if panels.is_empty() || !panels.iter().all(open) {
        return None;
    }
    Some(json!({
        "title": figure.title,
        "tall": figure.size.map(|(_, height)| height),
        "panels": panels.into_iter().map(panel).collect::<Vec<_>>(),
    }))
}

fn panel(of: &Panel) -> Value {
    let heated = of.cells.iter().any(|cell| matches!(cell.fill, Fill::Heat(_)));
    let colours = (0..=STEPS).map(|at| hex(heat(at as f64 / STEPS as f64)));
    json!({
        "title": of.title,
        "x": axis(&of.x),
        "y": axis(&of.y),
        "lines": of.lines.iter().map(line).collect::<Vec<_>>(),
        "bands": of.bands.iter().map(band).collect::<Vec<_>>(),
        "cells": of.cells.iter().map(cell).collect::<Vec<_>>(),
        "heat": if heated { colours.collect::<Vec<_>>() } else { Vec::new() },
        "key": of.key.as_ref().map(|key| json!({ "label": key.label, "ends": key.ends })),
    })
}

fn axis(of: &Axis) -> Value {
    json!({ "label": of.label, "log": of.logarithmic, "range": of.range, "names": of.names })
}

fn line(of: &Line) -> Value {
    let points: Vec<_> = of.points.iter().map(|&(x, y)| (short(x), short(y))).collect();
    json!({
        "label": of.label,
        "colour": of.stroke.colour % COLOURS.len(),
        "dashed": of.stroke.dashed,
        "width": of.stroke.width,
        "marked": of.stroke.marked,
        "points": points,
    })
}

fn band(of: &Band) -> Value {
    let points: Vec<_> =
        of.points.iter().map(|&(x, a, b)| (short(x), short(a), short(b))).collect();
    json!({ "colour": of.colour % COLOURS.len(), "opacity": of.opacity, "points": points })
}

/// From left to right, from bottom to top, and the colour.
fn cell(of: &Cell) -> Value {
    let colour = match of.fill {
        Fill::Heat(share) => json!(short(share)),
        Fill::Class(index) => json!(hex(class(index))),
    };
    json!([short(of.x.0), short(of.x.1), short(of.y.0), short(of.y.1), colour])
}

fn hex((r, g, b): crate::palette::Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Twelve digits are more than can be seen, and take less room than seventeen. What is not finite
/// is `null` in JSON.
fn short(x: f64) -> Option<f64> {
    format!("{x:.11e}").parse().ok().filter(|it: &f64| it.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stroke;

    #[test]
    fn numbers_keep_twelve_digits_and_gaps_stay_gaps() {
        assert_eq!(short(0.1 + 0.2), Some(0.3));
        assert_eq!(short(123_456_789_012.0), Some(123_456_789_012.0));
        assert!(short(f64::MAX).is_some_and(f64::is_finite));
        assert_eq!(short(f64::NAN), None);
        let points = vec![(1.0, f64::NAN), (2.0, 0.5)];
        let line = Line { label: "<b>".to_owned(), stroke: Stroke::solid(0), points };
        let rows = vec![vec![Panel { lines: vec![line], ..Panel::default() }]];
        let told = data(&Figure { rows, ..Figure::default() }).expect("a panel");
        assert_eq!(told["panels"][0]["lines"][0]["points"], json!([[1.0, null], [2.0, 0.5]]));
    }

    #[test]
    fn pictures_of_models_stay_pictures() {
        let bare = Panel { bare: true, ..Panel::default() };
        let figure = |panel: Panel| Figure { rows: vec![vec![panel]], ..Figure::default() };
        assert_eq!(data(&figure(bare)), None);
        assert!(data(&figure(Panel::default())).is_some());
        assert_eq!(data(&Figure::default()), None);
    }
}
