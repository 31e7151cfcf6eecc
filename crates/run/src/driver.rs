//! The one loop: ask, evaluate, tell, save.
//!
//! An iteration is computed from the state before it and nothing else, and saved together with the
//! state after it. So whatever ends the process, the next one goes on as if nothing had happened.
//! The one thing that depends on a clock is `stop.wall_time`: the time spent is not in the state
//! but in the timings of the store, which are no part of what runs are compared by.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use esenas::{Candidate, Layout, Optimizer, Purpose, Role, Seed};
use esenas_store::{Best, BestRecord, Iteration, Options, Timings};

use crate::evaluator::{Batch, Evaluator};
use crate::report::{Control, End, IterationReport, Report};
use crate::spec::StopConfig;
use crate::state::Standing;
use crate::{Outcome, Scores, Study, StudyError, record};

/// Arrays of the best design are recorded with their numbers up to this many, which is what people
/// read; all of them are in its θ.
pub(crate) const SHOWN: usize = 16;

impl<'a> Study<'a> {
    /// Runs until the study ends, `interrupt` becomes true, or `observe` says stop.
    ///
    /// All are looked at between iterations: what has begun is finished and saved.
    pub fn run(
        self,
        interrupt: &AtomicBool,
        observe: impl FnMut(&IterationReport<'_>) -> Control,
    ) -> Result<Report, StudyError> {
        if !self.spec.stop.ends() {
            return Err(StudyError::NothingEnds);
        }
        let mut running = self.start();
        let end = running.proceed(interrupt, observe)?;
        running.finish(end)
    }

    /// Begins to run, one step at a time.
    pub fn start(self) -> Running<'a> {
        Running { clock: Clock::new(self.before), study: self, asked: None }
    }
}

/// A study that runs.
///
/// [`proceed`](Self::proceed) is the loop and [`step`](Self::step) one iteration of it. To evaluate
/// yourself, call [`ask`](Self::ask) and [`tell`](Self::tell): the same iterations, kept in the
/// same place.
pub struct Running<'a> {
    study: Study<'a>,
    clock: Clock,
    /// What was asked for and not told yet: after an interruption it is evaluated again.
    asked: Option<Arc<Asked>>,
}

/// The candidates of an iteration, until they are told.
#[derive(Clone, Debug)]
pub struct Asked {
    pub(crate) layout: Arc<Layout>,
    pub(crate) seed: Seed,
    pub(crate) iteration: u32,
    candidates: Vec<Candidate>,
    /// Which of them are to be evaluated.
    due: Vec<usize>,
    seconds: f64,
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

    /// The same, to be evaluated.
    pub fn batch<'b>(&'b self, jobs: &'b [(u32, &'b Candidate)]) -> Batch<'b> {
        Batch { layout: &self.layout, jobs, seed: self.seed, iteration: self.iteration }
    }
}

impl<'a> Running<'a> {
    /// The study.
    pub fn study(&self) -> &Study<'a> {
        &self.study
    }

    /// Evaluates the answer of the study `n` times: see [`Study::evaluate_answer`].
    pub fn evaluate_answer(&mut self, n: u32) -> Result<Option<Scores>, StudyError> {
        match self.study.answer() {
            Some(answer) => self.study.evaluate_answer(&answer, n),
            None => Ok(None),
        }
    }

    /// Moves the end, as [`Study::stop_at`] does.
    pub fn stop_at(&mut self, stop: StopConfig) -> Result<(), StudyError> {
        // Candidates that somebody has are not chosen anew.
        let open = self.asked.is_none();
        self.study.move_end(stop, open)
    }

    /// Keeps the study in `directory`, which must not hold one, from its beginning.
    pub fn keep_in(&mut self, directory: &Path, options: Options) -> Result<(), StudyError> {
        self.study.keep_in(directory, options)
    }

    /// Has `evaluator` evaluate from now on. It takes over what the objective has learned.
    pub fn evaluate_by(&mut self, mut evaluator: impl Evaluator + 'a) {
        evaluator.restore(&self.study.state.objective);
        self.study.evaluator = Some(Box::new(evaluator));
    }

    /// Goes on until the study ends, `interrupt` becomes true, or `observe` says stop.
    pub fn proceed(
        &mut self,
        interrupt: &AtomicBool,
        mut observe: impl FnMut(&IterationReport<'_>) -> Control,
    ) -> Result<End, StudyError> {
        while !interrupt.load(Ordering::Relaxed) {
            match self.step(&mut observe)? {
                Some(Control::Continue) => {}
                Some(Control::Stop) | None => break,
            }
        }
        Ok(self.ended().unwrap_or(End::Interrupted))
    }

    /// One iteration, and what `observe` says of it; `None` if the study is over.
    pub fn step(
        &mut self,
        mut observe: impl FnMut(&IterationReport<'_>) -> Control,
    ) -> Result<Option<Control>, StudyError> {
        if self.ended().is_some() {
            return Ok(None);
        }
        let asked = self.ask();
        let outcomes = self.study.evaluate(&asked)?;
        drop(asked);
        self.tell(outcomes, &mut observe).map(Some)
    }

    /// Lets go of the directory. If the study is over, that is written down.
    pub fn close(&mut self, end: End) -> Result<(), StudyError> {
        if let Some(writer) = self.study.writer.take().filter(|_| end.is_final()) {
            writer.finish(&end.to_string())?;
        }
        Ok(())
    }

    /// Closes it, and says how it ended.
    pub fn finish(mut self, end: End) -> Result<Report, StudyError> {
        self.close(end)?;
        let state = &self.study.state;
        Ok(Report {
            end,
            iterations: state.iteration.into(),
            evaluations: state.evaluations,
            failures: state.failures,
            elapsed: self.clock.elapsed(),
            best: self.study.best,
            directory: self.study.directory,
        })
    }

    /// Whether the study is over, and why.
    pub fn ended(&self) -> Option<End> {
        self.study.ended_after(self.clock.elapsed())
    }

    /// The candidates of the next iteration: the same until they are told.
    pub fn ask(&mut self) -> Arc<Asked> {
        if let Some(asked) = &self.asked {
            return asked.clone();
        }
        let Study { spec, layout, state, .. } = &mut self.study;
        let (iteration, seed) = (state.iteration, Seed(spec.seed));
        self.clock.lap();
        let population = state.search.population();
        let candidates = state.search.ask(population, &mut seed.stream(Purpose::Ask, iteration, 0));
        let seconds = self.clock.lap();
        let centre = iteration.is_multiple_of(spec.centre_every);
        let is_due = |at: &usize| centre || candidates[*at].role == Role::Probe;
        let due: Vec<usize> = (0..candidates.len()).filter(is_due).collect();
        let layout = layout.clone();
        let asked = Arc::new(Asked { layout, seed, iteration, candidates, due, seconds });
        self.asked = Some(asked.clone());
        asked
    }

    /// How many outcomes are to be told, if candidates were asked for and not told yet.
    pub fn untold(&self) -> Option<usize> {
        self.asked.as_ref().map(|asked| asked.len())
    }

    /// Learns from the outcomes of what was asked for, one for each that was due and in their
    /// order, and saves it all.
    pub fn tell(
        &mut self,
        outcomes: Vec<Outcome>,
        observe: &mut impl FnMut(&IterationReport<'_>) -> Control,
    ) -> Result<Control, StudyError> {
        let asked = self.ask();
        self.asked = None;
        let Self { study, clock, .. } = self;
        let Asked { iteration, candidates, due, .. } = &*asked;
        let evaluate = clock.lap();

        let mut values = vec![None; candidates.len()];
        for (at, outcome) in due.iter().zip(&outcomes) {
            let value = outcome.as_ref().ok().map(|evaluation| evaluation.value);
            values[*at] = value.map(|value| study.spec.direction.maximized(value));
        }
        study.state.search.tell(&values);
        let tell = clock.lap();

        let timings = Timings { ask: asked.seconds, evaluate, tell, store: clock.last_store };
        let seen: Vec<&Candidate> = due.iter().map(|at| &candidates[*at]).collect();
        let best = study.best_of(&seen, due, &outcomes);
        study.advance(best.as_ref(), outcomes.len(), &outcomes);
        let statistics = study.state.search.statistics();
        let mut summary = record::summary(*iteration, &seen, &outcomes, statistics);
        summary.total_evaluations = study.state.evaluations;
        summary.total_failures = study.state.failures;
        let leads = best.as_ref().or(study.best.as_ref());
        summary.best = leads.map(|best| best.record.reported());
        let failed = study.too_many_failures(*iteration, &outcomes);
        if let Some(writer) = &mut study.writer {
            let config = study.spec.record;
            let evaluations = record::evaluations(config, *iteration, &seen, due, outcomes);
            let belief = record::belief(config, *iteration, &study.state.search, asked.seed);
            writer.commit(&Iteration {
                record: &summary,
                timings,
                evaluations: &evaluations,
                checkpoint: &study.state,
                best: best.as_ref(),
                belief: belief.as_ref(),
            })?;
        }
        clock.last_store = clock.lap();
        let improved = best.is_some();
        study.best = best.or(study.best.take());
        let report = IterationReport {
            record: &summary,
            timings,
            elapsed: clock.elapsed(),
            best: study.best.as_ref().map(|best| &best.record),
            improved,
        };
        let control = observe(&report);
        failed.map_or(Ok(control), Err)
    }
}

impl Study<'_> {
    /// Whether the study is over, having run so long.
    pub(crate) fn ended_after(&self, elapsed: Duration) -> Option<End> {
        let (stop, state) = (&self.spec.stop, &self.state);
        let told = |value| self.spec.direction.maximized(value);
        let passes = |(target, best): (f64, Standing)| told(best.value) >= told(target);
        let reached = |limit: Option<f64>| limit.zip(state.best).is_some_and(passes);
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

    /// Evaluates a batch, and again if nothing came back.
    fn evaluate(&mut self, asked: &Asked) -> Result<Vec<Outcome>, StudyError> {
        let (iteration, attempts) = (asked.iteration, u64::from(self.spec.failures.retries) + 1);
        let (jobs, mut reasons) = (asked.jobs(), String::new());
        let evaluator = self.evaluator.as_mut().ok_or(StudyError::NobodyEvaluates)?;
        for _ in 0..attempts {
            let outcomes = evaluator.evaluate(&asked.batch(&jobs));
            let outcomes = outcomes.map_err(|source| StudyError::Evaluate { iteration, source })?;
            if outcomes.iter().any(Result::is_ok) {
                return Ok(outcomes);
            }
            reasons = record::reasons(&outcomes);
        }
        let evaluations = jobs.len();
        Err(StudyError::NothingCameBack { iteration, evaluations, attempts, reasons })
    }

    /// The best candidate, if it is better than all before; of equals the first.
    fn best_of(&self, seen: &[&Candidate], due: &[usize], outcomes: &[Outcome]) -> Option<Best> {
        let told = |value| self.spec.direction.maximized(value);
        let mut value = self.state.best.map(|best| told(best.value));
        let mut found = None;
        for (at, outcome) in outcomes.iter().enumerate() {
            let Ok(evaluation) = outcome else { continue };
            if value.is_none_or(|value| value < told(evaluation.value)) {
                value = Some(told(evaluation.value));
                found = Some((at, evaluation));
            }
        }
        let (at, evaluation) = found?;
        let Candidate { dna, theta, .. } = seen[at];
        let mut theta = theta.to_vec();
        self.layout.to_user(&mut theta);
        Some(Best {
            record: BestRecord {
                iteration: self.state.iteration.into(),
                index: due[at] as u64,
                value: evaluation.value,
                score: evaluation.score,
                dna: dna.to_bytes(),
                model: self.layout.design(dna, &theta).to_value(SHOWN).to_string(),
                dimension: theta.len() as u64,
            },
            theta,
        })
    }

    /// Counts the iteration as done.
    fn advance(&mut self, best: Option<&Best>, evaluations: usize, outcomes: &[Outcome]) {
        let moments = outcomes.iter().flatten().filter_map(|done| done.moments.clone());
        let moments: Vec<Vec<u8>> = moments.collect();
        let state = &mut self.state;
        if let Some(evaluator) = &mut self.evaluator {
            if !moments.is_empty() {
                evaluator.absorb(&moments);
            }
            state.objective = evaluator.state();
        }
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

/// Where the time goes.
struct Clock {
    before: Duration,
    start: Instant,
    lap: Instant,
    last_store: f64,
}

impl Clock {
    fn new(before: Duration) -> Self {
        let now = Instant::now();
        Self { before, start: now, lap: now, last_store: 0.0 }
    }

    /// How long the study has run, all its runs together.
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
