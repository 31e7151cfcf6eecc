//! `space`: what a search space is, before anything is searched.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use esenas::space::{Dna, Size, Space};
use esenas::{Purpose, Seed};
use serde_json::json;

use crate::Console;
use crate::args;
use crate::draw::{Table, count, size, tree};
use crate::exit::bad_input;

/// At most this many decisions are listed.
const LISTED: u32 = 40;

pub(super) fn space(args: &args::Space, console: &mut Console<'_>) -> Result<()> {
    let space = read(&args.file)?;
    if args.size {
        writeln!(console.out, "{}", exactly(space.size()))?;
    } else if let Some(n) = args.sample {
        sample(&space, n, Seed(args.seed), console)?;
    } else if let Some(dna) = &args.validate {
        validate(&space, dna, console)?;
    } else {
        overview(&space, &args.file, console)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Space> {
    let refuse = |said: String| bad_input(format_args!("{}: {said}", path.display()));
    let text = match path.as_os_str() == "-" {
        true => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map(|_| text)
        }
        false => fs::read_to_string(path),
    };
    let text = text.map_err(|e| refuse(format!("cannot be read: {e}")))?;
    match path.extension().is_some_and(|extension| extension == "toml") {
        true => toml::from_str(&text).map_err(|e| refuse(e.to_string().trim_end().to_owned())),
        false => serde_json::from_str(&text).map_err(|e| refuse(e.to_string())),
    }
}

fn exactly(size: Size) -> String {
    size.exact.map_or_else(|| size.to_string(), |exact| exact.to_string())
}

fn sample(space: &Space, n: u32, seed: Seed, console: &mut Console<'_>) -> Result<()> {
    for index in 0..n {
        let dna = space.sample(&mut seed.stream(Purpose::Start, 0, index));
        let model = space.decode(&dna)?;
        writeln!(console.out, "{}", json!({ "dna": dna.genes(), "model": model }))?;
    }
    Ok(())
}

fn validate(space: &Space, text: &str, console: &mut Console<'_>) -> Result<()> {
    let dna = Dna::from_json(text).map_err(bad_input)?;
    let model = space.decode(&dna).map_err(bad_input)?;
    write!(console.out, "valid\n{}", tree(&model, console.width))?;
    Ok(())
}

fn overview(space: &Space, path: &Path, console: &mut Console<'_>) -> Result<()> {
    let lengths = match (space.min_len(), space.max_len()) {
        (min, max) if min == max => count(min),
        (min, max) => format!("{} to {}", count(min), count(max)),
    };
    writeln!(console.out, "{}", path.display())?;
    writeln!(console.out, "  models     {}", size(space.size()))?;
    writeln!(console.out, "  decisions  {lengths} per model, {} in all", count(space.loci()))?;
    let mut decisions = Table::new(&["", "decision", ">candidates"]);
    for (locus, arity) in (0..LISTED).zip(space.arities()) {
        decisions.row([String::new(), space.path(locus), count(arity)]);
    }
    write!(console.out, "{decisions}")?;
    if space.loci() > LISTED {
        writeln!(console.out, "  … and {} more", count(space.loci() - LISTED))?;
    }
    Ok(())
}
