//! Whether anything happened, without opening the database.

use std::path::Path;
use std::time::SystemTime;

use crate::Error;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::seal::Seal;

/// Two glances at a study are equal if nothing was written between them and nobody began or ceased
/// to write. A study that was discarded and begun anew differs in the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Glance {
    /// Commits that were made.
    pub commits: u64,
    /// Whether a process is writing it.
    pub running: bool,
    /// When the last commit was made.
    pub changed: Option<SystemTime>,
}

/// Looks at the study in `dir`: a few dozen bytes are read and no lock is kept.
pub fn glance(dir: &Path) -> Result<Glance, Error> {
    let layout = Layout::new(dir);
    layout.expect_study()?;
    // Asked first, as in `Reader::progress`: what is written afterwards is then another glance.
    let running = Lock::is_held(&layout);
    let changed = std::fs::metadata(layout.seal()).and_then(|file| file.modified()).ok();
    Ok(Glance { commits: Seal::read(&layout)?.committed, running, changed })
}
