//! `ARCHITECTURE.md` draws the crates and their arrows; the crates must agree.

use std::collections::{BTreeMap, BTreeSet};

use esenas_tidy::{arrows, metadata, read, root};

/// Lines of the map read `name/   what it is   → crate, crate`.
fn drawn() -> BTreeMap<String, BTreeSet<String>> {
    let document = read("ARCHITECTURE.md");
    let map = document.split("```").nth(1).expect("ARCHITECTURE.md draws the crates in a block");
    let lines = map.lines().filter_map(|line| line.strip_prefix("  "));
    let entry = |line: &str| {
        let (name, rest) = line.split_once('/')?;
        let arrows = rest.split_once('→').map_or("", |(_, arrows)| arrows);
        let names = arrows.split(',').map(str::trim).filter(|name| !name.is_empty());
        Some((name.to_owned(), names.map(str::to_owned).collect()))
    };
    lines.filter(|line| !line.starts_with(' ')).filter_map(entry).collect()
}

#[test]
fn the_crates_point_where_the_map_says() {
    assert_eq!(arrows(&metadata()), drawn(), "left: the crates, right: ARCHITECTURE.md");
}

/// The rules behind the map: what may never be built from what.
#[test]
fn no_arrow_points_the_wrong_way() {
    let arrows = arrows(&metadata());
    let reaches = |from: &str| {
        let mut seen = BTreeSet::new();
        let mut next = vec![from.to_owned()];
        while let Some(name) = next.pop() {
            let below = arrows.get(&name).into_iter().flatten().cloned();
            next.extend(below.filter(|name| seen.insert(name.clone())));
        }
        seen
    };
    let forbidden = [
        ("esenas", &["bbob", "control", "store", "run", "cli", "report", "tidy"][..]),
        ("bbob", &["store", "run", "cli", "report", "tidy"]),
        ("control", &["bbob", "mujoco", "store", "run", "cli", "report", "tidy"]),
        ("store", &["esenas", "bbob", "run", "cli", "report", "tidy"]),
        ("run", &["cli", "report", "tidy"]),
    ];
    for (from, to) in forbidden {
        let wrong: Vec<_> =
            reaches(from).into_iter().filter(|n| to.contains(&n.as_str())).collect();
        assert!(wrong.is_empty(), "{from} must not be built from {wrong:?}");
    }
    for name in arrows.keys() {
        assert!(!reaches(name).contains(name), "{name} is built from itself");
    }
}

#[test]
fn every_file_named_in_the_architecture_exists() {
    let document = read("ARCHITECTURE.md");
    let named =
        document.split('`').skip(1).step_by(2).filter(|code| !code.contains([' ', '\n', '(']));
    let files: Vec<_> = named
        .filter(|code| code.ends_with(".rs") || code.ends_with(".toml") || code.ends_with('/'))
        .collect();
    assert!(files.len() > 5, "the map names files");
    for file in files {
        assert!(root().join(file).exists(), "ARCHITECTURE.md names `{file}`, which is not there");
    }
}

/// Pure crates are kept pure by a `clippy.toml` of their own.
#[test]
fn pure_crates_ban_clock_io_and_hash_order() {
    for name in ["esenas", "bbob", "control"] {
        let banned = read(&format!("crates/{name}/clippy.toml"));
        for path in ["Instant::now", "SystemTime::now", "fs::File::open", "HashMap", "HashSet"] {
            assert!(banned.contains(path), "crates/{name}/clippy.toml does not ban {path}");
        }
    }
}
