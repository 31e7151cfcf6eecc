//! The run directories below a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How deep they may lie: `runs/experiment/group/seed`.
const DEPTH: usize = 4;

/// As many files and folders are looked at; a folder with more is not one of studies.
const MOST: usize = 100_000;

/// By name: the way from `root`, or what `root` is called if it is a study itself.
pub(super) fn below(root: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    if is_study(root) {
        let whole = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        let name = whole.file_name().unwrap_or(whole.as_os_str());
        found.insert(name.to_string_lossy().into_owned(), root.to_path_buf());
        return found;
    }
    let mut left = MOST;
    walk(root, "", DEPTH, (&mut found, &mut left));
    found
}

fn is_study(dir: &Path) -> bool {
    fs::symlink_metadata(dir.join("esenas.db")).is_ok()
}

/// Links are not followed: they could lead anywhere.
fn walk(
    dir: &Path,
    prefix: &str,
    depth: usize,
    (found, left): (&mut BTreeMap<String, PathBuf>, &mut usize),
) {
    // What cannot be listed, or vanishes meanwhile, holds nothing.
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let Some(rest) = left.checked_sub(1) else { return };
        *left = rest;
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let name = format!("{prefix}{name}");
        if is_study(&path) {
            found.insert(name, path);
        } else if depth > 1 {
            walk(&path, &format!("{name}/"), depth - 1, (&mut *found, &mut *left));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn studies_are_found_where_they_lie_and_named_by_the_way() {
        let root = tempfile::tempdir().unwrap();
        for name in ["b", "a/x", "a/y/z", "1/2/3/4/5"] {
            fs::create_dir_all(root.path().join(name)).unwrap();
            fs::write(root.path().join(name).join("esenas.db"), "").unwrap();
        }
        fs::create_dir_all(root.path().join("empty")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path().join("a"), root.path().join("empty/link")).unwrap();
        let names: Vec<String> = below(root.path()).into_keys().collect();
        assert_eq!(names, ["a/x", "a/y/z", "b"]);
        let one = below(&root.path().join("a/x"));
        assert_eq!(one.into_keys().collect::<Vec<_>>(), ["x"]);
        assert!(below(&root.path().join("nowhere")).is_empty());
    }
}
