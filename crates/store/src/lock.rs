//! One writer per run directory, by a lock of the operating system: `kill -9` releases it.
//!
//! On Unix it is a record lock (`fcntl`). That belongs to the process: children that it forked and
//! left behind do not hold it, as they would hold one of a descriptor (`flock`). It has two gaps.
//! Within its process it excludes nobody: [`HELD`] does. And it ends when the process closes any
//! other descriptor of the file, which copying the directory does; so the file names who holds it,
//! and while that process lives it is believed.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use crate::layout::Layout;
use crate::{Error, regular};

/// A process that was killed takes an instant to die.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// What this process holds. Kept locked while a lock file is opened or closed, since closing one
/// that is held would release it. After a fork the child finds the entries of its parent, which are
/// not its own.
static HELD: Mutex<Vec<(u32, FileId)>> = Mutex::new(Vec::new());

/// Which file, whatever its name: device and number.
type FileId = (u64, u64);

fn held() -> MutexGuard<'static, Vec<(u32, FileId)>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this process holds the lock of that name.
fn is_mine(path: &Path, held: &[(u32, FileId)]) -> bool {
    let found = std::fs::metadata(path).ok().and_then(|file| system::id(&file));
    found.is_some_and(|id| held.contains(&(std::process::id(), id)))
}

/// Held for as long as this value lives. The file stays: removing it would let two writers lock two
/// files of the same name.
#[derive(Debug)]
pub(crate) struct Lock {
    file: Option<File>,
    /// The process that took it.
    pid: u32,
    id: Option<FileId>,
}

/// Why it cannot be had.
enum Refusal {
    /// Who has it, where that is known.
    Held(Option<u32>),
    Failed(Error),
}

impl Lock {
    /// Takes the lock or says who has it.
    pub(crate) fn acquire(layout: &Layout) -> Result<Self, Error> {
        let mut attempt = 0;
        loop {
            match Self::attempt(&layout.lock()) {
                Ok(lock) => return Ok(lock),
                Err(Refusal::Failed(error)) => return Err(error),
                Err(Refusal::Held(_)) if attempt < ATTEMPTS => sleep(PAUSE),
                Err(Refusal::Held(holder)) => {
                    return Err(Error::Locked { dir: layout.dir.clone(), holder });
                }
            }
            attempt += 1;
        }
    }

    fn attempt(path: &Path) -> Result<Self, Refusal> {
        let me = std::process::id();
        let io = |e| Refusal::Failed(Error::io(path, e));
        let mut held = held();
        if is_mine(path, &held) {
            return Err(Refusal::Held(Some(me)));
        }
        let options = &mut File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = regular::open(path, options).map_err(Refusal::Failed)?;
        if let Some(holder) = system::take(&file).map_err(io)? {
            return Err(Refusal::Held(holder));
        }
        if let Some(holder) = system::named(&file).filter(|pid| *pid != me) {
            return Err(Refusal::Held(Some(holder)));
        }
        let id = system::id(&file.metadata().map_err(io)?);
        // Only for others to read; the lock holds without it.
        let _ = system::sign(&file);
        held.extend(id.map(|id| (me, id)));
        Ok(Self { file: Some(file), pid: me, id })
    }

    /// Whether a writer holds it now.
    pub(crate) fn is_held(layout: &Layout) -> bool {
        let (path, held) = (layout.lock(), held());
        if is_mine(&path, &held) {
            return true;
        }
        let Ok(file) = regular::open(&path, File::options().read(true)) else { return false };
        system::is_taken(&file) || system::named(&file).is_some_and(|pid| pid != std::process::id())
    }

    /// The process that took it, if this is another: one that was forked from it.
    pub(crate) fn parent(&self) -> Option<u32> {
        Some(self.pid).filter(|pid| *pid != std::process::id())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // In a child that was forked it is a copy, which releases nothing.
        if self.parent().is_some() {
            return;
        }
        let mut held = held();
        if let Some(file) = self.file.take() {
            let _ = file.set_len(0);
            drop(file);
        }
        held.retain(|(_, id)| Some(*id) != self.id);
    }
}

#[cfg(unix)]
mod system {
    use std::fs::Metadata;
    use std::io::{Read, Seek, Write};
    use std::os::unix::fs::MetadataExt as _;

    use rustix::fs::{FlockOperation, fcntl_lock};
    use rustix::io::Errno;
    use rustix::process::{Flock, FlockType, fcntl_getlk};

    use super::{File, FileId, io};
    use crate::seal;

    pub(super) fn id(file: &Metadata) -> Option<FileId> {
        Some((file.dev(), file.ino()))
    }

    /// Takes the lock; if somebody else has it, who, as far as the system can tell.
    pub(super) fn take(file: &File) -> io::Result<Option<Option<u32>>> {
        match fcntl_lock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(None),
            Err(Errno::AGAIN | Errno::ACCESS) => Ok(Some(holder(file).or_else(|| named(file)))),
            Err(e) => Err(e.into()),
        }
    }

    pub(super) fn is_taken(file: &File) -> bool {
        fcntl_getlk(file, &Flock::from(FlockType::WriteLock)).is_ok_and(|found| found.is_some())
    }

    /// `None` of another machine or container.
    fn holder(file: &File) -> Option<u32> {
        let found = fcntl_getlk(file, &Flock::from(FlockType::WriteLock)).ok().flatten()?;
        found.pid.map(|pid| pid.as_raw_pid() as u32)
    }

    /// Says in the file who holds it.
    pub(super) fn sign(mut file: &File) -> io::Result<()> {
        let pid = std::process::id();
        let sign = sign_of(file, pid).unwrap_or_default();
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{pid}\n{sign}")
    }

    /// The process that the file names, if it lives.
    pub(super) fn named(mut file: &File) -> Option<u32> {
        let mut text = String::new();
        file.rewind().ok()?;
        file.take(1024).read_to_string(&mut text).ok()?;
        let (pid, sign) = text.trim_end().split_once('\n')?;
        let pid = pid.parse().ok()?;
        (sign_of(file, pid)? == sign).then_some(pid)
    }

    /// What no other process has ever in this file: numbers of processes come again, and a copied
    /// directory has other files. `None` of a dead process, and where the system does not tell.
    fn sign_of(file: &File, pid: u32) -> Option<String> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // Behind the name, which may hold anything: the state first, the start twenty fields on.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        let state = fields.next()?;
        if matches!(state, "Z" | "X") {
            return None;
        }
        let (start, boot) = (fields.nth(18)?, u128::from_le_bytes(seal::boot()));
        let (device, number) = id(&file.metadata().ok()?)?;
        Some(format!("{boot:032x} {start} {device} {number}"))
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::{Metadata, TryLockError};

    use super::{File, FileId, io};

    /// Not needed: locks of descriptors exclude within the process too.
    pub(super) fn id(_: &Metadata) -> Option<FileId> {
        None
    }

    pub(super) fn take(file: &File) -> io::Result<Option<Option<u32>>> {
        match file.try_lock() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(Some(None)),
            Err(TryLockError::Error(e)) => Err(e),
        }
    }

    pub(super) fn is_taken(file: &File) -> bool {
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    pub(super) fn sign(_: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn named(_: &File) -> Option<u32> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn layout() -> (tempfile::TempDir, Layout) {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path());
        (dir, layout)
    }

    /// What a worker is that was forked and outlives its parent: somebody with the same open file.
    /// Red with a lock of the descriptor.
    #[test]
    fn whoever_inherits_the_file_does_not_inherit_the_lock() {
        let (_dir, layout) = layout();
        let lock = Lock::acquire(&layout).unwrap();
        let inherited = lock.file.as_ref().unwrap().try_clone().unwrap();
        let mut heir = Command::new("sleep").arg("60").stdin(inherited).spawn().unwrap();
        assert!(Lock::is_held(&layout));
        drop(lock);
        assert!(!Lock::is_held(&layout));
        Lock::acquire(&layout).unwrap();
        heir.kill().unwrap();
        heir.wait().unwrap();
    }

    /// Closing any descriptor of the file releases the lock of the process: red without the
    /// registry, and without the name in the file.
    #[test]
    fn copying_the_file_gives_the_lock_to_nobody() {
        let (_dir, layout) = layout();
        let lock = Lock::acquire(&layout).unwrap();
        std::fs::read(layout.lock()).unwrap();
        assert!(Lock::is_held(&layout));
        assert!(matches!(Lock::acquire(&layout), Err(Error::Locked { .. })));
        let text = std::fs::read_to_string(layout.lock()).unwrap();
        drop(lock);
        assert!(!Lock::is_held(&layout));
        // Of another process that lives, and of one that does not.
        let mut other = Command::new("sleep").arg("60").stdout(Stdio::null()).spawn().unwrap();
        let start = |pid: u32| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
            let fields = stat.rsplit_once(')').unwrap().1.to_owned();
            fields.split_ascii_whitespace().nth(19).unwrap().to_owned()
        };
        let mine = format!(" {} ", start(std::process::id()));
        let theirs = text.replace(&mine, &format!(" {} ", start(other.id())));
        let theirs = theirs.replacen(&std::process::id().to_string(), &other.id().to_string(), 1);
        std::fs::write(layout.lock(), &theirs).unwrap();
        assert!(Lock::is_held(&layout));
        let refused = Lock::acquire(&layout).unwrap_err();
        assert!(refused.to_string().contains(&other.id().to_string()), "{refused}");
        other.kill().unwrap();
        // Dead already, although nobody has asked how it ended.
        let lock = Lock::acquire(&layout).unwrap();
        assert!(std::fs::write(layout.lock(), theirs).is_ok() && Lock::is_held(&layout));
        drop(lock);
        other.wait().unwrap();
    }

    /// A copy of a directory that is being written goes on elsewhere, at once.
    #[test]
    fn a_copied_lock_file_names_nobody() {
        let ((_dir, layout), (_copy, copied)) = (layout(), self::layout());
        let _lock = Lock::acquire(&layout).unwrap();
        std::fs::copy(layout.lock(), copied.lock()).unwrap();
        assert!(!Lock::is_held(&copied));
        Lock::acquire(&copied).unwrap();
    }
}
