//! Opening the database, for writing or for reading.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::error::Fault;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::long::PIECE;

/// How long to wait for somebody else's statement, such as one typed into `sqlite3`.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is kept of the database between transactions: the few pages that every commit touches. More
/// would fill up with records nobody asks for, and a study's memory would grow with them.
const CACHE_BYTES: usize = 2 << 20;
/// What is kept at most.
const MOST_CACHE_BYTES: usize = 128 << 20;
/// What is kept where checkpoints are longer than that.
const LONG_CACHE_BYTES: usize = 16 << 20;

/// A connection that writes.
///
/// A fork of the process does not close its copy: SQLite would take it for the last one and fold
/// the log of a study that goes on elsewhere, or wait for a lock that no thread of the fork will
/// ever release.
#[derive(Debug)]
pub(crate) struct Writing {
    /// There until it is dropped.
    conn: Option<Connection>,
    pid: u32,
}

impl From<Connection> for Writing {
    fn from(conn: Connection) -> Self {
        Self { conn: Some(conn), pid: std::process::id() }
    }
}

impl Deref for Writing {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn.as_ref().expect("taken only when it is dropped")
    }
}

impl DerefMut for Writing {
    fn deref_mut(&mut self) -> &mut Connection {
        self.conn.as_mut().expect("taken only when it is dropped")
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if self.pid != std::process::id() {
            std::mem::forget(self.conn.take());
        }
    }
}

/// Opens `database`, which must exist, for writing.
///
/// Until [`may_close`] is called, closing it leaves the log as it was found: a log whose end cannot
/// be read would otherwise be folded into the database and deleted before anyone could look at it.
pub(crate) fn for_writing(database: &Path) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(database, flags)?;
    distrust(&conn)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    conn.busy_timeout(PATIENCE)?;
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    // The log is folded by whoever has the time; see `fold`.
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    keep(&conn, 0)?;
    // A commit runs a dozen statements; none should have to be parsed twice.
    conn.set_prepared_statement_cache_capacity(32);
    Ok(conn)
}

/// Keeps `bytes` of checkpoints and weights too. Their pages are written over and over: to follow a
/// chain of them in order to free it, each has to be read, and memory given back is cleared when it
/// is taken again. Together that was a third of the time of a commit at d = 10⁶. More than a limit
/// is not kept at all: a part of what is gone through in a circle is never there when it is wanted.
pub(crate) fn keep(conn: &Connection, bytes: usize) -> Result<(), Fault> {
    let long = MOST_CACHE_BYTES < bytes;
    let bytes = if long { LONG_CACHE_BYTES } else { CACHE_BYTES + bytes };
    // Negative: in kilobytes, not in pages.
    conn.pragma_update(None, "cache_size", -((bytes / 1024) as i64))?;
    // Pages written to the log before their time are written twice, unless each is written once and
    // then left alone, as those of a long state are. In memory they would be one more copy of it.
    Ok(conn.pragma_update(None, "cache_spill", long)?)
}

/// The checks are passed: closing may fold the log into the database.
pub(crate) fn may_close(conn: &Connection) -> Result<(), Fault> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(())
}

/// A reader takes no row for one of a study that is longer.
const LONGEST_ROW: i32 = 8 * PIECE as i32;

/// Steps of a statement between two looks at the clock: some tenths of a millisecond.
const STEPS: i32 = 10_000;

/// Opens the database for reading, beside a writer, after a crash, or from a medium that cannot be
/// written.
pub(crate) fn for_reading(layout: &Layout) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(&layout.database, flags).and_then(settle);
    match opened {
        // SQLite wants to make its log and index beside the database even to read it, unless it is
        // told that the file does not change: true if nobody writes, and the whole story if there
        // is no log.
        Err(_) if layout.wal_bytes() == 0 && !Lock::is_held(layout) => {
            let uri = format!("file:{}?immutable=1", escape(&layout.database));
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            Ok(Connection::open_with_flags(uri, flags).and_then(settle)?)
        }
        opened => Ok(opened?),
    }
}

/// A database may be anybody's. Its tables are read; nothing that it says is run.
fn distrust(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    Ok(())
}

/// Whatever is asked of `conn` ends when `limit` is over.
pub(crate) fn end_after(conn: &mut Connection, limit: Duration) -> Result<(), Fault> {
    let start = Instant::now();
    Ok(conn.progress_handler(STEPS, Some(move || limit <= start.elapsed()))?)
}

fn settle(conn: Connection) -> rusqlite::Result<Connection> {
    distrust(&conn)?;
    conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW)?;
    conn.busy_timeout(PATIENCE)?;
    // The first statement is what opens the files.
    conn.query_one("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(conn)
}

/// A path as part of a URI.
fn escape(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}
