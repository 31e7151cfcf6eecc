//! What is to be drawn: a grid of panels with marks in them, and one legend for all.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::draw;
use crate::palette::COLOURS;

/// A grid of panels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Above everything.
    pub title: String,
    /// The panels, row by row.
    pub rows: Vec<Vec<Panel>>,
    /// Width and height of a panel without its labels, in pixels of the SVG, if not the usual.
    pub size: Option<(f64, f64)>,
}

/// One coordinate system. Cells are drawn first, then bands, lines and notes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Above it.
    pub title: String,
    /// Across.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// What is drawn into it. Lines of one label share an entry of the legend.
    pub lines: Vec<Line>,
    /// Areas between two lines.
    pub bands: Vec<Band>,
    /// Rectangles, as of a heat map.
    pub cells: Vec<Cell>,
    /// Words, as in a graph.
    pub notes: Vec<Note>,
    /// What the colours of cells mean.
    pub key: Option<Key>,
    /// Without frame, grid and ticks.
    pub bare: bool,
}

/// An area around a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// An index into the [`palette`](crate::palette).
    pub colour: usize,
    /// How much of what is below it it hides, from 0 to 1.
    pub opacity: f64,
    /// Where, from where, to where.
    pub points: Vec<(f64, f64, f64)>,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// From left to right.
    pub x: (f64, f64),
    /// From bottom to top.
    pub y: (f64, f64),
    /// Its colour.
    pub fill: Fill,
}

/// A colour that means something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// A number from 0 to 1.
    Heat(f64),
    /// A class: as different as can be from the others.
    Class(usize),
}

/// A word at a place, on a disc if it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Where its middle is.
    pub at: (f64, f64),
    /// The word.
    pub text: String,
    /// In pixels of the SVG.
    pub size: f64,
    /// Where the word is, seen from the place.
    pub side: Side,
    /// The disc: an index into the [`palette`](crate::palette), and its radius in pixels.
    pub disc: Option<(usize, f64)>,
}

/// A side of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// On it.
    #[default]
    Middle,
    /// To its left.
    Left,
    /// To its right.
    Right,
}

/// A bar beside a panel that explains [`Fill::Heat`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key {
    /// What is shown.
    pub label: String,
    /// What 0 and 1 stand for.
    pub ends: (f64, f64),
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
    /// Names in place of numbers: the first one is written at 0.5, the next at 1.5.
    pub names: Vec<String>,
}

impl Axis {
    /// Beside which is written `label`.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }
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
    /// In pixels of the SVG; with zero there are only marks.
    pub width: u32,
    /// Whether its points are marked.
    pub marked: bool,
}

impl Stroke {
    /// Drawn through.
    pub fn solid(colour: usize) -> Self {
        Self { colour, dashed: false, width: 2, marked: false }
    }

    /// The `index`-th of many: drawn through, and interrupted once the colours begin again.
    pub fn nth(index: usize) -> Self {
        Self { dashed: (index / COLOURS.len()) % 2 == 1, ..Self::solid(index % COLOURS.len()) }
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
    /// The drawing.
    #[error("cannot draw the figure `{title}`: {reason}")]
    Draw {
        /// Which.
        title: String,
        /// What the drawing library said.
        reason: String,
    },
    /// There is nothing in it.
    #[error("the figure `{0}` has no panels")]
    Empty(String),
}

impl Figure {
    /// The figure as SVG: the same bytes for the same figure.
    pub fn svg(&self) -> Result<String, FigureError> {
        draw::svg(self).map_err(|reason| FigureError::Draw { title: self.title.clone(), reason })
    }

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
