//! What the types of the settings would let pass.

use serde_json::Value;

use super::fault::Fault;

/// Refuses a list where `study` has a table: it would be read as the values of the table in some
/// order.
pub(super) fn expect_tables(document: &Value, study: &Value) -> Result<(), Fault> {
    at("", document, study)
}

fn at(path: &str, written: &Value, read: &Value) -> Result<(), Fault> {
    match (written, read) {
        // Any value is one of a space.
        _ if path == "problem.space" => Ok(()),
        (Value::Array(_), Value::Object(table)) => {
            let keys: Vec<String> = table.keys().map(|key| format!("`{key}`")).collect();
            let help = format!("its keys are {}", keys.join(", "));
            Err(Fault::new(path, "must be a table, not a list").help(help))
        }
        (Value::Object(written), Value::Object(read)) => {
            written.iter().try_for_each(|(key, value)| {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                read.get(key).map_or(Ok(()), |read| at(&path, value, read))
            })
        }
        _ => Ok(()),
    }
}
