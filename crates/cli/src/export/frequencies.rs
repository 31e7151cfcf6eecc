//! What a controller proposed: how often each candidate of each choice was selected, iteration by iteration.
//!
//! Of the iterations whose evaluations were all recorded (`record.every`): a part of them, such as the
//! failed ones, need not be like the rest.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use esenas::controllers::Marginals;
use esenas::{Dna, Space};
use esenas_run::Spec;
use esenas_store::Reader;
use serde_json::{Map, Value, json};

use crate::draw;

/// One row per iteration, choice and candidate.
pub(crate) fn csv(reader: &Reader, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "iteration,choice,candidate,frequency")?;
    each(reader, |space, iteration, models| {
        for (locus, of) in Marginals::of(space, models).iter() {
            let choice = space.path(locus).replace('"', "\"\"");
            for (candidate, p) in of.iter().enumerate() {
                writeln!(out, "{iteration},\"{choice}\",{candidate},{p:?}")?;
            }
        }
        Ok(())
    })
}

/// One object per iteration, with the model that was proposed most often.
pub(crate) fn jsonl(reader: &Reader, out: &mut dyn Write) -> Result<()> {
    each(reader, |space, iteration, models| {
        let marginals = Marginals::of(space, models);
        let frequencies: Map<String, Value> = marginals
            .iter()
            .map(|(locus, of)| (space.path(locus), of.iter().map(|p| draw::json(*p)).collect()))
            .collect();
        let (likeliest, times) = most_frequent(models);
        let object = json!({
            "iteration": iteration, "models": models.len(), "frequencies": frequencies,
            "likeliest": likeliest.genes(), "likeliest_times": times,
        });
        Ok(writeln!(out, "{object}")?)
    })
}

/// Of equals the first in the order of DNAs.
fn most_frequent(models: &[Dna]) -> (&Dna, usize) {
    let mut counts = BTreeMap::<&[u32], (&Dna, usize)>::new();
    for dna in models {
        counts.entry(dna.genes()).or_insert((dna, 0)).1 += 1;
    }
    counts.into_values().rev().max_by_key(|(_, times)| *times).expect("there are models")
}

fn each(reader: &Reader, mut see: impl FnMut(&Space, u64, &[Dna]) -> Result<()>) -> Result<()> {
    let spec = Spec::parse("study.toml", &reader.header()?.spec, Path::new(""), &[])?;
    let space = spec.problem.space();
    for (record, page) in reader.iterations(0).zip(reader.evaluations(0)) {
        let (evaluations, (iteration, rows)) = (record?.evaluations, page?);
        let models: Vec<Dna> =
            rows.iter().map(|row| Dna::from_bytes(&row.dna)).collect::<Result<_, _>>()?;
        if !models.is_empty() && models.len() as u64 == evaluations {
            see(&space, iteration, &models)?;
        }
    }
    Ok(())
}
