//! Where the library and the models are looked for, and what is found there.
//!
//! 1. An explicit path: a flag, or the variables `ESENAS_MUJOCO` and `ESENAS_MUJOCO_MODELS`. It
//!    must be right; nothing else is tried.
//! 2. An installed Python package, if it is the pinned release (the files' hashes tell). Another
//!    release is passed over.
//! 3. Our own cache, `$XDG_CACHE_HOME/esenas` or `~/.cache/esenas`, into which what is missing is
//!    fetched.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Error, at};
use crate::fetch::{fetch, verify};
use crate::packages::{self, GYM, GYMNASIUM, LIBRARY, Package};
use crate::python;

/// Paths that somebody named, and the cache.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The library, or the folder it lies in, and who said so.
    pub library: Option<(PathBuf, &'static str)>,
    /// A folder of model files, and who said so. Its files need not be the pinned ones.
    pub models: Option<(PathBuf, &'static str)>,
    /// Where fetched packages are kept.
    pub cache: Option<PathBuf>,
}

impl Places {
    /// What the environment variables say.
    pub fn from_env() -> Self {
        let path = |name: &'static str| {
            let value = env::var_os(name).filter(|value| !value.is_empty());
            value.map(|value| (PathBuf::from(value), name))
        };
        Self {
            library: path("ESENAS_MUJOCO"),
            models: path("ESENAS_MUJOCO_MODELS"),
            cache: cache(env::var_os("XDG_CACHE_HOME"), env::var_os("HOME")),
        }
    }

    /// The same, but for a library named by the flag `--mujoco`.
    #[must_use]
    pub fn with_library(mut self, flag: Option<PathBuf>) -> Self {
        self.library = flag.map(|path| (path, "--mujoco")).or(self.library);
        self
    }

    /// The cache, which must have a name.
    pub(crate) fn cache(&self) -> Result<&Path, Error> {
        self.cache.as_deref().ok_or(Error::NoCache)
    }

    /// The library's file, if it is anywhere.
    pub(crate) fn library_here(&self) -> Result<Option<PathBuf>, Error> {
        if let Some((path, from)) = &self.library {
            return explicit_library(path, from).map(Some);
        }
        let package = library_package()?;
        let [installed] = python::installed([package.name]);
        let installed = installed.map(|folder| folder.join(LIBRARY));
        let cached = self.cache.as_ref().map(|cache| cache.join(package.folder()).join(LIBRARY));
        let pinned = |path: &PathBuf| verify(path, package.files[0].sha256).is_ok();
        Ok([installed, cached].into_iter().flatten().find(pinned))
    }

    /// The library's file, fetched if it is nowhere.
    pub(crate) fn library(&self, say: &mut dyn FnMut(&str)) -> Result<PathBuf, Error> {
        match self.library_here()? {
            Some(path) => Ok(path),
            None => Ok(fetch(self.cache()?, library_package()?, say)?.join(LIBRARY)),
        }
    }

    /// A model's file, if it is anywhere. The cache is asked first, since that takes no Python:
    /// wherever it lies, only the pinned file is used.
    pub(crate) fn model_here(&self, name: &str) -> Result<Option<PathBuf>, Error> {
        if let Some((folder, from)) = &self.models {
            let (path, what) = (folder.join(name), "the model file".to_owned());
            let there = path.is_file();
            return if there { Ok(Some(path)) } else { Err(Error::NotThere { path, what, from }) };
        }
        let package = package_of(name);
        let pinned = |path: &PathBuf| {
            package.file(name).is_some_and(|file| verify(path, file.sha256).is_ok())
        };
        let cached = self.cache.as_ref().map(|cache| cache.join(package.folder()).join(name));
        if let Some(path) = cached.filter(pinned) {
            return Ok(Some(path));
        }
        let [installed] = python::installed([package.name]);
        Ok(installed.map(|folder| folder.join("envs/mujoco/assets").join(name)).filter(pinned))
    }

    /// A model's file, fetched with its package if it is nowhere.
    pub(crate) fn model(&self, name: &str, say: &mut dyn FnMut(&str)) -> Result<PathBuf, Error> {
        match self.model_here(name)? {
            Some(path) => Ok(path),
            None => Ok(fetch(self.cache()?, package_of(name), say)?.join(name)),
        }
    }
}

fn library_package() -> Result<&'static Package, Error> {
    let machine = || format!("{} {}", env::consts::OS, env::consts::ARCH);
    packages::library().ok_or_else(|| Error::Platform(machine()))
}

fn package_of(model: &str) -> &'static Package {
    if GYM.file(model).is_some() { &GYM } else { &GYMNASIUM }
}

/// `$XDG_CACHE_HOME/esenas`, if that is absolute as its specification demands, or
/// `~/.cache/esenas`.
fn cache(xdg: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let xdg = xdg.map(PathBuf::from).filter(|path| path.is_absolute());
    let home = home.filter(|home| !home.is_empty()).map(|home| PathBuf::from(home).join(".cache"));
    Some(xdg.or(home)?.join("esenas"))
}

/// The library itself, or the folder it lies in: that of a release, or that of the Python package.
fn explicit_library(path: &Path, from: &'static str) -> Result<PathBuf, Error> {
    let candidates = [path.to_owned(), path.join(LIBRARY), path.join("lib").join(LIBRARY)];
    if let Some(file) = candidates.into_iter().find(|path| path.is_file()) {
        // A name without a folder would be looked for where the system keeps its libraries.
        return std::path::absolute(&file).map_err(at(&file));
    }
    match other_version(path) {
        Some((path, found)) => Err(Error::WrongVersion { path, found }),
        None => Err(Error::NotThere { path: path.to_owned(), what: LIBRARY.to_owned(), from }),
    }
}

/// Another release in a folder, by its file's name.
pub(crate) fn other_version(folder: &Path) -> Option<(PathBuf, String)> {
    let entries =
        [folder.to_owned(), folder.join("lib")].into_iter().filter_map(|f| f.read_dir().ok());
    entries.flatten().flatten().find_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let version = name.strip_prefix("libmujoco.so.")?;
        (name != LIBRARY).then(|| (entry.path(), version.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_where_the_specification_says() {
        let cache = |xdg: &str, home: &str| cache(Some(xdg.into()), Some(home.into()));
        assert_eq!(cache("/x", "/h"), Some("/x/esenas".into()));
        assert_eq!(cache("", "/h"), Some("/h/.cache/esenas".into()));
        assert_eq!(cache("relative", "/h"), Some("/h/.cache/esenas".into()));
        assert_eq!(cache("", ""), None);
    }

    #[test]
    fn a_name_without_a_folder_is_a_file_here() {
        // Any file that lies where tests run.
        let found = explicit_library(Path::new("Cargo.toml"), "--mujoco").unwrap();
        assert!(found.is_absolute() && found.ends_with("Cargo.toml"), "{found:?}");
    }

    #[test]
    fn another_release_in_a_folder_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("libmujoco.so.3.1.2"), "").unwrap();
        let error = explicit_library(folder.path(), "--mujoco").unwrap_err().to_string();
        assert!(error.contains("MuJoCo 3.1.2") && error.contains("only 2.3.7"), "{error}");
        let error = explicit_library(Path::new("/nowhere"), "--mujoco").unwrap_err().to_string();
        assert!(error.contains("/nowhere") && error.contains("--mujoco"), "{error}");
    }
}
