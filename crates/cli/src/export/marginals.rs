//! How often each option of each decision was chosen, over time; and what the controller held
//! likeliest.

use std::io::Write;

use anyhow::Result;
use esenas::Dna;
use esenas_report::choices::Found;
use esenas_report::{Choices, Data, Table};
use esenas_run::Spec;
use esenas_store::Reader;
use serde_json::{Value, json};

use crate::models::StudyModels;
use crate::study::dna;

/// One row: iteration, decision, option, its share, and how that was found.
type Row<'a> = (u64, &'a str, &'a str, f64, Found);

/// As comma-separated values.
pub(crate) fn csv(reader: &Reader, out: &mut dyn Write) -> Result<()> {
    let choices = read(reader)?;
    let mut table = Table::new(["iteration", "decision", "option", "frequency", "found"]);
    for (iteration, decision, option, share, found) in rows(choices.as_ref()) {
        let numbers = (iteration.to_string(), share.to_string());
        let found = found.word().to_owned();
        table.row([numbers.0, decision.to_owned(), option.to_owned(), numbers.1, found]);
    }
    Ok(out.write_all(table.csv().as_bytes())?)
}

/// As one object per line.
pub(crate) fn jsonl(reader: &Reader, out: &mut dyn Write) -> Result<()> {
    let choices = read(reader)?;
    for (iteration, decision, option, share, found) in rows(choices.as_ref()) {
        let object = json!({
            "iteration": iteration, "decision": decision, "option": option, "frequency": share,
            "found": found.word(),
        });
        writeln!(out, "{object}")?;
    }
    Ok(())
}

/// The likeliest model after each iteration that has it recorded, as comma-separated values.
pub(crate) fn models_csv(reader: &Reader, out: &mut dyn Write) -> Result<()> {
    let mut table = Table::new(["iteration", "dna", "model"]);
    for row in likeliest(reader)? {
        let (iteration, dna, model) = row?;
        table.row([iteration.to_string(), dna.to_string(), model.to_string()]);
    }
    Ok(out.write_all(table.csv().as_bytes())?)
}

/// The same as one object per line.
pub(crate) fn models_jsonl(reader: &Reader, out: &mut dyn Write) -> Result<()> {
    for row in likeliest(reader)? {
        let (iteration, dna, model) = row?;
        writeln!(out, "{}", json!({ "iteration": iteration, "dna": dna, "model": model }))?;
    }
    Ok(())
}

fn likeliest(reader: &Reader) -> Result<impl Iterator<Item = Result<(u64, Value, Value)>>> {
    let space = Spec::of(&reader.header()?, "".as_ref())?.problem.space();
    let decoded = move |bytes: &[u8]| space.decode(&Dna::from_bytes(bytes).ok()?).ok();
    Ok(reader.beliefs(0).map(move |row| {
        let (iteration, belief) = row?;
        Ok((iteration, dna(&belief.likeliest), decoded(&belief.likeliest).into()))
    }))
}

fn read(reader: &Reader) -> Result<Option<Choices>> {
    let data = Data::read("", reader)?;
    let spec = Spec::of(&data.header, "".as_ref())?;
    Ok(Choices::read(&data, reader, &StudyModels::new(&spec))?)
}

fn rows(choices: Option<&Choices>) -> impl Iterator<Item = Row<'_>> {
    choices.into_iter().flat_map(|choices| {
        choices.moments.iter().flat_map(move |moment| {
            let all = choices.decisions.iter().zip(&moment.shares).zip(&moment.found);
            all.flat_map(move |((decision, shares), found)| {
                let each = decision.options.iter().zip(shares);
                let (iteration, name) = (moment.at.record.iteration, decision.name.as_str());
                each.map(move |(option, share)| (iteration, name, option.as_str(), *share, *found))
            })
        })
    })
}
