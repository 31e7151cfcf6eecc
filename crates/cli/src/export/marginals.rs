//! How often each option of each decision was chosen, over time.

use std::io::Write;

use anyhow::Result;
use esenas_report::{Choices, Data, Table};
use esenas_run::Spec;
use esenas_store::Reader;
use serde_json::json;

use crate::models::StudyModels;

/// One row: iteration, decision, option, frequency among the models of that iteration.
type Row<'a> = (u64, &'a str, &'a str, f64);

/// As comma-separated values.
pub(crate) fn csv(reader: &Reader, out: &mut dyn Write) -> Result<()> {
    let choices = read(reader)?;
    let mut table = Table::new(["iteration", "decision", "option", "frequency"]);
    for (iteration, decision, option, frequency) in rows(choices.as_ref()) {
        let numbers = (iteration.to_string(), frequency.to_string());
        table.row([numbers.0, decision.to_owned(), option.to_owned(), numbers.1]);
    }
    Ok(out.write_all(table.csv().as_bytes())?)
}

/// As one object per line.
pub(crate) fn jsonl(reader: &Reader, out: &mut dyn Write) -> Result<()> {
    let choices = read(reader)?;
    for (iteration, decision, option, frequency) in rows(choices.as_ref()) {
        let object = json!({
            "iteration": iteration, "decision": decision, "option": option, "frequency": frequency,
        });
        writeln!(out, "{object}")?;
    }
    Ok(())
}

fn read(reader: &Reader) -> Result<Option<Choices>> {
    let data = Data::read("", reader)?;
    let spec = Spec::of(&data.header, "".as_ref())?;
    Ok(Choices::read(&data, reader, &StudyModels::new(&spec))?)
}

fn rows(choices: Option<&Choices>) -> impl Iterator<Item = Row<'_>> {
    choices.into_iter().flat_map(|choices| {
        choices.moments.iter().flat_map(move |moment| {
            let all = choices.decisions.iter().zip(&moment.shares);
            all.flat_map(move |(decision, shares)| {
                let each = decision.options.iter().zip(shares);
                each.map(move |(option, share)| {
                    (moment.at.record.iteration, decision.name.as_str(), option.as_str(), *share)
                })
            })
        })
    })
}
