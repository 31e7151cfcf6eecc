//! Evaluated designs one by one: score against each decision and real, and all of them at once.

use super::Chart;
use super::choices::{known, short};
use super::series::Group;
use crate::choices::Choices;
use crate::reals::Sample;
use crate::{Axis, Figure, Line, Panel, Stroke};

/// As many decisions and reals, those that explain most.
const SLICES: usize = 6;
const AXES: usize = 9;
/// As many lines, half of them of the best.
const LINES: usize = 200;
/// What is worse than all but so many is not drawn in slices: it would press the rest together.
const WORST: f64 = 0.05;

/// A decision, or a real.
#[derive(Clone, Copy)]
enum Part {
    Decision(usize),
    Real(usize),
}

pub(super) fn charts(groups: &[Group<'_>]) -> Vec<Chart> {
    [slices(groups), parallel(groups)].into_iter().flatten().collect()
}

/// Those that explain most, masks left out; of equals the reals.
fn parts(choices: &Choices, most: usize) -> Vec<Part> {
    let decisions = choices.decisions.iter().enumerate();
    let decisions = decisions.filter(|(_, it)| !it.mask).map(|(at, _)| (at, Part::Decision(at)));
    let first = choices.decisions.len();
    let reals = (0..choices.reals.len()).map(|at| (first + at, Part::Real(at)));
    let mut parts: Vec<(usize, Part)> = reals.chain(decisions).collect();
    let share = |at: usize| choices.importance.get(at).copied().unwrap_or(0.0);
    parts.sort_by(|a, b| share(b.0).total_cmp(&share(a.0)));
    parts.into_iter().take(most).map(|(_, part)| part).collect()
}

impl Part {
    fn name(self, choices: &Choices) -> &str {
        match self {
            Self::Decision(at) => &choices.decisions[at].name,
            Self::Real(at) => &choices.reals[at].name,
        }
    }

    /// The option or the number that a design has.
    fn of(self, sample: &Sample) -> Option<f64> {
        match self {
            Self::Decision(at) => {
                let found = sample.chosen.iter().find(|(decision, _)| *decision == at);
                found.map(|(_, option)| *option as f64)
            }
            Self::Real(at) => {
                sample.numbers.iter().find(|(real, _)| *real == at).map(|(_, number)| *number)
            }
        }
    }

    /// The same from 0 to 1.
    fn share(self, choices: &Choices, sample: &Sample) -> Option<f64> {
        let value = self.of(sample)?;
        Some(match self {
            Self::Decision(at) => (value + 0.5) / choices.decisions[at].options.len().max(1) as f64,
            Self::Real(at) => choices.reals[at].share(value),
        })
    }

    fn axis(self, choices: &Choices) -> Axis {
        let label = short(self.name(choices));
        match self {
            Self::Decision(at) => {
                let options = &choices.decisions[at].options;
                let names = options.iter().map(|name| name.chars().take(9).collect()).collect();
                Axis { names, ..Axis::new(label) }
            }
            Self::Real(at) => {
                let real = &choices.reals[at];
                let (logarithmic, range) = (real.logarithmic, Some(real.interval));
                Axis { logarithmic, range, ..Axis::new(label) }
            }
        }
    }
}

/// What makes higher scores better.
fn sign(choices: &Choices) -> f64 {
    if choices.minimized { -1.0 } else { 1.0 }
}

fn slices(groups: &[Group<'_>]) -> Option<Chart> {
    let mut rows = Vec::new();
    for (group, choices) in known(groups) {
        let samples = sorted(choices);
        let kept = &samples[(WORST * samples.len() as f64) as usize..];
        let row: Vec<Panel> = parts(choices, SLICES)
            .into_iter()
            .enumerate()
            .map(|(at, part)| Panel {
                title: if groups.len() > 1 && at == 0 { group.name.clone() } else { String::new() },
                x: part.axis(choices),
                y: Axis::new(if at == 0 { "score" } else { "" }),
                lines: vec![
                    marks("first half", 5, part, kept.iter().filter(|it| it.when < 0.5)),
                    marks("second half", 0, part, kept.iter().filter(|it| it.when >= 0.5)),
                ],
                ..Panel::default()
            })
            .collect();
        rows.extend(row.chunks(3).map(<[Panel]>::to_vec));
    }
    let title = "Slices: score of every design against what it has";
    let figure = Figure { title: title.to_owned(), rows, size: Some((220.0, 150.0)) };
    let chart = Chart { name: "slices", title, timed: false, figure };
    (!chart.figure.rows.is_empty()).then_some(chart)
}

/// Worst first.
fn sorted(choices: &Choices) -> Vec<&Sample> {
    let mut samples: Vec<&Sample> = choices.samples.iter().collect();
    samples.sort_by(|a, b| (sign(choices) * a.score).total_cmp(&(sign(choices) * b.score)));
    samples
}

fn marks<'a>(
    label: &str,
    colour: usize,
    part: Part,
    samples: impl Iterator<Item = &'a &'a Sample>,
) -> Line {
    let place = |(at, sample): (usize, &&Sample)| {
        let x = part.of(sample)?;
        // Options are beside each other, in no order within.
        let beside = 0.2 + 0.6 * (at as f64 * 0.618_034).fract();
        Some((if matches!(part, Part::Decision(_)) { x + beside } else { x }, sample.score))
    };
    let stroke = Stroke { width: 0, marked: true, ..Stroke::solid(colour) };
    Line {
        label: label.to_owned(),
        stroke,
        points: samples.enumerate().filter_map(place).collect(),
    }
}

fn parallel(groups: &[Group<'_>]) -> Option<Chart> {
    let mut rows = Vec::new();
    for (group, choices) in known(groups) {
        let (parts, samples) = (parts(choices, AXES - 1), sorted(choices));
        let (Some(worst), Some(best)) = (samples.first(), samples.last()) else { continue };
        if parts.is_empty() {
            continue;
        }
        let range = (best.score - worst.score).abs().max(f64::MIN_POSITIVE);
        let cut = samples.len().saturating_sub((samples.len() / 4).clamp(1, LINES / 2));
        let step = cut.div_ceil(LINES / 2).max(1);
        let line = |label: &str, stroke: Stroke, sample: &Sample| {
            let at = |(at, part): (usize, &Part)| {
                (at as f64 + 0.5, part.share(choices, sample).unwrap_or(f64::NAN))
            };
            let mut points: Vec<(f64, f64)> = parts.iter().enumerate().map(at).collect();
            let score = sign(choices) * (sample.score - worst.score) / range;
            points.push((parts.len() as f64 + 0.5, score));
            Line { label: label.to_owned(), stroke, points }
        };
        let thin = |colour| Stroke { width: 1, ..Stroke::solid(colour) };
        let others = samples[..cut].iter().step_by(step);
        let mut lines: Vec<Line> = others.map(|it| line("others", thin(5), it)).collect();
        lines.extend(samples[cut..].iter().map(|it| line("the best", thin(1), it)));
        let mut names: Vec<String> = parts.iter().map(|part| short(part.name(choices))).collect();
        names.push("score".to_owned());
        rows.push(vec![Panel {
            title: if groups.len() > 1 { group.name.clone() } else { String::new() },
            x: Axis { range: Some((0.0, names.len() as f64)), names, ..Axis::default() },
            y: Axis { range: Some((0.0, 1.0)), ..Axis::new("share of the interval") },
            lines,
            ..Panel::default()
        }]);
    }
    let title = "Parallel coordinates: designs as lines";
    let figure = Figure { title: title.to_owned(), rows, size: Some((720.0, 220.0)) };
    let chart = Chart { name: "parallel", title, timed: false, figure };
    (!chart.figure.rows.is_empty()).then_some(chart)
}
