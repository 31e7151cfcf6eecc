//! The sources are for reading: one width for comments, whole sentences, files of one topic.

use std::path::PathBuf;

use esenas_tidy::{read, root};

const WIDTH: usize = 100;
const LINES: usize = 350;

/// Where comments were wider when this was first counted, and how many lines of them. A place may
/// get better and never worse; a file that is in none of them has none.
const WIDER_BEFORE: &[(&str, usize)] = &[];

/// Likewise: items whose description ends in the middle of a sentence.
const BROKEN_BEFORE: &[(&str, usize)] = &[];

/// The files with more code than is read at once, and why each is one file still.
const LONG: &[(&str, &str)] = &[
    ("crates/esenas/src/weights/cma_es.rs", "one algorithm, one file: a few lines too many"),
    ("crates/esenas/tests/layout.rs", "one promise of the layout after the other"),
    ("crates/store/tests/store/records.rs", "what is written is read, one kind after the other"),
    ("python/esenas/algorithms.py", "generated from the schema: a class for each kind"),
    ("python/esenas/study.py", "the one class that users see, most of it their manual"),
    ("python/src/study.rs", "the native half of that class, a method for each of its own"),
];

/// The Rust and Python files of the repository, by their path from its root.
fn sources() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = ["crates", "python", "bench", "examples"].map(PathBuf::from).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("a name in UTF-8");
            let path = folder.join(&name);
            // What builds and tests leave behind is nobody's source.
            let is_left = name.starts_with('.') || name == "target" || name == "__pycache__";
            if entry.path().is_dir() && !is_left {
                folders.push(path);
            } else if name.ends_with(".rs") || name.ends_with(".py") {
                found.push(path.to_str().expect("a path in UTF-8").to_owned());
            }
        }
    }
    found.sort();
    assert!(found.len() > 400, "{} files are too few: is this the root?", found.len());
    found
}

fn mark(path: &str) -> &'static str {
    if path.ends_with(".rs") { "//" } else { "#" }
}

/// The lines of comment that are too wide, counted from 1.
fn wide(path: &str, text: &str) -> Vec<usize> {
    let is_wide = |line: &&str| line.chars().count() > WIDTH;
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| line.trim_start().starts_with(mark(path)))
        .filter(|(_, line)| is_wide(line))
        .map(|(at, _)| at + 1)
        .collect()
}

/// The descriptions of items that end in a comma: their sentence goes on at the next item, and is
/// nonsense wherever one of them is shown alone.
fn broken(_: &str, text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let ends = |at: &usize| lines.get(at + 1).is_none_or(|next| !next.starts_with("///"));
    let is_broken = |at: &usize| lines[*at].starts_with("///") && lines[*at].ends_with(',');
    (0..lines.len()).filter(is_broken).filter(ends).map(|at| at + 1).collect()
}

/// How many lines are neither empty nor comment.
fn code(path: &str, text: &str) -> usize {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with(mark(path))).count()
}

/// Compares what `find` finds with what is listed, place by place.
fn compare(find: fn(&str, &str) -> Vec<usize>, before: &[(&str, usize)]) {
    let mut counted: Vec<(&str, usize, usize)> =
        before.iter().map(|&(place, most)| (place, most, 0)).collect();
    let mut wrong = Vec::new();
    for path in sources() {
        let found = find(&path, &read(&path));
        match counted.iter_mut().find(|(place, ..)| path.starts_with(place)) {
            Some((_, _, count)) => *count += found.len(),
            None => wrong.extend(found.into_iter().map(|line| format!("{path}:{line}"))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (place, most, count) in counted {
        assert!(count <= most, "{place} has {count}, {most} are listed: mend what was added");
        assert!(count > 0, "{place} has none left: remove it from the list");
    }
}

/// Red when a comment is wider than the code beside it may be.
#[test]
fn comments_fit_the_page() {
    compare(wide, WIDER_BEFORE);
}

/// Red when a sentence runs across the descriptions of several items.
#[test]
fn descriptions_are_whole_sentences() {
    compare(broken, BROKEN_BEFORE);
}

/// Red when a file outgrows what is read at once and nobody says why, or a reason outlives it.
#[test]
fn long_files_have_a_reason() {
    let long = |path: &String| code(path, &read(path)) > LINES;
    let found: Vec<String> = sources().into_iter().filter(long).collect();
    let listed: Vec<&str> = LONG.iter().map(|(path, _)| *path).collect();
    assert_eq!(found, listed, "left: files of more than {LINES} lines of code, right: the list");
}

#[test]
fn what_is_looked_for_is_found() {
    let comment = format!("    // {}", "x".repeat(WIDTH));
    assert_eq!(wide("a.rs", &format!("let a = 1;\n{comment}\n")), [2]);
    assert_eq!(wide("a.py", &comment.replace("//", "#")), [1]);
    assert_eq!(wide("a.rs", &format!("let a = \"{}\";", "x".repeat(WIDTH))), [0; 0]);
    assert_eq!(broken("a.rs", "/// The first,\na: u32,\n/// and,\n/// the second.\n"), [1]);
    assert_eq!(code("a.rs", "// why\n\nfn a() {}\n    b,\n"), 2);
}
