//! The candidates of an iteration, from the ask to the last of their outcomes.

use std::sync::Arc;

use esenas::{Candidate, Layout, Seed};

use crate::evaluator::Batch;
use crate::{Evaluation, Failure, FailureKind, Outcome, StudyError};

/// The candidates of an iteration, until they are told.
#[derive(Clone, Debug)]
pub struct Asked {
    pub(crate) layout: Arc<Layout>,
    pub(crate) seed: Seed,
    pub(crate) iteration: u32,
    /// Those of the search, then those that somebody gave.
    pub(crate) candidates: Vec<Candidate>,
    /// How many are the search's.
    pub(crate) own: usize,
    /// Of those that somebody gave, the value where it is known.
    pub(crate) known: Vec<Option<f64>>,
    /// Which of them are to be evaluated.
    pub(crate) due: Vec<usize>,
    pub(crate) seconds: f64,
}

impl Asked {
    /// Which iteration it is, counted from 0.
    pub fn iteration(&self) -> u32 {
        self.iteration
    }

    /// Which coordinates of θ are which numbers of a design.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Where all randomness comes from.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// How many evaluations there are to do.
    pub fn len(&self) -> usize {
        self.due.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    /// The `job`-th candidate that is to be evaluated, and its place among all of the iteration.
    pub fn job(&self, job: usize) -> (u32, &Candidate) {
        let at = self.due[job];
        (at as u32, &self.candidates[at])
    }

    /// What is to be evaluated, each with its place among the candidates of the iteration.
    pub fn jobs(&self) -> Vec<(u32, &Candidate)> {
        (0..self.len()).map(|job| self.job(job)).collect()
    }

    /// What became of all candidates: of those that were evaluated, with by how much they exceed
    /// limits, and of those whose value was known.
    pub(crate) fn with_known(&self, outcomes: &[Outcome], violations: &[f64]) -> Vec<Told<'_>> {
        let evaluated = self.due.iter().zip(outcomes.iter().zip(violations));
        let evaluated = evaluated.map(|(at, (outcome, by))| (*at, outcome.clone(), *by));
        let known = (self.own..).zip(&self.known);
        let known = known.filter_map(|(at, value)| Some((at, Ok(Evaluation::new((*value)?)), 0.0)));
        let told = |(index, outcome, violation)| {
            let candidate = &self.candidates[index];
            Told { index, candidate, outcome, violation }
        };
        evaluated.chain(known).map(told).collect()
    }

    /// The same, to be evaluated.
    pub fn batch<'b>(&'b self, jobs: &'b [(u32, &'b Candidate)]) -> Batch<'b> {
        Batch { layout: &self.layout, jobs, seed: self.seed, iteration: self.iteration }
    }
}

/// What became of a candidate.
pub(crate) struct Told<'a> {
    /// Its place among those of the iteration.
    pub(crate) index: usize,
    pub(crate) candidate: &'a Candidate,
    pub(crate) outcome: Outcome,
    /// By how much it exceeds limits.
    pub(crate) violation: f64,
}

/// An iteration that was asked for and not told whole: after an interruption it is evaluated
/// again.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) asked: Arc<Asked>,
    /// How many of its evaluations were given to somebody.
    given: usize,
    /// What was told of each.
    told: Vec<Option<Outcome>>,
}

impl Open {
    pub(crate) fn new(asked: Arc<Asked>) -> Self {
        Self { told: vec![None; asked.len()], given: 0, asked }
    }

    /// The first of at most `n` evaluations that nobody was given yet, and how many there are.
    pub(crate) fn give(&mut self, n: usize) -> (usize, usize) {
        let first = self.given;
        self.given = self.asked.len().min(first.saturating_add(n));
        (first, self.given - first)
    }

    /// Takes in what became of evaluation `job`. Refused if it was told before, or is of another
    /// iteration: nothing is believed that was not asked for.
    pub(crate) fn tell(
        &mut self,
        iteration: u32,
        job: usize,
        outcome: Outcome,
    ) -> Result<(), StudyError> {
        let refuse = |reason| Err(StudyError::NotAsked { iteration, job, reason });
        if iteration != self.asked.iteration {
            return refuse("its iteration is over, or was never asked for");
        }
        match self.told.get_mut(job) {
            None => refuse("there is no such candidate"),
            Some(Some(_)) => refuse("it was told already"),
            Some(told) => {
                *told = Some(outcome);
                Ok(())
            }
        }
    }

    /// How many evaluations have no outcome yet.
    pub(crate) fn untold(&self) -> usize {
        self.told.iter().filter(|it| it.is_none()).count()
    }

    /// All outcomes, in the order of the candidates; of those that nobody told that they were
    /// given up.
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let given_up = || Err(Failure::new(FailureKind::WorkerLost, "it was given up"));
        self.told.iter().map(|told| told.clone().unwrap_or_else(given_up)).collect()
    }
}
