//! Folding the log into the database, beside the writer.
//!
//! SQLite commits to its log, and now and then somebody has to move that into the database file and
//! wait for the disk twice: 50 to 70 ms that a commit of a third of a millisecond should not pay.
//! So a thread does it, with a connection of its own, while commits go on. What a power loss can
//! cost is as before: the log is on the disk before the database is touched, and begins anew only
//! after that is.
//!
//! A log begins anew when a commit finds all of it folded. Commits that follow each other closely
//! are always ahead by a few, so the thread folds until little is left, and holds commits up for
//! that little. At d = 10⁶ and without an objective that little is three commits, some 100 ms every
//! eighth time; a study that takes longer to evaluate than the disk to follow is not held up.
//! Should the disk be slower than the study, the log reaches a limit, and the writer waits for the
//! thread and folds the rest itself.
//!
//! Folding needs room: pages of the log that the database does not have yet are added to it, and
//! the log keeps its length to be written over. So where the disk has little left, the log stays
//! within a part of that.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;

use crate::connect;
use crate::error::Fault;

/// The log may be this many times as long as it is when it is folded, before the writer waits.
const LIMIT: u32 = 8;
/// Commits are held up for as little as this part of that length.
const LITTLE: u32 = 32;
/// The log may take this part of what is left on the disk before it is folded, and twice that at
/// most.
const SHARE: u64 = 4;
/// How often what came meanwhile is folded before commits are held up.
const ROUNDS: u32 = 3;

/// The thread that folds, until it is dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    log: Arc<Log>,
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    /// The process it is a thread of.
    pid: u32,
}

#[derive(Debug)]
struct Log {
    /// Folds, and does nothing else.
    conn: Mutex<Connection>,
    /// Held by a transaction, or by the thread while there shall be none.
    gate: Mutex<()>,
    /// Held on the way to the gate. Without it a writer that passes again and again would keep the
    /// thread from ever getting there.
    turnstile: Mutex<()>,
    /// Pages in the log after the last commit.
    pages: AtomicU32,
    /// Pages that folding again is of no use for: somebody reads. None when the log begins anew.
    futile: AtomicU32,
    /// The same for the writer, which folds later.
    futile_here: AtomicU32,
    /// Pages the log may grow by before it is folded.
    quantum: u32,
    page_bytes: u32,
    database: PathBuf,
}

impl Folder {
    /// Folds what `writer` commits to `database`, whenever the log has grown by `log_bytes`.
    pub(crate) fn start(
        database: &Path,
        writer: &mut Connection,
        log_bytes: u32,
    ) -> Result<Self, Fault> {
        let conn = connect::for_writing(database)?;
        let page_bytes: u32 = conn.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let quantum = (log_bytes / page_bytes).max(1);
        let log = Arc::new(Log {
            conn: Mutex::new(conn),
            gate: Mutex::new(()),
            turnstile: Mutex::new(()),
            pages: AtomicU32::new(0),
            futile: AtomicU32::new(0),
            futile_here: AtomicU32::new(0),
            quantum,
            page_bytes,
            database: database.to_path_buf(),
        });
        let counted = log.clone();
        writer.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
            counted.committed(u32::try_from(pages).unwrap_or(0));
            Ok(())
        }))?;
        let (wake, woken) = sync_channel(1);
        let folding = log.clone();
        let work = move || woken.iter().for_each(|()| folding.relieve());
        let thread = std::thread::Builder::new().name("fold".into()).spawn(work);
        let thread = Some(thread.map_err(Fault::Io)?);
        Ok(Self { log, wake: Some(wake), thread, pid: std::process::id() })
    }

    /// To be held during a transaction. Waits while the log must not grow.
    pub(crate) fn enter(&self) -> MutexGuard<'_, ()> {
        let log = &self.log;
        let pages = log.pages.load(SeqCst);
        if log.exceeds(log.most(), &log.futile_here) {
            log.fold();
            // More than that cannot be done: somebody reads, or the disk is full.
            log.futile_here.store(pages, SeqCst);
        }
        let _turn = lock(&log.turnstile);
        lock(&log.gate)
    }

    /// After a transaction: has the log folded if it is long.
    pub(crate) fn leave(&self) {
        if self.log.exceeds(self.log.quantum, &self.log.futile)
            && let Some(wake) = &self.wake
        {
            // A full channel is a thread that is told already.
            let _ = wake.try_send(());
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let thread = self.thread.take();
        // A fork has no threads but the one that forked: there is none to be woken or waited for.
        if self.pid != std::process::id() {
            return std::mem::forget((thread, self.wake.take()));
        }
        self.wake = None;
        if let Some(thread) = thread {
            // A panic over there has been printed, and costs the log its folding, nothing else.
            let _ = thread.join();
        }
    }
}

impl Log {
    fn most(&self) -> u32 {
        self.quantum.saturating_mul(LIMIT)
    }

    /// Takes down how long the log is; it begins anew when a commit finds all of it folded.
    fn committed(&self, pages: u32) {
        if pages < self.pages.swap(pages, SeqCst) {
            self.futile.store(0, SeqCst);
            self.futile_here.store(0, SeqCst);
        }
    }

    /// Whether the log has grown by `most` pages, or by a part of what room there is, beyond what
    /// is futile.
    fn exceeds(&self, most: u32, futile: &AtomicU32) -> bool {
        let times = u64::from(most / self.quantum);
        let pages = self.pages.load(SeqCst).saturating_sub(futile.load(SeqCst));
        most <= pages || self.share().is_some_and(|share| share * times.min(2) <= u64::from(pages))
    }

    /// In pages, the part of what is left on the disk that the log may take. What it has already is
    /// left too.
    fn share(&self) -> Option<u64> {
        #[cfg(unix)]
        {
            let disk = rustix::fs::statvfs(&self.database).ok()?;
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            let log = u64::from(self.pages.load(SeqCst)) * u64::from(self.page_bytes);
            Some(free.saturating_add(log) / SHARE / u64::from(self.page_bytes))
        }
        #[cfg(not(unix))]
        None
    }

    /// Folds all of the log, for most of it beside the writer.
    fn relieve(&self) {
        if !self.exceeds(self.quantum, &self.futile) {
            return;
        }
        let mut left = u32::MAX;
        for _ in 0..ROUNDS {
            left = self.fold();
            if left <= self.quantum / LITTLE {
                break;
            }
        }
        if 0 < left {
            let _turn = lock(&self.turnstile);
            let _gate = lock(&self.gate);
            self.fold();
        }
        // If nothing came of it, because somebody reads, not at every commit from now on.
        self.futile.store(self.pages.load(SeqCst), SeqCst);
    }

    /// Folds what is in the log by now; how many pages are left or came meanwhile.
    fn fold(&self) -> u32 {
        let conn = lock(&self.conn);
        let sql = "PRAGMA wal_checkpoint(PASSIVE)";
        // Of a fold that fails nothing is lost: what was committed stays in the log.
        let folded = conn.query_one(sql, [], |row| row.get::<_, i64>(2)).unwrap_or(0);
        self.pages.load(SeqCst).saturating_sub(u32::try_from(folded).unwrap_or(0))
    }
}

/// The locks guard order, not data: a panic elsewhere leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
