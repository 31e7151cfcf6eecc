//! Score beside size, for studies whose models have one: constraints, and the front between the
//! two.

use super::Chart;
use super::series::Group;
use crate::choices::Moment;
use crate::{Axis, Figure, Line, Panel, Stroke};

pub(super) fn chart(groups: &[Group<'_>]) -> Option<Chart> {
    let measure = groups
        .iter()
        .flat_map(|it| &it.seeds)
        .find_map(|data| data.choices.as_ref()?.measure.clone())?;
    let x = groups.first()?.axis();
    let panel =
        |title: String, x: Axis, y: &str| Panel { title, x, y: Axis::new(y), ..Panel::default() };
    let mut score = panel("Mean score of all models".to_owned(), x.clone(), "score");
    let mut size = panel(format!("Mean number of {}", measure.name), x, &measure.name);
    let mut front =
        panel("Score against size".to_owned(), Axis::new(measure.name.clone()), "score");
    for (colour, group) in groups.iter().enumerate() {
        for choices in group.seeds.iter().filter_map(|data| data.choices.as_ref()) {
            let line = |of: fn(&Moment) -> Option<f64>| Line {
                label: group.name.clone(),
                stroke: Stroke::nth(colour),
                points: choices
                    .moments
                    .iter()
                    .filter_map(|moment| Some((group.x(&moment.at), of(moment)?)))
                    .collect(),
            };
            score.lines.push(line(|moment| moment.score));
            size.lines.push(line(|moment| moment.size));
            // Of several studies only the fronts: their clouds would hide each other.
            let (label, colour) = match groups {
                [_] => ("best for its size", 1),
                _ => ("", colour),
            };
            if let [_] = groups {
                let stroke = Stroke { width: 0, marked: true, ..Stroke::solid(5) };
                let (label, points) = ("evaluated models".to_owned(), choices.places.clone());
                front.lines.push(Line { label, stroke, points });
            }
            let stroke = Stroke { marked: true, ..Stroke::solid(colour) };
            let points = choices.front();
            front.lines.push(Line { label: label.to_owned(), stroke, points });
        }
    }
    if let Some(target) = measure.target {
        let points = || size.lines.iter().flat_map(|line| &line.points).map(|point| point.0);
        let ends = points().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
        let label = "target".to_owned();
        let points = vec![(ends.0, target), (ends.1, target)];
        size.lines.push(Line { label, stroke: Stroke::dashed(6), points });
    }
    let title = "Score and size";
    let figure =
        Figure { title: title.to_owned(), rows: vec![vec![score, size, front]], size: None };
    Some(Chart { name: "size", title, timed: true, figure })
}
