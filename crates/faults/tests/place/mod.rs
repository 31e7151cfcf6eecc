//! Where the tests of this crate work, and what they look at.

use std::path::Path;

use esenas_store::Reader;
use tempfile::TempDir;

/// Up to the number that is usual, times what was asked for.
pub(crate) fn rounds(usual: f64) -> u64 {
    let asked = std::env::var("ESENAS_FAULTS").ok().and_then(|text| text.parse().ok());
    (usual * asked.unwrap_or(1.0)).ceil() as u64
}

/// In memory where the system has such a place: a true disk would be waited for.
pub(crate) fn place() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = memory.is_dir().then(|| tempfile::tempdir_in(memory).ok()).flatten();
    made.unwrap_or_else(|| tempfile::tempdir().unwrap())
}

pub(crate) fn digest(dir: &Path) -> String {
    let reader = Reader::open(dir).unwrap();
    reader.verify().unwrap();
    reader.content_digest().unwrap().to_string()
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for file in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// What the seal says was waited for. It counts commits, of which finishing is one more.
pub(crate) fn durable(dir: &Path) -> u64 {
    let seal = std::fs::read(dir.join("esenas.seal")).unwrap();
    u64::from_le_bytes(seal[16..24].try_into().unwrap())
}

/// The seal as of another start of the machine: that is what tells power loss from a removed log.
pub(crate) fn reboot(dir: &Path) {
    let path = dir.join("esenas.seal");
    let mut seal = std::fs::read(&path).unwrap();
    seal[24..40].fill(0x5a);
    let crc = crc32fast::hash(&seal[..40]);
    seal[40..].copy_from_slice(&crc.to_le_bytes());
    std::fs::write(path, seal).unwrap();
}
