//! What can be wrong, and what to do about it.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::packages::VERSION;

/// Why there is no environment.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// No environment of that name.
    #[error(
        "no environment is called `{name}`; the nearest is `{nearest}` (`esenas env list` names all)"
    )]
    UnknownEnv {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        nearest: String,
    },
    /// The environment exists, that version of it does not.
    #[error("`{name}`: {env} has no such version; it has {versions}")]
    UnknownVersion {
        /// What was asked for.
        name: String,
        /// The environment.
        env: &'static str,
        /// The versions it has.
        versions: String,
    },
    /// MuJoCo, but another release.
    #[error("{}: this is MuJoCo {found}, and only {VERSION} will do: Pusher and Striker are other tasks on later releases. Leave the path out to have {VERSION} fetched", path.display())]
    WrongVersion {
        /// The library.
        path: PathBuf,
        /// What it is.
        found: String,
    },
    /// The library does not load.
    #[error("{}: not a library that can be loaded: {said}", path.display())]
    Library {
        /// The library.
        path: PathBuf,
        /// What the loader said.
        said: String,
    },
    /// An explicit path leads nowhere.
    #[error("{}: {what} is not there (from {from})", path.display())]
    NotThere {
        /// The path.
        path: PathBuf,
        /// What should be there.
        what: String,
        /// Who named it.
        from: &'static str,
    },
    /// A model does not parse, or is another one.
    #[error("{}: not the model of {env}: {said}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// Whose it should be.
        env: &'static str,
        /// What is wrong.
        said: String,
    },
    /// There is no package for this machine.
    #[error(
        "MuJoCo {VERSION} has no package for {0}; set ESENAS_MUJOCO to a library of that version"
    )]
    Platform(String),
    /// Python is needed to fetch packages.
    #[error(
        "python3 with pip is needed to fetch {package}, and {said}; or set ESENAS_MUJOCO to libmujoco.so.{VERSION} and ESENAS_MUJOCO_MODELS to a folder of the models"
    )]
    Python {
        /// What was to be fetched.
        package: String,
        /// What is wrong with Python.
        said: String,
    },
    /// The registry did not deliver.
    #[error("cannot fetch {package}: {said}")]
    Fetch {
        /// What was to be fetched.
        package: String,
        /// What pip said last.
        said: String,
    },
    /// A file is not the one that was pinned.
    #[error("{}: corrupt: its SHA-256 is {found}, not {wanted}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Its hash.
        found: String,
        /// The hash it should have.
        wanted: &'static str,
    },
    /// Nowhere to keep what is fetched.
    #[error("no folder to keep MuJoCo in: set HOME or XDG_CACHE_HOME")]
    NoCache,
    /// The file system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What happened.
        source: std::io::Error,
    },
}

/// Says which file an I/O error is about.
pub(crate) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| Error::Io { path: path.to_owned(), source }
}
