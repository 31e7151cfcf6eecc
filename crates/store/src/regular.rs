//! Opening files of a directory that somebody else may have made.
//!
//! A pipe would be waited for, a device read without end, and a link lead out of the directory. So
//! only regular files are opened, by themselves and without waiting.

use std::fs::{File, OpenOptions};
use std::path::Path;

use crate::Error;

/// Opens `path`, which must be a regular file. `options` say how.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> Result<File, Error> {
    // Also before it is opened: where a pipe cannot be opened without waiting, and for a clear
    // message.
    expect(path)?;
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits() as i32);
    }
    let file = options.open(path).map_err(|e| Error::io(path, e))?;
    let kind = file.metadata().map_err(|e| Error::io(path, e))?;
    if kind.is_file() { Ok(file) } else { Err(Error::NotAFile { path: path.to_path_buf() }) }
}

/// Refuses what is there and is no regular file; nothing at all is fine.
pub(crate) fn expect(path: &Path) -> Result<(), Error> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Err(Error::NotAFile { path: path.to_path_buf() }),
        _ => Ok(()),
    }
}
