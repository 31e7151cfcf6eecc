//! `completions`: what a shell needs to complete our flags.

use clap::CommandFactory;

use crate::Console;
use crate::args::{Cli, Completions};

pub(super) fn completions(args: &Completions, console: &mut Console<'_>) -> anyhow::Result<()> {
    // Made in memory: the generator panics where a pipe is broken.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "esenas", &mut script);
    console.out.raw().write_all(&script)?;
    Ok(())
}
