//! CSV as RFC 4180 has it, with a header and `\n` at the ends of lines. A missing number is an
//! empty field; numbers keep every bit.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Result;
use esenas_store::{EvaluationRecord, IterationRecord, Named, Outcome, Reader, Timings};
use serde_json::Value;

use super::{Designs, counts, role, scalars, seconds};
use crate::study::dna;

/// One row per iteration.
pub(crate) fn iterations(reader: &Reader, timings: bool, out: &mut dyn Write) -> Result<()> {
    // Which statistics there are is found in a first pass.
    let mut names = BTreeSet::new();
    for record in reader.iterations(0) {
        names.extend(record?.statistics.into_keys());
    }
    let row = |record: &IterationRecord, times: Option<Timings>| {
        let counts = counts(record).map(|(name, n)| (name.to_owned(), n.to_string()));
        let scalars = scalars(record).into_iter().map(|(name, x)| (name.to_owned(), number(x)));
        let mut row: Vec<(String, String)> = counts.into_iter().chain(scalars).collect();
        row.extend(columns(&names, &record.statistics));
        let times = times.into_iter().flat_map(seconds);
        row.extend(times.map(|(name, x)| (name.to_owned(), number(Some(x)))));
        row
    };
    let header = row(&IterationRecord::default(), timings.then(Timings::default));
    write(out, header.iter().map(|(name, _)| name.as_str()))?;
    let mut times = reader.timings(0);
    for record in reader.iterations(0) {
        let spent = if timings { times.next().transpose()?.map(|(_, spent)| spent) } else { None };
        write(out, row(&record?, spent).iter().map(|(_, field)| field.as_str()))?;
    }
    Ok(())
}

/// One row per recorded evaluation: with a column for whatever designs have, and for metrics.
pub(crate) fn evaluations(reader: &Reader, out: &mut dyn Write) -> Result<()> {
    let mut designs = Designs::new(reader)?;
    // Which of them there are is found in a first pass.
    let (mut places, mut names) = (BTreeSet::new(), BTreeSet::new());
    for page in reader.evaluations(0) {
        for record in page?.1 {
            places.extend(designs.of(&record).into_keys());
            names.extend(metrics(&record).into_iter().flat_map(Named::keys).cloned());
        }
    }
    let fixed = ["iteration", "index", "role", "dna", "value", "score", "failure"];
    let called = places.iter().map(|place| Designs::called(place, &fixed)).collect::<Vec<_>>();
    let headings = called.iter().chain(&names).map(String::as_str);
    write(out, fixed.into_iter().chain(headings))?;
    for page in reader.evaluations(0) {
        let (iteration, records) = page?;
        for record in records {
            let mut design = designs.of(&record);
            let mut row = evaluation(iteration, &record);
            row.extend(places.iter().map(|place| design.remove(place).map_or(String::new(), cell)));
            let none = Named::new();
            let metrics = columns(&names, metrics(&record).unwrap_or(&none));
            row.extend(metrics.map(|(_, field)| field));
            write(out, row.iter().map(String::as_str))?;
        }
    }
    Ok(())
}

/// Text as it is, anything else as JSON.
fn cell(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn evaluation(iteration: u64, record: &EvaluationRecord) -> Vec<String> {
    let (value, score, failure) = match &record.outcome {
        Outcome::Done { value, score, .. } => (Some(*value), *score, ""),
        Outcome::Failed { reason } => (None, None, reason.as_str()),
    };
    vec![
        iteration.to_string(),
        record.index.to_string(),
        role(record.role).to_owned(),
        dna(&record.dna).to_string(),
        number(value),
        number(score),
        failure.to_owned(),
    ]
}

fn metrics(record: &EvaluationRecord) -> Option<&Named> {
    match &record.outcome {
        Outcome::Done { metrics, .. } => metrics.as_ref(),
        Outcome::Failed { .. } => None,
    }
}

fn columns(names: &BTreeSet<String>, named: &Named) -> impl Iterator<Item = (String, String)> {
    names.iter().map(|name| (name.clone(), number(named.get(name).copied())))
}

fn number(x: Option<f64>) -> String {
    x.map_or_else(String::new, |x| format!("{x:?}"))
}

fn write<'a>(out: &mut dyn Write, fields: impl Iterator<Item = &'a str>) -> std::io::Result<()> {
    let quoted = |field: &str| match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    };
    let fields: Vec<String> = fields.map(quoted).collect();
    writeln!(out, "{}", fields.join(","))
}
