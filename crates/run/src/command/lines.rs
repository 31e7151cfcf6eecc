//! Lines of bounded length.

use std::io::{self, BufRead, BufReader, Read};

use thiserror::Error;

/// Why there are no more lines.
#[derive(Debug, Error)]
pub(super) enum LineError {
    #[error("it wrote a line of more than {0} bytes to its standard output")]
    TooLong(usize),
    #[error("its standard output cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Reads lines, holding no more than `limit` bytes of any.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self { reader: BufReader::new(reader), limit, line: Vec::new() }
    }

    /// The next line, without its end; `None` after the last, which need not have one.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, LineError> {
        self.line.clear();
        loop {
            let bytes = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if self.limit < self.line.len() + part.len() {
                return Err(LineError::TooLong(self.limit));
            }
            self.line.extend_from_slice(part);
            let (is_over, used) = (bytes.is_empty(), part.len() + usize::from(end.is_some()));
            self.reader.consume(used);
            if end.is_some() || (is_over && !self.line.is_empty()) {
                return Ok(Some(&self.line));
            }
            if is_over {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_and_the_last_needs_no_end() {
        let mut lines = Lines::new(&b"one\n\nthree"[..], 5);
        for expected in ["one", "", "three"] {
            assert_eq!(lines.next().unwrap(), Some(expected.as_bytes()));
        }
        assert_eq!(lines.next().unwrap(), None);
    }

    #[test]
    fn an_endless_line_is_refused_after_its_limit() {
        let mut lines = Lines::new(io::repeat(b'x'), 100_000);
        assert!(matches!(lines.next(), Err(LineError::TooLong(100_000))));
        assert!(lines.line.len() <= 100_000);
    }
}
