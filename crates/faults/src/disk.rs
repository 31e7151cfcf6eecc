//! What happened in a directory, and what is to fail there.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::vfs;

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// `ENOSPC`.
    Full,
    /// `EIO`.
    Broken,
    /// Part of the bytes are written, and then there is no space.
    Short,
}

/// Something that changed a file, or was waited for.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Write {
        file: String,
        at: u64,
        bytes: Vec<u8>,
    },
    Truncate {
        file: String,
        len: u64,
    },
    Sync {
        file: String,
    },
    Delete {
        file: String,
    },
    /// A file that SQLite does not write, as it is now; and whether it is on the disk.
    Note {
        file: String,
        bytes: Vec<u8>,
        synced: bool,
    },
}

/// A watched directory.
#[derive(Clone)]
pub struct Disk {
    pub(crate) inner: Arc<Mutex<Inner>>,
}

pub(crate) struct Inner {
    pub(crate) dir: PathBuf,
    pub(crate) ops: Vec<Op>,
    /// Calls that can fail, so far.
    calls: usize,
    /// From which call on, how, and how many of them.
    plan: Option<(usize, Failure, usize)>,
}

/// Those that are watched: tests of one process have each their own.
static WATCHED: Mutex<Vec<(PathBuf, Weak<Mutex<Inner>>)>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What becomes of a call.
pub(crate) enum Verdict {
    Go,
    Fail(Failure),
}

impl Disk {
    /// Takes down what SQLite does to files in `dir` from now on, for as long as this lives.
    ///
    /// # Panics
    ///
    /// If the directory is not there.
    pub fn watch(dir: &Path) -> Self {
        vfs::install();
        let dir = dir.canonicalize().expect("the directory is there");
        let inner = Inner { dir: dir.clone(), ops: Vec::new(), calls: 0, plan: None };
        let inner = Arc::new(Mutex::new(inner));
        let mut watched = lock(&WATCHED);
        watched.retain(|(_, disk)| 0 < disk.strong_count());
        watched.push((dir, Arc::downgrade(&inner)));
        Self { inner }
    }

    /// The disk that a file is on, if it is watched, and the file's name there.
    pub(crate) fn of(path: &Path) -> Option<(Self, String)> {
        let parent = path.parent()?;
        let watched = lock(&WATCHED);
        let (_, disk) = watched.iter().find(|(dir, _)| dir == parent)?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        disk.upgrade().map(|inner| (Self { inner }, name))
    }

    /// Lets `count` calls fail, from the `call`-th on, counted from the beginning.
    pub fn fail(&self, call: usize, how: Failure, count: usize) {
        lock(&self.inner).plan = Some((call, how, count));
    }

    /// How many calls there were that can fail.
    pub fn calls(&self) -> usize {
        lock(&self.inner).calls
    }

    /// How many changes were taken down.
    pub fn len(&self) -> usize {
        lock(&self.inner).ops.len()
    }

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes down a file that SQLite does not write as it is now, and whether it was waited for.
    pub fn note(&self, file: &str, synced: bool) {
        let mut inner = lock(&self.inner);
        let bytes = std::fs::read(inner.dir.join(file)).unwrap_or_default();
        inner.ops.push(Op::Note { file: file.to_owned(), bytes, synced });
    }

    /// A call is about to be made.
    pub(crate) fn before(&self) -> Verdict {
        let mut inner = lock(&self.inner);
        inner.calls += 1;
        match inner.plan {
            Some((from, how, count)) if (from..from + count).contains(&(inner.calls - 1)) => {
                Verdict::Fail(how)
            }
            _ => Verdict::Go,
        }
    }

    pub(crate) fn push(&self, op: Op) {
        lock(&self.inner).ops.push(op);
    }
}
