//! `answer`: where a study stands, and how good that is.

use std::num::NonZeroUsize;

use anyhow::Result;
use esenas_run::{Scores, StoredAnswer};
use serde_json::{Value, json};

use crate::Console;
use crate::args::Answer;
use crate::draw::{self, cut, short, tree};
use crate::exit::bad_input;
use crate::export::theta::ThetaFile;

pub(super) fn answer(args: &Answer, console: &mut Console<'_>) -> Result<()> {
    // A name that cannot be written to is refused before anything is evaluated.
    let file = args.theta.as_deref().map(ThetaFile::new).transpose()?;
    let found = StoredAnswer::load(&args.dir)?.ok_or_else(|| {
        bad_input(format_args!("{}: nothing was evaluated yet", args.dir.display()))
    })?;
    let scores = args.evaluations.map(|n| evaluate(&found, n, args.workers)).transpose()?;
    let (genes, theta) = (Value::from(found.answer.dna.genes()), found.answer.theta.clone());
    if let Some(file) = &file {
        file.write(
            &theta,
            json!({ "dna": genes.to_string(), "model": found.answer.model.to_string() }),
        )?;
    }
    if args.json {
        let theta: Vec<Value> = theta.iter().map(|&x| draw::json(x)).collect();
        let scores = scores.map(|it| {
            json!({
                "mean": draw::json(it.mean), "deviation": draw::json(it.deviation),
                "evaluations": it.evaluations, "failures": it.failures,
            })
        });
        let model = &found.answer.model;
        let object = json!({ "score": scores, "dna": genes, "model": model, "theta": theta });
        writeln!(console.out, "{object}")?;
        return Ok(());
    }
    match scores {
        Some(scores) => writeln!(console.out, "score      {}", said(scores))?,
        None => writeln!(console.out, "score      --evaluations N evaluates it N times")?,
    }
    writeln!(console.out, "dna        {}", cut(&genes.to_string(), console.width - 11))?;
    let norm = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    let place = file.map_or_else(
        || "; --theta FILE.npy writes them".to_owned(),
        |file| format!("; written to {}", file.path().display()),
    );
    writeln!(console.out, "weights    {}, norm {}{place}", theta.len(), short(norm))?;
    write!(console.out, "model\n{}", tree(&found.answer.model, console.width))?;
    Ok(())
}

fn evaluate(found: &StoredAnswer, n: u32, workers: Option<u32>) -> Result<Scores> {
    let workers = workers.and_then(|n| NonZeroUsize::new(n as usize));
    let mut evaluator = found.spec.evaluator(workers)?;
    let scores = found.evaluate(&mut *evaluator, n)?;
    scores.ok_or_else(|| anyhow::anyhow!("all {n} evaluations of the answer failed"))
}

/// The mean, the deviation, and of how many.
fn said(scores: Scores) -> String {
    let Scores { mean, deviation, evaluations, failures } = scores;
    let failed = if failures == 0 { String::new() } else { format!(", {failures} failed") };
    format!("{} ± {} of {evaluations}{failed}", short(mean), short(deviation))
}
