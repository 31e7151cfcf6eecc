//! Who evaluates an iteration: objectives in this process, or programs.
//!
//! The driver hands over a [`Batch`], a few bytes per candidate, and gets the outcomes back in its
//! order. θ is written out where it is used: by the thread that evaluates, into a buffer it keeps,
//! so that memory is O(d) per thread, and a pair ±g draws g once.

use std::cell::Cell;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use esenas::{Candidate, Layout, Scratch, Seed};
use rayon::current_thread_index;
use thiserror::Error;

use crate::command::{CommandConfig, CommandError, CommandPool, Request};
use crate::executor::ThreadsError;
use crate::problem::{Model, Objective, Point};
use crate::spec::CommandProblem;
use crate::{Crew, Executor, ExecutorError, Inline, Outcome, Threads};

/// The candidates of an iteration that are to be evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// Which coordinates of θ are which numbers of a design.
    pub layout: &'a Arc<Layout>,
    /// Each with its place among the candidates of the iteration.
    pub jobs: &'a [(u32, &'a Candidate)],
    /// Where all randomness comes from.
    pub seed: Seed,
    /// Which iteration it is, counted from 0.
    pub iteration: u32,
}

thread_local! {
    /// Taken while in use, so that an objective may run a study of its own.
    static BUFFER: Cell<(Vec<f64>, Scratch)> = Cell::default();
}

impl<'a> Batch<'a> {
    /// How many evaluations there are to do.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The `job`-th candidate.
    pub fn candidate(&self, job: usize) -> &'a Candidate {
        self.jobs[job].1
    }

    /// Which coordinates of θ are which numbers of a design.
    pub fn layout(&self) -> &'a Arc<Layout> {
        self.layout
    }

    /// Lets `work` see the `job`-th candidate, with θ written out in the user's units.
    pub fn with<T>(&self, job: usize, work: impl FnOnce(&Point<'_>) -> T) -> T {
        let Candidate { dna, theta, role } = self.candidate(job);
        let (mut buffer, mut scratch) = BUFFER.take();
        self.layout.write(theta, &mut buffer, &mut scratch);
        let point = Point {
            model: Model { space: self.layout.space(), dna },
            theta: &buffer,
            layout: self.layout,
            role: *role,
            seed: self.seed,
            iteration: self.iteration,
            index: self.jobs[job].0,
        };
        let done = work(&point);
        BUFFER.set((buffer, scratch));
        done
    }
}

/// Evaluates iterations.
pub trait Evaluator: Send {
    /// Evaluates a batch: one outcome for each candidate that is due, in their order.
    fn evaluate(&mut self, batch: &Batch<'_>) -> Result<Vec<Outcome>, EvaluateError>;

    /// See [`Objective::state`].
    fn state(&self) -> Vec<u8> {
        Vec::new()
    }

    /// See [`Objective::restore`].
    fn restore(&mut self, _state: &[u8]) -> Result<(), EvaluateError> {
        Ok(())
    }

    /// See [`Objective::absorb`]. After an error the state is whatever `restore` makes it.
    fn absorb(&mut self, _moments: &[Vec<u8>]) -> Result<(), EvaluateError> {
        Ok(())
    }

    /// Tells `crew` from now on what each worker does, as far as that is known here.
    fn watch(&mut self, _crew: Arc<Crew>) {}
}

/// Why an iteration could not be evaluated, for a reason that is not its candidates'.
#[derive(Debug, Error)]
pub enum EvaluateError {
    /// The batch could not be finished.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    /// The programs could not be started.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// Whatever stopped an evaluator that is not of this crate.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl Evaluator for Box<dyn Evaluator + '_> {
    fn evaluate(&mut self, batch: &Batch<'_>) -> Result<Vec<Outcome>, EvaluateError> {
        (**self).evaluate(batch)
    }

    fn state(&self) -> Vec<u8> {
        (**self).state()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), EvaluateError> {
        (**self).restore(state)
    }

    fn absorb(&mut self, moments: &[Vec<u8>]) -> Result<(), EvaluateError> {
        (**self).absorb(moments)
    }

    fn watch(&mut self, crew: Arc<Crew>) {
        (**self).watch(crew);
    }
}

/// An objective in this process, on so many threads.
pub struct InProcess<O> {
    objective: O,
    workers: NonZeroUsize,
    executor: Option<Box<dyn Executor<Job = Outcome> + Send>>,
    crew: Option<Arc<Crew>>,
}

impl<O: Objective> InProcess<O> {
    /// On as many threads as there are cores, unless told otherwise.
    pub fn new(objective: O, workers: Option<NonZeroUsize>) -> Self {
        let workers = workers.unwrap_or_else(Threads::available);
        Self { objective, workers, executor: None, crew: None }
    }

    fn start(&mut self) -> Result<(), ThreadsError> {
        let executor: Box<dyn Executor<Job = Outcome> + Send> = match self.executor.take() {
            Some(executor) => executor,
            None if self.workers == NonZeroUsize::MIN => Box::new(Inline),
            None => Box::new(Threads::new(self.workers)?),
        };
        self.executor = Some(executor);
        Ok(())
    }
}

impl<O: Objective> Evaluator for InProcess<O> {
    fn evaluate(&mut self, batch: &Batch<'_>) -> Result<Vec<Outcome>, EvaluateError> {
        self.start()?;
        let Self { objective, executor: Some(executor), crew, .. } = self else {
            return Ok(Vec::new());
        };
        let job = |job| {
            let turn = crew.as_deref().map(|it| it.begin(current_thread_index().unwrap_or(0)));
            let outcome = batch.with(job, |point| objective.evaluate(point));
            if let Some(turn) = turn {
                turn.end(!outcome.as_ref().is_ok_and(|done| done.value.is_finite()));
            }
            outcome
        };
        Ok(executor.evaluate(batch.len(), &job)?)
    }

    fn state(&self) -> Vec<u8> {
        self.objective.state()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), EvaluateError> {
        self.objective.restore(state);
        Ok(())
    }

    fn absorb(&mut self, moments: &[Vec<u8>]) -> Result<(), EvaluateError> {
        self.objective.absorb(moments);
        Ok(())
    }

    fn watch(&mut self, crew: Arc<Crew>) {
        self.crew = Some(crew);
    }
}

/// Programs, started when there is something to evaluate.
pub struct Programs {
    config: CommandConfig,
    pool: Option<CommandPool>,
    crew: Option<Arc<Crew>>,
}

impl Programs {
    /// As many copies as there are cores, unless told otherwise.
    pub fn new(problem: &CommandProblem, workers: Option<NonZeroUsize>) -> Self {
        let mut config = CommandConfig::new(problem.argv.clone());
        config.workers = workers.unwrap_or_else(Threads::available);
        config.directory.clone_from(&problem.directory);
        config.limits.timeout = Some(problem.timeout.duration());
        config.limits.attempts = NonZeroU32::new(problem.attempts).unwrap_or(NonZeroU32::MIN);
        config.restarts = problem.restarts;
        config.inline = problem.inline;
        Self { config, pool: None, crew: None }
    }
}

impl Evaluator for Programs {
    fn evaluate(&mut self, batch: &Batch<'_>) -> Result<Vec<Outcome>, EvaluateError> {
        let pool = match &mut self.pool {
            Some(pool) => pool,
            none => none.insert(CommandPool::start(self.config.clone())?),
        };
        if let Some(crew) = self.crew.take() {
            pool.watch(crew);
        }
        let inline = self.config.inline;
        let request = |point: &Point<'_>| Request {
            model: point.design().to_value(inline),
            theta: point.theta.to_vec(),
            seed: point.seed(),
        };
        Ok(pool.evaluate(batch.len(), &|job| batch.with(job, request))?)
    }

    fn watch(&mut self, crew: Arc<Crew>) {
        self.crew = Some(crew);
    }
}
