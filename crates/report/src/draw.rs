//! How a figure is drawn. Places are in pixels of the SVG; a bitmap has several for each.

use std::path::Path;
use std::sync::Once;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontStyle, FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE,
    register_font,
};

use crate::figure::{Figure, Line, Panel, Stroke};
use crate::palette::colour;
use crate::scale::Scale;

/// A panel without its labels.
const SIZE: (f64, f64) = (270.0, 190.0);
/// Around it: for ticks, labels and its title.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 42.0;
/// Above all panels; the legend's rows below them.
const TITLE: f64 = 34.0;
const ROW: f64 = 20.0;
/// An entry of the legend: its sample, and a letter.
const SAMPLE: f64 = 34.0;
const LETTER: f64 = 6.6;
/// Bitmaps are this many times as fine.
const FINE: u32 = 2;
const FAMILY: &str = "sans-serif";
const GREY: RGBColor = RGBColor(225, 225, 225);
const INK: RGBColor = RGBColor(40, 40, 40);

/// The figure as SVG.
pub(crate) fn svg(figure: &Figure) -> Result<String, String> {
    let mut text = String::new();
    let layout = Layout::new(figure);
    let area = SVGBackend::with_string(&mut text, layout.pixels(1)).into_drawing_area();
    Pen { area, fine: 1.0 }.figure(figure, &layout)?;
    Ok(text)
}

/// The figure as PNG.
pub(crate) fn png(figure: &Figure, path: &Path) -> Result<(), String> {
    let layout = Layout::new(figure);
    let area = BitMapBackend::new(path, layout.pixels(FINE)).into_drawing_area();
    Pen { area, fine: FINE.into() }.figure(figure, &layout)
}

/// Where things go.
struct Layout {
    columns: usize,
    rows: usize,
    /// The legend, row by row: label, stroke, where it begins.
    legend: Vec<Vec<(String, Stroke, f64)>>,
}

impl Layout {
    fn new(figure: &Figure) -> Self {
        let columns = figure.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut layout = Self { columns, rows: figure.rows.len(), legend: vec![Vec::new()] };
        let mut seen: Vec<&str> = Vec::new();
        let mut at = LEFT;
        for line in figure.rows.iter().flatten().flat_map(|panel| &panel.lines) {
            if line.label.is_empty() || seen.contains(&line.label.as_str()) {
                continue;
            }
            seen.push(&line.label);
            let wide = SAMPLE + LETTER * line.label.chars().count() as f64 + 26.0;
            if at > LEFT && at + wide > layout.size().0 {
                at = LEFT;
                layout.legend.push(Vec::new());
            }
            let row = layout.legend.last_mut().expect("there is a first row");
            row.push((line.label.clone(), line.stroke, at));
            at += wide;
        }
        layout
    }

    fn size(&self) -> (f64, f64) {
        let wide = self.columns as f64 * (LEFT + SIZE.0 + RIGHT);
        let high = self.rows as f64 * (TOP + SIZE.1 + BOTTOM);
        (wide, TITLE + high + ROW * self.legend.len() as f64 + 10.0)
    }

    fn pixels(&self, fine: u32) -> (u32, u32) {
        let (wide, high) = self.size();
        (wide as u32 * fine, high as u32 * fine)
    }
}

/// An area to draw on, and how many of its pixels make one of ours.
struct Pen<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    fine: f64,
}

impl<B: DrawingBackend> Pen<B> {
    fn figure(&self, figure: &Figure, layout: &Layout) -> Result<(), String> {
        static FONT: Once = Once::new();
        // The typeface is whole: it comes with the program.
        FONT.call_once(|| drop(register_font(FAMILY, FontStyle::Normal, dejavu::sans::regular())));
        self.area.fill(&WHITE).map_err(|error| error.to_string())?;
        let (wide, high) = layout.size();
        self.text(&figure.title, (0.5 * wide, 17.0), 15.0, (HPos::Center, VPos::Center))?;
        for (row, panels) in figure.rows.iter().enumerate() {
            for (column, panel) in panels.iter().enumerate() {
                let left = column as f64 * (LEFT + SIZE.0 + RIGHT) + LEFT;
                let top = TITLE + row as f64 * (TOP + SIZE.1 + BOTTOM) + TOP;
                self.panel(panel, (left, top))?;
            }
        }
        let first = high - ROW * layout.legend.len() as f64 - 4.0;
        for (row, entries) in layout.legend.iter().enumerate() {
            let y = first + (row as f64 + 0.5) * ROW;
            for (label, stroke, x) in entries {
                self.line(&[(*x, y), (x + SAMPLE - 6.0, y)], *stroke)?;
                self.text(label, (x + SAMPLE, y), 11.0, (HPos::Left, VPos::Center))?;
            }
        }
        self.area.present().map_err(|error| error.to_string())
    }

    fn panel(&self, panel: &Panel, (left, top): (f64, f64)) -> Result<(), String> {
        let points = || panel.lines.iter().flat_map(|line| &line.points);
        let x = Scale::new(&panel.x, points().map(|point| point.0));
        let y = Scale::new(&panel.y, points().map(|point| point.1));
        let (right, bottom) = (left + SIZE.0, top + SIZE.1);
        let (across, up) =
            (|share: f64| left + share * SIZE.0, |share: f64| bottom - share * SIZE.1);
        for (share, text) in x.ticks(5) {
            self.hair(&[(across(share), top), (across(share), bottom)])?;
            self.text(&text, (across(share), bottom + 5.0), 10.0, (HPos::Center, VPos::Top))?;
        }
        for (share, text) in y.ticks(5) {
            self.hair(&[(left, up(share)), (right, up(share))])?;
            self.text(&text, (left - 6.0, up(share)), 10.0, (HPos::Right, VPos::Center))?;
        }
        for line in &panel.lines {
            self.curve(line, &x, &y, &across, &up)?;
        }
        let corners = [self.at((left, top)), self.at((right, bottom))];
        self.put(&Rectangle::new(corners, INK.stroke_width(self.fine as u32)))?;
        let middle = (0.5 * (left + right), 0.5 * (top + bottom));
        self.text(&panel.title, (middle.0, top - 12.0), 12.0, (HPos::Center, VPos::Center))?;
        self.text(&panel.x.label, (middle.0, bottom + 22.0), 11.0, (HPos::Center, VPos::Top))?;
        let style = self.style(11.0, (HPos::Center, VPos::Center));
        let turned = style.transform(FontTransform::Rotate270);
        self.put(&Text::new(panel.y.label.clone(), self.at((left - 50.0, middle.1)), turned))
    }

    /// The parts of a line that are within the panel.
    fn curve(
        &self,
        line: &Line,
        x: &Scale,
        y: &Scale,
        across: &dyn Fn(f64) -> f64,
        up: &dyn Fn(f64) -> f64,
    ) -> Result<(), String> {
        let place = |&(px, py): &(f64, f64)| Some((x.share(px)?, y.share(py)?));
        let shares: Vec<Option<(f64, f64)>> = line.points.iter().map(place).collect();
        let shown = |(a, b): (f64, f64)| (across(a), up(b));
        for part in shares.split(Option::is_none) {
            let part: Vec<(f64, f64)> = part.iter().copied().flatten().collect();
            if line.stroke.marked {
                for point in part.iter().filter(|point| inside(**point)) {
                    let style = ShapeStyle::from(&self.ink(line.stroke)).filled();
                    self.put(&Circle::new(self.at(shown(*point)), 3.0 * self.fine, style))?;
                }
            }
            for run in clipped(&part) {
                self.line(&run.into_iter().map(shown).collect::<Vec<_>>(), line.stroke)?;
            }
        }
        Ok(())
    }

    fn line(&self, points: &[(f64, f64)], stroke: Stroke) -> Result<(), String> {
        let style = self.ink(stroke).stroke_width(stroke.width * self.fine as u32);
        let parts = if stroke.dashed { dashes(points, 6.0, 4.0) } else { vec![points.to_vec()] };
        for part in parts.into_iter().filter(|part| part.len() > 1) {
            let part: Vec<_> = part.into_iter().map(|point| self.at(point)).collect();
            self.put(&PathElement::new(part, style))?;
        }
        Ok(())
    }

    fn hair(&self, points: &[(f64, f64)]) -> Result<(), String> {
        let points: Vec<_> = points.iter().map(|point| self.at(*point)).collect();
        self.put(&PathElement::new(points, GREY.stroke_width(self.fine as u32)))
    }

    fn text(&self, text: &str, at: (f64, f64), size: f64, by: (HPos, VPos)) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        self.put(&Text::new(text.to_owned(), self.at(at), self.style(size, by)))
    }

    fn style(&self, size: f64, (h, v): (HPos, VPos)) -> TextStyle<'static> {
        let font = (FAMILY, size * self.fine).into_font();
        TextStyle::from(font).color(&INK).pos(Pos::new(h, v))
    }

    fn ink(&self, stroke: Stroke) -> RGBColor {
        let (red, green, blue) = colour(stroke.colour);
        RGBColor(red, green, blue)
    }

    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.fine).round() as i32, (y * self.fine).round() as i32)
    }

    fn put<'a, E>(&self, element: &'a E) -> Result<(), String>
    where
        &'a E: plotters::element::PointCollection<'a, (i32, i32)>,
        E: plotters::element::Drawable<B>,
    {
        self.area.draw(element).map_err(|error| error.to_string())
    }
}

fn inside((x, y): (f64, f64)) -> bool {
    (-1e-9..=1.0 + 1e-9).contains(&x) && (-1e-9..=1.0 + 1e-9).contains(&y)
}

/// The runs of a path within the unit square, cut where they leave it (Liang and Barsky, 1984).
fn clipped(points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
    for pair in points.windows(2) {
        let ((x, y), (dx, dy)) = (pair[0], (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1));
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for (p, q) in [(-dx, x), (dx, 1.0 - x), (-dy, y), (dy, 1.0 - y)] {
            match p {
                _ if p < 0.0 => enter = enter.max(q / p),
                _ if p > 0.0 => leave = leave.min(q / p),
                _ if q < 0.0 => leave = f64::NEG_INFINITY,
                _ => {}
            }
        }
        if enter > leave {
            continue;
        }
        let at = |t: f64| (x + t * dx, y + t * dy);
        // Exactly, so that a run goes on with the next pair.
        let from = if enter == 0.0 { pair[0] } else { at(enter) };
        let to = if leave == 1.0 { pair[1] } else { at(leave) };
        match runs.last_mut() {
            Some(run) if enter == 0.0 && run.last() == Some(&pair[0]) => run.push(to),
            _ => runs.push(vec![from, to]),
        }
    }
    runs
}

/// Cuts a path into pieces `on` long, `off` apart.
fn dashes(points: &[(f64, f64)], on: f64, off: f64) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> =
        points.first().map(|p| vec![vec![*p]]).unwrap_or_default();
    let (mut drawing, mut left) = (true, on);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut rest = (to.0 - from.0).hypot(to.1 - from.1);
        while rest > left {
            let share = left / rest;
            from = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            rest -= left;
            match drawing {
                true => parts.last_mut().expect("a dash has begun").push(from),
                false => parts.push(vec![from]),
            }
            drawing = !drawing;
            left = if drawing { on } else { off };
        }
        left -= rest;
        if drawing {
            parts.last_mut().expect("a dash has begun").push(to);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_have_their_length_whatever_the_points() {
        let straight = dashes(&[(0.0, 0.0), (25.0, 0.0)], 6.0, 4.0);
        assert_eq!(straight.len(), 3);
        let long = |points: &[(f64, f64)]| -> f64 {
            let step = |p: &[(f64, f64)]| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1);
            points.windows(2).map(step).sum()
        };
        let many: Vec<(f64, f64)> = (0..=250).map(|i| (0.1 * f64::from(i), 0.0)).collect();
        let cut = dashes(&many, 6.0, 4.0);
        let lengths: Vec<f64> = cut.iter().map(|part| long(part)).collect();
        assert_eq!(lengths.len(), 3);
        let close = |(a, b): (&f64, f64)| (a - b).abs() < 1e-9;
        assert!(lengths.iter().zip([6.0, 6.0, 5.0]).all(close), "{lengths:?}");
    }

    #[test]
    fn what_leaves_the_panel_is_cut_at_its_border() {
        let runs = clipped(&[(0.5, 0.5), (0.5, 1.5), (0.5, 0.5)]);
        assert_eq!(runs, [vec![(0.5, 0.5), (0.5, 1.0)], vec![(0.5, 1.0), (0.5, 0.5)]]);
        assert_eq!(clipped(&[(2.0, 2.0), (3.0, 3.0)]), Vec::<Vec<_>>::new());
        let within = [(0.1, 0.1), (0.2, 0.9), (0.9, 0.3)];
        assert_eq!(clipped(&within), [within.to_vec()]);
    }
}
