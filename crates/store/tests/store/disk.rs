//! Full disks and places that cannot be written, made in a namespace of the test's own.
//!
//! Where the system does not allow that, the test of the file size limit still runs.

use std::path::Path;
use std::process::{Command, Output};

use esenas_store::{Error, Options, Reader, Writer};
use tempfile::tempdir;

use crate::study::{advance, assert_whole, create, header, open, snapshot, step, stopped};

const DIR: &str = "ESENAS_STORE_TEST_DISK";

/// Runs a test of this file in a shell that has prepared `dir`.
fn within(wrapper: &[&str], prepare: &str, test: &str, dir: &Path) -> Output {
    let script = format!("{prepare} && exec \"$0\" --exact disk::{test} --nocapture");
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).arg("sh").arg("-c").arg(script);
    command.arg(std::env::current_exe().unwrap()).env(DIR, dir).output().unwrap()
}

/// In a mount namespace where `prepare` may mount; `false` if there can be none here.
fn mounted(prepare: &str, test: &str, dir: &Path) -> bool {
    let unshare = ["unshare", "--user", "--map-root-user", "--mount"];
    let possible = Command::new("unshare").args(&unshare[1..]).arg("true").status();
    if !possible.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no mount namespaces here");
        return false;
    }
    assert_passed(&within(&unshare, prepare, test, dir));
    true
}

fn assert_passed(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("1 passed") && text.contains("reached the end"), "{text}");
}

/// Commits until it fails; the error, and how many are there.
fn fill(writer: &mut Writer) -> Error {
    loop {
        let next = writer.next_iteration();
        assert!(next < 100_000, "the disk is never full");
        if let Err(error) = writer.commit(&step(next).iteration()) {
            assert_eq!(writer.next_iteration(), next, "a failed commit counts as none");
            return error;
        }
    }
}

#[test]
fn full_disk_child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let dir = Path::new(&dir);
    let ballast = dir.join("ballast");
    std::fs::write(&ballast, vec![1; 1 << 20]).unwrap();
    let mut writer = create(&dir.join("study"));
    let error = fill(&mut writer);
    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
    let there = writer.next_iteration();
    assert!(0 < there);
    // Again fails as clearly; after making room it goes on, in the same process or another.
    assert!(matches!(fill(&mut writer), Error::DiskFull { .. }));
    assert_whole(&Reader::open(&dir.join("study")).unwrap(), there);
    std::fs::remove_file(ballast).unwrap();
    advance(&mut writer, there + 3);
    drop(writer);
    advance(&mut open(&dir.join("study")), there + 6);
    assert_whole(&Reader::open(&dir.join("study")).unwrap(), there + 6);
    println!("reached the end");
}

#[test]
fn a_full_disk_is_a_clear_error_and_costs_nothing() {
    let dir = tempdir().unwrap();
    mounted(
        "mount -t tmpfs -o size=3m none \"$ESENAS_STORE_TEST_DISK\"",
        "full_disk_child",
        dir.path(),
    );
}

#[test]
fn small_disk_child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let study = Path::new(&dir).join("study");
    // As everybody has it: a log that would be folded when it is longer than this disk.
    let mut writer = Writer::create(&study, &header(), Options::default()).unwrap();
    for until in [1000, 4200] {
        advance(&mut writer, until);
        let reader = Reader::open(&study).unwrap();
        assert_whole(&reader, until);
    }
    drop(writer);
    let bytes = std::fs::metadata(study.join("esenas.db")).unwrap().len();
    assert!((2 << 20..5 << 20).contains(&bytes), "{bytes}");
    assert_whole(&Reader::open(&study).unwrap(), 4200);
    println!("reached the end");
}

/// Red while the log is as long as it likes whatever room there is: it took 20 MB and more for
/// this.
#[test]
fn a_study_needs_little_more_room_than_its_records() {
    let dir = tempdir().unwrap();
    let disk = "mount -t tmpfs -o size=8m none \"$ESENAS_STORE_TEST_DISK\"";
    mounted(disk, "small_disk_child", dir.path());
}

#[test]
fn no_room_to_begin_child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let dir = Path::new(&dir);
    let ballast = dir.join("ballast");
    for room in [0, 4096, 16_384, 40_960] {
        let _ = std::fs::remove_file(&ballast);
        std::fs::write(&ballast, vec![1; (1 << 20) - room]).unwrap();
        let error = Writer::create(&dir.join("study"), &header(), Options::default()).unwrap_err();
        assert!(matches!(error, Error::NoRoom { .. }), "{room}: {error:?}");
    }
    std::fs::remove_file(ballast).unwrap();
    advance(&mut create(&dir.join("study")), 2);
    println!("reached the end");
}

#[test]
fn a_disk_too_full_to_create_leaves_no_dead_end() {
    let dir = tempdir().unwrap();
    mounted(
        "mount -t tmpfs -o size=1m none \"$ESENAS_STORE_TEST_DISK\"",
        "no_room_to_begin_child",
        dir.path(),
    );
}

#[test]
fn file_size_limit_child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let mut writer = create(Path::new(&dir));
    let error = fill(&mut writer);
    assert!(matches!(error, Error::DiskFull { .. } | Error::Sql { .. }), "{error}");
    assert_whole(&Reader::open(Path::new(&dir)).unwrap(), writer.next_iteration());
    println!("reached the end");
}

#[test]
#[cfg(unix)]
fn a_file_that_may_not_grow_is_a_clear_error_and_costs_nothing() {
    let dir = tempdir().unwrap();
    let limits = "trap '' XFSZ && ulimit -f 1500";
    assert_passed(&within(&["env"], limits, "file_size_limit_child", dir.path()));
    let writer = &mut open(dir.path());
    let there = writer.next_iteration();
    assert!(0 < there);
    advance(writer, there + 5);
    assert_whole(&Reader::open(dir.path()).unwrap(), there + 5);
}

#[test]
fn read_only_child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let dir = Path::new(&dir);
    assert_whole(&Reader::open(&dir.join("stopped")).unwrap(), 5);
    assert_whole(&Reader::open(&dir.join("crashed")).unwrap(), 5);
    let error = Reader::open(&dir.join("no-index")).unwrap_err();
    assert!(matches!(error, Error::LogOnReadOnly { .. }), "{error:?}");
    let options = Options::default();
    for error in [
        Writer::open(&dir.join("stopped"), options).unwrap_err(),
        Writer::open(&dir.join("crashed"), options).unwrap_err(),
        Writer::create(&dir.join("new"), &header(), options).unwrap_err(),
        esenas_store::discard(&dir.join("stopped")).unwrap_err(),
    ] {
        assert!(matches!(error, Error::NotWritable { .. }), "{error:?}");
    }
    println!("reached the end");
}

#[test]
fn a_read_only_place_is_read_and_not_written() {
    let dir = tempdir().unwrap();
    stopped(&dir.path().join("stopped"), 5);
    let live = tempdir().unwrap();
    let mut writer = create(live.path());
    advance(&mut writer, 5);
    snapshot(live.path(), &dir.path().join("crashed"));
    snapshot(live.path(), &dir.path().join("no-index"));
    std::fs::remove_file(dir.path().join("no-index/esenas.db-shm")).unwrap();
    let d = "\"$ESENAS_STORE_TEST_DISK\"";
    let read_only = format!("mount --bind {d} {d} && mount -o remount,ro,bind {d}");
    mounted(&read_only, "read_only_child", dir.path());
}
