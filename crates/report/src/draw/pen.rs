//! Ink on an area: lines, words, shapes. Places are in pixels of the SVG.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle};

use super::path::{At, dashes};
use super::{FAMILY, GREY, INK};
use crate::figure::Stroke;
use crate::palette::{Rgb, colour};

/// An area to draw on, and how many of its pixels make one of ours.
pub(super) struct Pen<B: DrawingBackend> {
    pub(super) area: DrawingArea<B, Shift>,
    pub(super) fine: f64,
}

impl<B: DrawingBackend> Pen<B> {
    pub(super) fn line(&self, points: &[At], stroke: Stroke) -> Result<(), String> {
        if stroke.width == 0 {
            return Ok(());
        }
        let style = rgb(colour(stroke.colour)).stroke_width(stroke.width * self.fine as u32);
        let parts = if stroke.dashed { dashes(points, 6.0, 4.0) } else { vec![points.to_vec()] };
        for part in parts.into_iter().filter(|part| part.len() > 1) {
            self.put(&PathElement::new(self.pixels(&part), style))?;
        }
        Ok(())
    }

    pub(super) fn hair(&self, points: &[At]) -> Result<(), String> {
        self.put(&PathElement::new(self.pixels(points), GREY.stroke_width(self.fine as u32)))
    }

    /// The places of `points`; several in one pixel are one.
    fn pixels(&self, points: &[At]) -> Vec<(i32, i32)> {
        let mut pixels: Vec<_> = points.iter().map(|point| self.at(*point)).collect();
        let ends = (pixels.first().copied(), pixels.last().copied());
        pixels.dedup();
        // A line needs two ends, even in one place.
        if let ([_], (_, Some(end))) = (&pixels[..], ends) {
            pixels.push(end);
        }
        pixels
    }

    pub(super) fn area(&self, border: &[At], of: usize, opacity: f64) -> Result<(), String> {
        self.put(&Polygon::new(self.pixels(border), rgb(colour(of)).mix(opacity)))
    }

    pub(super) fn dot(&self, at: At, radius: f64, of: usize) -> Result<(), String> {
        let style = ShapeStyle::from(&rgb(colour(of))).filled();
        self.put(&Circle::new(self.at(at), radius * self.fine, style))
    }

    pub(super) fn fill(&self, corners: [At; 2], of: Rgb) -> Result<(), String> {
        let corners = corners.map(|corner| self.at(corner));
        self.put(&Rectangle::new(corners, rgb(of).filled()))
    }

    pub(super) fn frame(&self, corners: [At; 2]) -> Result<(), String> {
        let corners = corners.map(|corner| self.at(corner));
        self.put(&Rectangle::new(corners, INK.stroke_width(self.fine as u32)))
    }

    pub(super) fn text(
        &self,
        text: &str,
        at: At,
        size: f64,
        by: (HPos, VPos),
    ) -> Result<(), String> {
        self.written(text, at, self.style(size, by))
    }

    /// From below to above.
    pub(super) fn upright(&self, text: &str, at: At, size: f64) -> Result<(), String> {
        let style = self.style(size, (HPos::Center, VPos::Center));
        self.written(text, at, style.transform(FontTransform::Rotate270))
    }

    fn written(&self, text: &str, at: At, style: TextStyle<'_>) -> Result<(), String> {
        // Control characters have no place in XML.
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        if text.is_empty() {
            return Ok(());
        }
        self.put(&Text::new(text, self.at(at), style))
    }

    fn style(&self, size: f64, (h, v): (HPos, VPos)) -> TextStyle<'static> {
        let font = (FAMILY, size * self.fine).into_font();
        TextStyle::from(font).color(&INK).pos(Pos::new(h, v))
    }

    fn at(&self, (x, y): At) -> (i32, i32) {
        ((x * self.fine).round() as i32, (y * self.fine).round() as i32)
    }

    fn put<'a, E>(&self, element: &'a E) -> Result<(), String>
    where
        &'a E: PointCollection<'a, (i32, i32)>,
        E: Drawable<B>,
    {
        self.area.draw(element).map_err(|error| error.to_string())
    }
}

fn rgb((red, green, blue): Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}
