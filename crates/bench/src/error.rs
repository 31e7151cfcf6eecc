//! Why an experiment could not be run, or its report not be written.

use std::path::{Path, PathBuf};

use esenas::SettingError;
use esenas_bbob::HybridError;
use esenas_report::FigureError;
use thiserror::Error;

/// What went wrong.
#[derive(Debug, Error)]
pub enum BenchError {
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another process is at it.
    #[error("{}: another process is running this experiment", .0.display())]
    Busy(PathBuf),
    /// Cells that were made with other settings.
    #[error(
        "{} holds cells of other settings:\n  there {there}\n  here  {here}\n\
         choose another folder, or remove that one", path.display()
    )]
    Differs {
        /// The file of cells.
        path: PathBuf,
        /// Its settings.
        there: String,
        /// Those asked for.
        here: String,
    },
    /// A line that is no cell, and not the last one.
    #[error("{}, line {line}: not a cell: {reason}", path.display())]
    Damaged {
        /// The file of cells.
        path: PathBuf,
        /// Which.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// There is nothing to run.
    #[error("{0}: nothing is left to run; give at least one")]
    Nothing(&'static str),
    /// A problem that cannot be.
    #[error(transparent)]
    Problem(#[from] HybridError),
    /// An algorithm that refused.
    #[error("{algorithm}: {source}")]
    Search {
        /// Which.
        algorithm: &'static str,
        /// What it said.
        source: SettingError,
    },
    /// A selection that matches nothing.
    #[error("{what}: `{name}` is not one of {known}")]
    Unknown {
        /// What was selected.
        what: &'static str,
        /// By what name.
        name: String,
        /// What there is.
        known: String,
    },
    /// A description of studies that is none.
    #[error("not a description of studies: {0}")]
    Description(String),
    /// A study.
    #[error(transparent)]
    Study(#[from] esenas_run::StudyError),
    /// The policy that a study found.
    #[error(transparent)]
    Policy(#[from] esenas_run::problem::rl::TrainedError),
    /// A figure.
    #[error(transparent)]
    Figure(#[from] FigureError),
}

impl BenchError {
    /// For `map_err`, about the file at `path`.
    pub(crate) fn file(path: &Path) -> impl Fn(std::io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self::File { path: path.clone(), source }
    }

    /// Whether asking differently would help.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::File { .. } | Self::Figure(_) | Self::Study(_) | Self::Policy(_))
    }
}
