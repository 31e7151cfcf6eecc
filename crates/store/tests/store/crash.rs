//! `kill -9` at random instants: what was reported is there, and going on equals never having
//! stopped.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use esenas_store::{Error, Reader, Writer};
use tempfile::tempdir;

use crate::study::{assert_whole, header, options, step, stopped};

const DIR: &str = "ESENAS_STORE_TEST_DIR";
const TARGET: u64 = 6000;

/// Not a test of its own: the process that is killed. It reports each iteration after its commit.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let dir = Path::new(&dir);
    let mut writer = match Writer::open(dir, options()) {
        Err(Error::NotAStudy { .. }) => Writer::create(dir, &header(), options()),
        opened => opened,
    }
    .unwrap();
    let expected = writer.next_iteration().checked_sub(1).map(|last| step(last).checkpoint);
    let resumed = writer.latest_checkpoint().unwrap().map(|checkpoint| checkpoint.payload);
    assert_eq!(resumed, expected);
    let mut out = std::io::stdout();
    for i in writer.next_iteration()..TARGET {
        writer.commit(&step(i).iteration()).unwrap();
        writeln!(out, "done {i}").and_then(|()| out.flush()).unwrap();
    }
    writer.finish("target").unwrap();
    writeln!(out, "finished").unwrap();
}

/// Runs the child for a while and kills it; the last iteration it reported, and whether it
/// finished.
fn run_and_kill(dir: &Path, life: Duration) -> (Option<u64>, bool) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture"])
        .env(DIR, dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Read beside it, or a full pipe would decide the instant.
    let mut out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        text
    });
    sleep(life);
    child.kill().unwrap();
    child.wait().unwrap();
    let text = reader.join().unwrap();
    assert!(!text.contains("panicked") && !text.contains("FAILED"), "{text}");
    // Only whole lines were reported.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let last = whole.lines().rev().find_map(|line| line.split_once("done ")?.1.parse().ok());
    (last, whole.contains("finished"))
}

#[test]
fn killed_at_random_instants_a_hundred_times() {
    let (dir, reference) = (tempdir().unwrap(), tempdir().unwrap());
    let (mut kills, mut reported, mut finished) = (0, 0, false);
    // A plain generator: the instants need only be spread, not good.
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    while !finished {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // Short lives fall into starting, creating and recovering; longer ones into committing. On
        // a fast machine those would be over before the hundred: then more are short.
        let ahead = kills * TARGET / 120 < reported;
        let longest = if ahead { 12_000 } else { 60_000 };
        let life = if kills < 100 { (state >> 40) % longest } else { 2_000_000 };
        let (last, done) = run_and_kill(dir.path(), Duration::from_micros(life));
        (kills, finished) = (kills + 1, done);
        reported = last.map_or(reported, |last| last + 1);
        if dir.path().join("esenas.db").exists() {
            let reader = Reader::open(dir.path()).unwrap();
            let iterations = reader.progress().unwrap().iterations;
            // One more may have been committed and not yet reported.
            assert!(reported <= iterations, "{reported} were reported, {iterations} are there");
            reported = iterations;
        } else {
            assert_eq!(last, None);
        }
        if kills % 20 == 0 && 0 < reported {
            assert_whole(&Reader::open(dir.path()).unwrap(), reported);
        }
    }
    assert!(100 <= kills, "finished after {kills} kills, before the hundred were over");
    let reader = Reader::open(dir.path()).unwrap();
    assert_whole(&reader, TARGET);
    assert_eq!(reader.content_digest().unwrap(), stopped(reference.path(), TARGET));
}
