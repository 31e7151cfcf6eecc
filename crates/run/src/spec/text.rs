//! Text files of people: how long they may be, and which line is which.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a study or a space. More is not one: a device is read no further.
const LONGEST: u64 = 64 << 20;

/// What stands in `path`, if it is text of no more than [`LONGEST`] bytes.
pub(super) fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let count = File::open(path)?.take(LONGEST + 1).read_to_string(&mut text)?;
    if LONGEST < count as u64 {
        let what = format!("it is longer than {} MB, which no study or space is", LONGEST >> 20);
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    Ok(text)
}

/// Where lines begin, so that many places are found without counting from the first each time.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(newlines.map(|(at, _)| at).collect())
    }

    /// The line, from 1, of a byte.
    pub(super) fn of(&self, at: usize) -> usize {
        1 + self.0.partition_point(|newline| *newline < at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_its_newline() {
        let lines = Lines::new("a\n\nbc\n");
        let of: Vec<usize> = (0..7).map(|at| lines.of(at)).collect();
        assert_eq!(of, [1, 1, 2, 3, 3, 3, 4]);
        assert_eq!(Lines::new("").of(0), 1);
    }

    /// Red while a device is read until memory is full.
    #[test]
    #[cfg(target_os = "linux")]
    fn what_has_no_end_is_refused() {
        assert!(read(Path::new("/dev/zero")).unwrap_err().to_string().contains("64 MB"));
    }
}
