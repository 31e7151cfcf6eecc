//! The number of commits, kept outside of the database.
//!
//! SQLite takes a database whose log was removed for a whole one. So after each commit its number
//! is written here, and whoever opens the database compares. The order gives no false alarm: the
//! seal is written after the commit returned and never before, so at every instant `durable ≤
//! committed ≤ commits in the database`. Readers look at the seal first for the same reason.
//!
//! One case differs. Between two waits for the disk the system may have written the seal but not
//! yet the log, and a power loss then leaves `durable ≤ commits < committed` with nothing wrong:
//! the study repeats what is missing. It is told from a cut log by the boot having changed since.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use crate::layout::Layout;
use crate::{Error, regular};

const MAGIC: [u8; 4] = *b"ESSL";
const VERSION: u32 = 1;
const BYTES: usize = 44;

/// What the seal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Commits that returned.
    pub(crate) committed: u64,
    /// Commits that were waited for until they were on the disk.
    pub(crate) durable: u64,
    /// The boot of the machine it was written in; zeros if unknown.
    pub(crate) boot: [u8; 16],
}

/// How the database compares with its seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Everything is there.
    Whole,
    /// A power loss took this many commits, which will be computed again.
    PowerLoss(u64),
    /// Commits are missing and no power loss explains it.
    Lost,
}

impl Mark {
    pub(crate) fn new(committed: u64) -> Self {
        Self { committed, durable: committed, boot: boot() }
    }

    /// Compares with the `commits` in a database that was opened with `wal_bytes` of log.
    pub(crate) fn judge(&self, commits: u64, wal_bytes: u64) -> Verdict {
        let rebooted = self.boot != [0; 16] && boot() != [0; 16] && self.boot != boot();
        if self.committed <= commits {
            Verdict::Whole
        } else if rebooted && self.durable <= commits && 0 < wal_bytes {
            Verdict::PowerLoss(self.committed - commits)
        } else {
            Verdict::Lost
        }
    }

    fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&VERSION.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.committed.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.durable.to_le_bytes());
        bytes[24..40].copy_from_slice(&self.boot);
        let crc = crc32fast::hash(&bytes[..40]);
        bytes[40..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, &'static str> {
        let bytes: &[u8; BYTES] = bytes.try_into().map_err(|_| "cut or too long")?;
        let u32_at = |at| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let u64_at = |at| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        if bytes[..4] != MAGIC {
            return Err("not a seal");
        }
        if u32_at(40) != crc32fast::hash(&bytes[..40]) {
            return Err("damaged (its checksum differs)");
        }
        if u32_at(4) != VERSION {
            return Err("of a newer version");
        }
        let boot = std::array::from_fn(|i| bytes[24 + i]);
        Ok(Self { committed: u64_at(8), durable: u64_at(16), boot })
    }
}

/// The open seal of a writer.
#[derive(Debug)]
pub(crate) struct Seal {
    file: File,
    path: PathBuf,
    mark: Mark,
}

impl Seal {
    /// Writes `mark`, on the disk when this returns.
    pub(crate) fn write(layout: &Layout, mark: Mark) -> Result<Self, Error> {
        let path = layout.seal();
        // Never truncated: the bytes are replaced in place by one write within one sector.
        let options = &mut OpenOptions::new();
        let file = regular::open(&path, options.write(true).create(true).truncate(false))?;
        let mut seal = Self { file, path, mark };
        seal.flush()?;
        let synced = seal.file.set_len(BYTES as u64).and_then(|()| seal.file.sync_all());
        synced.map_err(|e| Error::io(&seal.path, e))?;
        Ok(seal)
    }

    /// What the seal says.
    pub(crate) fn read(layout: &Layout) -> Result<Mark, Error> {
        let path = layout.seal();
        let mut what = "";
        // A reader may meet the writer in the middle of a write, which does not last.
        for _ in 0..5 {
            let mut bytes = Vec::with_capacity(BYTES + 1);
            let file = match regular::open(&path, OpenOptions::new().read(true)) {
                Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                    return Err(Error::Seal { path, what: "missing" });
                }
                opened => opened?,
            };
            match file.take(BYTES as u64 + 1).read_to_end(&mut bytes) {
                Err(source) => return Err(Error::Io { path, source }),
                Ok(_) => match Mark::from_bytes(&bytes) {
                    Ok(mark) => return Ok(mark),
                    Err(fault) => what = fault,
                },
            }
            sleep(Duration::from_millis(1));
        }
        Err(Error::Seal { path, what })
    }

    /// Counts one more commit.
    pub(crate) fn advance(&mut self, committed: u64, durable: bool) -> Result<(), Error> {
        self.mark.committed = committed;
        if durable {
            self.mark.durable = committed;
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Error> {
        let bytes = self.mark.to_bytes();
        let written = self.file.rewind().and_then(|()| self.file.write_all(&bytes));
        written.map_err(|e| Error::io(&self.path, e))
    }
}

/// An identity of the running system that changes with each start of the machine; zeros if it has
/// none.
pub(crate) fn boot() -> [u8; 16] {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let hex: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    u128::from_str_radix(&hex, 16).unwrap_or(0).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_byte_is_noticed() {
        let bytes = Mark { committed: 7, durable: 5, boot: [3; 16] }.to_bytes();
        for at in 0..BYTES {
            for bit in 0..8 {
                let mut changed = bytes;
                changed[at] ^= 1 << bit;
                assert!(Mark::from_bytes(&changed).is_err(), "byte {at}, bit {bit}");
            }
            assert!(Mark::from_bytes(&bytes[..at]).is_err());
        }
        assert_eq!(Mark::from_bytes(&bytes).map(|m| m.committed), Ok(7));
    }

    #[test]
    fn a_crash_between_commit_and_seal_is_no_loss() {
        assert_eq!(Mark::new(7).judge(8, 1), Verdict::Whole);
        assert_eq!(Mark::new(7).judge(7, 0), Verdict::Whole);
    }

    #[test]
    fn only_a_reboot_excuses_missing_commits_and_only_those_not_waited_for() {
        let now = Mark { committed: 9, durable: 5, boot: boot() };
        assert_eq!(now.judge(7, 100), Verdict::Lost);
        let unknown = Mark { boot: [0; 16], ..now };
        assert_eq!(unknown.judge(7, 100), Verdict::Lost);
        if boot() != [0; 16] {
            let before = Mark { boot: [1; 16], ..now };
            assert_eq!(before.judge(7, 100), Verdict::PowerLoss(2));
            assert_eq!(before.judge(7, 0), Verdict::Lost, "without a log there was no power loss");
            assert_eq!(before.judge(4, 100), Verdict::Lost, "what was waited for stays");
        }
    }
}
