//! Databases of other programs and of other versions of this one.

use std::fs;
use std::path::Path;

use esenas_store::{Error, Options, Reader, Writer};
use tempfile::tempdir;

use crate::study::{advance, assert_whole, open, snapshot, stopped};

fn with_database(dir: &Path, sql: &str) {
    rusqlite::Connection::open(dir.join("esenas.db")).unwrap().execute_batch(sql).unwrap();
}

fn both(dir: &Path) -> [Error; 2] {
    let written = Writer::open(dir, Options::default()).unwrap_err();
    [Reader::open(dir).unwrap_err(), written]
}

#[test]
fn a_newer_version_is_refused_and_left_alone() {
    let dir = tempdir().unwrap();
    stopped(dir.path(), 2);
    with_database(dir.path(), "PRAGMA user_version = 99");
    let before = fs::read(dir.path().join("esenas.db")).unwrap();
    for error in both(dir.path()) {
        assert!(matches!(error, Error::NewerVersion { found: 99, known: 7, .. }), "{error}");
    }
    assert!(fs::read(dir.path().join("esenas.db")).unwrap() == before);
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let foreign = tempdir().unwrap();
    with_database(foreign.path(), "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    let sqlite = fs::read(foreign.path().join("esenas.db")).unwrap();
    for bytes in [sqlite, b"not a database, only a text of some length".repeat(40), vec![]] {
        let dir = tempdir().unwrap();
        stopped(dir.path(), 2);
        fs::write(dir.path().join("esenas.db"), &bytes).unwrap();
        for error in both(dir.path()) {
            let clear = matches!(error, Error::WrongFile { .. } | Error::Damaged { .. });
            assert!(clear, "{error}");
        }
        assert!(fs::read(dir.path().join("esenas.db")).unwrap() == bytes);
    }
}

/// `data/v1` holds eight iterations, written before failures were counted by reason, and when three
/// statistics had columns.
#[test]
fn version_1_is_brought_up_to_date() {
    let dir = tempdir().unwrap();
    snapshot(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/v1"), dir.path());
    let error = Reader::open(dir.path()).unwrap_err();
    assert!(matches!(error, Error::OlderVersion { found: 1, known: 7, .. }), "{error}");
    drop(open(dir.path()));
    let reader = Reader::open(dir.path()).unwrap();
    assert_whole(&reader, 8);
    // Also the golden value of the digest: content written long ago is still the same content.
    let digest = reader.content_digest().unwrap().to_string();
    assert_eq!(digest, "e33d559bd47df6c7e2355a1d5323f21e");
    advance(&mut open(dir.path()), 12);
    assert_whole(&reader, 12);
}

#[test]
fn a_version_1_that_is_damaged_is_not_brought_up_to_date() {
    let dir = tempdir().unwrap();
    snapshot(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/v1"), dir.path());
    with_database(dir.path(), "UPDATE state SET bests = bests + 1");
    let before = fs::read(dir.path().join("esenas.db")).unwrap();
    let error = Writer::open(dir.path(), Options::default()).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    assert!(fs::read(dir.path().join("esenas.db")).unwrap() == before);
}
