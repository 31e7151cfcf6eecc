//! One panel: grid, marks, frame, words.

use plotters::backend::DrawingBackend;
use plotters::style::text_anchor::{HPos, VPos};

use super::path::{At, clipped, inside};
use super::pen::Pen;
use super::{Layout, width};
use crate::figure::{Band, Cell, Fill, Key, Line, Note, Panel, Side};
use crate::palette::{class, heat};
use crate::scale::Scale;

/// A panel with its scales, at its place.
pub(super) struct Placed<'a> {
    panel: &'a Panel,
    x: Scale,
    y: Scale,
    left: f64,
    top: f64,
    size: (f64, f64),
}

/// The scale across.
fn across(panel: &Panel) -> Scale {
    let lines = panel.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0));
    let bands = panel.bands.iter().flat_map(|band| band.points.iter().map(|point| point.0));
    let cells = panel.cells.iter().flat_map(|cell| [cell.x.0, cell.x.1]);
    Scale::new(&panel.x, lines.chain(bands).chain(cells))
}

/// The scale up.
pub(super) fn up(panel: &Panel) -> Scale {
    let lines = panel.lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
    let bands = panel.bands.iter().flat_map(|band| &band.points);
    let bands = bands.flat_map(|point| [point.1, point.2]);
    let cells = panel.cells.iter().flat_map(|cell| [cell.y.0, cell.y.1]);
    Scale::new(&panel.y, lines.chain(bands).chain(cells))
}

impl<'a> Placed<'a> {
    pub(super) fn new(panel: &'a Panel, (left, top): At, layout: &Layout) -> Self {
        Self { panel, x: across(panel), y: up(panel), left, top, size: layout.panel }
    }

    pub(super) fn draw<B: DrawingBackend>(
        &self,
        pen: &Pen<B>,
        layout: &Layout,
    ) -> Result<(), String> {
        if !self.panel.bare {
            self.grid(pen)?;
        }
        for cell in &self.panel.cells {
            self.cell(cell, pen)?;
        }
        for band in &self.panel.bands {
            self.band(band, pen)?;
        }
        for line in &self.panel.lines {
            self.curve(line, pen)?;
        }
        for note in &self.panel.notes {
            self.note(note, pen)?;
        }
        if let Some(key) = &self.panel.key {
            self.key(key, pen)?;
        }
        self.words(pen, layout)
    }

    fn shown(&self, (x, y): At) -> At {
        (self.left + x * self.size.0, self.top + (1.0 - y) * self.size.1)
    }

    fn share(&self, x: f64, y: f64) -> Option<At> {
        Some((self.x.share(x)?, self.y.share(y)?))
    }

    fn grid<B: DrawingBackend>(&self, pen: &Pen<B>) -> Result<(), String> {
        let hairs = self.panel.cells.is_empty();
        for (share, text) in spaced(self.x.ticks(5), self.size.0, 16.0) {
            let (x, bottom) = self.shown((share, 0.0));
            if hairs && self.panel.x.names.is_empty() {
                pen.hair(&[(x, self.top), (x, bottom)])?;
            }
            pen.text(&text, (x, bottom + 5.0), 10.0, (HPos::Center, VPos::Top))?;
        }
        for (share, text) in spaced(self.y.ticks(5), self.size.1, 9.0) {
            let (right, y) = self.shown((1.0, share));
            if hairs && self.panel.y.names.is_empty() {
                pen.hair(&[(self.left, y), (right, y)])?;
            }
            pen.text(&text, (self.left - 6.0, y), 10.0, (HPos::Right, VPos::Center))?;
        }
        Ok(())
    }

    fn words<B: DrawingBackend>(&self, pen: &Pen<B>, layout: &Layout) -> Result<(), String> {
        let (right, bottom) = self.shown((1.0, 0.0));
        if !self.panel.bare {
            pen.frame([(self.left, self.top), (right, bottom)])?;
        }
        let middle = self.shown((0.5, 0.5));
        let centred = (HPos::Center, VPos::Center);
        pen.text(&self.panel.title, (middle.0, self.top - 12.0), 12.0, centred)?;
        let below = (HPos::Center, VPos::Top);
        pen.text(&self.panel.x.label, (middle.0, bottom + 22.0), 11.0, below)?;
        pen.upright(&self.panel.y.label, (self.left - layout.left + 12.0, middle.1), 11.0)
    }

    fn cell<B: DrawingBackend>(&self, cell: &Cell, pen: &Pen<B>) -> Result<(), String> {
        let (Some(low), Some(high)) =
            (self.share(cell.x.0, cell.y.0), self.share(cell.x.1, cell.y.1))
        else {
            return Ok(());
        };
        let within = |(x, y): At| (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0));
        let ((left, bottom), (right, top)) = (self.shown(within(low)), self.shown(within(high)));
        let colour = match cell.fill {
            Fill::Heat(share) => heat(share),
            Fill::Class(index) => class(index),
        };
        pen.fill([(left, top), (right, bottom)], colour)
    }

    fn band<B: DrawingBackend>(&self, band: &Band, pen: &Pen<B>) -> Result<(), String> {
        let within = |y: f64| y.clamp(0.0, 1.0);
        let edge = |of: fn(&(f64, f64, f64)) -> At| {
            let known = band.points.iter().map(of).filter_map(|(x, y)| self.share(x, y));
            known.map(|(x, y)| self.shown((within(x), within(y)))).collect::<Vec<At>>()
        };
        let (mut border, upper) = (edge(|p| (p.0, p.1)), edge(|p| (p.0, p.2)));
        border.extend(upper.into_iter().rev());
        if border.len() < 3 {
            return Ok(());
        }
        pen.area(&border, band.colour, band.opacity)
    }

    /// The parts of a line that are within the panel.
    fn curve<B: DrawingBackend>(&self, line: &Line, pen: &Pen<B>) -> Result<(), String> {
        let shares: Vec<Option<At>> = line.points.iter().map(|&(x, y)| self.share(x, y)).collect();
        for part in shares.split(Option::is_none) {
            let part: Vec<At> = part.iter().copied().flatten().collect();
            if line.stroke.marked {
                for point in part.iter().filter(|point| inside(**point)) {
                    let radius = if line.stroke.width == 0 { 2.0 } else { 3.0 };
                    pen.dot(self.shown(*point), radius, line.stroke.colour)?;
                }
            }
            if line.stroke.width == 0 {
                continue;
            }
            for run in clipped(&part) {
                let run: Vec<At> = run.into_iter().map(|point| self.shown(point)).collect();
                pen.line(&run, line.stroke)?;
            }
        }
        Ok(())
    }

    fn note<B: DrawingBackend>(&self, note: &Note, pen: &Pen<B>) -> Result<(), String> {
        let Some(share) = self.share(note.at.0, note.at.1) else { return Ok(()) };
        let (x, y) = self.shown(share);
        let mut away = 3.0;
        if let Some((colour, radius)) = note.disc {
            pen.dot((x, y), radius, colour)?;
            away += radius;
        }
        let (x, by) = match note.side {
            Side::Middle => (x, HPos::Center),
            Side::Left => (x - away, HPos::Right),
            Side::Right => (x + away, HPos::Left),
        };
        let wide = 0.85 * width(&note.text, note.size);
        let left = match note.side {
            Side::Middle => x - 0.5 * wide,
            Side::Left => x - wide,
            Side::Right => x,
        };
        // Words are read over lines that cross them.
        if note.disc.is_some() && !note.text.is_empty() {
            let high = 0.5 * note.size;
            pen.fill([(left, y - high), (left + wide, y + high)], (255, 255, 255))?;
        }
        pen.text(&note.text, (x, y), note.size, (by, VPos::Center))
    }

    /// The bar to the right.
    fn key<B: DrawingBackend>(&self, key: &Key, pen: &Pen<B>) -> Result<(), String> {
        const STEPS: usize = 32;
        let (right, bottom) = self.shown((1.0, 0.0));
        let (left, high) = (right + 10.0, self.size.1.min(160.0));
        let top = bottom - high;
        for step in 0..STEPS {
            let y = |step: usize| bottom - high * step as f64 / STEPS as f64;
            let of = heat((step as f64 + 0.5) / STEPS as f64);
            pen.fill([(left, y(step + 1)), (left + 10.0, y(step))], of)?;
        }
        let ends = [(key.ends.1, top + 5.0), (key.ends.0, bottom - 4.0)];
        for (value, y) in ends {
            let text = format!("{value}");
            pen.text(&text, (left + 14.0, y), 10.0, (HPos::Left, VPos::Center))?;
        }
        pen.upright(&key.label, (left + 21.0, 0.5 * (top + bottom)), 10.0)
    }
}

/// As many of `ticks` as fit when each takes `least` of `all` pixels.
fn spaced(ticks: Vec<(f64, String)>, all: f64, least: f64) -> impl Iterator<Item = (f64, String)> {
    let step = (ticks.len() as f64 * least / all).ceil().max(1.0) as usize;
    ticks.into_iter().step_by(step)
}

/// How much room the words left of a panel need.
pub(super) fn room(panel: &Panel) -> f64 {
    if panel.bare {
        return 0.0;
    }
    let ticks = up(panel).ticks(5);
    let longest = ticks.iter().map(|(_, text)| width(text, 10.0)).fold(0.0, f64::max);
    longest + if panel.y.label.is_empty() { 12.0 } else { 30.0 }
}
