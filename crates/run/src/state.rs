//! The state of a study between two iterations: all of it, and nothing that a clock says.
//!
//! As bytes: a version, then everything in postcard. Equal studies have equal bytes after equal
//! numbers of iterations, whatever interrupted them.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use esenas::shaping::Violations;
use esenas::{Candidate, Optimizer, Search};
use esenas_store::{Checkpoint, Reader, Snapshot};
use serde::{Deserialize, Serialize};

use crate::known::Waiting;
use crate::spec::Direction;
use crate::{Outcome, Spec, StudyError};

/// The version of the bytes.
const VERSION: u32 = 10;

/// What the next iteration depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The iteration to come; also how many are done.
    pub(crate) iteration: u32,
    pub(crate) evaluations: u64,
    pub(crate) failures: u64,
    /// How many evaluations kept to all limits.
    pub(crate) feasible: u64,
    pub(crate) best: Option<Standing>,
    /// The units of violations.
    pub(crate) violations: Violations,
    pub(crate) search: Search,
    /// What the objective has absorbed.
    pub(crate) objective: Vec<u8>,
    /// Which designs were given and taken: see [`Waiting`].
    pub(crate) given: Vec<u64>,
}

/// The best value so far, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standing {
    pub(crate) value: f64,
    /// By how much it exceeds limits.
    pub(crate) violation: f64,
    pub(crate) iteration: u32,
}

impl State {
    pub(crate) fn new(search: Search) -> Self {
        Self {
            iteration: 0,
            evaluations: 0,
            failures: 0,
            feasible: 0,
            best: None,
            violations: Violations::default(),
            search,
            objective: Vec::new(),
            given: Vec::new(),
        }
    }

    /// By how much each outcome of an iteration exceeds limits; a failed one by nothing.
    pub(crate) fn violations_of(&mut self, spec: &Spec, outcomes: &[Outcome]) -> Vec<f64> {
        let of = |outcome: &Outcome| outcome.as_ref().ok().map(|done| spec.excesses(done));
        let excesses: Vec<Option<Vec<f64>>> = outcomes.iter().map(of).collect();
        self.violations.of(&excesses).into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Iterations without improvement.
    pub(crate) fn stagnant(&self) -> u32 {
        self.best.map_or(self.iteration, |best| self.iteration - best.iteration - 1)
    }

    /// The designs that wait, as candidates, and their values where these are known; from those it
    /// has learned.
    pub(crate) fn hand(
        &mut self,
        waiting: &mut Waiting,
        direction: Direction,
    ) -> (Vec<Candidate>, Vec<Option<f64>>) {
        let given = waiting.take(&mut self.given);
        let centre = (!given.is_empty()).then(|| self.search.centre()).flatten();
        let candidates: Vec<_> = given.iter().map(|it| it.candidate(centre.as_ref())).collect();
        let values: Vec<_> = given.iter().map(|it| it.value).collect();
        let mut best = self.best.map(|best| direction.maximized(best.value));
        for (candidate, value) in candidates.iter().zip(&values) {
            self.learn_one(candidate, value.map(|value| direction.maximized(value)), &mut best);
        }
        (candidates, values)
    }

    /// Learns from the given designs that were evaluated: the last of the `values` told. `known`
    /// are the values of the others, `before` is the best of earlier iterations.
    pub(crate) fn learn(
        &mut self,
        values: &[Option<f64>],
        (given, known): (&[Candidate], &[Option<f64>]),
        before: Option<f64>,
        direction: Direction,
    ) {
        let (own, last) = values.split_at(values.len() - given.len());
        let known = known.iter().flatten().map(|value| direction.maximized(*value));
        let mut best = own.iter().copied().flatten().chain(known).chain(before).reduce(f64::max);
        for (candidate, value) in given.iter().zip(last) {
            self.learn_one(candidate, *value, &mut best);
        }
    }

    fn learn_one(&mut self, candidate: &Candidate, value: Option<f64>, best: &mut Option<f64>) {
        let Some(value) = value else { return };
        let leads = best.is_none_or(|best| value > best);
        self.search.learn(candidate, value, leads);
        *best = if leads { Some(value) } else { *best };
    }

    /// About how long its bytes are.
    pub(crate) fn size(&self) -> usize {
        postcard::experimental::serialized_size(self).unwrap_or(0)
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

impl Snapshot for State {
    /// Written through, since a state may be most of what memory there is.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        out.write_all(&VERSION.to_le_bytes())?;
        postcard::to_io(self, &mut out).map_err(io::Error::other)?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::problem::SyntheticConfig;
    use crate::spec::ProblemConfig;

    fn state() -> State {
        let spec = Spec::new(ProblemConfig::Synthetic(SyntheticConfig::default()), 1);
        State::new(spec.plan().unwrap().search)
    }

    #[test]
    fn bytes_are_read_back_and_other_versions_refused() {
        let mut bytes = Vec::new();
        state().write(&mut bytes).unwrap();
        assert_eq!(bytes.len(), state().size() + 4);
        assert_eq!(State::read(&bytes), Ok(state()));
        bytes[0] += 1;
        assert_eq!(State::read(&bytes).unwrap_err(), "its version is 11, this program knows 10");
        assert!(State::read(&bytes[..3]).is_err());
    }

    #[test]
    fn stagnation_counts_from_the_last_improvement() {
        let mut state = State { iteration: 5, ..state() };
        assert_eq!(state.stagnant(), 5);
        state.best = Some(Standing { value: 1.0, violation: 0.0, iteration: 4 });
        assert_eq!(state.stagnant(), 0);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            junk in proptest::collection::vec(any::<u8>(), 0..200), at: prop::sample::Index,
        ) {
            let mut bytes = Vec::new();
            state().write(&mut bytes).unwrap();
            bytes.truncate(at.index(bytes.len()));
            bytes.extend(&junk);
            let _ = State::read(&bytes);
            let _ = State::read(&[&VERSION.to_le_bytes()[..], &junk].concat());
        }
    }
}
