//! How good the search is: the score of the centre, and that of the best candidate so far.

use super::Chart;
use super::series::{Between, Group};
use crate::study::Point;
use crate::{Axis, Figure, Panel, Stroke};

pub(super) fn chart(groups: &[Group<'_>]) -> Option<Chart> {
    let x = groups.first()?.axis();
    let panel = |title: &str, label: &str| Panel {
        title: title.to_owned(),
        x: x.clone(),
        y: Axis::new(label),
        ..Panel::default()
    };
    let mut centre = panel("Centre: mean ± standard deviation", "score");
    let mut best = panel("Best so far", "score");
    for (colour, group) in groups.iter().enumerate() {
        let stroke = Stroke::nth(colour);
        let mean = |point: &Point| point.record.centre.map(|centre| centre.mean);
        let deviation = |point: &Point| point.record.centre.map(|centre| centre.std);
        let of = (&mean as _, Some(&deviation as _));
        group.draw(&mut centre, &group.name, stroke, of, Between::Straight);
        let of = (&|point: &Point| point.record.best, None);
        group.draw(&mut best, &group.name, stroke, (of.0 as _, of.1), Between::Steps);
    }
    let panels: Vec<Panel> = [centre, best].into_iter().filter(|it| !it.lines.is_empty()).collect();
    (!panels.is_empty()).then(|| Chart {
        name: "history",
        title: "Optimization history",
        timed: true,
        figure: Figure {
            title: "Optimization history".to_owned(),
            rows: vec![panels],
            size: Some((360.0, 240.0)),
        },
    })
}
