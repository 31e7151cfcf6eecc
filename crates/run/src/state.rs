//! The state of a study between two iterations: all of it, and nothing that a clock says.
//!
//! As bytes: a version, then everything in postcard. Equal studies have equal bytes after equal
//! numbers of iterations, whatever interrupted them.

use std::path::Path;

use esenas::Search;
use esenas_store::{Checkpoint, Reader};
use serde::{Deserialize, Serialize};

use crate::StudyError;

/// Of the bytes.
const VERSION: u32 = 8;

/// What the next iteration depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The iteration to come; also how many are done.
    pub(crate) iteration: u32,
    pub(crate) evaluations: u64,
    pub(crate) failures: u64,
    pub(crate) best: Option<Standing>,
    pub(crate) search: Search,
    /// What the objective has absorbed.
    pub(crate) objective: Vec<u8>,
}

/// The best value so far, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standing {
    pub(crate) value: f64,
    pub(crate) iteration: u32,
}

impl State {
    pub(crate) fn new(search: Search) -> Self {
        Self {
            iteration: 0,
            evaluations: 0,
            failures: 0,
            best: None,
            search,
            objective: Vec::new(),
        }
    }

    /// Iterations without improvement.
    pub(crate) fn stagnant(&self) -> u32 {
        self.best.map_or(self.iteration, |best| self.iteration - best.iteration - 1)
    }

    /// Writes the bytes to `out`, in place of what was there.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&VERSION.to_le_bytes());
        let started = std::mem::take(out);
        *out = postcard::to_extend(self, started).expect("memory is all that postcard needs");
    }

    /// Where the study in `directory` stands; `None` before its first iteration.
    pub(crate) fn stored(reader: &Reader, directory: &Path) -> Result<Option<Self>, StudyError> {
        let Some(checkpoint) = reader.latest_checkpoint()? else { return Ok(None) };
        Self::of(&checkpoint, &reader.header()?.program, directory).map(Some)
    }

    /// The state in a checkpoint that `program` wrote to `directory`.
    pub(crate) fn of(
        checkpoint: &Checkpoint,
        program: &str,
        directory: &Path,
    ) -> Result<Self, StudyError> {
        Self::read(&checkpoint.payload).map_err(|reason| StudyError::Checkpoint {
            directory: directory.to_path_buf(),
            iteration: checkpoint.iteration,
            reason,
            program: program.to_owned(),
        })
    }

    /// Reads the bytes, or says what is wrong with them.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let (version, rest) = bytes.split_first_chunk().ok_or("it is cut off")?;
        match u32::from_le_bytes(*version) {
            VERSION => postcard::from_bytes(rest).map_err(|error| error.to_string()),
            other => Err(format!("its version is {other}, this program knows {VERSION}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Spec;
    use crate::problem::SyntheticConfig;
    use crate::spec::ProblemConfig;

    fn state() -> State {
        let spec = Spec::new(ProblemConfig::Synthetic(SyntheticConfig::default()), 1);
        State::new(spec.build().unwrap().search)
    }

    #[test]
    fn bytes_are_read_back_and_other_versions_refused() {
        let mut bytes = vec![7];
        state().write(&mut bytes);
        assert_eq!(State::read(&bytes), Ok(state()));
        bytes[0] += 1;
        assert_eq!(State::read(&bytes).unwrap_err(), "its version is 9, this program knows 8");
        assert!(State::read(&bytes[..3]).is_err());
    }

    #[test]
    fn stagnation_counts_from_the_last_improvement() {
        let mut state = State { iteration: 5, ..state() };
        assert_eq!(state.stagnant(), 5);
        state.best = Some(Standing { value: 1.0, iteration: 4 });
        assert_eq!(state.stagnant(), 0);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            junk in proptest::collection::vec(any::<u8>(), 0..200), at: prop::sample::Index,
        ) {
            let mut bytes = Vec::new();
            state().write(&mut bytes);
            bytes.truncate(at.index(bytes.len()));
            bytes.extend(&junk);
            let _ = State::read(&bytes);
            let _ = State::read(&[&VERSION.to_le_bytes()[..], &junk].concat());
        }
    }
}
