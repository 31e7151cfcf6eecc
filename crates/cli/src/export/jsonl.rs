//! JSON lines: the records as they are stored.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use esenas_store::{EvaluationRecord, IterationRecord, Named, Outcome, Reader};
use serde_json::{Map, Value, json};

use super::{Designs, counts, role, scalars, seconds};
use crate::draw;
use crate::study::dna;

/// One object per iteration.
pub(crate) fn iterations(reader: &Reader, timings: bool, out: &mut dyn Write) -> Result<()> {
    let mut times = reader.timings(0);
    for record in reader.iterations(0) {
        let mut object = iteration(&record?);
        if timings && let Some(time) = times.next() {
            let seconds = seconds(time?.1);
            object.extend(seconds.map(|(name, x)| (name.to_owned(), draw::json(x))));
        }
        writeln!(out, "{}", Value::Object(object))?;
    }
    Ok(())
}

/// An iteration as one object; what is absent is left out.
pub(crate) fn iteration(record: &IterationRecord) -> Map<String, Value> {
    let mut object = Map::new();
    object.extend(counts(record).map(|(name, n)| (name.to_owned(), n.into())));
    let known = scalars(record).into_iter().filter_map(|(name, x)| Some((name, x?)));
    object.extend(known.map(|(name, x)| (name.to_owned(), draw::json(x))));
    if !record.statistics.is_empty() {
        object.insert("statistics".to_owned(), named(&record.statistics));
    }
    object
}

/// One object per recorded evaluation.
pub(crate) fn evaluations(reader: &Reader, out: &mut dyn Write) -> Result<()> {
    let mut designs = Designs::new(reader)?;
    for page in reader.evaluations(0) {
        let (iteration, records) = page?;
        for record in records {
            let design = designs.of(&record);
            writeln!(out, "{}", evaluation(iteration, &record, design))?;
        }
    }
    Ok(())
}

fn evaluation(iteration: u64, record: &EvaluationRecord, design: BTreeMap<String, Value>) -> Value {
    let role = role(record.role);
    let mut object = json!({
        "iteration": iteration, "index": record.index, "role": role, "dna": dna(&record.dna),
    });
    if !design.is_empty() {
        object["design"] = design.into_iter().collect::<Map<_, _>>().into();
    }
    match &record.outcome {
        Outcome::Done { value, score, metrics } => {
            object["value"] = draw::json(*value);
            if let Some(score) = score {
                object["score"] = draw::json(*score);
            }
            if let Some(metrics) = metrics {
                object["metrics"] = named(metrics);
            }
        }
        Outcome::Failed { reason } => object["failure"] = reason.as_str().into(),
    }
    object
}

fn named(numbers: &Named) -> Value {
    numbers.iter().map(|(name, &x)| (name.clone(), draw::json(x))).collect::<Map<_, _>>().into()
}
