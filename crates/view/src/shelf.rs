//! The studies below a folder, read again when they changed and not before.

mod found;
mod row;
mod shown;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use esenas_report::Data;
use esenas_store::{Error, Glance, Reader, glance};

pub(crate) use row::Row;
use shown::Shown;

/// At most this many studies are kept in memory with their curves.
const KEPT: usize = 64;

/// A list takes no longer, however many studies are slow to read.
const PATIENCE: Duration = Duration::from_secs(10);

/// What those can say who know models and environments.
pub trait Knows: Send + Sync {
    /// Adds choices and portraits to what was read.
    fn complete(&self, data: &mut Data, reader: &Reader) -> Result<(), Error>;

    /// Whether an episode of what the study found can be filmed.
    fn films(&self, data: &Data) -> bool;

    /// An episode of what the study in `dir` found, as GIF; or why there is none.
    fn film(&self, dir: &Path) -> Result<Vec<u8>, String>;
}

/// The studies below a folder.
pub(crate) struct Shelf {
    root: PathBuf,
    pub(crate) knows: Box<dyn Knows>,
    rows: Mutex<BTreeMap<String, (Glance, Row)>>,
    /// The most recently used last.
    shown: Mutex<Vec<(String, Arc<Mutex<Shown>>)>>,
    film: Mutex<Option<(PathBuf, Glance, Vec<u8>)>>,
}

/// Whatever a thread that failed left behind is whole: values are replaced, never edited.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shelf {
    pub(crate) fn new(root: PathBuf, knows: Box<dyn Knows>) -> Self {
        let (rows, shown, film) = Default::default();
        Self { root, knows, rows, shown, film }
    }

    /// A row for each study, within [`PATIENCE`]: what is left then is said to be; those that run
    /// first, then those that changed last.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let found = found::below(&self.root);
        let known = lock(&self.rows).clone();
        let mut rows = Vec::with_capacity(found.len());
        let mut kept = BTreeMap::new();
        let start = Instant::now();
        for (name, dir) in &found {
            if PATIENCE <= start.elapsed() {
                rows.push(Row::left_out(name));
                // What was known of it stays known.
                kept.extend(known.get(name).map(|row| (name.clone(), row.clone())));
                continue;
            }
            let seen = match glance(dir) {
                Ok(seen) => seen,
                Err(error) => {
                    rows.push(Row::unreadable(name, &error));
                    continue;
                }
            };
            let row = match known.get(name).filter(|(before, _)| *before == seen) {
                Some((_, row)) => row.clone(),
                None => Row::read(name, dir, seen),
            };
            rows.push(row.clone());
            kept.insert(name.clone(), (seen, row));
        }
        *lock(&self.rows) = kept;
        rows.sort_by_key(|row| (!row.is_running(), std::cmp::Reverse(row.changed)));
        rows
    }

    /// Where the study of this name is; only what was found has a name.
    fn locate(&self, name: &str) -> Result<PathBuf, String> {
        let gone = || format!("{name} is not there; the page goes on when it is back");
        found::below(&self.root).remove(name).ok_or_else(gone)
    }

    /// Whether there is any of these studies.
    pub(crate) fn has_any(&self, names: &[String]) -> bool {
        let found = found::below(&self.root);
        names.iter().any(|name| found.contains_key(name))
    }

    /// Something that differs when one of the studies does.
    pub(crate) fn revision(&self, names: &[String]) -> u64 {
        let mut hasher = DefaultHasher::new();
        for name in names {
            let seen = self.locate(name).and_then(|dir| glance(&dir).map_err(|e| e.to_string()));
            (name, seen).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// What is to be shown of a study, its models at so many moments. If it cannot be read, why,
    /// and what was read before.
    pub(crate) fn study(&self, name: &str, moments: usize) -> (Option<Data>, Option<String>) {
        let entry = {
            let mut shown = lock(&self.shown);
            let at = shown.iter().position(|(known, _)| known == name);
            let entry = at.map_or_else(|| (name.to_owned(), Arc::default()), |at| shown.remove(at));
            if shown.len() >= KEPT {
                shown.remove(0);
            }
            shown.push(entry.clone());
            entry.1
        };
        let mut entry = lock(&entry);
        let trouble = match self.locate(name) {
            Ok(dir) => {
                let refreshed = entry.refresh((name, &dir), &*self.knows, moments);
                refreshed.err().map(|e| e.to_string())
            }
            Err(gone) => Some(gone),
        };
        (entry.data().cloned(), trouble)
    }

    /// A film of what the study found, made once for each state of it; one at a time.
    pub(crate) fn film(&self, name: &str) -> Result<Vec<u8>, String> {
        let dir = self.locate(name)?;
        let seen = glance(&dir).map_err(|error| error.to_string())?;
        let mut kept = lock(&self.film);
        if let Some((of, when, film)) = &*kept
            && (of, when) == (&dir, &seen)
        {
            return Ok(film.clone());
        }
        let film = self.knows.film(&dir)?;
        *kept = Some((dir, seen, film.clone()));
        Ok(film)
    }
}
