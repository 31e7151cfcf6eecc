//! Where text goes.

use std::io::{self, Write};

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
}

impl<'a> Console<'a> {
    /// A console of these streams; `terminal` if both are one.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, terminal: bool) -> Self {
        let columns = || terminal_size::terminal_size().map(|(columns, _)| columns.0.into());
        let width = if terminal { columns().unwrap_or(WIDTH) } else { WIDTH };
        Self { out, err, terminal, width: width.max(40) }
    }

    /// Gets everything out of the door.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.err.flush()
    }
}
