//! The page of claims is what the kept results say.

use std::path::Path;

use esenas_bench::paper;

/// Red when the page, or what is kept, changed without the other.
#[test]
fn the_page_is_made_of_what_is_kept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = paper::page(&root.join("results")).unwrap();
    let path = root.join("docs/evidence/paper.md");
    if std::env::var_os("ESENAS_UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(there == page, "run this test with ESENAS_UPDATE=1, or `esenas bench claims`");
    // Refuted claims stand beside those that hold.
    assert!(page.contains("**holds**") && page.contains("**does not hold**"));
}

/// Red when missing results are taken for none.
#[test]
fn without_results_there_is_no_page() {
    let place = tempfile::tempdir().unwrap();
    let error = paper::page(place.path()).unwrap_err().to_string();
    assert!(error.contains("theory.csv"), "{error}");
}
