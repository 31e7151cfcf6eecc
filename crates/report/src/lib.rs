//! Tables, statistics and figures, from plain numbers.
//!
//! Nothing here knows an algorithm, a problem or a record: what comes in are names and numbers, what
//! goes out is Markdown, CSV, SVG and PNG. Figures need no font and no library of the system: the
//! typeface is compiled in, and the same data gives the same bytes.
//!
//! | module | what it does |
//! |---|---|
//! | [`statistics`] | means with standard errors, ranks, the sign test, a straight line, an ECDF |
//! | [`table`] | rows as Markdown or CSV |
//! | [`figure`] | panels of lines: what is to be drawn |
//! | `draw` | how it is drawn, on any backend of plotters |
//! | [`palette`] | colours that colour-blind readers can tell apart |

mod draw;
pub mod figure;
pub mod palette;
mod scale;
pub mod statistics;
pub mod table;

pub use figure::{Axis, Figure, FigureError, Line, Panel, Stroke};
pub use table::Table;
