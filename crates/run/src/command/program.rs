//! Whether a program can be started, without starting it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// Why a program cannot be started.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No file on the `PATH` has this name.
    OnPath,
    /// There is nothing at this place.
    At(PathBuf),
    /// It is no file, or none that may be executed.
    NotExecutable(PathBuf),
}

/// Looks for `program` as the system would, from `directory` on.
pub(crate) fn find(program: &str, directory: &Path) -> Result<(), Missing> {
    if program.contains('/') {
        let path = directory.join(program);
        return match () {
            () if !path.exists() => Err(Missing::At(path)),
            () if !may_run(&path) => Err(Missing::NotExecutable(path)),
            () => Ok(()),
        };
    }
    let path = std::env::var_os("PATH");
    // What the system falls back to.
    let places = path.as_deref().unwrap_or(OsStr::new("/bin:/usr/bin"));
    let mut places = std::env::split_paths(places);
    if places.any(|place| may_run(&directory.join(place).join(program))) {
        Ok(())
    } else {
        Err(Missing::OnPath)
    }
}

fn may_run(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}
