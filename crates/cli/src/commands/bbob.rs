//! `bbob`: the benchmark's functions, by themselves.

use std::io::BufRead;

use anyhow::Result;
use esenas_bbob::Service;

use crate::Console;
use crate::args::Bbob;
use crate::draw::Table;
use crate::exit::bad_input;

pub(super) fn bbob(args: &Bbob, console: &mut Console<'_>) -> Result<()> {
    match args {
        Bbob::Value => value(console),
        Bbob::List => list(console),
    }
}

/// Values are printed in the shortest form that reads back to the same bits.
fn value(console: &mut Console<'_>) -> Result<()> {
    let mut service = Service::default();
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = service
            .answer(&line)
            .map_err(|error| bad_input(format!("standard input, line {}: {error}", number + 1)))?;
        writeln!(console.out, "{answer}")?;
    }
    Ok(())
}

fn list(console: &mut Console<'_>) -> Result<()> {
    let mut table = Table::new(&["function", "optimum", "what it is"]);
    for listed in esenas_bbob::list() {
        let cells = [listed.function.name(), listed.optimum, listed.description];
        table.row(cells.map(str::to_owned));
    }
    write!(console.out, "{table}")?;
    Ok(())
}
