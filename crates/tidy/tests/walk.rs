//! CONTRIBUTING.md walks through a controller: every place that knows of it, and no other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use esenas_tidy::{read, root};

/// The controller of the walk, as Rust, study files and file names call it.
const NAMES: [&str; 3] = ["OnePlusOne", "one-plus-one", "one_plus_one"];

/// What speaks of it besides: the walk itself, this test, measurements beside other people's, and
/// a test that takes it as one of several.
const BESIDE: [&str; 5] = [
    "CONTRIBUTING.md",
    "bench/outside/evolution.py",
    "bench/outside/pbo.py",
    "crates/esenas/tests/learn.rs",
    "crates/tidy/tests/walk.rs",
];

/// The places that the section names.
fn named() -> BTreeSet<String> {
    let page = read("CONTRIBUTING.md");
    let section = page.split("\n## ").find(|it| it.starts_with("Add a controller\n"));
    let rows = section.expect("a section on controllers").lines().filter(|it| it.starts_with('|'));
    let places = rows.filter_map(|row| row.split('|').nth(1));
    let places = places.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned);
    places.collect()
}

/// The text files of the repository that its own people write, by their paths from the root.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
            let path = folder.join(entry.expect("an entry").file_name());
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let kind = path.extension().unwrap_or_default().to_string_lossy();
            let written = ["rs", "md", "py", "pyi", "json", "toml", "sh"].contains(&&*kind);
            let others = name.starts_with('.') || ["target", "runs", "results"].contains(&&*name);
            match root().join(&path) {
                _ if others => {}
                it if it.is_dir() => folders.push(path),
                _ if written => found.push(path),
                _ => {}
            }
        }
    }
    found
}

fn speaks_of_it(path: &Path) -> bool {
    let text = std::fs::read_to_string(root().join(path)).unwrap_or_default();
    NAMES.iter().any(|name| text.contains(name))
}

/// Red when a place is left out of the walk, or named and not needed.
#[test]
fn the_walk_names_every_place_that_a_controller_touches() {
    let files = files();
    assert!(files.len() > 500, "{}", files.len());
    let known = files.iter().filter(|path| speaks_of_it(path)).map(|it| it.display().to_string());
    let known: BTreeSet<String> = known.filter(|it| !BESIDE.contains(&it.as_str())).collect();
    assert_eq!(known, named());
}
