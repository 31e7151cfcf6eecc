//! The front of a study with several goals, over time.

use super::Chart;
use super::series::{Between, Group};
use crate::{Axis, Figure, Line, Panel, Stroke};

/// At which shares of the evaluations a front is drawn.
const SHARES: [(f64, &str); 3] =
    [(0.1, "after a tenth"), (0.3, "after three tenths"), (1.0, "in the end")];

pub(super) fn chart(groups: &[Group<'_>]) -> Option<Chart> {
    let all =
        || groups.iter().enumerate().flat_map(|(at, it)| it.seeds.iter().map(move |s| (at, s)));
    let names = all().find_map(|(_, data)| Some(data.goals.as_ref()?.names.clone()))?;
    let axis = |goal: usize| {
        let (name, minimized) = &names[goal];
        Axis::new(format!("{name}, {}", if *minimized { "minimized" } else { "maximized" }))
    };
    let mut front =
        Panel { title: "The front".to_owned(), x: axis(0), y: axis(1), ..Panel::default() };
    for (group, data) in all() {
        let Some(goals) = data.goals.as_ref() else { continue };
        for (at, (share, label)) in SHARES.into_iter().enumerate() {
            // Of several studies the last front of each: more would hide each other.
            if groups.len() > 1 && share < 1.0 {
                continue;
            }
            let (label, colour) = match groups {
                [_] => (label.to_owned(), at),
                _ => (groups[group].name.clone(), group),
            };
            let points = goals.front((share * goals.points.len() as f64).ceil() as usize);
            let stroke = Stroke { marked: true, ..Stroke::nth(colour) };
            front.lines.push(Line { label, stroke, points });
        }
    }
    let x = groups.first()?.axis();
    let y = Axis::new("hypervolume");
    let mut volume = Panel { title: "What it dominates".to_owned(), x, y, ..Panel::default() };
    for (at, group) in groups.iter().enumerate() {
        let stroke = Stroke::nth(if groups.len() > 1 { at } else { SHARES.len() - 1 });
        let label = if groups.len() > 1 { group.name.as_str() } else { "" };
        let of = |point: &crate::study::Point| point.record.statistics.get("hypervolume").copied();
        group.draw(&mut volume, label, stroke, (&of, None), Between::Steps);
    }
    let title = "Several goals";
    let figure = Figure { title: title.to_owned(), rows: vec![vec![front, volume]], size: None };
    Some(Chart { name: "front", title, timed: true, figure })
}
