//! The log is folded beside the writer, whoever reads, and stays within its limit.

use std::fs;
use std::path::Path;

use esenas_store::{Reader, Writer};
use tempfile::tempdir;

use crate::study::{Step, create, open, step};

/// Eight times the tests' `log_bytes`, and more than two commits add to it.
const MOST: u64 = (16 + 1) << 20;

/// A step with a checkpoint of 64 kB: its commit writes about 200 kB.
fn large(i: u64) -> Step {
    Step { checkpoint: vec![i as u8; 1 << 16], ..step(i) }
}

fn advance(writer: &mut Writer, until: u64) {
    for i in writer.next_iteration()..until {
        writer.commit(&large(i).iteration()).unwrap();
    }
}

fn bytes(dir: &Path, file: &str) -> u64 {
    fs::metadata(dir.join(file)).unwrap().len()
}

/// Red when nobody folds: all 50 MB would be in the log.
#[test]
fn the_log_is_folded_while_the_study_runs() {
    let (dir, reference) = (tempdir().unwrap(), tempdir().unwrap());
    let mut writer = create(dir.path());
    let empty = bytes(dir.path(), "esenas.db");
    advance(&mut writer, 240);
    assert!(bytes(dir.path(), "esenas.db-wal") < MOST);
    assert!(empty + (3 << 16) < bytes(dir.path(), "esenas.db"), "nothing was folded");
    // What the thread does changes nothing of the content: neither now nor after closing.
    let digest = || Reader::open(dir.path()).unwrap().content_digest().unwrap();
    let running = digest();
    drop(writer);
    assert!(!dir.path().join("esenas.db-wal").exists());
    assert_eq!(digest(), running);
    advance(&mut create(reference.path()), 60);
    advance(&mut open(reference.path()), 240);
    assert_eq!(Reader::open(reference.path()).unwrap().content_digest().unwrap(), running);
}

/// Somebody who reads for long keeps the log from beginning anew. Red when the writer then waits
/// for the reader, or for the thread that waits for it.
#[test]
fn a_reader_that_stays_does_not_stop_the_study() {
    let dir = tempdir().unwrap();
    let mut writer = create(dir.path());
    advance(&mut writer, 5);
    let reading = rusqlite::Connection::open(dir.path().join("esenas.db")).unwrap();
    let seen = || reading.query_one("SELECT count(*) FROM iterations", [], |row| row.get(0));
    reading.execute_batch("BEGIN").unwrap();
    let before: u64 = seen().unwrap();
    advance(&mut writer, 120);
    assert_eq!((before, seen().unwrap()), (5, 5), "a view lasts");
    assert!(MOST < bytes(dir.path(), "esenas.db-wal"), "nothing is thrown away that is read");
    reading.execute_batch("COMMIT").unwrap();
    let longest = bytes(dir.path(), "esenas.db-wal");
    advance(&mut writer, 300);
    assert!(bytes(dir.path(), "esenas.db-wal") < longest + MOST, "the log never began anew");
    drop(writer);
    Reader::open(dir.path()).unwrap().verify().unwrap();
}
