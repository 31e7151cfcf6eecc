//! What can be wrong with a space.

use super::{MAX_CANDIDATES, MAX_DECISIONS, MAX_DEPTH, MAX_NUMBERS, MAX_PLACES};

/// A space that cannot be: where, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("space, at `{}`: {fault}", if path.is_empty() { "$" } else { path.trim_start_matches('.') })]
pub struct SpaceError {
    /// Path from what was constructed or read to the node at fault.
    pub(super) path: String,
    /// What is wrong there.
    #[source]
    pub fault: SpaceFault,
}

impl SpaceError {
    /// `fault` at the node of this path.
    pub(crate) fn at(path: String, fault: SpaceFault) -> Self {
        Self { path, fault }
    }

    /// The same error, seen from the parent that reaches it over `segment`.
    pub(super) fn under(mut self, segment: &str) -> Self {
        self.path.insert_str(0, segment);
        self
    }
}

impl From<SpaceFault> for SpaceError {
    fn from(fault: SpaceFault) -> Self {
        Self { path: String::new(), fault }
    }
}

/// What is wrong with a node of a space.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpaceFault {
    /// A choice without candidates.
    #[error("a choice needs at least one candidate, this one has none")]
    NoCandidates,
    /// Too many candidates.
    #[error("{0} candidates; a choice takes at most {MAX_CANDIDATES}")]
    TooManyCandidates(u64),
    /// A manyof of nothing.
    #[error("k = 0; manyof selects at least 1 (write the constant [] for nothing)")]
    NoSlots,
    /// A distinct manyof of more than there is.
    #[error(
        "k = {k} distinct of {candidates} candidates; k is at most {candidates}, or set distinct = false"
    )]
    NotEnoughCandidates {
        /// Selections wanted.
        k: u64,
        /// Candidates to select from.
        candidates: u64,
    },
    /// Two parts of one name.
    #[error("the name `{0}` is used twice; names are distinct")]
    DuplicateName(String),
    /// A name that the written form keeps for itself, or one that looks like a slip for it.
    #[error(
        "`{name}` cannot be a name, `{reserved}` makes a choice; rename it (or write a constant as {{ \"const\": … }})"
    )]
    ReservedName {
        /// The name.
        name: String,
        /// The reserved word it is, or resembles.
        reserved: &'static str,
    },
    /// Absurdly large.
    #[error("{0} decisions or more; a space has at most {MAX_DECISIONS}")]
    TooManyDecisions(u64),
    /// Absurdly deep.
    #[error("nested {0} levels deep; a space nests at most {MAX_DEPTH}")]
    TooDeep(u32),
    /// A key that a form does not have.
    #[error("`{form}` has no key `{key}`; did you mean `{nearest}`?")]
    UnknownKey {
        /// The reserved word of the form.
        form: &'static str,
        /// The key.
        key: String,
        /// The nearest key it has.
        nearest: &'static str,
    },
    /// A value of the wrong kind.
    #[error("`{key}` is {found}; accepted is {accepted}")]
    WrongValue {
        /// The key.
        key: &'static str,
        /// What stands there, shortened.
        found: String,
        /// What may stand there.
        accepted: &'static str,
    },
    /// A key left out.
    #[error("`{form}` needs `{key}`: {accepted}")]
    MissingKey {
        /// The reserved word of the form.
        form: &'static str,
        /// The key.
        key: &'static str,
        /// What may stand there.
        accepted: &'static str,
    },
    /// A logarithm of what is not positive.
    #[error("`log` needs low above 0, which is {0}")]
    Log(String),
    /// A grid that does not end where its interval does.
    #[error(
        "`step` is {step}, which does not divide {low} to {high}; set high = {last}, or another step"
    )]
    Step {
        /// The step.
        step: String,
        /// Where the grid begins.
        low: String,
        /// Where it should end.
        high: String,
        /// The last point of it.
        last: String,
    },
    /// First values that are not as many as the weights.
    #[error("`first` has {found} numbers; the shape has {expected}")]
    First {
        /// How many are given.
        found: usize,
        /// How many weights there are.
        expected: u64,
    },
    /// More weights than memory.
    #[error("too many numbers; a space has at most {MAX_NUMBERS}")]
    TooManyNumbers,
    /// More blocks than anybody could look at.
    #[error("numbers in {0} places or more; a space has at most {MAX_PLACES}")]
    TooManyPlaces(u64),
    /// One name for blocks that differ.
    #[error(
        "`name` is \"{name}\", which the weights at `{other}` have too; those that share a name agree in everything else"
    )]
    Shared {
        /// The name.
        name: String,
        /// Where another block of it stands.
        other: String,
    },
    /// A form of another library.
    #[error("`{word}` is no form of a space; write {form} (or, as a constant, {{ \"const\": … }})")]
    Foreign {
        /// The word.
        word: String,
        /// What is meant.
        form: &'static str,
    },
    /// A TOML date.
    #[error("dates are not values; quote it")]
    Date,
}
