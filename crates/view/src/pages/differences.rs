//! The settings in which studies differ.

use std::collections::BTreeMap;
use std::fmt::Write;

use esenas_report::Data;
use esenas_report::page::escape;

/// A table of them, to be unfolded.
pub(crate) fn table(studies: &[Data]) -> String {
    let settings: Vec<_> = studies.iter().map(|data| flat(&data.header.spec)).collect();
    let rows = differing(&settings);
    if rows.is_empty() {
        return "<p>All settings are the same.</p>".to_owned();
    }
    let mut text =
        "<details open><summary>what differs</summary><div class=\"wide\"><table><thead><tr>\
                    <th>setting</th>"
            .to_owned();
    for data in studies {
        let _ = write!(text, "<th>{}</th>", escape(&data.name));
    }
    text += "</tr></thead><tbody>\n";
    for key in rows {
        let _ = write!(text, "<tr><th scope=\"row\">{}</th>", escape(key));
        for settings in &settings {
            let value = settings.get(key).map_or("–", String::as_str);
            let _ = write!(text, "<td>{}</td>", escape(value));
        }
        text += "</tr>\n";
    }
    text + "</tbody></table></div></details>"
}

type Settings = BTreeMap<String, String>;

/// The keys whose values are not the same everywhere.
fn differing(settings: &[Settings]) -> Vec<&str> {
    let mut keys: Vec<&str> =
        settings.iter().flat_map(|it| it.keys().map(String::as_str)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| settings.windows(2).any(|pair| pair[0].get(*key) != pair[1].get(*key)));
    keys
}

/// `weights.sigma` and so on, with their values as they are written.
fn flat(spec: &str) -> Settings {
    let mut flat = Settings::new();
    match spec.parse::<toml::Table>() {
        Ok(table) => spread("", table, &mut flat),
        Err(_) => drop(flat.insert("study.toml".to_owned(), spec.to_owned())),
    }
    flat
}

fn spread(prefix: &str, table: toml::Table, flat: &mut Settings) {
    for (key, value) in table {
        let key = format!("{prefix}{key}");
        match value {
            toml::Value::Table(table) => spread(&format!("{key}."), table, flat),
            value => drop(flat.insert(key, value.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_named() {
        let one = flat("seed = 1\n[weights]\nsigma = 0.1\nkind = \"es\"");
        let other = flat("seed = 1\n[weights]\nsigma = 0.2\nkind = \"es\"\n[stop]\ntarget = 1.0");
        let settings = [one, other];
        assert_eq!(differing(&settings), ["stop.target", "weights.sigma"]);
        assert!(differing(&settings[..1]).is_empty());
    }
}
