//! Making a study in a directory, and unmaking it.
//!
//! The database is made under another name and renamed when it is whole: `esenas.db` is there
//! entirely or not at all, and that alone decides whether the directory holds a study. The seal is
//! written before it and `study.toml` after it; the one is replaced by the next attempt, the other
//! made again from the database. So a crash leaves a directory that can be created in or opened,
//! never neither.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use rusqlite::Connection;

use crate::error::Fault;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::seal::{Mark, Seal};
use crate::state::Tally;
use crate::{Error, Header, Options, regular, schema, table};

/// Four times SQLite's 4096, for a study whose checkpoints are short; larger ones make every commit
/// longer.
const PAGE_BYTES: u32 = 16_384;
/// The largest there are, for one whose checkpoints are long: a chain of few pages is followed and
/// written faster. At d = 10⁶ a commit takes a fifth less processor time than with 16 kB
/// (`benches/commit.rs`).
const LONG_PAGE_BYTES: u32 = 65_536;
/// From here on a checkpoint is long.
const LONG_BYTES: usize = 1 << 20;

/// Makes the study of `header`, in a directory that is made if need be.
pub(crate) fn create(layout: &Layout, header: &Header, options: Options) -> Result<Lock, Error> {
    make_directory(&layout.dir).map_err(|e| cannot_be_made(&layout.dir, e))?;
    let lock = Lock::acquire(layout)?;
    make(layout, header, options).map_err(|error| match error {
        // Nothing is there yet to go on with.
        Error::DiskFull { .. } => Error::NoRoom { dir: layout.dir.clone() },
        other => other,
    })?;
    Ok(lock)
}

/// Makes a directory, and those above it, so that power loss does not take their names.
fn make_directory(dir: &Path) -> io::Result<()> {
    let missing = |at: &&Path| !at.as_os_str().is_empty() && !at.exists();
    let made: Vec<&Path> = dir.ancestors().take_while(missing).collect();
    fs::create_dir_all(dir)?;
    for above in made.iter().filter_map(|made| made.parent()).filter(|_| cfg!(unix)) {
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        fs::File::open(above)?.sync_all()?;
    }
    Ok(())
}

/// What is wrong with the place is input; what the disk did is not.
fn cannot_be_made(dir: &Path, source: io::Error) -> Error {
    match source.kind() {
        ErrorKind::AlreadyExists
        | ErrorKind::NotADirectory
        | ErrorKind::NotFound
        | ErrorKind::InvalidFilename
        | ErrorKind::InvalidInput => Error::NoDirectory { dir: dir.to_path_buf(), source },
        ErrorKind::StorageFull => Error::NoRoom { dir: dir.to_path_buf() },
        _ => Error::io(dir, source),
    }
}

fn make(layout: &Layout, header: &Header, options: Options) -> Result<(), Error> {
    expect_room(layout, header)?;
    let staged = layout.staged("esenas.db");
    for leftover in [&staged, &layout.wal(), &layout.shm()] {
        remove(leftover)?;
    }
    let long = LONG_BYTES <= options.checkpoint_bytes;
    let page_bytes = if long { LONG_PAGE_BYTES } else { PAGE_BYTES };
    build(&staged, header, page_bytes).map_err(|fault| fault.at(&staged))?;
    sync(&staged)?;
    Seal::write(layout, Mark::new(0))?;
    fs::rename(&staged, &layout.database).map_err(|e| Error::io(&layout.database, e))?;
    write_spec(layout, header)
}

/// Refuses a directory with a study, the rest of one, or a file that is somebody else's.
fn expect_room(layout: &Layout, header: &Header) -> Result<(), Error> {
    let dir = layout.dir.clone();
    if layout.database.exists() {
        return Err(Error::AlreadyExists { dir });
    }
    match Seal::read(layout) {
        Ok(Mark { committed: commits @ 1.., .. }) => {
            return Err(Error::DatabaseMissing { dir, commits });
        }
        // Of an attempt that did not get far.
        Ok(_) | Err(Error::Seal { .. }) => {}
        Err(other) => return Err(other),
    }
    let path = layout.spec();
    match fs::read(&path) {
        Ok(text) if text != header.spec.as_bytes() => Err(Error::SpecInTheWay { path }),
        Ok(_) => Ok(()),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        Err(e) => Err(Error::io(&path, e)),
    }
}

fn build(path: &Path, header: &Header, page_bytes: u32) -> Result<(), Fault> {
    let mut conn = Connection::open(path)?;
    conn.pragma_update(None, "page_size", page_bytes)?;
    // Straight into the file, which is thrown away if it is not finished. What were still in a log
    // when this is closed would not be renamed with it, and that the log cannot be folded is not
    // said then.
    conn.pragma_update(None, "journal_mode", "MEMORY")?;
    let transaction = conn.transaction()?;
    schema::create(&transaction)?;
    table::study::write(&transaction, header)?;
    Tally::default().write(&transaction)?;
    transaction.commit()?;
    // Kept in the file: whoever opens it finds the log switched on.
    let mode: String =
        conn.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(Fault::Damaged(format!("its journal is {mode:?} and not a log")));
    }
    conn.close().map_err(|(_, e)| e.into())
}

/// Writes `study.toml`, whole.
pub(crate) fn write_spec(layout: &Layout, header: &Header) -> Result<(), Error> {
    let (staged, path) = (layout.staged("study.toml"), layout.spec());
    fs::write(&staged, &header.spec).map_err(|e| Error::io(&staged, e))?;
    sync(&staged)?;
    fs::rename(&staged, &path).map_err(|e| Error::io(&path, e))?;
    layout.sync()
}

/// Removes the study in `dir`, if there is one: its own files and no others, and not while it is
/// being written. The directory and the lock file stay.
pub fn discard(dir: &Path) -> Result<(), Error> {
    let layout = Layout::new(dir);
    if !dir.is_dir() {
        return Ok(());
    }
    let _lock = Lock::acquire(&layout)?;
    expect_ours(&layout)?;
    let is_study = layout.database.exists() || layout.seal().exists();
    // Without the study, a file of this name is somebody else's. While the database is there it
    // decides, so it goes next to last; what SQLite keeps beside it is removed by whoever creates
    // the next one.
    let spec = is_study.then(|| layout.spec());
    let staged = ["esenas.db", "study.toml"].map(|name| layout.staged(name));
    for path in spec.iter().chain(&staged) {
        remove(path)?;
    }
    for path in [layout.seal(), layout.database.clone(), layout.wal(), layout.shm()] {
        remove(&path)?;
    }
    layout.sync()
}

/// Refuses a file of that name that is somebody else's. A damaged one is ours if it has a seal.
fn expect_ours(layout: &Layout) -> Result<(), Error> {
    let path = &layout.database;
    let mut head = Vec::new();
    match regular::open(path, fs::OpenOptions::new().read(true)) {
        Ok(file) => file.take(72).read_to_end(&mut head).map_err(|e| Error::io(path, e))?,
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(()),
        Err(other) => return Err(other),
    };
    let found = head.last_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
    let ours = head.len() == 72 && found == schema::APPLICATION_ID;
    if ours || head.is_empty() || Seal::read(layout).is_ok() {
        return Ok(());
    }
    Err(Error::WrongFile { path: path.clone(), found })
}

pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::io(path, e)),
        _ => Ok(()),
    }
}

fn sync(path: &Path) -> Result<(), Error> {
    let synced = fs::OpenOptions::new().write(true).open(path).and_then(|file| file.sync_all());
    synced.map_err(|e| Error::io(path, e))
}
