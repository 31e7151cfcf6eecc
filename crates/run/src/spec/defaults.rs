//! What a section leaves open is the paper's setting for that kind of problem.
//!
//! A section that is left out altogether is filled in where the file is taken for a study; this is
//! for those that set one thing and leave the rest, down to the `kind`.

use esenas::controllers::ControllerConfig;
use serde::Serialize;
use serde_json::{Value, json};

use super::ProblemConfig;

/// Completes `[weights]`, `[controller]`, `[centre]` and `hybrid.evolution` where they are of the
/// kind that the problem has by default, or of none.
pub(super) fn complete(document: &mut Value) {
    let problem = document.get("problem").cloned().unwrap_or_default();
    // A problem that cannot be read is refused by whoever reads it next.
    let Ok(problem) = serde_json::from_value::<ProblemConfig>(problem) else { return };
    let kind = problem.kind();
    for (section, defaults) in [
        ("/weights", as_value(&kind.weights())),
        ("/controller", as_value(&kind.controller())),
        ("/centre", json!({ "evaluations": kind.centre(), "teaches": kind.centre_teaches() })),
        // The paper states no population for evolution over models and weights together.
        ("/hybrid/evolution", as_value(&ControllerConfig::default())),
    ] {
        if let Some(section) = document.pointer_mut(section) {
            merge(section, defaults);
        }
    }
}

fn as_value(config: &impl Serialize) -> Value {
    serde_json::to_value(config).unwrap_or_default()
}

fn merge(section: &mut Value, defaults: Value) {
    let (Value::Object(section), Value::Object(defaults)) = (section, defaults) else { return };
    if section.get("kind").is_some_and(|kind| Some(kind) != defaults.get("kind")) {
        return;
    }
    for (key, value) in defaults.into_iter().filter(|(_, value)| !value.is_null()) {
        section.entry(key).or_insert(value);
    }
}
