//! What can go wrong, where, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};
use thiserror::Error;

use crate::frame::FrameError;

/// Why the store refused. Nothing is changed on disk by a call that returns one of these, except
/// that [`Writer::commit`](crate::Writer::commit) may have committed when only its seal failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no study in the directory.
    #[error(
        "{dir} holds no study (no esenas.db); name the run directory of a study, or create one"
    )]
    NotAStudy {
        /// The directory that was named.
        dir: PathBuf,
    },
    /// There is one already.
    #[error(
        "{dir} already holds a study; resume it, choose another directory, or discard it first"
    )]
    AlreadyExists {
        /// The directory that was named.
        dir: PathBuf,
    },
    /// Creating would overwrite a `study.toml` that is not ours.
    #[error(
        "{path} exists and is not this study's; a new study would overwrite it: choose another \
         directory, or move the file away"
    )]
    SpecInTheWay {
        /// The file in the way.
        path: PathBuf,
    },
    /// `study.toml` was edited after the study was created.
    #[error(
        "{path} was changed after the study was created, and a study goes on only as it began: \
         restore the file (delete it, and it is written again from the database) or start a new study"
    )]
    SpecChanged {
        /// The edited file.
        path: PathBuf,
    },
    /// Another writer has it.
    #[error(
        "{dir} is being written by {}; wait for it or stop it (reading is always possible)",
        .holder.map_or("somebody else".into(), |pid| format!("process {pid}, which is running"))
    )]
    Locked {
        /// The run directory.
        dir: PathBuf,
        /// Its process id, if it is one of this machine.
        holder: Option<u32>,
    },
    /// A copy of the process that writes.
    #[error(
        "{dir} is being written by process {parent}, and this is a fork of it: only that one may go on \
         with the study"
    )]
    Forked {
        /// The run directory.
        dir: PathBuf,
        /// The process that writes.
        parent: u32,
    },
    /// A link, a pipe, a device or a directory where a file should be.
    #[error("{path} is no regular file (a link, a pipe or the like), and is not opened")]
    NotAFile {
        /// What was found.
        path: PathBuf,
    },
    /// A SQLite file of something else.
    #[error(
        "{path} is not a database of esenas (application id {found:#010x}); it was left as it is"
    )]
    WrongFile {
        /// The file.
        path: PathBuf,
        /// Its `application_id`.
        found: u32,
    },
    /// Written by a newer program.
    #[error(
        "{path} has schema version {found}, this program knows versions up to {known}: use the newer \
         program that wrote it"
    )]
    NewerVersion {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// Written by an older program, and a reader does not migrate.
    #[error(
        "{path} has schema version {found}, this program reads version {known}: resume the study \
         once (also when it is finished), which brings the database up to date"
    )]
    OlderVersion {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version known here.
        known: u32,
    },
    /// The bytes are not what was written.
    #[error("{path} is damaged: {what}; it was left as it is: restore it from a copy")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// Fewer commits than were made.
    #[error(
        "{dir} lost commits: esenas.seal counts {expected}, esenas.db holds {found}. Most likely \
         esenas.db-wal was removed or cut, or esenas.db replaced by an older copy: put the files of \
         the directory back together. To go on from iteration {iterations} without the rest, open \
         it accepting the loss"
    )]
    CommitsLost {
        /// The run directory.
        dir: PathBuf,
        /// Commits in the database.
        found: u64,
        /// Commits that were made.
        expected: u64,
        /// Iterations in the database.
        iterations: u64,
    },
    /// The seal cannot be read.
    #[error(
        "{path} is {what}, so commits lost with a removed esenas.db-wal would go unnoticed: copy the \
         whole directory, or open it accepting a loss"
    )]
    Seal {
        /// The seal.
        path: PathBuf,
        /// Missing, or how it is damaged.
        what: &'static str,
    },
    /// The seal of a study whose database is gone.
    #[error(
        "{dir} holds the seal of a study with {commits} commits, but no esenas.db: restore it, or discard the directory"
    )]
    DatabaseMissing {
        /// The run directory.
        dir: PathBuf,
        /// Commits the database held.
        commits: u64,
    },
    /// The newest checkpoint is unusable.
    #[error(
        "{path}: the checkpoint of iteration {iteration} is unusable ({reason}); {}",
        match .older {
            Some(older) => format!("the one of iteration {older} is sound: rewind the study to it to go on from there"),
            None => "no older one is sound: the records can be read, but the study cannot go on".to_string(),
        }
    )]
    Checkpoint {
        /// The database.
        path: PathBuf,
        /// The iteration of the unusable checkpoint.
        iteration: u64,
        /// What is wrong with it.
        reason: FrameError,
        /// The newest sound checkpoint before it.
        older: Option<u64>,
    },
    /// A record that contradicts those before it, or itself: a fault of the caller.
    #[error("iteration {iteration} was refused: {what}")]
    Refused {
        /// The iteration of the record.
        iteration: u64,
        /// What contradicts what.
        what: String,
    },
    /// No space left.
    #[error("no space left for {path}; what was committed is safe: free some space and resume")]
    DiskFull {
        /// The file that could not grow.
        path: PathBuf,
    },
    /// No permission to write.
    #[error(
        "{path} cannot be written (read-only, or not yours): choose another directory or change its permissions"
    )]
    NotWritable {
        /// The file or directory.
        path: PathBuf,
    },
    /// There is a log, and no way to read it without writing.
    #[error(
        "{dir} holds the log of an interrupted study (esenas.db-wal) and cannot be written, which \
         reading the log needs: copy the directory to where it can be"
    )]
    LogOnReadOnly {
        /// The run directory.
        dir: PathBuf,
    },
    /// The database was removed while it was open.
    #[error(
        "{path} was removed while the study was running, and what follows would be lost: restore it, or begin anew"
    )]
    Vanished {
        /// The database.
        path: PathBuf,
    },
    /// Any other failure of the file system.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Any other failure of SQLite.
    #[error("{path}: SQLite says: {source}; what was committed is safe")]
    Sql {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

impl Error {
    /// A failure of the file system at `path`.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotWritable { path }
            }
            _ => Self::Io { path, source },
        }
    }
}

/// What went wrong inside of the database, before its path is known.
#[derive(Debug)]
pub(crate) enum Fault {
    Sql(rusqlite::Error),
    Io(io::Error),
    Damaged(String),
    /// The newest checkpoint is unusable; the newest sound one before it.
    Checkpoint {
        iteration: u64,
        reason: FrameError,
        older: Option<u64>,
    },
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl Fault {
    /// Names the place.
    pub(crate) fn at(self, path: &Path) -> Error {
        let place = path;
        let path = path.to_path_buf();
        let source = match self {
            Self::Io(source) => return Error::io(place, source),
            Self::Damaged(what) => return Error::Damaged { path, what },
            Self::Checkpoint { iteration, reason, older } => {
                return Error::Checkpoint { path, iteration, reason, older };
            }
            Self::Sql(source) => source,
        };
        match source.sqlite_error_code() {
            // The index of the log could not grow, which is not reported as a full disk.
            _ if source.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_SHMSIZE) => {
                Error::DiskFull { path }
            }
            Some(ErrorCode::DiskFull) => Error::DiskFull { path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Error::NotWritable { path },
            // A statement that fits the schema of this version and fails means another schema.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown) => {
                Error::Damaged { path, what: source.to_string() }
            }
            Some(_) => Error::Sql { path, source },
            None if matches!(source, rusqlite::Error::ToSqlConversionFailure(_)) => {
                Error::Sql { path, source }
            }
            // Not from SQLite but from reading a row: a type or a row that cannot be there.
            None => Error::Damaged { path, what: source.to_string() },
        }
    }
}
