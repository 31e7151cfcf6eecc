//! What a study says while it runs, and at its end.

use std::path::PathBuf;
use std::time::Duration;

use esenas_store::{Best, BestRecord, EvaluationRecord, IterationRecord, Timings};

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// It goes on.
    Continue,
    /// It stops: this iteration is saved, and the study can be resumed.
    Stop,
}

/// One iteration, once it is saved.
#[derive(Clone, Copy, Debug)]
pub struct IterationReport<'a> {
    /// What was recorded.
    pub record: &'a IterationRecord,
    /// The evaluations that are recorded one by one.
    pub evaluations: &'a [EvaluationRecord],
    /// Where its time went.
    pub timings: Timings,
    /// How long the study has run, all its runs together.
    pub elapsed: Duration,
    /// The best so far.
    pub best: Option<&'a BestRecord>,
    /// Whether this iteration found it.
    pub improved: bool,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `stop.iterations` are done.
    Iterations,
    /// `stop.evaluations` are done.
    Evaluations,
    /// `stop.wall_time` is over.
    WallTime,
    /// `stop.target` is reached.
    Target,
    /// Nothing better came for `stop.stagnation` iterations.
    Stagnation,
    /// It was asked to stop, and can be resumed.
    Interrupted,
}

impl End {
    /// Whether the study is over, and not only this run of it.
    pub fn is_final(self) -> bool {
        self != Self::Interrupted
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Iterations => "all iterations are done",
            Self::Evaluations => "all evaluations are done",
            Self::WallTime => "the time is over",
            Self::Target => "the target is reached",
            Self::Stagnation => "no improvement for too long",
            Self::Interrupted => "interrupted",
        })
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Why.
    pub end: End,
    /// Iterations of the study.
    pub iterations: u64,
    /// Its evaluations.
    pub evaluations: u64,
    /// Those of them that failed.
    pub failures: u64,
    /// The best (m, θ).
    pub best: Option<Best>,
    /// How long it ran, all its resumptions together.
    pub elapsed: Duration,
    /// Where its records are.
    pub directory: Option<PathBuf>,
}
