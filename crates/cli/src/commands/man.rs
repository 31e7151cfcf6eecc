//! `man`: the manual page, to read or to install.

use std::fs;

use anyhow::Context as _;
use clap::{Command, CommandFactory};
use clap_mangen::Man as Page;

use crate::Console;
use crate::args::{Cli, Man};

/// The command, but for `help`, which has no page of its own.
fn command() -> Command {
    Cli::command().disable_help_subcommand(true)
}

pub(super) fn man(args: &Man, console: &mut Console<'_>) -> anyhow::Result<()> {
    let Some(dir) = &args.out else {
        Page::new(command()).render(console.out.raw())?;
        return Ok(());
    };
    let written = fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command(), dir));
    written.with_context(|| format!("cannot write manual pages to {}", dir.display()))?;
    writeln!(console.out, "manual pages are in {}: man -l {0}/esenas.1", dir.display())?;
    Ok(())
}
