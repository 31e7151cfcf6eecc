//! The names of the files in a run directory.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::{Error, regular};

/// A run directory.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) dir: PathBuf,
    pub(crate) database: PathBuf,
}

impl Layout {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_path_buf(), database: dir.join("esenas.db") }
    }

    /// The resolved study, for people.
    pub(crate) fn spec(&self) -> PathBuf {
        self.dir.join("study.toml")
    }

    /// SQLite's log of what is committed but not yet in the database file.
    pub(crate) fn wal(&self) -> PathBuf {
        self.dir.join("esenas.db-wal")
    }

    /// SQLite's index of the log.
    pub(crate) fn shm(&self) -> PathBuf {
        self.dir.join("esenas.db-shm")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.dir.join("esenas.lock")
    }

    pub(crate) fn seal(&self) -> PathBuf {
        self.dir.join("esenas.seal")
    }

    /// Where `name` is written before it is renamed into place, whole.
    pub(crate) fn staged(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.new"))
    }

    /// The files that are the study's own.
    fn files(&self) -> [PathBuf; 6] {
        let Self { database, .. } = self;
        let (seal, lock) = (self.seal(), self.lock());
        [database.clone(), self.wal(), self.shm(), seal, lock, self.spec()]
    }

    /// Bytes in the log; none if there is no log.
    pub(crate) fn wal_bytes(&self) -> u64 {
        std::fs::metadata(self.wal()).map_or(0, |file| file.len())
    }

    /// Refuses a directory without a study, and one where SQLite would open what is no regular
    /// file.
    pub(crate) fn expect_study(&self) -> Result<(), Error> {
        for path in [&self.database, &self.wal(), &self.shm()] {
            regular::expect(path)?;
        }
        if self.database.is_file() {
            return Ok(());
        }
        Err(Error::NotAStudy { dir: self.dir.clone() })
    }

    /// Makes the names in the directory survive a power loss.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        // Elsewhere a directory cannot be opened as a file, and its entries need no such help.
        if cfg!(unix) {
            let synced = File::open(&self.dir).and_then(|dir| dir.sync_all());
            synced.map_err(|e| Error::io(&self.dir, e))?;
        }
        Ok(())
    }
}

/// Whether `path` is a file that belongs to a study, whichever: to write there would destroy it.
pub fn is_of_study(path: &Path) -> bool {
    // Through links, and of a file that is not there yet through those of its directory.
    let whole = path.canonicalize().or_else(|_| {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new(".")).canonicalize()?;
        Ok::<_, std::io::Error>(parent.join(path.file_name().unwrap_or_default()))
    });
    let Ok(whole) = whole else { return false };
    let layout = whole.parent().map(Layout::new);
    layout.is_some_and(|layout| layout.database.exists() && layout.files().contains(&whole))
}
