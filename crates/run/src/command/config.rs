//! What to run, how many of it, and how much to put up with.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::dispatcher::Limits;

/// The settings of a [`CommandPool`](super::CommandPool). None of them can change a value.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandConfig {
    /// The program and its arguments. No shell is involved.
    pub argv: Vec<String>,
    /// How many copies of it.
    pub workers: NonZeroUsize,
    /// Where it is run; `None` is where we are.
    pub directory: Option<PathBuf>,
    /// Attempts and time allowed. The time of a program's first answer includes its start.
    pub limits: Limits,
    /// How often in a row a worker is restarted without an answer in between.
    ///
    /// Generous, since candidates that kill the program may come in a row, too.
    pub restarts: u32,
    /// The pause before the first restart; each further one doubles it.
    pub backoff: Duration,
    /// The longest such pause.
    pub longest_backoff: Duration,
    /// The longest θ that is sent inline.
    pub inline: usize,
    /// The longest line accepted as an answer, in bytes.
    pub longest_line: usize,
}

impl CommandConfig {
    /// One copy of this command, and an hour for each evaluation.
    pub fn new(argv: Vec<String>) -> Self {
        let hour = Duration::from_secs(3600);
        Self {
            argv,
            workers: NonZeroUsize::MIN,
            directory: None,
            limits: Limits { timeout: Some(hour), ..Limits::default() },
            restarts: 30,
            backoff: Duration::from_millis(20),
            longest_backoff: Duration::from_millis(500),
            inline: 10_000,
            longest_line: 1 << 20,
        }
    }

    /// The pause before the restart that follows the `deaths`-th death in a row.
    pub(super) fn pause(&self, deaths: u32) -> Duration {
        let doubled = 2u32.saturating_pow(deaths.saturating_sub(1));
        self.backoff.saturating_mul(doubled).min(self.longest_backoff)
    }
}

/// Why [`CommandPool::start`](super::CommandPool::start) refused.
#[derive(Debug, Error)]
pub enum CommandError {
    /// There is nothing to run.
    #[error(
        "the command is empty; give a program and its arguments, as in [\"python3\", \"f.py\"]"
    )]
    Empty,
    /// The program could not be started.
    #[error(
        "cannot start {program:?}{}: {source}; \
         it must be a program on the PATH, or the path of a file that may be executed",
        directory.as_ref().map(|d| format!(" in {}", d.display())).unwrap_or_default()
    )]
    Start {
        /// `argv[0]`
        program: String,
        /// Where it was to be run, if not here.
        directory: Option<PathBuf>,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no place for the θ files.
    #[error("cannot create a directory for θ files in {}: {source}; set TMPDIR to one that can be written", parent.display())]
    Scratch {
        /// Where it was to be.
        parent: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let config = CommandConfig::new(vec![]);
        let pauses: Vec<u128> = (1..8).map(|n| config.pause(n).as_millis()).collect();
        assert_eq!(pauses, [20, 40, 80, 160, 320, 500, 500]);
        assert_eq!(config.pause(u32::MAX), config.longest_backoff);
    }
}
