//! Opening the database, for writing or for reading.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::Fault;
use crate::layout::Layout;
use crate::lock::Lock;

/// How long to wait for somebody else's statement, such as one typed into `sqlite3`.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is kept of the database between transactions: the few pages that every commit touches. More
/// would fill up with records nobody asks for, and a study's memory would grow with them.
const CACHE_BYTES: usize = 2 << 20;
/// What is kept at most.
const MOST_CACHE_BYTES: usize = 128 << 20;

/// Opens `database`, which must exist, for writing.
///
/// Until [`may_close`] is called, closing it leaves the log as it was found: a log whose end cannot
/// be read would otherwise be folded into the database and deleted before anyone could look at it.
pub(crate) fn for_writing(database: &Path) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(database, flags)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    conn.busy_timeout(PATIENCE)?;
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    // The log is folded by whoever has the time; see `fold`.
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    keep(&conn, 0)?;
    // Pages written to the log before their time are written twice.
    conn.pragma_update(None, "cache_spill", false)?;
    // A commit runs a dozen statements; none should have to be parsed twice.
    conn.set_prepared_statement_cache_capacity(32);
    Ok(conn)
}

/// Keeps `bytes` of checkpoints and weights too. Their pages are written over and over: to follow a
/// chain of them in order to free it, each has to be read, and memory given back is cleared when it
/// is taken again. Together that was a third of the time of a commit at d = 10⁶.
pub(crate) fn keep(conn: &Connection, bytes: usize) -> Result<(), Fault> {
    let kilobytes = CACHE_BYTES.saturating_add(bytes).min(MOST_CACHE_BYTES) / 1024;
    // Negative: in kilobytes, not in pages.
    Ok(conn.pragma_update(None, "cache_size", -(kilobytes as i64))?)
}

/// The checks are passed: closing may fold the log into the database.
pub(crate) fn may_close(conn: &Connection) -> Result<(), Fault> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(())
}

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

fn settle(conn: Connection) -> rusqlite::Result<Connection> {
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
