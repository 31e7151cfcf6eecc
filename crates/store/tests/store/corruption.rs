//! Damaged, cut, missing or foreign files: an error that says so, or all of the content. Never
//! less.

use std::fs;
use std::path::Path;

use esenas_store::{ContentDigest, Error, Options, Reader, Writer};
use tempfile::tempdir;

use crate::study::{advance, assert_whole, bits, create, open, snapshot, stopped};

/// What somebody sees who opens the directory, in both ways.
struct Seen {
    read: Result<String, Error>,
    written: Result<(), Error>,
}

/// Everything a reader can be asked, in one text.
fn everything(dir: &Path) -> Result<String, Error> {
    let reader = Reader::open(dir)?;
    reader.verify()?;
    let digest = reader.content_digest()?;
    let timings: Vec<_> = reader.timings(0).collect::<Result<_, _>>()?;
    let progress = reader.progress()?;
    let rest = (reader.header()?, reader.failures(99)?, reader.best_history()?, reader.curve(5)?);
    Ok(format!("{digest} {timings:?} {progress:?} {rest:?}"))
}

fn look(dir: &Path) -> Seen {
    let read = everything(dir);
    let opened = Writer::open(dir, Options::default());
    let written = opened.and_then(|writer| writer.latest_checkpoint().map(drop));
    Seen { read, written }
}

/// A study as `kill -9` leaves it: part in the database file, part in the log only.
fn crashed(to: &Path) -> ContentDigest {
    let dir = tempdir().unwrap();
    let mut writer = create(dir.path());
    advance(&mut writer, 20);
    drop(writer);
    let mut writer = open(dir.path());
    advance(&mut writer, 30);
    snapshot(dir.path(), to);
    assert!(0 < fs::metadata(to.join("esenas.db-wal")).unwrap().len());
    Reader::open(dir.path()).unwrap().content_digest().unwrap()
}

/// Damages `file` of a copy of `source` and looks.
fn damaged(source: &Path, file: &str, damage: impl Fn(&mut Vec<u8>)) -> Seen {
    let copy = tempdir().unwrap();
    snapshot(source, copy.path());
    let path = copy.path().join(file);
    let mut bytes = fs::read(&path).unwrap();
    damage(&mut bytes);
    fs::write(&path, &bytes).unwrap();
    look(copy.path())
}

fn assert_error_or_whole(seen: &Seen, whole: &str, what: &str) -> bool {
    match &seen.read {
        Ok(read) => assert_eq!(read, whole, "{what} was read as something else"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    seen.read.is_err() || seen.written.is_err()
}

#[test]
fn flipped_bits_are_noticed_or_without_effect() {
    for log in [false, true] {
        let dir = tempdir().unwrap();
        if log {
            crashed(dir.path());
        } else {
            stopped(dir.path(), 30);
        }
        let file = if log { "esenas.db-wal" } else { "esenas.db" };
        let whole = everything(dir.path()).unwrap();
        let length = fs::metadata(dir.path().join(file)).unwrap().len() as usize;
        let mut noticed = 0;
        // The header whole, and then offsets spread over all pages.
        let offsets: Vec<usize> = (0..100).chain((100..length).step_by(length / 400)).collect();
        for &at in &offsets {
            let seen = damaged(dir.path(), file, |bytes| bytes[at] ^= 1 << (at % 8));
            let what = format!("bit {} of byte {at} of {file}", at % 8);
            noticed += u32::from(assert_error_or_whole(&seen, &whole, &what));
        }
        assert!(offsets.len() / 10 < noticed as usize, "{noticed} of {}", offsets.len());
    }
}

#[test]
fn cut_files_are_noticed() {
    for file in ["esenas.db", "esenas.db-wal", "esenas.seal"] {
        let dir = tempdir().unwrap();
        crashed(dir.path());
        let whole = everything(dir.path()).unwrap();
        let length = fs::metadata(dir.path().join(file)).unwrap().len() as usize;
        for cut in (0..length).step_by((length / 60).max(1)) {
            let seen = damaged(dir.path(), file, |bytes| bytes.truncate(cut));
            let what = format!("{file} cut to {cut} bytes");
            let noticed = assert_error_or_whole(&seen, &whole, &what);
            // Pages of a cut database may all be in the log still.
            assert!(noticed || file == "esenas.db", "{what} went unnoticed");
        }
    }
}

/// Bytes of a page of the database.
const PAGE: usize = 16_384;

#[test]
fn overwritten_pages_are_noticed_or_without_effect() {
    let dir = tempdir().unwrap();
    stopped(dir.path(), 30);
    let whole = everything(dir.path()).unwrap();
    let pages = fs::metadata(dir.path().join("esenas.db")).unwrap().len() as usize / PAGE;
    for page in 0..pages {
        for filler in [0x00, 0xff, 0x0d] {
            let page_of = |bytes: &mut Vec<u8>| bytes[page * PAGE..][..PAGE].fill(filler);
            let seen = damaged(dir.path(), "esenas.db", page_of);
            assert_error_or_whole(&seen, &whole, &format!("page {page} of {filler:#x}"));
        }
    }
}

#[test]
fn a_removed_log_is_an_error_that_leaves_everything_as_it_was() {
    let dir = tempdir().unwrap();
    crashed(dir.path());
    fs::remove_file(dir.path().join("esenas.db-wal")).unwrap();
    let before = fs::read(dir.path().join("esenas.db")).unwrap();
    let Seen { read, written } = look(dir.path());
    for error in [read.unwrap_err(), written.unwrap_err()] {
        assert!(
            matches!(error, Error::CommitsLost { found: 20, expected: 30, iterations: 20, .. }),
            "{error}"
        );
    }
    assert_eq!(fs::read(dir.path().join("esenas.db")).unwrap(), before);
    // Somebody decides to go on without it.
    let options = Options { accept_lost_commits: true, ..Options::default() };
    let mut writer = Writer::open(dir.path(), options).unwrap();
    assert_eq!((writer.next_iteration(), writer.commits_repeated()), (20, 0));
    advance(&mut writer, 30);
    assert_whole(&Reader::open(dir.path()).unwrap(), 30);
}

#[test]
fn a_log_with_an_unreadable_end_is_not_thrown_away() {
    let dir = tempdir().unwrap();
    crashed(dir.path());
    let log = dir.path().join("esenas.db-wal");
    let mut bytes = fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&log, &bytes).unwrap();
    let database = fs::read(dir.path().join("esenas.db")).unwrap();
    let Seen { read, written } = look(dir.path());
    assert!(matches!(read, Err(Error::CommitsLost { .. })));
    assert!(matches!(written, Err(Error::CommitsLost { .. })));
    assert!(fs::read(&log).unwrap() == bytes, "the log was changed");
    assert!(fs::read(dir.path().join("esenas.db")).unwrap() == database);
    // Mended, it is all there.
    bytes[middle] ^= 1;
    fs::write(&log, &bytes).unwrap();
    drop(open(dir.path()));
    assert_whole(&Reader::open(dir.path()).unwrap(), 30);
}

/// After a power loss the end of the log is missing and the machine was started anew.
#[test]
#[cfg(target_os = "linux")]
fn a_power_loss_costs_the_last_second_and_is_repeated() {
    let dir = tempdir().unwrap();
    let whole = crashed(dir.path());
    let path = dir.path().join("esenas.seal");
    let mut seal = fs::read(&path).unwrap();
    // 25 commits were waited for, of the 30 that were made, before another start of the machine.
    seal[16..24].copy_from_slice(&25u64.to_le_bytes());
    seal[24..40].fill(1);
    let crc = crc32fast::hash(&seal[..40]);
    seal[40..].copy_from_slice(&crc.to_le_bytes());
    fs::write(&path, &seal).unwrap();
    let log = fs::read(dir.path().join("esenas.db-wal")).unwrap();
    let (mut repeated, mut refused) = (0, 0);
    for cut in (0..log.len()).step_by(log.len() / 40) {
        let copy = tempdir().unwrap();
        snapshot(dir.path(), copy.path());
        fs::write(copy.path().join("esenas.db-wal"), &log[..cut]).unwrap();
        match Writer::open(copy.path(), Options::default()) {
            Err(Error::CommitsLost { found, .. }) => {
                assert!(found < 25, "{found}");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
            Ok(mut writer) => {
                assert_eq!(writer.commits_repeated(), 30 - writer.next_iteration());
                assert!(25 <= writer.next_iteration());
                advance(&mut writer, 30);
                assert_eq!(Reader::open(copy.path()).unwrap().content_digest().unwrap(), whole);
                repeated += 1;
            }
        }
    }
    assert!(0 < repeated && 0 < refused, "{repeated} repeated, {refused} refused");
}

/// What the seal says was waited for: each commit, the first alone, or those that a second has
/// passed before.
#[test]
fn commits_wait_for_the_disk_as_often_as_asked() {
    let durable = |seconds: u64| {
        let dir = tempdir().unwrap();
        let sync_every = std::time::Duration::from_secs(seconds);
        let options = Options { sync_every, ..Options::default() };
        let mut writer = Writer::create(dir.path(), &crate::study::header(), options).unwrap();
        advance(&mut writer, 5);
        let seal = fs::read(dir.path().join("esenas.seal")).unwrap();
        u64::from_le_bytes(seal[16..24].try_into().unwrap())
    };
    assert_eq!((durable(0), durable(3600)), (5, 1));
}

#[test]
fn an_older_copy_of_the_database_is_noticed() {
    let dir = tempdir().unwrap();
    stopped(dir.path(), 5);
    let old = fs::read(dir.path().join("esenas.db")).unwrap();
    advance(&mut open(dir.path()), 9);
    fs::write(dir.path().join("esenas.db"), old).unwrap();
    assert!(matches!(look(dir.path()).written, Err(Error::CommitsLost { found: 5, .. })));
}

#[test]
fn what_can_be_made_again_is() {
    for file in ["esenas.db-shm", "esenas.lock"] {
        let dir = tempdir().unwrap();
        let digest = crashed(dir.path());
        fs::remove_file(dir.path().join(file)).unwrap();
        assert_eq!(Reader::open(dir.path()).unwrap().content_digest().unwrap(), digest);
        advance(&mut open(dir.path()), 31);
        assert_whole(&Reader::open(dir.path()).unwrap(), 31);
    }
}

#[test]
fn without_its_seal_a_study_is_refused_until_somebody_decides() {
    for damage in [None, Some(b"nonsense".as_slice())] {
        let dir = tempdir().unwrap();
        crashed(dir.path());
        match damage {
            None => fs::remove_file(dir.path().join("esenas.seal")).unwrap(),
            Some(bytes) => fs::write(dir.path().join("esenas.seal"), bytes).unwrap(),
        }
        let Seen { read, written } = look(dir.path());
        assert!(matches!(read, Err(Error::Seal { .. })));
        assert!(matches!(written, Err(Error::Seal { .. })));
        let options = Options { accept_lost_commits: true, ..Options::default() };
        drop(Writer::open(dir.path(), options).unwrap());
        assert_whole(&Reader::open(dir.path()).unwrap(), 30);
    }
}

#[test]
fn an_unusable_checkpoint_names_the_one_to_go_back_to() {
    let (dir, reference) = (tempdir().unwrap(), tempdir().unwrap());
    stopped(dir.path(), 12);
    let database = rusqlite::Connection::open(dir.path().join("esenas.db")).unwrap();
    let spoil = |iteration: u64| {
        let sql = "UPDATE checkpoints SET frame = CAST(substr(frame, 1, 50) || x'00' AS BLOB) \
                   WHERE iteration = ?1";
        assert_eq!(database.execute(sql, [iteration]).unwrap(), 1);
    };
    spoil(11);
    let mut writer = open(dir.path());
    let error = writer.latest_checkpoint().unwrap_err();
    assert!(matches!(error, Error::Checkpoint { iteration: 11, older: Some(10), .. }), "{error}");
    assert!(error.to_string().contains("iteration 10 is sound"), "{error}");
    spoil(10);
    let error = writer.latest_checkpoint().unwrap_err();
    assert!(matches!(error, Error::Checkpoint { iteration: 11, older: Some(9), .. }), "{error}");
    assert!(writer.rewind_to(10).is_err());
    writer.rewind_to(9).unwrap();
    advance(&mut writer, 12);
    let digest = Reader::open(dir.path()).unwrap().content_digest().unwrap();
    assert_eq!(digest, stopped(reference.path(), 12));
    for i in 9..12 {
        spoil(i);
    }
    let error = writer.latest_checkpoint().unwrap_err();
    assert!(matches!(error, Error::Checkpoint { iteration: 11, older: None, .. }), "{error}");
}

#[test]
fn rows_changed_by_hand_are_noticed() {
    let changes = [
        "UPDATE iterations SET best = 1e9 WHERE iteration = 3",
        "DELETE FROM iterations WHERE iteration = 3",
        "DELETE FROM iterations WHERE iteration = 11",
        "UPDATE evaluations SET value = 1e9 WHERE iteration = 3 AND idx = 2",
        "DELETE FROM evaluations WHERE iteration = 3 AND idx = 2",
        "UPDATE evaluations SET role = 7 WHERE iteration = 3 AND idx = 2",
        "UPDATE timings SET ask = 9 WHERE iteration = 3",
        "DELETE FROM timings WHERE iteration = 3",
        "UPDATE best SET value = 1e9 WHERE iteration = 4",
        "DELETE FROM best WHERE iteration = 4",
        "DELETE FROM theta WHERE iteration = 8",
        "UPDATE theta SET data = zeroblob(160) WHERE iteration = 8",
        "UPDATE failures SET count = count + 1 WHERE reason = 'exit code 0'",
        "DELETE FROM failures WHERE reason = 'exit code 0'",
        "UPDATE state SET iterations = iterations - 1",
        "UPDATE study SET spec = 'seed = 9'",
    ];
    let source = tempdir().unwrap();
    stopped(source.path(), 12);
    for change in changes {
        let dir = tempdir().unwrap();
        snapshot(source.path(), dir.path());
        let database = rusqlite::Connection::open(dir.path().join("esenas.db")).unwrap();
        assert_eq!(database.execute(change, []).unwrap(), 1);
        drop(database);
        let error = everything(dir.path()).expect_err(change);
        assert!(matches!(error, Error::Damaged { .. }), "{change}: {}", bits(&error));
    }
}
