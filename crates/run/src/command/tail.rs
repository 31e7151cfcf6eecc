//! The last words of a program.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How much is kept: enough for a long traceback.
const KEPT: usize = 64 << 10;
/// How much of it is shown in a failure's reason.
const SHOWN_LINES: usize = 12;
const SHOWN_BYTES: usize = 2 << 10;

/// The end of everything a program said, however much that was.
#[derive(Debug, Default)]
pub(super) struct Tail {
    said: Mutex<Said>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Said {
    bytes: VecDeque<u8>,
    ended: bool,
}

impl Tail {
    /// Adds to it.
    pub(super) fn push(&self, bytes: &[u8]) {
        let mut said = self.lock();
        let bytes = &bytes[bytes.len().saturating_sub(KEPT)..];
        let excess = (said.bytes.len() + bytes.len()).saturating_sub(KEPT);
        said.bytes.drain(..excess);
        said.bytes.extend(bytes);
    }

    /// Adds a line to it.
    pub(super) fn push_line(&self, line: &[u8]) {
        self.push(&[line, b"\n"].concat());
    }

    /// Adds all there is to read, until the end.
    ///
    /// A program must never wait for us to read its standard error, so this drains it as fast as
    /// it comes.
    pub(super) fn drain(&self, mut from: impl Read) {
        let mut buffer = vec![0; KEPT];
        loop {
            match from.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => break,
                Ok(n) => self.push(&buffer[..n]),
            }
        }
        self.lock().ended = true;
        self.ended.notify_all();
    }

    /// The last lines, for a failure's reason; nothing if nothing was said.
    ///
    /// Waits a moment for the end: a program that died has written its last words, but they may
    /// not have been read yet.
    pub(super) fn last_words(&self, patience: Duration) -> String {
        let wait = self.ended.wait_timeout_while(self.lock(), patience, |said| !said.ended);
        let (mut said, _) = wait.unwrap_or_else(PoisonError::into_inner);
        let bytes = said.bytes.make_contiguous();
        let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(SHOWN_BYTES)..]);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let shown = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
        if shown.is_empty() {
            return String::new();
        }
        format!("; its last words:\n  {}", shown.join("\n  "))
    }

    fn lock(&self) -> MutexGuard<'_, Said> {
        // Nothing that holds the lock can panic halfway through a change.
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let tail = Tail::default();
        let much = io::repeat(b'x').take(10 << 20).chain(&b"\nthe end\n"[..]);
        tail.drain(much);
        assert_eq!(tail.lock().bytes.len(), KEPT);
        assert!(tail.lock().bytes.capacity() <= 2 * KEPT);
        assert!(tail.last_words(Duration::ZERO).ends_with("x\n  the end"));
    }

    #[test]
    fn the_last_lines_are_shown() {
        let tail = Tail::default();
        assert_eq!(tail.last_words(Duration::ZERO), "");
        (0..100).for_each(|n| tail.push_line(format!("line {n}").as_bytes()));
        let words = tail.last_words(Duration::ZERO);
        assert!(words.starts_with("; its last words:\n  line 88\n"), "{words}");
        assert!(words.ends_with("\n  line 99"), "{words}");
    }
}
