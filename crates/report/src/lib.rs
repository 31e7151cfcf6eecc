//! What is recorded about studies, as tables, figures and pages.
//!
//! Nothing here knows an algorithm or a problem: what comes in are records and plain data, what
//! goes out is Markdown, LaTeX, CSV, SVG, PNG and HTML. Figures need no font and no library of the
//! system: the typeface is compiled in, and the same data gives the same bytes.
//!
//! ```text
//! store → study → charts → figure → draw → SVG, PNG
//!           ↑        └────→ page → HTML, live or as a file
//!        models, handed over by those who know them
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`study`] | a study's records, thinned to what a picture has room for |
//! | [`choices`] | what its models decided over time |
//! | [`model`] | models as plain data to be drawn |
//! | [`mod@charts`] | the figures of studies |
//! | [`page`] | an HTML file that needs nothing else |
//! | [`statistics`] | means with standard errors, ranks, the sign test, main effects, an ECDF |
//! | [`number`] | numbers as people read them |
//! | [`table`] | rows as Markdown, LaTeX or CSV |
//! | [`goals`] | what was measured of studies with several goals |
//! | [`figure`] | panels of lines, bands and cells: what is to be drawn |
//! | `draw` | how it is drawn, on any backend of plotters |
//! | `plot` | the same as data, for a page's script |
//! | [`palette`] | colours that colour-blind readers can tell apart |

pub mod charts;
pub mod choices;
mod draw;
pub mod figure;
pub mod goals;
pub mod model;
pub mod number;
pub mod page;
pub mod palette;
mod plot;
mod reals;
mod scale;
pub mod statistics;
pub mod study;
pub mod table;

pub use charts::{Along, Chart, FIRST, charts, summary};
pub use choices::{Choices, Models};
pub use figure::{
    Axis, Band, Cell, Figure, FigureError, Fill, Key, Line, Note, Panel, Side, Stroke,
};
pub use model::Portrait;
pub use reals::{Real, Sample};
pub use study::Data;
pub use table::Table;
