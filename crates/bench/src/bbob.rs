//! The hybrid BBOB experiments: section 3.1 with Figure 2, Appendix B, and ablations.
//!
//! A [`Plan`] says what is run: functions × (d_cat, d_con) × seeds × algorithms. A cell is one of
//! each, and holds the normalized optimality gap of the best point so far after so many
//! evaluations. All algorithms of a seed evaluate the same sampled point first. What the gaps are
//! divided by is random search's (section 3.1), whose budget and seed are the file's settings.

mod algorithm;
pub(crate) mod claims;
pub(crate) mod curves;
mod figures;
mod plan;
mod results;
mod run;
mod tables;

use std::path::{Path, PathBuf};

use crate::BenchError;

pub use algorithm::Algorithm;
pub use plan::{Experiment, Plan, Preset, Problem, Settings};
pub use results::Results;
pub(crate) use run::curve;
pub use run::run;

/// What an experiment says in the end.
#[derive(Clone, Debug)]
pub struct Report {
    /// Tables, tests and claims, as Markdown.
    pub text: String,
    /// The files that were written.
    pub files: Vec<PathBuf>,
}

/// Writes tables and figures of `results` into `folder`.
pub fn report(results: &Results, folder: &Path) -> Result<Report, BenchError> {
    let text = tables::markdown(results);
    let mut files = Vec::new();
    for (name, text) in [
        ("report.md", &text),
        ("curves.csv", &curves::Curves::of(results).csv()),
        ("table.csv", &tables::csv(results)),
        ("tables.tex", &tables::latex(results)),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(BenchError::file(&path))?;
        files.push(path);
    }
    for (name, figure) in figures::figures(results) {
        files.extend(figure.save(&folder.join(name))?);
    }
    Ok(Report { text, files })
}
