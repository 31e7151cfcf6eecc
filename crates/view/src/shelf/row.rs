//! What the list says of a study. No evaluation is read for it.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use esenas_report::study::wanted;
use esenas_store::{Error, Glance, Progress, Reader, State};

/// What the list says of a study is a few rows of its database.
const PATIENCE: Duration = Duration::from_secs(2);

/// A study in the list.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// How far it is, or what is wrong with it.
    pub(crate) progress: Result<Progress, String>,
    /// How many iterations it asks for.
    pub(crate) wanted: Option<u64>,
    /// When it was begun, in seconds since 1970.
    pub(crate) created: Option<u64>,
    /// When it last changed, likewise.
    pub(crate) changed: Option<u64>,
}

impl Row {
    pub(super) fn read(name: &str, dir: &Path, seen: Glance) -> Self {
        let read = || {
            let reader = Reader::open_within(dir, PATIENCE)?;
            Ok((reader.header()?, reader.progress()?))
        };
        let (header, progress) = match read() {
            Ok(read) => read,
            Err(error) => return Self::unreadable(name, &error),
        };
        Self {
            name: name.to_owned(),
            progress: Ok(progress),
            wanted: wanted(&header.spec, "iterations"),
            created: Some(header.created),
            changed: seen.changed.and_then(seconds),
        }
    }

    pub(super) fn unreadable(name: &str, error: &Error) -> Self {
        Self::without(name, error.to_string())
    }

    /// One that was not looked at.
    pub(super) fn left_out(name: &str) -> Self {
        Self::without(name, "others took too long to read; it is read when the list is".to_owned())
    }

    fn without(name: &str, why: String) -> Self {
        let progress = Err(why);
        Self { name: name.to_owned(), progress, wanted: None, created: None, changed: None }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.progress.as_ref().is_ok_and(|progress| progress.state == State::Running)
    }
}

fn seconds(time: SystemTime) -> Option<u64> {
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}
