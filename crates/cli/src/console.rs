//! Where text goes.

use std::io::{self, Write};
use std::path::Path;

use crate::Engines;

/// The widest text that is printed where no terminal says otherwise.
const WIDTH: usize = 100;

/// The two streams, and whether a person is watching them.
pub struct Console<'a> {
    /// What was asked for.
    pub out: Text<'a>,
    /// What went wrong, and the live bar.
    pub err: Text<'a>,
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
        let (out, err) = (Text::new(out), Text::new(err));
        Self { out, err, terminal, width: width.max(60), program, engines: None }
    }

    /// Gets everything out of the door.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.err.flush()
    }
}

/// Text for people. What objectives, names and databases say may hold control characters, which
/// would tell a terminal what to do: they are written as `\u{1b}`.
pub struct Text<'a> {
    inner: &'a mut dyn Write,
    /// Whether the last byte was the first of a control character of two bytes.
    half: bool,
}

/// The first byte of U+0080 to U+00BF; the first half of those are control characters.
const HALF: u8 = 0xc2;

impl<'a> Text<'a> {
    fn new(inner: &'a mut dyn Write) -> Self {
        Self { inner, half: false }
    }

    /// For `write!`, wherever the trait is not in scope.
    pub fn write_fmt(&mut self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        Write::write_fmt(self, text)
    }

    /// The stream itself, for what is data.
    pub fn raw(&mut self) -> &mut dyn Write {
        &mut *self.inner
    }
}

impl Write for Text<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut plain = Vec::with_capacity(bytes.len() + 1);
        for &byte in bytes {
            let half = std::mem::replace(&mut self.half, byte == HALF);
            let control = byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t');
            if control || (half && (0x80..0xa0).contains(&byte)) {
                write!(plain, "\\u{{{byte:x}}}")?;
                continue;
            }
            if half {
                plain.push(HALF);
            }
            if byte != HALF {
                plain.push(byte);
            }
        }
        self.inner.write_all(&plain)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&[u8]]) -> String {
        let mut bytes = Vec::new();
        let mut text = Text::new(&mut bytes);
        pieces.iter().for_each(|piece| text.write_all(piece).unwrap());
        String::from_utf8(bytes).unwrap()
    }

    /// Red while a terminal is told what to do by what an objective said.
    #[test]
    fn control_characters_are_shown_and_not_sent() {
        assert_eq!(shown(&[b"a\x1b[31m\rb\x07\x7f\n\tc"]), "a\\u{1b}[31m\\u{d}b\\u{7}\\u{7f}\n\tc");
        let c1 = "x\u{9b}31m\u{a0}ü θ 中 Â".as_bytes();
        assert_eq!(shown(&[c1]), "x\\u{9b}31m\u{a0}ü θ 中 Â");
        for at in 0..c1.len() {
            assert_eq!(shown(&[&c1[..at], &c1[at..]]), shown(&[c1]), "cut at {at}");
        }
    }
}
