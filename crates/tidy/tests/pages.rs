//! The pages are for reading: short paragraphs, short cells, links that lead somewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use esenas_tidy::{read, root};

const WORDS_IN_A_PARAGRAPH: usize = 120;
const WORDS_IN_A_CELL: usize = 25;

/// Pages that were longer when this was first counted, with how many (paragraphs, cells) are too
/// long. A page may get better and never worse; a page that is not named here has none.
const BEFORE: &[(&str, usize, usize)] = &[("docs/bbob.md", 2, 0), ("docs/study.md", 2, 16)];

/// Every page that a reader may come to.
fn pages() -> Vec<PathBuf> {
    let mut found = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"]
        .map(PathBuf::from)
        .into_iter()
        .filter(|it| root().join(it).exists())
        .collect::<Vec<_>>();
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
            let path = folder.join(entry.expect("an entry").file_name());
            match root().join(&path).is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|it| it == "md") => found.push(path),
                false => (),
            }
        }
    }
    found.sort();
    assert!(found.len() > 20, "{found:?}");
    found
}

/// The lines of a page that are not code.
fn prose(text: &str) -> Vec<&str> {
    let mut inside = false;
    let fence = |line: &str| line.trim_start().starts_with("```");
    let keep = |line: &&str| {
        let is_fence = fence(line);
        inside ^= is_fence;
        !inside && !is_fence
    };
    text.lines().filter(keep).collect()
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The words of each paragraph; every item of a list is one of its own.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut all: Vec<String> = vec![String::new()];
    for line in prose(text) {
        let line = line.trim();
        let starts_item = line.starts_with("- ")
            || line.starts_with("* ")
            || line.split_once(". ").is_some_and(|(n, _)| n.parse::<u32>().is_ok());
        if line.is_empty() || line.starts_with(['|', '#']) {
            all.push(String::new());
        } else {
            if starts_item {
                all.push(String::new());
            }
            let last = all.last_mut().expect("one at least");
            last.push_str(line);
            last.push(' ');
        }
    }
    all.into_iter().map(|it| (words(&it), it)).collect()
}

/// The words of each cell of the tables.
fn cells(text: &str) -> Vec<(usize, String)> {
    let rows = prose(text).into_iter().map(str::trim).filter(|line| line.starts_with('|'));
    let split =
        |row: &str| row.replace("\\|", "¦").split('|').map(str::to_owned).collect::<Vec<_>>();
    rows.flat_map(split).map(|it| (words(&it), it)).collect()
}

fn too_long(parts: Vec<(usize, String)>, most: usize) -> Vec<String> {
    let long = parts.into_iter().filter(|(count, _)| *count > most);
    long.map(|(count, text)| {
        format!("{count} words: {}…", text.chars().take(90).collect::<String>())
    })
    .collect()
}

/// Red when a paragraph or a cell grows too long to be read.
#[test]
fn paragraphs_and_cells_are_short() {
    let before: BTreeMap<_, _> = BEFORE.iter().map(|&(page, p, c)| (page, (p, c))).collect();
    let mut wrong = Vec::new();
    for page in pages() {
        let name = page.to_str().expect("a name in UTF-8");
        let text = read(name);
        let (p, c) = (
            too_long(paragraphs(&text), WORDS_IN_A_PARAGRAPH),
            too_long(cells(&text), WORDS_IN_A_CELL),
        );
        let (most_p, most_c) = before.get(name).copied().unwrap_or_default();
        if p.len() > most_p || c.len() > most_c {
            wrong.push(format!(
                "{name}: {} paragraphs and {} cells are too long, {most_p} and {most_c} are listed\n  {}",
                p.len(),
                c.len(),
                [p, c].concat().join("\n  ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn long_parts_are_found() {
    let long = "word ".repeat(121);
    let page = format!("# Head\n\n{long}\n\n- {long}\n- short\n\n| {} | b |\n", "cell ".repeat(26));
    assert_eq!(too_long(paragraphs(&page), WORDS_IN_A_PARAGRAPH).len(), 2);
    assert_eq!(too_long(cells(&page), WORDS_IN_A_CELL).len(), 1);
    let code = format!("```text\n{long}\n```\n");
    assert_eq!(too_long(paragraphs(&code), WORDS_IN_A_PARAGRAPH).len(), 0);
}

/// What a heading is called in a link.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    kept.collect::<String>().replace(' ', "-")
}

fn links(text: &str) -> Vec<String> {
    let prose = prose(text).join("\n");
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(str::to_owned).collect()
}

/// Red when a page links to a file or a heading that is not there.
#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    for page in pages() {
        let name = page.to_str().expect("a name in UTF-8");
        for link in links(&read(name)).into_iter().filter(|it| !it.contains("://")) {
            let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
            let folder = page.parent().unwrap_or(Path::new(""));
            let target = if path.is_empty() { page.clone() } else { folder.join(path) };
            if !root().join(&target).exists() {
                wrong.push(format!("{name}: {link}"));
            } else if !heading.is_empty() {
                let text = std::fs::read_to_string(root().join(&target)).expect("a page");
                let mut headings = prose(&text).into_iter().filter(|line| line.starts_with('#'));
                if !headings.any(|it| anchor(it) == heading) {
                    wrong.push(format!("{name}: {link}: no such heading"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Red when a page is written and nobody can find it, or the site names one that is gone.
#[test]
fn the_site_has_every_page() {
    let site = read("zensical.toml");
    for page in pages().iter().filter_map(|it| it.strip_prefix("docs").ok()) {
        let name = page.to_str().expect("a name in UTF-8");
        let is_part = name.starts_with("gallery/");
        assert!(
            is_part || site.contains(&format!("\"{name}\"")),
            "zensical.toml does not have {name}"
        );
    }
    let named = site.split('"').filter(|it| it.ends_with(".md"));
    for name in named {
        assert!(root().join("docs").join(name).exists(), "zensical.toml names {name}");
    }
}
