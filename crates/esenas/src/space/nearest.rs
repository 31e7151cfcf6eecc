//! Words that are near each other, for messages that help.

use serde_json::{Map, Value};

/// The words that make an object of the written form a choice, numbers or a constant.
pub(super) const RESERVED: [&str; 8] =
    ["oneof", "manyof", "permutation", "int", "bool", "real", "weights", "const"];

/// What others call a form, and ours.
const FOREIGN: [(&[&str], &str); 4] = [
    (
        &["float", "uniform", "loguniform", "quniform", "double", "number", "continuous"],
        "{ \"real\": [low, high] }, with \"log\": true or \"step\": … where that is meant",
    ),
    (&["range", "integer", "integers", "randint"], "{ \"int\": [low, high] }"),
    (&["choice", "choices", "categorical", "enum", "options"], "{ \"oneof\": [ … ] }"),
    (&["tensor", "ndarray"], "{ \"weights\": shape }"),
];
/// What stands beside such a word.
const MODIFIERS: [&str; 10] =
    ["low", "high", "min", "max", "log", "step", "q", "base", "default", "name"];

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
        // A "weight" is something else.
        let fuzzy = word.len() > 4 && word != "const" && word != "weights";
        name == word || fuzzy && distance(&plain, word) <= 1
    })
}

/// The form of another library that `map` looks like, and ours: a space that quietly became a
/// constant because it says `uniform` would be searched for nothing.
pub(super) fn foreign(map: &Map<String, Value>) -> Option<(String, &'static str)> {
    let plain = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let known = |word: &str| {
        let word = plain(word).to_lowercase();
        FOREIGN.iter().find(|(words, _)| words.contains(&&*word)).map(|(_, form)| *form)
    };
    // { "type": "uniform", … }
    let kind = map.iter().find(|(key, _)| plain(key) == "type").and_then(|(_, word)| word.as_str());
    let beside = |key: &String| {
        MODIFIERS.contains(&key.as_str()) || ["value", "values", "bounds"].contains(&&*plain(key))
    };
    if let Some((word, form)) = kind.and_then(|word| Some((word, known(word)?)))
        && map.len() > 1
        && map.keys().all(|key| plain(key) == "type" || beside(key) || known(key).is_some())
    {
        return Some((word.to_owned(), form));
    }
    let (word, form) = map.keys().find_map(|word| Some((word, known(word)?)))?;
    let is_scalar = |value: &Value| !(value.is_array() || value.is_object());
    let others = |(key, value): (&String, &Value)| {
        key == word || MODIFIERS.contains(&key.as_str()) && is_scalar(value)
    };
    let meant = match &map[word] {
        Value::Array(items) if form.contains("oneof") => items.iter().all(is_scalar),
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_number),
        Value::Object(map) => !map.is_empty() && map.iter().all(others),
        _ => false,
    };
    (meant && map.iter().all(others)).then(|| (word.clone(), form))
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
    use serde_json::json;

    use super::*;

    #[test]
    fn slips_are_caught_and_ordinary_names_are_not() {
        assert_eq!(resembles("oneof"), Some("oneof"));
        assert_eq!(resembles("one_of"), Some("oneof"));
        assert_eq!(resembles("ManyOf"), Some("manyof"));
        assert_eq!(resembles("permutations"), Some("permutation"));
        assert_eq!(resembles("int"), Some("int"));
        assert_eq!(resembles("weights"), Some("weights"));
        for name in
            ["reals", "weight", "in", "ints", "bolt", "consts", "one", "many", "edges", "", "size"]
        {
            assert_eq!(resembles(name), None, "{name}");
        }
    }

    #[test]
    fn forms_of_others_are_known_and_ordinary_maps_are_not() {
        let meant = |value: Value| foreign(value.as_object().unwrap()).map(|(_, form)| form);
        for slip in [
            json!({ "float": [0, 1] }),
            json!({ "uniform": { "low": 0, "high": 1 } }),
            json!({ "log_uniform": [1e-5, 1], "base": 10 }),
            json!({ "type": "float", "low": 0.1, "high": 3 }),
        ] {
            assert!(meant(slip.clone()).is_some_and(|form| form.contains("real")), "{slip}");
        }
        assert!(meant(json!({ "range": [1, 9], "step": 2 })).unwrap().contains("int"));
        assert!(meant(json!({ "Choice": ["a", "b"] })).unwrap().contains("oneof"));
        assert!(meant(json!({ "_type": "choice", "_value": [1, 2] })).unwrap().contains("oneof"));
        for fine in [
            json!({ "range": 5 }),
            json!({ "range": [0, 1], "op": "clip" }),
            json!({ "choice": { "oneof": ["a", "b"] } }),
            json!({ "range": [0, { "int": [1, 9] }] }),
            json!({ "type": "float" }),
            json!({ "type": "float", "width": 3 }),
            json!({ "number": [] }),
        ] {
            assert_eq!(meant(fine.clone()), None, "{fine}");
        }
    }

    #[test]
    fn the_nearest_key_is_named() {
        assert_eq!(nearest("distnct", &["manyof", "k", "distinct", "sorted"]), "distinct");
        assert_eq!(nearest("", &["a"]), "a");
    }
}
