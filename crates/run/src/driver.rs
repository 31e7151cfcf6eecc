//! The one loop: ask, evaluate, tell, save.
//!
//! An iteration is computed from the state before it and nothing else, and saved together with the
//! state after it. So whatever ends the process, the next one goes on as if nothing had happened.
//! The one thing that depends on a clock is `stop.wall_time`: the time spent is not in the state
//! but in the timings of the store, which are no part of what runs are compared by.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use esenas::{Candidate, Optimizer, Purpose, Role, Seed};
use esenas_store::{Best, BestRecord, Iteration, Timings};

use crate::evaluator::Batch;
use crate::report::{Control, End, IterationReport, Report};
use crate::state::Standing;
use crate::{Outcome, Study, StudyError, record};

impl Study<'_> {
    /// Runs until the study ends, `interrupt` becomes true, or `observe` has seen enough.
    ///
    /// Either is looked at between iterations: what has begun is finished and saved.
    pub fn run(
        mut self,
        interrupt: &AtomicBool,
        mut observe: impl FnMut(&IterationReport<'_>) -> Control,
    ) -> Result<Report, StudyError> {
        let mut clock = Clock::new(self.before);
        let end = loop {
            if let Some(end) = self.ended(clock.elapsed()) {
                break end;
            }
            if interrupt.load(Ordering::Relaxed) {
                break End::Interrupted;
            }
            if self.step(&mut clock, &mut observe)? == Control::Stop {
                break self.ended(clock.elapsed()).unwrap_or(End::Interrupted);
            }
        };
        if let Some(writer) = self.writer.take().filter(|_| end.is_final()) {
            writer.finish(&end.to_string())?;
        }
        Ok(Report {
            end,
            iterations: self.state.iteration.into(),
            evaluations: self.state.evaluations,
            failures: self.state.failures,
            best: self.best,
            elapsed: clock.elapsed(),
            directory: self.directory,
        })
    }

    /// Whether the study is over, having run so long.
    fn ended(&self, elapsed: Duration) -> Option<End> {
        let (stop, state) = (&self.spec.stop, &self.state);
        let reached = |limit: Option<f64>| limit.zip(state.best).is_some_and(|(t, b)| b.value >= t);
        if reached(stop.target) {
            Some(End::Target)
        } else if stop.iterations.unwrap_or(u32::MAX) <= state.iteration {
            Some(End::Iterations)
        } else if stop.evaluations.is_some_and(|limit| limit <= state.evaluations) {
            Some(End::Evaluations)
        } else if stop.stagnation.is_some_and(|limit| limit <= state.stagnant()) {
            Some(End::Stagnation)
        } else if stop.wall_time.is_some_and(|limit| limit.duration() <= elapsed) {
            Some(End::WallTime)
        } else {
            None
        }
    }

    /// One iteration.
    fn step(
        &mut self,
        clock: &mut Clock,
        observe: &mut impl FnMut(&IterationReport<'_>) -> Control,
    ) -> Result<Control, StudyError> {
        let (iteration, seed) = (self.state.iteration, Seed(self.spec.seed));
        clock.lap();
        let population = self.state.search.population();
        let candidates =
            self.state.search.ask(population, &mut seed.stream(Purpose::Ask, iteration, 0));
        let ask = clock.lap();

        let centre = iteration.is_multiple_of(self.spec.centre_every);
        let is_due = |at: &usize| centre || candidates[*at].role == Role::Probe;
        let due: Vec<usize> = (0..candidates.len()).filter(is_due).collect();
        let space = self.space.clone();
        let batch = Batch { space: &space, candidates: &candidates, due: &due, seed, iteration };
        let outcomes = self.evaluate(&batch)?;
        let evaluate = clock.lap();

        let mut values = vec![None; candidates.len()];
        for (at, outcome) in due.iter().zip(&outcomes) {
            values[*at] = outcome.as_ref().ok().map(|evaluation| evaluation.value);
        }
        self.state.search.tell(&values);
        let tell = clock.lap();

        let timings = Timings { ask, evaluate, tell, store: clock.last_store };
        let seen: Vec<&Candidate> = due.iter().map(|at| &candidates[*at]).collect();
        let best = self.best_of(&seen, &due, &outcomes);
        self.advance(best.as_ref(), outcomes.len(), &outcomes);
        let statistics = self.state.search.statistics();
        let mut summary = record::summary(iteration, &seen, &outcomes, statistics);
        summary.total_evaluations = self.state.evaluations;
        summary.total_failures = self.state.failures;
        summary.best = self.state.best.map(|best| best.value);
        let failed = self.too_many_failures(iteration, &outcomes);
        if let Some(writer) = &mut self.writer {
            let config = self.spec.record;
            let evaluations = record::evaluations(config, iteration, &seen, &due, outcomes);
            self.state.write(&mut clock.checkpoint);
            writer.commit(&Iteration {
                record: &summary,
                timings,
                evaluations: &evaluations,
                checkpoint: &clock.checkpoint,
                best: best.as_ref(),
            })?;
        }
        clock.last_store = clock.lap();
        let improved = best.is_some();
        self.best = best.or(self.best.take());
        let report = IterationReport {
            record: &summary,
            timings,
            elapsed: clock.elapsed(),
            best: self.best.as_ref().map(|best| &best.record),
            improved,
        };
        let control = observe(&report);
        failed.map_or(Ok(control), Err)
    }

    /// Evaluates a batch, and again if nothing came back.
    fn evaluate(&mut self, batch: &Batch<'_>) -> Result<Vec<Outcome>, StudyError> {
        let (iteration, attempts) = (batch.iteration, u64::from(self.spec.failures.retries) + 1);
        let mut reasons = String::new();
        for _ in 0..attempts {
            let outcomes = self.evaluator.evaluate(batch);
            let outcomes = outcomes.map_err(|source| StudyError::Evaluate { iteration, source })?;
            if outcomes.iter().any(Result::is_ok) {
                return Ok(outcomes);
            }
            reasons = record::reasons(&outcomes);
        }
        let evaluations = batch.len();
        Err(StudyError::NothingCameBack { iteration, evaluations, attempts, reasons })
    }

    /// The best candidate, if it is better than all before; of equals the first.
    fn best_of(&self, seen: &[&Candidate], due: &[usize], outcomes: &[Outcome]) -> Option<Best> {
        let mut value = self.state.best.map(|best| best.value);
        let mut found = None;
        for (at, outcome) in outcomes.iter().enumerate() {
            let Ok(evaluation) = outcome else { continue };
            if value.is_none_or(|value| value < evaluation.value) {
                value = Some(evaluation.value);
                found = Some((at, evaluation));
            }
        }
        let (at, evaluation) = found?;
        let Candidate { dna, theta, .. } = seen[at];
        let theta = theta.to_vec();
        Some(Best {
            record: BestRecord {
                iteration: self.state.iteration.into(),
                index: due[at] as u64,
                value: evaluation.value,
                score: evaluation.score,
                dna: dna.to_bytes(),
                model: self.space.decode(dna).unwrap_or_default().to_string(),
                dimension: theta.len() as u64,
            },
            theta,
        })
    }

    /// Counts the iteration as done.
    fn advance(&mut self, best: Option<&Best>, evaluations: usize, outcomes: &[Outcome]) {
        let moments = outcomes.iter().flatten().filter_map(|done| done.moments.clone());
        let moments: Vec<Vec<u8>> = moments.collect();
        if !moments.is_empty() {
            self.evaluator.absorb(&moments);
        }
        let state = &mut self.state;
        state.objective = self.evaluator.state();
        let standing =
            best.map(|best| Standing { value: best.record.value, iteration: state.iteration });
        state.best = standing.or(state.best);
        state.iteration += 1;
        state.evaluations += evaluations as u64;
        state.failures += outcomes.iter().filter(|outcome| outcome.is_err()).count() as u64;
    }

    fn too_many_failures(&self, iteration: u32, outcomes: &[Outcome]) -> Option<StudyError> {
        let (share, evaluations) = (self.spec.failures.share, outcomes.len());
        let failed = outcomes.iter().filter(|outcome| outcome.is_err()).count();
        (failed as f64 > share * evaluations as f64).then(|| StudyError::TooManyFailures {
            iteration,
            failed,
            evaluations,
            share,
            reasons: record::reasons(outcomes),
        })
    }
}

/// Where the time goes; and a buffer that is kept.
struct Clock {
    before: Duration,
    start: Instant,
    lap: Instant,
    last_store: f64,
    checkpoint: Vec<u8>,
}

impl Clock {
    fn new(before: Duration) -> Self {
        let now = Instant::now();
        Self { before, start: now, lap: now, last_store: 0.0, checkpoint: Vec::new() }
    }

    /// Of the study, all its runs together.
    fn elapsed(&self) -> Duration {
        self.before.saturating_add(self.start.elapsed())
    }

    /// Seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let seconds = now.duration_since(self.lap).as_secs_f64();
        self.lap = now;
        seconds
    }
}
