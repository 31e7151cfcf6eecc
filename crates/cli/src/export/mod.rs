//! Records and weights in the formats of others.
//!
//! What is exported depends on the study alone, unless timings are asked for. TensorBoard needs a
//! time for every event: the recorded ones, so that a directory exports to the same bytes every
//! time.

pub(crate) mod csv;
pub(crate) mod jsonl;
pub(crate) mod marginals;
pub(crate) mod tensorboard;
pub(crate) mod theta;

use std::collections::BTreeMap;

use esenas_run::{Rows, Spec};
use esenas_store::{Error, EvaluationRecord, IterationRecord, Reader, Role, Timings};
use serde_json::Value;

/// The numbers of an iteration that every format has, by name. Absent ones are absent everywhere.
pub(crate) fn scalars(record: &IterationRecord) -> Vec<(&'static str, Option<f64>)> {
    let values = record.values;
    vec![
        ("value_min", values.map(|v| v.min)),
        ("value_mean", values.map(|v| v.mean)),
        ("value_max", values.map(|v| v.max)),
        ("value_std", values.map(|v| v.std)),
        ("centre_mean", record.centre.map(|c| c.mean)),
        ("centre_std", record.centre.map(|c| c.std)),
        ("best", record.best),
    ]
}

/// The counts of an iteration, by name.
pub(crate) fn counts(record: &IterationRecord) -> [(&'static str, u64); 5] {
    [
        ("iteration", record.iteration),
        ("evaluations", record.evaluations),
        ("total_evaluations", record.total_evaluations),
        ("failures", record.failures),
        ("total_failures", record.total_failures),
    ]
}

/// Where the time of an iteration went, by name, in seconds.
pub(crate) fn seconds(timings: Timings) -> [(&'static str, f64); 4] {
    [
        ("seconds_ask", timings.ask),
        ("seconds_evaluate", timings.evaluate),
        ("seconds_tell", timings.tell),
        ("seconds_store", timings.store),
    ]
}

/// What an evaluation was for.
pub(crate) fn role(role: Role) -> &'static str {
    match role {
        Role::Probe => "probe",
        Role::Centre => "centre",
        Role::Given => "given",
    }
}

/// What the designs of a study have, where this program understands the study.
pub(crate) struct Designs(Option<Rows>);

impl Designs {
    pub(crate) fn new(reader: &Reader) -> Result<Self, Error> {
        let spec = Spec::of(&reader.header()?, "".as_ref());
        Ok(Self(spec.and_then(|spec| spec.layout()).ok().map(Rows::new)))
    }

    /// Of one evaluation: by place in the design.
    pub(crate) fn of(&mut self, record: &EvaluationRecord) -> BTreeMap<String, Value> {
        let rows = self.0.as_mut().and_then(|rows| rows.design(record));
        rows.into_iter().flatten().collect()
    }

    /// The column of a place, which may be called as another one.
    pub(crate) fn called(place: &str, others: &[&str]) -> String {
        if others.contains(&place) { format!("design.{place}") } else { place.to_owned() }
    }
}
