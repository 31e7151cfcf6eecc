//! `list`: the studies in a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use esenas_store::Reader;

use crate::args::List;
use crate::draw::{Table, count, short};
use crate::exit::bad_input;
use crate::study::{percent, state, wanted};
use crate::{Console, Exit};

/// What the list says of a study is a few rows of its database.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn list(args: &List, console: &mut Console<'_>) -> Result<Exit> {
    let studies = studies(&args.folder)?;
    if studies.is_empty() {
        writeln!(console.out, "{} holds no studies", args.folder.display())?;
        return Ok(Exit::Done);
    }
    let mut table =
        Table::new(&["study", ">iterations", ">evaluations", ">failed", ">best", "state"]);
    let mut unreadable = Vec::new();
    for dir in studies {
        match row(&dir) {
            Ok(cells) => table.row(cells),
            Err(error) => unreadable.push(error),
        }
    }
    write!(console.out, "{table}")?;
    for error in &unreadable {
        writeln!(console.err, "esenas: {error}")?;
    }
    Ok(if unreadable.is_empty() { Exit::Done } else { Exit::Failed })
}

/// The run directories in `folder`, or itself, by name.
fn studies(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_study = |dir: &Path| fs::symlink_metadata(dir.join("esenas.db")).is_ok();
    if is_study(folder) {
        return Ok(vec![folder.to_path_buf()]);
    }
    let entries = fs::read_dir(folder).map_err(|e| {
        let what = "name a folder of run directories, or run a study first";
        bad_input(format_args!("{} cannot be listed ({e}); {what}", folder.display()))
    })?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|e| e.path())).collect();
    let mut paths = paths.with_context(|| format!("cannot list {}", folder.display()))?;
    // Links are not followed: they could lead anywhere.
    let is_link = |dir: &Path| fs::symlink_metadata(dir).is_ok_and(|found| found.is_symlink());
    paths.retain(|dir| !is_link(dir) && is_study(dir));
    paths.sort();
    Ok(paths)
}

fn row(dir: &Path) -> Result<[String; 6], esenas_store::Error> {
    let reader = Reader::open_within(dir, PATIENCE)?;
    let (header, progress) = (reader.header()?, reader.progress()?);
    let wanted = wanted(&header.spec, "iterations");
    let iterations = match wanted {
        Some(wanted) => format!("{}/{}", progress.iterations, wanted),
        None => progress.iterations.to_string(),
    };
    Ok([
        dir.display().to_string(),
        iterations,
        count(progress.evaluations),
        percent(progress.failures, progress.evaluations),
        progress.best.map_or_else(|| "-".to_owned(), |best| short(best.reported())),
        state(&progress.state),
    ])
}
