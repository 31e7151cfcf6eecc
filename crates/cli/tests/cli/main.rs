//! The program as people meet it: the real binary, in directories of its own.
//!
//! Texts that must not drift are files, compared here and written anew with `ESENAS_UPDATE=1`.

mod bbob;
mod bench;
mod env;
mod export;
mod faults;
mod film;
mod harness;
mod help;
mod hostile;
mod interrupt;
mod kill;
mod policy;
mod quickstart;
mod records;
mod refusals;
mod report;
mod space;
mod terminal;
mod transcripts;
mod tui;
mod view;
