//! How a refusal is said: what is wrong, where, and what would do.

use std::fmt::Write;
use std::path::PathBuf;

use thiserror::Error;

/// Why a study was refused.
#[derive(Debug, Error)]
pub enum SpecError {
    /// There is no such file, or it cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not TOML.
    #[error("{place}: not TOML: {what}")]
    Syntax {
        /// File and line, or override.
        place: String,
        /// What the parser said.
        what: String,
    },
    /// An override that is none.
    #[error("--set {text}: {what}")]
    Override {
        /// As given.
        text: String,
        /// What is wrong with it.
        what: String,
    },
    /// A key that is not one, or whose value will not do.
    #[error("{place}: {message}")]
    Key {
        /// File and line, or override.
        place: String,
        /// The dotted path.
        key: String,
        /// What is wrong with it and what would do.
        message: String,
    },
}

/// What is wrong with a key, before it is known where that stands.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("`{key}` {what}")]
pub(crate) struct Fault {
    pub(super) key: String,
    what: String,
    help: String,
}

impl Fault {
    pub(crate) fn new(key: impl Into<String>, what: impl Into<String>) -> Self {
        Self { key: key.into(), what: what.into(), help: String::new() }
    }

    /// What to do about it.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }

    /// Says it, of `value` at `place`.
    pub(super) fn at(self, place: String, value: Option<String>) -> SpecError {
        let Self { key, what, help } = self;
        let mut message = format!("`{key}`");
        if let Some(value) = value {
            let _ = write!(message, " = {value}");
        }
        let _ = write!(message, ": {what}");
        if !help.is_empty() {
            let _ = write!(message, "; {help}");
        }
        SpecError::Key { place, key, message }
    }
}

/// A value on one short line.
pub(super) fn shown(value: &serde_json::Value) -> String {
    let text = match super::write::toml_value(value) {
        Some(value) => value.to_string(),
        None => value.to_string(),
    };
    let text = text.replace('\n', " ");
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// `did you mean …?`, if one of `known` is near, and in any case what is known.
pub(super) fn suggest(name: &str, known: &[String]) -> String {
    let near = known.iter().map(|k| (distance(name, k), k)).min();
    let limit = name.chars().count().div_ceil(3).max(2);
    let list = known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    match near {
        Some((distance, near)) if distance <= limit => {
            format!("did you mean `{near}`? (accepted: {list})")
        }
        _ if known.is_empty() => "nothing is accepted here".to_owned(),
        _ => format!("accepted: {list}"),
    }
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for (i, x) in a.iter().enumerate() {
        let above = &rows[i];
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(x != y);
            let mut least = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && b[j - 1] == *x {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_if_it_is_near() {
        let known = ["sigma", "step_size", "directions"].map(str::to_owned);
        assert!(suggest("sgima", &known).starts_with("did you mean `sigma`?"));
        assert!(suggest("stepsize", &known).starts_with("did you mean `step_size`?"));
        let far = suggest("learning_rate", &known);
        assert_eq!(far, "accepted: `sigma`, `step_size`, `directions`");
    }

    #[test]
    fn distance_counts_edits() {
        for (a, b, edits) in [("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("ab", "b", 1)]
        {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }
}
