//! Keys that study files had once: refused by name, with what to use instead.

use serde_json::Value;

use super::blame::lookup;
use super::fault::Fault;

/// A key, its value if only that was removed, and what to use instead.
const REMOVED: [(&str, Option<&str>, &str); 5] = [
    (
        "then",
        None,
        "begin a second study where this one arrived: problem.start = { values = [...] }",
    ),
    ("offsets", None, "write the weights that a choice owns where it stands: { weights = [3, 8] }"),
    (
        "centre.models",
        Some("incumbent"),
        "use \"mode\", with a controller that has a likeliest model",
    ),
    ("weights.kind", Some("phases"), NO_PHASES),
    ("weights.weights.kind", Some("phases"), NO_PHASES),
];

const NO_PHASES: &str = "use \"restarts\" or \"growing\", or leave [weights] to `auto`";

/// Refuses what stands in the table.
pub(super) fn refuse(document: &Value) -> Result<(), Fault> {
    for (key, value, instead) in REMOVED {
        let Some(found) = lookup(document, key) else { continue };
        if value.is_none_or(|value| found == value) {
            return Err(Fault::new(key, "was removed").help(instead));
        }
    }
    Ok(())
}
