//! A study's settings, one per line.

use toml::{Table, Value};

use super::cut;

/// `weights.sigma = 0.1`, aligned and no wider than `width`. A text that is no TOML is shown as it
/// is.
pub(crate) fn settings(spec: &str, width: usize) -> String {
    let Ok(table) = spec.parse::<Table>() else { return spec.to_owned() };
    let mut rows = Vec::new();
    flatten("", &table, &mut rows);
    let names = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(36);
    let line = |(name, value)| cut(&format!("  {name:<names$}  {value}"), width) + "\n";
    rows.into_iter().map(line).collect()
}

fn flatten(prefix: &str, table: &Table, rows: &mut Vec<(String, String)>) {
    // Plain keys before tables, as TOML writes them.
    let tables = table.iter().filter(|(_, value)| value.is_table());
    for (name, value) in table.iter().filter(|(_, value)| !value.is_table()).chain(tables) {
        let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(table) => flatten(&name, table, rows),
            value => rows.push((name, value.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_flat_and_aligned() {
        let spec = "seed = 7\n[weights]\nkind = \"es\"\nstep = { size = 0.1 }\n";
        let shown =
            "  seed               7\n  weights.kind       \"es\"\n  weights.step.size  0.1\n";
        assert_eq!(settings(spec, 80), shown);
        assert_eq!(settings("not toml at all", 80), "not toml at all");
    }
}
