//! The figures of studies: one function for files and for the live page.
//!
//! | module | figures |
//! |---|---|
//! | `series` | numbers over time, of one study or the mean of its seeds |
//! | `history` | score of the centre, best so far |
//! | `search` | what weights and controller record of themselves |
//! | `front` | designs that nobody dominates, of studies with several goals |
//! | `effort` | failures, and where the time goes |
//! | `choices` | what models decided over time, and which decisions matter |
//! | `size` | score beside size |
//! | `slices` | score against each decision and real, and all of these at once |
//! | `portrait` | the models themselves |
//! | `summary` | a table of how far and how good, over seeds |

mod choices;
mod effort;
mod front;
mod history;
mod portrait;
mod search;
mod series;
mod size;
mod slices;
mod summary;

use crate::{Data, Figure, FigureError};
pub use search::FIRST;
use series::Group;
pub use summary::summary;

/// What a curve is drawn against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Along {
    /// Iterations.
    #[default]
    Iterations,
    /// Evaluations.
    Evaluations,
    /// Time spent, in seconds, minutes or hours.
    Time,
}

impl Along {
    /// All of them, with what they are called.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Iterations, "iterations"),
        (Self::Evaluations, "evaluations"),
        (Self::Time, "time"),
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A figure with the name of its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// `history`, `weights`, …
    pub name: &'static str,
    /// What it shows, in words.
    pub title: &'static str,
    /// Whether it looks different [`Along`] another axis.
    pub timed: bool,
    /// What is drawn.
    pub figure: Figure,
}

impl Chart {
    /// As SVG.
    pub fn svg(&self) -> Result<String, FigureError> {
        self.figure.svg()
    }
}

/// The figures of `studies`, against `along`: those that there are data for. Studies that differ in
/// nothing but their seed are drawn as one, with the spread between them.
pub fn charts(studies: &[Data], along: Along) -> Vec<Chart> {
    let groups = Group::all(studies, along);
    let mut all = vec![history::chart(&groups), front::chart(&groups), size::chart(&groups)];
    all.push(portrait::chart(studies));
    all.extend(choices::charts(&groups).into_iter().map(Some));
    all.extend(slices::charts(&groups).into_iter().map(Some));
    all.extend([search::weights(&groups), search::controller(&groups), effort::chart(&groups)]);
    all.into_iter().flatten().collect()
}
