//! `deny.toml` says which licences and sources are accepted; every dependency must have one.

use std::collections::BTreeSet;

use esenas_tidy::{list, metadata, read, text};

/// Whether an SPDX expression can be met with the licences in `accepted`.
///
/// `AND` binds tighter than `OR`; parentheses are taken apart first.
fn met(expression: &str, accepted: &BTreeSet<String>) -> bool {
    if let Some(open) = expression.rfind('(') {
        let close = open + expression[open..].find(')').expect("parentheses match");
        let inner = if met(&expression[open + 1..close], accepted) { "YES" } else { "NO" };
        let flat = format!("{}{inner}{}", &expression[..open], &expression[close + 1..]);
        return met(&flat, accepted);
    }
    let known = |licence: &str| licence == "YES" || accepted.contains(licence);
    let all = |part: &str| part.split(" AND ").all(|licence| known(licence.trim()));
    expression.replace('/', " OR ").split(" OR ").any(all)
}

fn accepted() -> BTreeSet<String> {
    let deny: toml::Table = read("deny.toml").parse().expect("deny.toml is TOML");
    let allow = deny["licenses"]["allow"].as_array().expect("licences are listed");
    allow.iter().map(|licence| licence.as_str().expect("by name").to_owned()).collect()
}

#[test]
fn every_licence_is_accepted() {
    let (metadata, accepted) = (metadata(), accepted());
    let refused: Vec<String> = list(&metadata["packages"])
        .filter(|package| !met(text(&package["license"]), &accepted))
        .map(|package| format!("{}: {}", package["name"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "not accepted by deny.toml: {refused:#?}");
}

#[test]
fn every_accepted_licence_is_in_use() {
    let metadata = metadata();
    let used: String =
        list(&metadata["packages"]).map(|p| text(&p["license"]).to_owned() + " ").collect();
    let idle: Vec<_> = accepted().into_iter().filter(|licence| !used.contains(licence)).collect();
    assert!(idle.is_empty(), "deny.toml accepts licences nothing has: {idle:?}");
}

#[test]
fn every_dependency_comes_from_the_registry_or_from_here() {
    for package in list(&metadata()["packages"]) {
        let source = text(&package["source"]);
        let fine = source.is_empty() || source.starts_with("registry+");
        assert!(fine, "{} comes from {source}", package["name"]);
    }
}

#[test]
fn licence_expressions_are_read_as_spdx_means_them() {
    let accepted = BTreeSet::from(["MIT".to_owned(), "Zlib".to_owned()]);
    for good in
        ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "MIT AND Zlib", "(GPL-3.0 OR MIT) AND Zlib"]
    {
        assert!(met(good, &accepted), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND GPL-3.0", ""] {
        assert!(!met(bad, &accepted), "{bad}");
    }
}
