//! What the two halves of a search record of themselves.

use super::Chart;
use super::series::{Between, Group};
use crate::study::Point;
use crate::{Axis, Choices, Figure, Line, Panel, Stroke};

/// The statistics that are shown first where there is no room for all.
pub const FIRST: [&str; 3] = ["sigma", "entropy", "species"];

/// At most this many panels are in one figure.
const MOST: usize = 12;
const COLUMNS: usize = 3;

/// A recorded number: its name, what is written above and beside it, whether factors count.
type Shown = (&'static str, &'static str, &'static str, bool);

const WEIGHTS: [Shown; 5] = [
    ("sigma", "Perturbation scale σ", "σ", true),
    ("step_norm", "Length of the step of θ", "norm", true),
    ("gradient_norm", "Length of the estimated gradient", "norm", true),
    ("gradient_cosine", "Successive gradients", "cosine", false),
    ("axis_ratio", "Longest axis over the shortest", "ratio", true),
];

const CONTROLLER: [Shown; 10] = [
    ("entropy", "Entropy of the controller", "entropy", false),
    ("mode", "Mean probability of the likeliest", "probability", false),
    ("distinct", "Distinct models in the population", "share", false),
    ("mean_age", "Mean age of the population", "iterations", false),
    ("max_age", "Greatest age in the population", "iterations", false),
    ("species", "Species", "number", false),
    ("threshold", "Distance that parts species", "distance", false),
    ("front", "Models that none dominates", "number", false),
    ("kl", "Change of the policy (KL)", "nats", false),
    ("mode_log_prob", "Log probability of the likeliest model", "nats", false),
];

/// σ, norms, angle, axes.
pub(super) fn weights(groups: &[Group<'_>]) -> Option<Chart> {
    let panels = WEIGHTS.iter().filter_map(|shown| panel(groups, shown));
    chart("weights", "Weights", panels.collect())
}

/// Entropy, ages, species, and what else there is.
pub(super) fn controller(groups: &[Group<'_>]) -> Option<Chart> {
    let known = CONTROLLER.iter().filter_map(|shown| panel(groups, shown));
    chart("controller", "Controller", known.chain(distinct(groups)).collect())
}

fn chart(name: &'static str, title: &'static str, panels: Vec<Panel>) -> Option<Chart> {
    let rows: Vec<Vec<Panel>> = panels
        .into_iter()
        .take(MOST)
        .collect::<Vec<_>>()
        .chunks(COLUMNS)
        .map(<[_]>::to_vec)
        .collect();
    let figure = Figure { title: title.to_owned(), rows, size: None };
    (!figure.rows.is_empty()).then_some(Chart { name, title, timed: true, figure })
}

/// How many of the models that were evaluated in an iteration differ.
fn distinct(groups: &[Group<'_>]) -> Option<Panel> {
    let line = |(colour, group): (usize, &Group<'_>)| {
        let choices = group.seeds.iter().filter_map(|data| data.choices.as_ref());
        let points = |choices: &Choices| {
            let all = choices.moments.iter();
            all.map(|moment| (group.x(&moment.at), 100.0 * moment.distinct)).collect()
        };
        let line = |points| Line { label: group.name.clone(), stroke: Stroke::nth(colour), points };
        choices.map(|choices| line(points(choices))).collect::<Vec<_>>()
    };
    let lines: Vec<Line> = groups.iter().enumerate().flat_map(line).collect();
    (!lines.is_empty()).then_some(Panel {
        title: "Distinct models evaluated".to_owned(),
        x: groups.first()?.axis(),
        y: Axis { range: Some((0.0, 105.0)), ..Axis::new("share (%)") },
        lines,
        ..Panel::default()
    })
}

/// The panel of a number, if any study has it.
fn panel(groups: &[Group<'_>], (name, title, label, factors): &Shown) -> Option<Panel> {
    let of = |point: &Point| point.record.statistics.get(*name).copied();
    let all = || groups.iter().flat_map(|group| &group.seeds).flat_map(|data| &data.points);
    let all = || all().filter_map(of).filter(|x| x.is_finite());
    let (low, high) = all().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
    // Factors can be seen once there are some.
    let logarithmic = *factors && low > 0.0 && high > 3.0 * low;
    let mut panel = Panel {
        title: (*title).to_owned(),
        x: groups.first()?.axis(),
        y: Axis { logarithmic, ..Axis::new(*label) },
        ..Panel::default()
    };
    for (colour, group) in groups.iter().enumerate() {
        group.draw(&mut panel, &group.name, Stroke::nth(colour), (&of, None), Between::Straight);
    }
    (!panel.lines.is_empty()).then_some(panel)
}
