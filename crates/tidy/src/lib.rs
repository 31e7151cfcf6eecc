//! Checks that the repository is what its documents say: `tests/` compare `cargo metadata`,
//! `ARCHITECTURE.md`, `README.md`, `deny.toml` and the files themselves with one another.
//!
//! This crate ships nothing. It only reads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("crates/tidy lies two levels down").to_owned()
}

/// The text of a file, by its path from the root.
pub fn read(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What `cargo metadata` says of the workspace.
pub fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

/// The directory below `crates/` of each member, and those of the members it is built from.
pub fn arrows(metadata: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let members = strings(&metadata["workspace_members"]);
    let packages: Vec<&Value> = list(&metadata["packages"])
        .filter(|package| members.contains(package["id"].as_str().unwrap_or_default()))
        .collect();
    let directories: BTreeMap<&str, String> =
        packages.iter().map(|p| (text(&p["name"]), directory(p))).collect();
    let built_from = |package: &Value| {
        let normal = list(&package["dependencies"]).filter(|d| d["kind"].is_null());
        normal.filter_map(|d| directories.get(text(&d["name"])).cloned()).collect()
    };
    packages.iter().map(|package| (directory(package), built_from(package))).collect()
}

fn directory(package: &Value) -> String {
    let manifest = Path::new(text(&package["manifest_path"]));
    let name = manifest.parent().and_then(Path::file_name).expect("a manifest lies in a directory");
    name.to_string_lossy().into_owned()
}

/// The items of a JSON list.
pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The text of a JSON string.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn strings(value: &Value) -> BTreeSet<&str> {
    list(value).map(text).collect()
}

/// The README's example runs as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
