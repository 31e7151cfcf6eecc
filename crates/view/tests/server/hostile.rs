//! Directories that somebody else made, and visitors who want the server for themselves alone.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::place::Place;

fn fifo(path: &std::path::Path) {
    let _ = std::fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn sql(place: &Place, name: &str, sql: &str) {
    let database = place.path(name).join("esenas.db");
    rusqlite::Connection::open(database).unwrap().execute_batch(sql).unwrap();
}

const ENDLESS: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i)";

/// Red while a pipe is waited for, a view is asked, or a link is followed: the list never came.
#[test]
fn each_odd_directory_costs_one_row() {
    let place = Place::new();
    place.study("good", 3, true);
    for pipe in ["esenas.lock", "esenas.seal", "esenas.db", "esenas.db-wal"] {
        place.study(&format!("pipe {pipe}"), 1, true);
        fifo(&place.path(&format!("pipe {pipe}")).join(pipe));
    }
    for view in ["state", "iterations"] {
        let name = format!("view {view}");
        place.study(&name, 1, true);
        let columns = "1, i AS commits, i AS iterations FROM n";
        let text = format!("DROP TABLE {view}; CREATE VIEW {view} AS {ENDLESS}, {columns}");
        sql(&place, &name, &text);
    }
    place.study("large", 1, true);
    let huge = "CREATE TABLE more (x, spec TEXT AS (hex(zeroblob(499000000))))";
    sql(&place, "large", huge);
    place.study("linked", 1, true);
    let database = place.path("linked").join("esenas.db");
    std::fs::rename(&database, place.path("elsewhere.db")).unwrap();
    symlink(place.path("elsewhere.db"), &database).unwrap();
    symlink(place.path("good"), place.path("alias")).unwrap();
    symlink("/", place.path("root")).unwrap();
    let start = Instant::now();
    let page = place.get("/");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    let count = |word: &str| page.body.matches(word).count();
    // A lock is only looked at.
    assert_eq!((count("state unreadable"), count("state done")), (7, 2), "{}", page.body);
    assert_eq!(count("is no regular file"), 4, "{}", page.body);
    assert_eq!(count("is no table or column of a study"), 3, "{}", page.body);
    assert!(!page.body.contains("alias") && !page.body.contains("root"));
    assert_eq!(place.get("/study?name=good").status, 200);
}

/// Red while 64 silent or dripping connections keep everybody else out.
#[test]
fn whoever_drips_makes_room_for_others() {
    let place = Place::new();
    place.study("a", 1, true);
    let mut dripping: Vec<TcpStream> = (0..200).map(|_| place.connect()).collect();
    for stream in &mut dripping {
        // Those that were shed already cannot be written to.
        let _ = stream.write_all(b"GET / HT");
    }
    let start = Instant::now();
    for _ in 0..20 {
        assert_eq!(place.get("/").status, 200);
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(dripping);
}

/// Red while every byte begins the time anew.
#[test]
fn a_head_that_drips_has_an_end() {
    let place = Place::new();
    let mut stream = place.connect();
    let mut copy = stream.try_clone().unwrap();
    let start = Instant::now();
    std::thread::spawn(move || {
        while copy.write_all(b"G").is_ok() {
            std::thread::sleep(Duration::from_millis(300));
        }
    });
    let _ = stream.read(&mut [0]);
    assert!(start.elapsed() < Duration::from_secs(13), "{:?}", start.elapsed());
}
