//! The command line of esenas, as a function: [`run`] takes the arguments and says how it ended.
//!
//! A function and not only a program, because the Python package installs the same command.
//!
//! | module | what it knows |
//! |---|---|
//! | [`args`] | the flags, their help and what they accept |
//! | `commands` | one file per command: flags in, text out |
//! | [`exit`](Exit) | the one place where errors become exit codes |
//! | [`console`](Console) | the streams that are written to, and whether a person is watching |
//! | [`engines`](Engines) | executors that only the caller has |
//! | `progress` | a running study: a bar, a table of lines or JSON lines |
//! | `draw` | numbers, sparklines, tables and trees as text |
//! | `models` | what reports are told about models: decisions, size, pictures |
//! | `export` | records in the formats of others |
//!
//! Nothing here runs an algorithm: what a study is and does belongs to `esenas-run`, what is left
//! of it to `esenas-store`.

// Everything that is printed goes through the console.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod args;
mod commands;
mod console;
mod draw;
mod engines;
mod exit;
mod export;
mod interrupt;
mod models;
mod progress;
mod study;

use std::ffi::OsString;

use clap::Parser;

pub use console::Console;
pub use engines::{Engines, Ray, Refused};
pub use exit::Exit;

/// Runs the command that `args` name, the program's own name first.
///
/// A reader that goes away (`esenas show … | head`) ends it in silence, as if all had been read.
pub fn run(args: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> Exit {
    let done = match args::Cli::try_parse_from(args) {
        Ok(cli) => commands::dispatch(cli.command, console),
        Err(refused) => return exit::of_flags(&refused, console),
    };
    let done = done.and_then(|exit| {
        console.flush()?;
        Ok(exit)
    });
    done.unwrap_or_else(|error| exit::of_error(&error, console))
}
