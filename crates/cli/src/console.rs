//! Where text goes.

use std::io::{self, Write};
use std::path::Path;

use crate::Engines;

/// The widest text that is printed where no terminal says otherwise.
const WIDTH: usize = 100;

/// The two streams, and whether a person is watching them.
pub struct Console<'a> {
    /// What was asked for.
    pub out: &'a mut dyn Write,
    /// What went wrong, and the live bar.
    pub err: &'a mut dyn Write,
    /// Both are a terminal.
    pub terminal: bool,
    /// Columns.
    pub width: usize,
    /// What to type to run this program, in advice.
    pub program: &'static str,
    /// The engines of whoever calls; the program has none.
    pub engines: Option<&'a dyn Engines>,
}

impl<'a> Console<'a> {
    /// A console of these streams; `terminal` if both are one.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, terminal: bool) -> Self {
        let columns = || terminal_size::terminal_size().map(|(columns, _)| columns.0.into());
        let width = if terminal { columns().unwrap_or(WIDTH) } else { WIDTH };
        // Whoever got here by `cargo run` most likely has no `esenas` to type.
        let cargo = std::env::var_os("CARGO_MANIFEST_DIR").is_some();
        let program = if cargo { "cargo run --release --" } else { "esenas" };
        Self { out, err, terminal, width: width.max(60), program, engines: None }
    }

    /// Gets everything out of the door.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.err.flush()
    }
}

/// A path as it is typed in a shell.
pub(crate) fn shell(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@=".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
