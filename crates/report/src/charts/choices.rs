//! What models decided: probabilities over time as a heat map, where the controller recorded them,
//! and else frequencies; and how much each decision matters.
//!
//! A mask is coloured by 2·|p − ½|, as in the paper's figure of converging edges: dark while
//! anything is as likely as not, light once it is settled; its rows are in the order of the
//! frequencies at the end.

use super::Chart;
use super::series::Group;
use crate::choices::{Choices, Found, Moment};
use crate::{Axis, Cell, Figure, Fill, Key, Panel};

/// As many rows of a heat map.
const ROWS: usize = 84;
/// The height of one.
const PITCH: f64 = 11.0;
const WIDTH: f64 = 560.0;
/// As many colours: runs of one are one rectangle.
const LEVELS: f64 = 16.0;
/// As many bars.
const BARS: usize = 20;
/// As many studies beside each other.
const STUDIES: usize = 4;
/// As long a name.
const NAME: usize = 28;

/// The rows of a heat map: a name, and a number from 0 to 1 at each moment.
type Rows = Vec<(String, Vec<f64>)>;

/// Frequencies of options, and of what is in or out, of each study on its own.
pub(super) fn charts(groups: &[Group<'_>]) -> Vec<Chart> {
    let options = heat_map(groups, "choices", "Choices over time: share of every option", false);
    let masks = heat_map(groups, "masks", "Masks over time: how settled each one is", true);
    options.into_iter().chain(masks).chain(importance(groups)).collect()
}

/// The choices of the first study of each of the first groups.
pub(super) fn known<'a>(
    groups: &'a [Group<'_>],
) -> impl Iterator<Item = (&'a Group<'a>, &'a Choices)> {
    let of = |group: &'a Group<'_>| Some((group, group.seeds.first()?.choices.as_ref()?));
    groups.iter().filter_map(of).take(STUDIES)
}

fn heat_map(
    groups: &[Group<'_>],
    name: &'static str,
    title: &'static str,
    masks: bool,
) -> Option<Chart> {
    let mut rows: Vec<Vec<Panel>> = Vec::new();
    for (group, choices) in known(groups) {
        let of = if masks { settled(choices) } else { frequencies(choices) };
        if of.is_empty() {
            continue;
        }
        let (cells, range) = cells(group, &choices.moments, &of);
        let counted =
            choices.moments.iter().flat_map(|it| &it.found).any(|it| *it == Found::Counted);
        let label = match (masks, counted) {
            (true, _) => "2·|p − ½|",
            (false, true) => "frequency",
            (false, false) => "probability",
        };
        rows.push(vec![Panel {
            title: if groups.len() > 1 { group.name.clone() } else { String::new() },
            x: Axis { range: Some(range), ..group.axis() },
            // The first row is on top.
            y: Axis { names: of.into_iter().map(|row| row.0).rev().collect(), ..Axis::default() },
            cells,
            key: Some(Key { label: label.to_owned(), ends: (0.0, 1.0) }),
            ..Panel::default()
        }]);
    }
    let most = rows.iter().flatten().map(|panel| panel.y.names.len()).max()?;
    let size = Some((WIDTH, (PITCH * most as f64).max(170.0)));
    let figure = Figure { title: title.to_owned(), rows, size };
    Some(Chart { name, title, timed: true, figure })
}

/// A row for every option of every decision that is no mask.
fn frequencies(choices: &Choices) -> Rows {
    let mut rows = Rows::new();
    for (at, decision) in choices.decisions.iter().enumerate().filter(|(_, it)| !it.mask) {
        for (option, name) in decision.options.iter().enumerate() {
            let shares = choices.moments.iter().map(|moment| moment.shares[at][option]);
            rows.push((short(&format!("{} = {name}", decision.name)), shares.collect()));
        }
    }
    // Of very many, those that changed most, in their order.
    if rows.len() > ROWS {
        let ends =
            |all: &[f64]| all.iter().fold((1.0_f64, 0.0_f64), |(l, h), x| (l.min(*x), h.max(*x)));
        let changed = |at: usize| ends(&rows[at].1).1 - ends(&rows[at].1).0;
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|a, b| changed(*b).total_cmp(&changed(*a)));
        order.truncate(ROWS);
        let mut at = 0..;
        rows.retain(|_| at.next().is_some_and(|at| order.contains(&at)));
    }
    rows
}

/// A row for every mask, those that are in at the end on top; of many, several in a row.
fn settled(choices: &Choices) -> Rows {
    let frequency = |at: usize, moment: &Moment| moment.shares[at].get(1).copied().unwrap_or(0.0);
    let Some(end) = choices.moments.last() else { return Rows::new() };
    let masks = choices.decisions.iter().enumerate().filter(|(_, it)| it.mask);
    let mut masks: Vec<(usize, &str)> = masks.map(|(at, it)| (at, it.name.as_str())).collect();
    masks.sort_by(|a, b| frequency(b.0, end).total_cmp(&frequency(a.0, end)));
    let together = masks.len().div_ceil(ROWS).max(1);
    let row = |masks: &[(usize, &str)]| {
        let share = |moment: &Moment| {
            let all = masks.iter().map(|(at, _)| 2.0 * (frequency(*at, moment) - 0.5).abs());
            all.sum::<f64>() / masks.len() as f64
        };
        let p = masks.iter().map(|(at, _)| frequency(*at, end)).sum::<f64>() / masks.len() as f64;
        let name = match masks {
            [(_, name)] => format!("{name}  {p:.2}"),
            many => format!("{} masks  {p:.2}", many.len()),
        };
        (short(&name), choices.moments.iter().map(share).collect())
    };
    masks.chunks(together).map(row).collect()
}

/// Rectangles from each moment to the next, of which equal neighbours are one; and where they begin
/// and end.
fn cells(group: &Group<'_>, moments: &[Moment], rows: &Rows) -> (Vec<Cell>, (f64, f64)) {
    let mut ends: Vec<f64> = moments.iter().map(|moment| group.x(&moment.at)).collect();
    let last = *ends.last().unwrap_or(&1.0);
    let before = ends.len().checked_sub(2).map_or(0.0, |at| ends[at]);
    ends.push(last + (last - before).max(f64::MIN_POSITIVE));
    let mut cells = Vec::new();
    for (at, (_, shares)) in rows.iter().enumerate() {
        let y = (rows.len() - 1 - at) as f64;
        let mut from = 0;
        let level = |share: f64| (share * LEVELS).round();
        for to in 1..=shares.len() {
            if to == shares.len() || level(shares[to]) != level(shares[from]) {
                let fill = Fill::Heat(level(shares[from]) / LEVELS);
                cells.push(Cell { x: (ends[from], ends[to]), y: (y, y + 1.0), fill });
                from = to;
            }
        }
    }
    (cells, (ends[0], ends[ends.len() - 1]))
}

/// The decisions and reals that explain most of the differences between models of one iteration.
fn importance(groups: &[Group<'_>]) -> Option<Chart> {
    let mut rows = Vec::new();
    for (group, choices) in known(groups) {
        let decisions = choices.decisions.iter().map(|it| it.name.as_str());
        let names = decisions.chain(choices.reals.iter().map(|it| it.name.as_str()));
        let mut all: Vec<(&str, f64)> = names.zip(choices.importance.iter().copied()).collect();
        all.retain(|(_, share)| *share > 0.0);
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(BARS);
        all.reverse();
        if all.is_empty() || choices.importance.len() < 2 {
            continue;
        }
        let bar = |(at, (_, share)): (usize, &(&str, f64))| {
            let y = at as f64;
            Cell { x: (0.0, 100.0 * share), y: (y + 0.15, y + 0.85), fill: Fill::Class(0) }
        };
        let most = all.iter().map(|(_, share)| 105.0 * share).fold(0.0, f64::max);
        rows.push(vec![Panel {
            title: if groups.len() > 1 { group.name.clone() } else { String::new() },
            x: Axis {
                range: Some((0.0, most)),
                ..Axis::new("variance explained within an iteration (%)")
            },
            y: Axis { names: all.iter().map(|(name, _)| short(name)).collect(), ..Axis::default() },
            cells: all.iter().enumerate().map(bar).collect(),
            ..Panel::default()
        }]);
    }
    let most = rows.iter().flatten().map(|panel| panel.y.names.len()).max()?;
    let title = "What matters: main effects on the value";
    let size = Some((420.0, (16.0 * most as f64).max(60.0)));
    let figure = Figure { title: title.to_owned(), rows, size };
    Some(Chart { name: "importance", title, timed: false, figure })
}

pub(super) fn short(name: &str) -> String {
    match name.chars().count() > NAME {
        true => name.chars().take(NAME - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}
