//! The program `esenas`: the command line of [`esenas_cli`], on the streams of this process.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use esenas_cli::Console;

fn main() -> ExitCode {
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let terminal = out.is_terminal() && err.is_terminal();
    let mut console = Console::new(&mut out, &mut err, terminal);
    esenas_cli::run(std::env::args_os(), &mut console).into()
}
