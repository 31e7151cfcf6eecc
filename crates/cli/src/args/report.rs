//! `report`, and tables.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// `report`
#[derive(Debug, Args)]
pub struct Report {
    /// The run directories. Several are compared; those that differ in the seed alone are drawn as
    /// one
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub dirs: Vec<PathBuf>,
    /// Where index.html and the figures go [default: DIR/report, or report for several]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// The title of the page [default: what the studies are called]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// For people
    Markdown,
    /// For papers: tabular, with booktabs
    Latex,
}
