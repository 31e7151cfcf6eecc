//! `report`: figures and a page of studies.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use esenas_report::{Along, Data, charts, page, summary};
use esenas_store::Reader;

use crate::Console;
use crate::args::Report;
use crate::console::shell;
use crate::models;

pub(super) fn report(args: &Report, console: &mut Console<'_>) -> Result<()> {
    let studies = args.dirs.iter().map(|dir| read(dir)).collect::<Result<Vec<_>>>()?;
    let out = args.out.clone().unwrap_or_else(|| default_directory(&args.dirs));
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let names = || studies.iter().map(|data| data.name.as_str()).collect::<Vec<_>>().join(", ");
    let title = args.title.clone().unwrap_or_else(names);
    for (along, suffix) in Along::ALL {
        for chart in charts(&studies, along) {
            let name = match along {
                Along::Iterations => chart.name.to_owned(),
                _ if chart.timed => format!("{}-{suffix}", chart.name),
                _ => continue,
            };
            chart.figure.save(&out.join(name))?;
        }
    }
    let table = summary(&studies);
    let texts = [
        ("table.md", table.markdown()),
        ("table.tex", table.latex()),
        ("index.html", page::html(&title, &studies)?),
    ];
    for (name, text) in texts {
        let path = out.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    writeln!(console.out, "{}", shell(&out.join("index.html")))?;
    Ok(())
}

/// A study with everything that is shown of it.
fn read(dir: &Path) -> Result<Data> {
    let reader = Reader::open(dir)?;
    let mut data = Data::read(dir.display().to_string(), &reader)?;
    models::complete(&mut data, &reader)?;
    Ok(data)
}

fn default_directory(dirs: &[PathBuf]) -> PathBuf {
    match dirs {
        [one] => one.join("report"),
        _ => PathBuf::from("report"),
    }
}
