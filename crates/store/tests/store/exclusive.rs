//! One writer, many readers, and directories that are not what they seem.

use std::fs;
use std::thread;

use esenas_store::{Error, Options, Reader, Writer, discard};
use tempfile::tempdir;

use crate::study::{advance, assert_whole, create, header, open, snapshot, step, stopped};

fn reopen(dir: &std::path::Path) -> Result<Writer, Error> {
    Writer::open(dir, Options::default())
}

fn recreate(dir: &std::path::Path) -> Result<Writer, Error> {
    Writer::create(dir, &header(), Options::default())
}

#[test]
fn a_second_writer_is_refused_and_told_by_whom() {
    let dir = tempdir().unwrap();
    let writer = create(dir.path());
    for refused in [reopen(dir.path()), recreate(dir.path())] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::Locked { .. }), "{error}");
        assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    }
    assert!(matches!(discard(dir.path()), Err(Error::Locked { .. })));
    drop(writer);
    reopen(dir.path()).unwrap();
}

#[test]
fn readers_beside_a_writer_see_whole_iterations_and_do_not_stop_it() {
    let dir = tempdir().unwrap();
    let mut writer = create(dir.path());
    advance(&mut writer, 1);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut seen = 0;
                while seen < 400 {
                    let reader = Reader::open(dir.path()).unwrap();
                    let progress = reader.progress().unwrap();
                    assert!(seen <= progress.iterations, "went back from {seen}");
                    seen = progress.iterations;
                    let last = progress.last.unwrap();
                    let (at, evaluations) =
                        reader.evaluations(last.iteration).next().unwrap().unwrap();
                    assert_eq!((at, evaluations.len()), (last.iteration, 12));
                    reader.latest_checkpoint().unwrap().unwrap();
                    reader.content_digest().unwrap();
                }
            });
        }
        // A view that never ends must not stop it either.
        let reader = Reader::open(dir.path()).unwrap();
        let mut held = reader.evaluations(0);
        held.next().unwrap().unwrap();
        advance(&mut writer, 400);
    });
    assert_whole(&Reader::open(dir.path()).unwrap(), 400);
}

#[test]
fn a_study_is_neither_overwritten_nor_found_where_there_is_none() {
    let dir = tempdir().unwrap();
    assert!(matches!(reopen(dir.path()), Err(Error::NotAStudy { .. })));
    assert!(matches!(Reader::open(dir.path()), Err(Error::NotAStudy { .. })));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "asking leaves nothing behind");
    stopped(dir.path(), 3);
    assert!(matches!(recreate(dir.path()), Err(Error::AlreadyExists { .. })));
    assert_whole(&Reader::open(dir.path()).unwrap(), 3);
}

#[test]
fn a_study_file_of_somebody_else_is_left_alone() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("study.toml");
    fs::write(&path, "mine").unwrap();
    assert!(matches!(recreate(dir.path()), Err(Error::SpecInTheWay { .. })));
    discard(dir.path()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    // The same text is in nobody's way.
    fs::write(&path, header().spec).unwrap();
    recreate(dir.path()).unwrap();
}

#[test]
fn an_edited_study_file_is_noticed_and_a_removed_one_comes_back() {
    let dir = tempdir().unwrap();
    stopped(dir.path(), 2);
    let path = dir.path().join("study.toml");
    fs::write(&path, "seed = 8\n").unwrap();
    assert!(matches!(reopen(dir.path()), Err(Error::SpecChanged { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "seed = 8\n");
    fs::remove_file(&path).unwrap();
    reopen(dir.path()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), header().spec);
}

#[test]
fn discarding_removes_the_study_and_nothing_else() {
    let dir = tempdir().unwrap();
    stopped(dir.path(), 2);
    fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    discard(dir.path()).unwrap();
    let mut left: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["esenas.lock", "notes.txt"]);
    recreate(dir.path()).unwrap();
    discard(&dir.path().join("nowhere")).unwrap();
}

/// Red while whatever has the name of a study's database is taken for one.
#[test]
fn discarding_leaves_a_file_of_somebody_else() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("esenas.db");
    let sql = rusqlite::Connection::open(&path).unwrap();
    sql.execute_batch("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)").unwrap();
    drop(sql);
    let mine = fs::read(&path).unwrap();
    for bytes in [mine, b"my notes".to_vec()] {
        fs::write(&path, &bytes).unwrap();
        assert!(matches!(discard(dir.path()), Err(Error::WrongFile { .. })));
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    fs::remove_file(&path).unwrap();
    // One of ours is known by its seal, however damaged.
    stopped(dir.path(), 2);
    fs::write(&path, [0; 500]).unwrap();
    discard(dir.path()).unwrap();
}

/// Every set of files a crash inside `create` or `discard` can leave: the next attempt gets
/// through.
#[test]
fn a_crash_while_creating_or_discarding_leaves_no_dead_end() {
    let whole = tempdir().unwrap();
    stopped(whole.path(), 0);
    let parts = ["esenas.lock", "esenas.db.new", "esenas.seal", "esenas.db", "study.toml"];
    for stage in 0..=parts.len() {
        for torn in [false, true] {
            let dir = tempdir().unwrap();
            for part in &parts[..stage] {
                let source = part.trim_end_matches(".new");
                let mut bytes = fs::read(whole.path().join(source)).unwrap();
                if torn && part.ends_with(".new") {
                    bytes.truncate(bytes.len() / 2);
                }
                fs::write(dir.path().join(part), bytes).unwrap();
            }
            let opened = if 4 <= stage { reopen(dir.path()) } else { recreate(dir.path()) };
            advance(&mut opened.unwrap(), 2);
            assert_whole(&Reader::open(dir.path()).unwrap(), 2);
        }
    }
    for removed in 0..4 {
        let dir = tempdir().unwrap();
        advance(&mut create(dir.path()), 2);
        for part in &["study.toml", "esenas.seal", "esenas.db", "esenas.db-wal"][..removed] {
            let _ = fs::remove_file(dir.path().join(part));
        }
        discard(dir.path()).unwrap();
        recreate(dir.path()).unwrap();
    }
}

#[test]
fn a_database_that_was_removed_is_missed() {
    let dir = tempdir().unwrap();
    stopped(dir.path(), 2);
    fs::remove_file(dir.path().join("esenas.db")).unwrap();
    assert!(matches!(recreate(dir.path()), Err(Error::DatabaseMissing { commits: 2, .. })));
    discard(dir.path()).unwrap();
    recreate(dir.path()).unwrap();
}

#[test]
fn a_copied_directory_goes_on_by_itself() {
    let (dir, copy) = (tempdir().unwrap(), tempdir().unwrap());
    let mut writer = create(dir.path());
    advance(&mut writer, 3);
    snapshot(dir.path(), copy.path());
    advance(&mut open(copy.path()), 6);
    advance(&mut writer, 6);
    let digest = |dir: &std::path::Path| Reader::open(dir).unwrap().content_digest().unwrap();
    assert_eq!(digest(dir.path()), digest(copy.path()));
}

#[test]
#[cfg(unix)]
fn a_database_removed_under_a_running_study_is_missed() {
    let dir = tempdir().unwrap();
    let mut writer = create(dir.path());
    fs::remove_file(dir.path().join("esenas.db")).unwrap();
    let error = writer.commit(&step(0).iteration()).unwrap_err();
    assert!(matches!(error, Error::Vanished { .. }), "{error}");
}
