//! A section of its own: settings that no study could have are refused before there is a study.

use std::sync::Arc;

use esenas::controllers::Controller;
use esenas::{SearchConfig, Space};
use serde_json::{Value, json};

use super::document::Document;
use super::{Spec, SpecError, blame};

/// Refuses `settings` of `section` (`weights`, `controller`, `problem`, or the problem's `policy`)
/// that no study could have.
pub fn check_section(section: &str, settings: Value) -> Result<(), SpecError> {
    if section == "policy" {
        // Only the environment's sizes say whether it has as many edges.
        let problem = json!({ "kind": "rl", "env": "?", "policy": settings });
        let document = Document::new("the study", json!({ "problem": problem }));
        let read = blame::read(&document.value).map(|_| ());
        return read.map_err(|fault| document.locate(fault));
    }
    let space = json!({ "oneof": [0, 1] });
    let mut study = json!({
        "problem": { "kind": "callable", "space": space, "dimension": 8 },
    });
    study[section] = settings;
    let spec = Spec::from_value("the study", study)?;
    let SearchConfig::EsEnas { weights, controller, .. } = &spec.search else { return Ok(()) };
    let refused = match section {
        "weights" => weights.clone().build(vec![0.0; 8], None).err(),
        "controller" => {
            let space = Arc::new(Space::oneof([0, 1]).expect("two candidates"));
            Controller::new(controller.clone(), space).err()
        }
        _ => None,
    };
    match refused {
        Some(error) => Err(spec.locate(spec.blame(&error.under(section)))),
        None => Ok(()),
    }
}
