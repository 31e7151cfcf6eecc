//! What is found, what is wrong, and putting it right.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::catalog::{Definition, list};
use crate::engine::Engine;
use crate::error::Error;
use crate::fetch::{fetch, is_whole, verify};
use crate::packages::{self, GYM, GYMNASIUM, LIBRARY, VERSION};
use crate::places::{Places, other_version};
use crate::python;

/// One line of the doctor's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub what: &'static str,
    /// What is there.
    pub said: String,
    /// Whether the environments cannot work because of it.
    pub wrong: bool,
}

/// Fetches whatever is not in the cache: the library and all models.
///
/// Returns the library that will be used. `say` gets a line for each package.
pub fn install(places: Places, say: &mut dyn FnMut(&str)) -> Result<Engine, Error> {
    if places.models.is_none() {
        for package in [&GYMNASIUM, &GYM] {
            fetch(places.cache()?, package, say)?;
        }
    }
    Engine::find(places, say)
}

/// Looks everywhere, fetches nothing, and makes every environment whose model is there.
pub fn doctor(places: &Places) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut note = |what, said, wrong| findings.push(Finding { what, said, wrong });
    note("library by path", explicit(&places.library), false);
    note("models by path", explicit(&places.models), false);
    let python = python::run(&["--version"], Duration::from_secs(20));
    note("Python", python.map_or_else(|said| said, |ended| ended.out.trim().to_owned()), false);
    let [installed] = python::installed(["mujoco"]);
    let installed = installed.as_deref().map_or_else(|| "no mujoco".to_owned(), installation);
    note("Python package", installed, false);
    match &places.cache {
        None => note("cache", Error::NoCache.to_string(), true),
        Some(cache) => note("cache", contents(cache), false),
    }
    let engine = match places.library_here() {
        Ok(Some(_)) => Engine::find(places.clone(), &mut |_| {}).map_err(|e| e.to_string()),
        Ok(None) => Err(format!("none yet: {HOW}")),
        Err(error) => Err(error.to_string()),
    };
    match engine {
        Err(said) => note("library in use", said, true),
        Ok(engine) => {
            note("library in use", format!("{}, MuJoCo {VERSION}", engine.path().display()), false);
            let said = engine.raise(c"a test of the doctor's");
            note("engine errors", format!("come back as errors: {said}"), false);
            let (said, wrong) = match environments(&engine, places) {
                Ok((works, 0)) => (format!("all {works} work"), false),
                Ok((works, missing)) => {
                    (format!("{works} work, the models of {missing} are not there: {HOW}"), true)
                }
                Err(error) => (error.to_string(), true),
            };
            note("environments", said, wrong);
        }
    }
    findings
}

const HOW: &str =
    "`esenas mujoco install` fetches what is missing, and so does any command that needs it";

fn explicit(path: &Option<(PathBuf, &'static str)>) -> String {
    match path {
        Some((path, from)) => format!("{} (from {from})", path.display()),
        None => "none given".to_owned(),
    }
}

/// What is installed under that name.
fn installation(folder: &Path) -> String {
    let library = packages::library().map(|package| package.files[0].sha256);
    let pinned = library.is_some_and(|sha256| verify(&folder.join(LIBRARY), sha256).is_ok());
    let state = match other_version(folder) {
        _ if pinned => format!("MuJoCo {VERSION}"),
        Some((_, found)) => format!("MuJoCo {found}, passed over: only {VERSION} will do"),
        None => format!("passed over: no {LIBRARY} as it was released"),
    };
    format!("{}: {state}", folder.display())
}

/// What the cache holds.
fn contents(cache: &Path) -> String {
    let packages = packages::library().into_iter().chain([&GYMNASIUM, &GYM]);
    let states = packages.map(|package| match cache.join(package.folder()).is_dir() {
        _ if is_whole(cache, package) => format!("{} is there", package.title()),
        true => format!("{} is damaged, to be fetched again", package.title()),
        false => format!("{} is not", package.title()),
    });
    format!("{}: {}", cache.display(), states.collect::<Vec<_>>().join(", "))
}

/// How many environments work, and how many have no model yet.
fn environments(engine: &Engine, places: &Places) -> Result<(usize, usize), Error> {
    let (mut works, mut missing) = (0, 0);
    for listed in list() {
        for version in listed.versions {
            let name = format!("{}-{version}", listed.name);
            match places.model_here(Definition::parse(&name)?.model())? {
                None => missing += 1,
                Some(_) => {
                    engine.task(&name, &mut |_| {})?;
                    works += 1;
                }
            }
        }
    }
    Ok((works, missing))
}
