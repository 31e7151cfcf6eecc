//! The command line, for the console script of the wheel.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use esenas_cli::Console;
use pyo3::prelude::*;

/// Runs the command line on the streams of this process; `arguments` begin with the program's name.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let (mut out, mut err) = (io::stdout(), io::stderr());
        let terminal = out.is_terminal() && err.is_terminal();
        let mut console = Console::new(&mut out, &mut err, terminal);
        esenas_cli::run(arguments, &mut console).code()
    })
}
