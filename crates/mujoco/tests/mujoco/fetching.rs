//! Fetching into an empty cache, as on a machine that never had it.

use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use esenas_mujoco::{Engine, Places, doctor, install};

use crate::ENGINE;

/// Only this cache, and the library that is there already.
fn only(cache: &Path) -> Places {
    let library = Some((ENGINE.path().to_owned(), "--mujoco"));
    Places { library, models: None, cache: Some(cache.to_owned()) }
}

/// Eight threads want a model at once: one of them fetches it.
#[test]
fn concurrent_fetches_happen_once() {
    let cache = tempfile::tempdir().unwrap();
    let start = Barrier::new(8);
    let fetched: usize = thread::scope(|scope| {
        let fetch = || {
            let engine = Engine::find(only(cache.path()), &mut |_| {}).unwrap();
            let mut lines = 0;
            start.wait();
            engine.task("Swimmer", &mut |_| lines += 1).unwrap();
            lines
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(fetch)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    // None, if the Python on this machine has the package installed.
    assert!(fetched <= 1, "{fetched} fetches");
}

#[test]
fn a_damaged_cache_is_made_whole() {
    let cache = tempfile::tempdir().unwrap();
    install(only(cache.path()), &mut |_| {}).unwrap();
    let model = cache.path().join("gymnasium-1.4.0/hopper.xml");
    let (whole, mut lines) = (fs::read(&model).unwrap(), 0);
    install(only(cache.path()), &mut |_| lines += 1).unwrap();
    assert_eq!(lines, 0, "what is there is not fetched again");
    fs::write(&model, "<mujoco/>").unwrap();
    let findings = doctor(&only(cache.path()));
    assert!(
        findings.iter().any(|f| f.said.contains("gymnasium 1.4.0 is damaged")),
        "{findings:#?}"
    );
    install(only(cache.path()), &mut |_| lines += 1).unwrap();
    assert_eq!(lines, 1);
    assert_eq!(fs::read(&model).unwrap(), whole);
    let left: Vec<_> =
        fs::read_dir(cache.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "two packages and the lock: {left:?}");
    let findings = doctor(&only(cache.path()));
    assert!(findings.iter().all(|finding| !finding.wrong), "{findings:#?}");
}

#[test]
fn the_doctor_says_what_is_missing_and_what_to_do() {
    let cache = tempfile::tempdir().unwrap();
    let places = Places { library: Some(("/nowhere".into(), "--mujoco")), ..only(cache.path()) };
    let findings = doctor(&places);
    let wrong: Vec<_> = findings.iter().filter(|finding| finding.wrong).collect();
    assert_eq!(wrong.len(), 1, "{findings:#?}");
    assert!(wrong[0].said.contains("/nowhere"), "{wrong:?}");
    assert!(!cache.path().join("gymnasium-1.4.0").exists(), "the doctor fetches nothing");
}

#[test]
fn without_a_cache_that_can_be_written_the_path_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = install(only(&file.path().join("below")), &mut |_| {}).err().unwrap();
    assert!(error.to_string().contains("below"), "{error}");
    let nowhere = Places { cache: None, ..only(Path::new("")) };
    let error = install(nowhere, &mut |_| {}).err().unwrap();
    assert!(error.to_string().contains("XDG_CACHE_HOME"), "{error}");
}
