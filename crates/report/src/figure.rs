//! What is to be drawn: a grid of panels with lines in them, and one legend for all.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::draw;

/// A grid of panels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Above everything.
    pub title: String,
    /// The panels, row by row.
    pub rows: Vec<Vec<Panel>>,
}

/// One coordinate system.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Above it.
    pub title: String,
    /// Across.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// What is drawn into it. Lines of one label share an entry of the legend.
    pub lines: Vec<Line>,
}

/// One direction of a panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Beside it.
    pub label: String,
    /// Whether equal steps are equal factors. What is not positive is then left out.
    pub logarithmic: bool,
    /// From where to where; as far as the data goes, when left out.
    pub range: Option<(f64, f64)>,
}

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its entry in the legend; none if empty.
    pub label: String,
    /// How it looks.
    pub stroke: Stroke,
    /// From first to last. Points that are not finite interrupt it.
    pub points: Vec<(f64, f64)>,
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// An index into the [`palette`](crate::palette).
    pub colour: usize,
    /// Interrupted, or drawn through.
    pub dashed: bool,
    /// In units of a pixel of the SVG.
    pub width: u32,
    /// Whether its points are marked.
    pub marked: bool,
}

impl Stroke {
    /// Drawn through.
    pub fn solid(colour: usize) -> Self {
        Self { colour, dashed: false, width: 2, marked: false }
    }

    /// Interrupted.
    pub fn dashed(colour: usize) -> Self {
        Self { dashed: true, ..Self::solid(colour) }
    }
}

/// Why a figure could not be written.
#[derive(Debug, Error)]
pub enum FigureError {
    /// The file.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// What the system or the drawing library said.
        reason: String,
    },
    /// There is nothing in it.
    #[error("the figure `{0}` has no panels")]
    Empty(String),
}

impl Figure {
    /// Writes `stem`.svg and `stem`.png; returns their paths.
    pub fn save(&self, stem: &Path) -> Result<[PathBuf; 2], FigureError> {
        if self.rows.iter().all(Vec::is_empty) {
            return Err(FigureError::Empty(self.title.clone()));
        }
        let [svg, png] = ["svg", "png"].map(|extension| stem.with_extension(extension));
        let failed = |path: &Path, reason: String| {
            let path = path.to_path_buf();
            FigureError::Write { path, reason }
        };
        let text = draw::svg(self).map_err(|reason| failed(&svg, reason))?;
        std::fs::write(&svg, text).map_err(|error| failed(&svg, error.to_string()))?;
        draw::png(self, &png).map_err(|reason| failed(&png, reason))?;
        Ok([svg, png])
    }
}
