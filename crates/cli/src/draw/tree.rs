//! A model as a tree.
//!
//! ```text
//! ├─ block
//! │  ├─ activation  "tanh"
//! │  └─ units       64
//! └─ edges  [0, 3, 7]
//! ```

use serde_json::Value;

use super::cut;

/// The lines of `value`, no wider than `width`. Lists of plain values stay on one line.
pub(crate) fn tree(value: &Value, width: usize) -> String {
    let mut text = String::new();
    match parts(value) {
        Some(parts) => branches(&parts, "", width, &mut text),
        None => text = cut(&value.to_string(), width) + "\n",
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
        Value::Object(map) if !map.is_empty() => {
            Some(map.iter().map(|(name, part)| (name.clone(), part)).collect())
        }
        Value::Array(list) if list.iter().any(|item| item.is_object() || item.is_array()) => {
            Some(list.iter().enumerate().map(|(i, item)| (format!("[{i}]"), item)).collect())
        }
        _ => None,
    }
}

fn inline(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(Value::to_string).collect();
            format!("[{}]", items.join(", "))
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
            "block": { "activation": "tanh", "units": 64 },
            "edges": [0, 3],
            "layers": [{ "k": 1 }, null],
        });
        let drawn = "\
├─ block
│  ├─ activation  \"tanh\"
│  └─ units       64
├─ edges  [0, 3]
└─ layers
   ├─ [0]
   │  └─ k  1
   └─ [1]  null
";
        assert_eq!(tree(&model, 80), drawn);
    }

    #[test]
    fn plain_values_and_long_lists_take_one_line() {
        assert_eq!(tree(&json!(7), 80), "7\n");
        let long = tree(&json!({ "edges": (0..100).collect::<Vec<_>>() }), 20);
        assert_eq!(long, "└─ edges  [0, 1, 2,…\n");
    }
}
