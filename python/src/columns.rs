//! Records by column, as `history` shows them.

use esenas_store::{IterationRecord, Timings};

/// The records by column.
pub(crate) fn columns(rows: &[(IterationRecord, Timings)]) -> Vec<(String, Vec<f64>)> {
    type Read = fn(&IterationRecord, &Timings) -> Option<f64>;
    let read: [(&str, Read); 15] = [
        ("iteration", |it, _| Some(it.iteration as f64)),
        ("evaluations", |it, _| Some(it.evaluations as f64)),
        ("total_evaluations", |it, _| Some(it.total_evaluations as f64)),
        ("failures", |it, _| Some(it.failures as f64)),
        ("total_failures", |it, _| Some(it.total_failures as f64)),
        ("value_min", |it, _| Some(it.values?.min)),
        ("value_mean", |it, _| Some(it.values?.mean)),
        ("value_max", |it, _| Some(it.values?.max)),
        ("value_std", |it, _| Some(it.values?.std)),
        ("centre_mean", |it, _| Some(it.centre?.mean)),
        ("centre_std", |it, _| Some(it.centre?.std)),
        ("best", |it, _| it.best),
        ("seconds_ask", |_, t| Some(t.ask)),
        ("seconds_evaluate", |_, t| Some(t.evaluate)),
        ("seconds_tell", |_, t| Some(t.tell)),
    ];
    let column = |(name, read): (&str, Read)| {
        let column = rows.iter().map(|(it, t)| read(it, t).unwrap_or(f64::NAN)).collect();
        (name.to_owned(), column)
    };
    let mut columns: Vec<(String, Vec<f64>)> = read.into_iter().map(column).collect();
    let named: std::collections::BTreeSet<&String> =
        rows.iter().flat_map(|(it, _)| it.statistics.keys()).collect();
    for name in named {
        let values = rows.iter().map(|(it, _)| it.statistics.get(name).copied());
        columns.push((name.clone(), values.map(|it| it.unwrap_or(f64::NAN)).collect()));
    }
    columns
}
