//! The README's commands are the ones that are run.

use esenas_tidy::{read, root};

#[test]
fn ci_runs_the_readmes_test_command() {
    let readme = read("README.md");
    let ci = read(".ci/run");
    let command = ci.lines().last().expect("the last line of .ci/run is the command");
    assert!(readme.contains(&format!("\n{command}\n")), "README.md does not name `{command}`");
    let script = command.split_whitespace().last().expect("a command");
    assert!(root().join(script).exists(), "{script} is not there");
}

#[test]
fn the_readme_links_to_files_that_exist() {
    let readme = read("README.md");
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links.filter(|link| !link.contains("://") && !link.starts_with('#')) {
        let path = link.split('#').next().unwrap_or(link);
        assert!(root().join(path).exists(), "README.md links to {path}, which is not there");
    }
}

/// The transcript is an excerpt of one that a test of the command line makes.
#[test]
fn the_readme_shows_what_the_program_prints() {
    let (readme, made) = (read("README.md"), read("docs/transcripts/run.txt"));
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    let lines: Vec<&str> = shown.expect("README.md shows a run").lines().collect();
    assert!(lines.len() > 10, "{lines:?}");
    let mut rest = made.lines();
    for line in lines {
        assert!(rest.any(|made| made == line), "docs/transcripts/run.txt does not have `{line}`");
    }
}
