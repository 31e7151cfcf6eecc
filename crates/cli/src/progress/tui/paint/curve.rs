//! The score against iterations.

use esenas_report::Data;
use esenas_report::study::Point;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType};

use crate::draw::{count, short};

/// The first iterations are often so bad that all others would lie on one line.
const LEFT_OUT: f64 = 0.1;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, block: Block<'_>, data: Option<&Data>) {
    let points = data.map_or(&[][..], |data| &data.points);
    let centre = line(points, |point| point.record.centre.map(|centre| centre.mean));
    let centre = smooth(&centre, area.width.into());
    let best = line(points, |point| point.record.best);
    let Some((low, high)) = range(&[&centre, &best]) else {
        return frame.render_widget(block, area);
    };
    let last = points.last().map_or(1, |point| point.record.iteration + 1);
    let set = |name, data, colour| {
        Dataset::default()
            .name(name)
            .marker(Marker::Braille)
            .graph_type(GraphType::Line)
            .style(colour)
            .data(data)
    };
    let chart =
        Chart::new(vec![set("centre", &centre, Color::Yellow), set("best", &best, Color::Cyan)]);
    let x = Axis::default().bounds([1.0, last.max(2) as f64]).labels(["1".to_owned(), count(last)]);
    let middle = low / 2.0 + high / 2.0;
    let y = Axis::default().bounds([low, high]).labels([low, middle, high].map(short));
    let place = Some(ratatui::widgets::LegendPosition::BottomRight);
    frame.render_widget(chart.block(block).x_axis(x).y_axis(y).legend_position(place), area);
}

fn line(points: &[Point], of: impl Fn(&Point) -> Option<f64>) -> Vec<(f64, f64)> {
    let at = |point: &Point| Some(((point.record.iteration + 1) as f64, of(point)?));
    points.iter().filter_map(at).filter(|(_, y)| y.is_finite()).collect()
}

/// Means of neighbours, one for each column: a noisy curve would fill the picture.
fn smooth(line: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
    let step = line.len().div_ceil(columns.max(1)).max(1);
    let mean = |part: &[(f64, f64)]| {
        let n = part.len() as f64;
        part.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n))
    };
    line.chunks(step).map(mean).collect()
}

/// From the lowest to the highest, apart from the lowest few; never empty.
fn range(lines: &[&[(f64, f64)]]) -> Option<(f64, f64)> {
    let mut all: Vec<f64> = lines.iter().flat_map(|line| line.iter().map(|(_, y)| *y)).collect();
    all.sort_by(f64::total_cmp);
    let high = *all.last()?;
    let low = all[(all.len() as f64 * LEFT_OUT) as usize];
    let wide = 1e-9 * high.abs().max(1.0);
    Some(if high - low < wide { (low - wide, high + wide) } else { (low, high) })
}
