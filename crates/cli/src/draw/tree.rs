//! A model as a tree.
//!
//! ```text
//! ├─ block
//! │  ├─ cell   activation "tanh", k 3
//! │  └─ units  64
//! └─ edges  [0, 3, 7]
//! ```

use serde_json::Value;

use super::cut;

/// Maps of plain values that are no longer than this stay on one line.
const SHORT: usize = 44;

/// The lines of `value`, no wider than `width`. Lists of plain values stay on one line.
pub(crate) fn tree(value: &Value, width: usize) -> String {
    let mut text = String::new();
    match parts(value) {
        Some(parts) => branches(&parts, "", width, &mut text),
        None => text = cut(&inline(value), width) + "\n",
    }
    text
}

fn branches(parts: &[(String, &Value)], indent: &str, width: usize, text: &mut String) {
    let plain = parts.iter().filter(|(_, part)| self::parts(part).is_none());
    let names = plain.map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (index, (name, part)) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let line = match self::parts(part) {
            Some(_) => format!("{indent}{branch}{name}"),
            None => format!("{indent}{branch}{name:<names$}  {}", inline(part)),
        };
        *text += &cut(&line, width);
        text.push('\n');
        if let Some(parts) = self::parts(part) {
            branches(&parts, &format!("{indent}{below}"), width, text);
        }
    }
}

/// What hangs below a value; nothing where it fits on the line of its name.
fn parts(value: &Value) -> Option<Vec<(String, &Value)>> {
    match value {
        Value::Object(map) if !map.is_empty() && SHORT < inline(value).chars().count() => {
            Some(map.iter().map(|(name, part)| (name.clone(), part)).collect())
        }
        Value::Object(map) if map.values().any(|part| part.is_object() || part.is_array()) => {
            Some(map.iter().map(|(name, part)| (name.clone(), part)).collect())
        }
        Value::Array(list) if list.iter().any(|item| item.is_object() || item.is_array()) => {
            Some(list.iter().enumerate().map(|(i, item)| (format!("[{i}]"), item)).collect())
        }
        _ => None,
    }
}

/// `height 0.5, shape "wave"`, `[0, 3]`, `64`
fn inline(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(Value::to_string).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) if !map.is_empty() => {
            let parts = map.iter().map(|(name, part)| format!("{name} {}", inline(part)));
            parts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_model_is_drawn_with_its_branches() {
        let model = json!({
            "block": { "units": 64, "cell": { "activation": "tanh", "k": 3 } },
            "edges": [0, 3],
            "layers": [{ "k": 1, "shape": "flat" }, null],
        });
        let drawn = "\
├─ block
│  ├─ cell   activation \"tanh\", k 3
│  └─ units  64
├─ edges  [0, 3]
└─ layers
   ├─ [0]  k 1, shape \"flat\"
   └─ [1]  null
";
        assert_eq!(tree(&model, 80), drawn);
    }

    #[test]
    fn what_is_long_is_spread_or_cut() {
        assert_eq!(tree(&json!(7), 80), "7\n");
        let long = tree(&json!({ "edges": (0..100).collect::<Vec<_>>() }), 20);
        assert_eq!(long, "└─ edges  [0, 1, 2,…\n");
        let name = "a name so long that two of them do not fit";
        let drawn = tree(&json!({ "x": { "a": name, "b": 1 } }), 80);
        assert_eq!(drawn, format!("└─ x\n   ├─ a  \"{name}\"\n   └─ b  1\n"));
    }
}
