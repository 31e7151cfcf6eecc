//! `best`: the best (m, θ) of a study.

use anyhow::Result;
use esenas_store::{Best as Found, Reader};
use serde_json::json;

use crate::Console;
use crate::args::Best;
use crate::draw::{self, cut, short, tree};
use crate::exit::bad_input;
use crate::export::theta::ThetaFile;
use crate::study::{dna, model};

pub(super) fn best(args: &Best, console: &mut Console<'_>) -> Result<()> {
    // A name that cannot be written to is refused before the study is read.
    let file = args.theta.as_deref().map(ThetaFile::new).transpose()?;
    let found = Reader::open(&args.dir)?.best()?.ok_or_else(|| {
        let dir = args.dir.display();
        bad_input(format_args!("{dir} has no best model yet: no evaluation has come back"))
    })?;
    if let Some(file) = &file {
        // The model goes along: weights without it mean little.
        let record = &found.record;
        let about = json!({
            "dna": dna(&record.dna).to_string(),
            "model": model(record).to_string(),
            "value": record.value.to_string(),
        });
        file.write(&found.theta, about)?;
    }
    if args.json { as_json(&found, console) } else { as_text(&found, file.as_ref(), console) }
}

/// What depends on the study alone: no time, no place.
fn as_json(found: &Found, console: &mut Console<'_>) -> Result<()> {
    let best = &found.record;
    let theta: Vec<_> = found.theta.iter().map(|&x| draw::json(x)).collect();
    let object = json!({
        "iteration": best.iteration,
        "index": best.index,
        "value": draw::json(best.value),
        "score": best.score.map(draw::json),
        "dna": dna(&best.dna),
        "model": model(best),
        "theta": theta,
    });
    writeln!(console.out, "{object}")?;
    Ok(())
}

fn as_text(found: &Found, file: Option<&ThetaFile>, console: &mut Console<'_>) -> Result<()> {
    let best = &found.record;
    writeln!(console.out, "value      {}", short(best.value))?;
    if let Some(score) = best.score {
        writeln!(console.out, "score      {}", short(score))?;
    }
    writeln!(console.out, "found in   iteration {}, index {}", best.iteration, best.index)?;
    writeln!(console.out, "dna        {}", cut(&dna(&best.dna).to_string(), console.width - 11))?;
    let norm = found.theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (d, norm) = (found.theta.len(), short(norm));
    let place = file.map_or_else(
        || "; --theta FILE.npy writes them".to_owned(),
        |file| format!("; written to {}", file.path().display()),
    );
    writeln!(console.out, "weights    {d}, norm {norm}{place}")?;
    write!(console.out, "model\n{}", tree(&model(best), console.width))?;
    Ok(())
}
