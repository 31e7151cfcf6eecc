//! Words that are near each other, for messages that help.

/// The words that make an object of the written form a choice or a constant.
pub(super) const RESERVED: [&str; 6] = ["oneof", "manyof", "permutation", "int", "bool", "const"];

/// Of `known`, the word nearest to `word`.
pub(super) fn nearest(word: &str, known: &[&'static str]) -> &'static str {
    known.iter().copied().min_by_key(|other| distance(word, other)).unwrap_or("")
}

/// The reserved word that `name` is, or that it looks like a slip for: a space that quietly became
/// a constant because of `onef` or `many_of` would be searched for nothing.
pub(super) fn resembles(name: &str) -> Option<&'static str> {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let plain = plain.to_lowercase();
    RESERVED.into_iter().find(|&word| {
        name == word || word.len() > 4 && word != "const" && distance(&plain, word) <= 1
    })
}

/// Levenshtein's distance, in characters.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, c) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, d) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(c != *d);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_caught_and_ordinary_names_are_not() {
        assert_eq!(resembles("oneof"), Some("oneof"));
        assert_eq!(resembles("one_of"), Some("oneof"));
        assert_eq!(resembles("ManyOf"), Some("manyof"));
        assert_eq!(resembles("permutations"), Some("permutation"));
        assert_eq!(resembles("int"), Some("int"));
        for name in ["in", "ints", "bolt", "consts", "one", "many", "edges", "", "size"] {
            assert_eq!(resembles(name), None, "{name}");
        }
    }

    #[test]
    fn the_nearest_key_is_named() {
        assert_eq!(nearest("distnct", &["manyof", "k", "distinct", "sorted"]), "distinct");
        assert_eq!(nearest("", &["a"]), "a");
    }
}
