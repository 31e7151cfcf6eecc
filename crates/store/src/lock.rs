//! One writer per run directory, by a lock of the operating system: `kill -9` releases it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

use crate::Error;
use crate::layout::Layout;

/// A reader that asks whether anyone writes takes the lock for an instant; a writer waits that
/// long.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// Held for as long as this value lives. The file stays: removing it would let two writers lock two
/// files of the same name.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock or says who has it.
    pub(crate) fn acquire(layout: &Layout) -> Result<Self, Error> {
        let path = layout.lock();
        let opened =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|e| Error::io(&path, e))?;
        for attempt in 0..ATTEMPTS {
            match file.try_lock() {
                Ok(()) => {
                    // Only for the message below; the lock holds without it.
                    let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                    return Ok(Self { _file: file });
                }
                Err(TryLockError::WouldBlock) if attempt + 1 < ATTEMPTS => sleep(PAUSE),
                Err(TryLockError::WouldBlock) => break,
                Err(TryLockError::Error(e)) => return Err(Error::io(&path, e)),
            }
        }
        let holder = std::fs::read_to_string(&path).ok().map(|pid| pid.trim().to_string());
        let holder = holder.filter(|pid| !pid.is_empty());
        Err(Error::Locked { dir: layout.dir.clone(), holder })
    }

    /// Whether a writer holds it now.
    pub(crate) fn is_held(layout: &Layout) -> bool {
        let Ok(file) = File::open(layout.lock()) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }
}
