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

use esenas_store::{IterationRecord, Timings};

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
