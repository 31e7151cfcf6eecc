//! How a figure is drawn. Places are in pixels of the SVG; a bitmap has several for each.

mod panel;
mod path;
mod pen;

use std::path::Path;
use std::sync::Once;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{FontStyle, RGBColor, WHITE, register_font};

use crate::figure::{Figure, Stroke};
use panel::Placed;
use pen::Pen;

/// A panel without its labels.
const SIZE: (f64, f64) = (270.0, 190.0);
/// Around it: for ticks, labels and its title.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const KEY: f64 = 46.0;
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
/// Lines of the grid.
pub(crate) const GREY: RGBColor = RGBColor(225, 225, 225);
/// Words and frames.
pub(crate) const INK: RGBColor = RGBColor(40, 40, 40);

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

/// About how wide a text is.
fn width(text: &str, size: f64) -> f64 {
    0.62 * size * text.chars().count() as f64
}

/// Where things go.
struct Layout {
    columns: usize,
    rows: usize,
    /// Of every panel, without what is around it.
    panel: (f64, f64),
    left: f64,
    right: f64,
    /// The legend, row by row: label, stroke, where it begins.
    legend: Vec<Vec<(String, Stroke, f64)>>,
}

impl Layout {
    fn new(figure: &Figure) -> Self {
        let panels = || figure.rows.iter().flatten();
        let keyed = panels().any(|panel| panel.key.is_some());
        let mut layout = Self {
            columns: figure.rows.iter().map(Vec::len).max().unwrap_or(0),
            rows: figure.rows.len(),
            panel: figure.size.unwrap_or(SIZE),
            left: panels().map(panel::room).fold(LEFT, f64::max),
            right: RIGHT + if keyed { KEY } else { 0.0 },
            legend: vec![Vec::new()],
        };
        let mut seen: Vec<&str> = Vec::new();
        let mut at = layout.left;
        for line in panels().flat_map(|panel| &panel.lines) {
            if line.label.is_empty() || seen.contains(&line.label.as_str()) {
                continue;
            }
            seen.push(&line.label);
            let wide = SAMPLE + LETTER * line.label.chars().count() as f64 + 26.0;
            if at > layout.left && at + wide > layout.size().0 {
                at = layout.left;
                layout.legend.push(Vec::new());
            }
            let row = layout.legend.last_mut().expect("there is a first row");
            row.push((line.label.clone(), line.stroke, at));
            at += wide;
        }
        layout.legend.retain(|row| !row.is_empty());
        layout
    }

    /// Of a panel and what is around it.
    fn pitch(&self) -> (f64, f64) {
        (self.left + self.panel.0 + self.right, TOP + self.panel.1 + BOTTOM)
    }

    fn size(&self) -> (f64, f64) {
        let (wide, high) = self.pitch();
        let legend = ROW * self.legend.len() as f64;
        (self.columns as f64 * wide, TITLE + self.rows as f64 * high + legend + 10.0)
    }

    fn pixels(&self, fine: u32) -> (u32, u32) {
        let (wide, high) = self.size();
        (wide as u32 * fine, high as u32 * fine)
    }
}

impl<B: DrawingBackend> Pen<B> {
    fn figure(&self, figure: &Figure, layout: &Layout) -> Result<(), String> {
        static FONT: Once = Once::new();
        // The typeface is whole: it comes with the program.
        FONT.call_once(|| drop(register_font(FAMILY, FontStyle::Normal, dejavu::sans::regular())));
        self.area.fill(&WHITE).map_err(|error| error.to_string())?;
        let ((wide, high), pitch) = (layout.size(), layout.pitch());
        self.text(&figure.title, (0.5 * wide, 17.0), 15.0, (HPos::Center, VPos::Center))?;
        for (row, panels) in figure.rows.iter().enumerate() {
            for (column, panel) in panels.iter().enumerate() {
                let left = column as f64 * pitch.0 + layout.left;
                let top = TITLE + row as f64 * pitch.1 + TOP;
                Placed::new(panel, (left, top), layout).draw(self, layout)?;
            }
        }
        let first = high - ROW * layout.legend.len() as f64 - 4.0;
        for (row, entries) in layout.legend.iter().enumerate() {
            let y = first + (row as f64 + 0.5) * ROW;
            for (label, stroke, x) in entries {
                self.line(&[(*x, y), (x + SAMPLE - 6.0, y)], *stroke)?;
                if stroke.width == 0 {
                    self.dot((x + 0.5 * SAMPLE - 3.0, y), 3.0, stroke.colour)?;
                }
                self.text(label, (x + SAMPLE, y), 11.0, (HPos::Left, VPos::Center))?;
            }
        }
        self.area.present().map_err(|error| error.to_string())
    }
}
