//! What is written down about a study.
//!
//! Numbers keep every bit (−0.0, subnormals, infinities). NaN says nothing: where a number is
//! optional it is stored as absent, in a [`Summary`] it comes back as NaN, and a value that is NaN
//! is refused.

use std::io::{self, Write};

use serde::Serialize;

use crate::Named;

/// What a study is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Header {
    /// The resolved study, as written to `study.toml`.
    pub spec: String,
    /// The caller's fingerprint of what in it decides the result.
    pub fingerprint: String,
    /// The program and version that created it.
    pub program: String,
    /// When, in seconds since 1970.
    pub created: u64,
}

/// A state that can be written down, piece by piece: it may be larger than what memory is left.
pub trait Snapshot {
    /// Writes all of it to `out`.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl<T: AsRef<[u8]>> Snapshot for T {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.as_ref())
    }
}

/// All of one iteration, committed together.
#[derive(Clone, Copy)]
pub struct Iteration<'a> {
    /// The summary.
    pub record: &'a IterationRecord,
    /// Where the time went.
    pub timings: Timings,
    /// What came back, by ascending index. May be thinned; keep the failures, which are counted by
    /// reason.
    pub evaluations: &'a [EvaluationRecord],
    /// The state after this iteration.
    pub checkpoint: &'a dyn Snapshot,
    /// The best model, if this iteration found a better one.
    pub best: Option<&'a Best>,
    /// What the search holds likely after this iteration, where that is known and wanted.
    pub belief: Option<&'a Belief>,
}

/// The summary of an iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct IterationRecord {
    /// Counted from 0.
    pub iteration: u64,
    /// Evaluations in this iteration, recorded one by one or not.
    pub evaluations: u64,
    /// Evaluations so far, this iteration's included.
    pub total_evaluations: u64,
    /// Failed evaluations in this iteration.
    pub failures: u64,
    /// Failed evaluations so far.
    pub total_failures: u64,
    /// The values that came back.
    pub values: Option<Summary>,
    /// The scores of the centre, when it was evaluated.
    pub centre: Option<Centre>,
    /// The score of the best candidate so far: see [`BestRecord::reported`].
    pub best: Option<f64>,
    /// What the search says of itself, by name. The store knows none of the names.
    pub statistics: Named,
}

/// Several values, summarized.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The smallest.
    pub min: f64,
    /// Their mean.
    pub mean: f64,
    /// The largest.
    pub max: f64,
    /// Their standard deviation.
    pub std: f64,
}

/// Scores of the unperturbed weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Centre {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub std: f64,
}

/// Where the time of an iteration went, in seconds. Not part of the content that runs are compared
/// by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Timings {
    /// Asking the optimizer.
    pub ask: f64,
    /// Evaluating.
    pub evaluate: f64,
    /// Telling the optimizer.
    pub tell: f64,
    /// Storing: the commit before this one, whose duration is known only after it.
    pub store: f64,
}

/// One evaluation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvaluationRecord {
    /// Its index in the iteration.
    pub index: u64,
    /// What it was for.
    pub role: Role,
    /// The model, in the caller's encoding.
    pub dna: Vec<u8>,
    /// Numbers of the model that are worth recording, in the caller's order.
    pub numbers: Vec<f64>,
    /// What came back.
    pub outcome: Outcome,
}

/// What an evaluation was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Weights beside the centre, as the optimizer proposed them.
    Probe = 0,
    /// The unperturbed weights; reported only.
    Centre = 1,
    /// A design that somebody gave.
    Given = 2,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A value.
    Done {
        /// What is optimized.
        value: f64,
        /// What is reported, if it differs.
        score: Option<f64>,
        /// The objective's own numbers.
        metrics: Option<Named>,
    },
    /// None.
    Failed {
        /// Why, in words that are the same for the same reason: failures are counted by it.
        reason: String,
    },
}

/// What a search that is a distribution over models holds likely.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Belief {
    /// The likeliest model, in the caller's encoding.
    pub likeliest: Vec<u8>,
    /// Whether the marginals are those of the distribution, and not estimated.
    pub exact: bool,
    /// How often each candidate is selected, in the caller's order; none where they were too many.
    pub marginals: Vec<f32>,
}

/// The best model of a study so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BestRecord {
    /// Where it was found.
    pub iteration: u64,
    /// Its index there.
    pub index: u64,
    /// What is optimized.
    pub value: f64,
    /// What is reported, if it differs.
    pub score: Option<f64>,
    /// By how much it exceeds limits, in the caller's measure, if it does.
    pub violation: Option<f64>,
    /// The model, in the caller's encoding.
    pub dna: Vec<u8>,
    /// The model decoded, as JSON.
    pub model: String,
    /// d
    pub dimension: u64,
}

impl BestRecord {
    /// What is shown wherever a person looks: the score, or the value if that is the score.
    pub fn reported(&self) -> f64 {
        self.score.unwrap_or(self.value)
    }
}

/// The best model with its weights.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Best {
    /// Which and how good.
    pub record: BestRecord,
    /// θ
    pub theta: Vec<f64>,
}
