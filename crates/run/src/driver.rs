//! The one loop: ask, evaluate, tell, save.
//!
//! An iteration is computed from the state before it and nothing else, and saved together with the
//! state after it. So whatever ends the process, the next one goes on as if nothing had happened.
//! The one thing that depends on a clock is `stop.wall_time`: the time spent is not in the state
//! but in the timings of the store, which are no part of what runs are compared by.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use esenas::{Optimizer, Purpose, Role, Seed};
use esenas_store::{Iteration, Options, Timings};

use crate::asked::{Asked, Open};
use crate::clock::Clock;
use crate::evaluator::Evaluator;
use crate::known::Waiting;
use crate::report::{Control, End, IterationReport, Report};
use crate::spec::StopConfig;
use crate::state::Standing;
use crate::{Known, Outcome, Scores, Study, StudyError, record};

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
        let mut waiting = Waiting::default();
        self.given.iter().for_each(|given| waiting.push(given.clone()));
        Running { clock: Clock::new(self.before), study: self, open: None, waiting }
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
    open: Option<Open>,
    /// Designs that somebody gave, until the next iteration.
    waiting: Waiting,
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

    /// Has a design evaluated in the next iteration, or learns from it where its value is known.
    /// One that was given before is not taken again.
    pub fn enqueue(&mut self, known: &Known) -> Result<(), StudyError> {
        let Study { spec, layout, .. } = &self.study;
        let found = known.found("enqueue", spec, layout);
        self.waiting.push(found.map_err(|fault| spec.locate(fault))?);
        Ok(())
    }

    /// Has what waits in `other` wait here: the same study, which was opened anew.
    pub fn take_waiting(&mut self, other: &mut Self) {
        self.waiting = std::mem::take(&mut other.waiting);
    }

    /// Moves the end, as [`Study::stop_at`] does.
    pub fn stop_at(&mut self, stop: StopConfig) -> Result<(), StudyError> {
        // Candidates that somebody has are not chosen anew.
        let open = self.open.is_none();
        self.study.move_end(stop, open)
    }

    /// Keeps the study in `directory`, which must not hold one, from its beginning.
    pub fn keep_in(&mut self, directory: &Path, options: Options) -> Result<(), StudyError> {
        self.study.keep_in(directory, options)
    }

    /// Has `evaluator` evaluate from now on. It takes over what the objective has learned.
    pub fn evaluate_by(&mut self, mut evaluator: impl Evaluator + 'a) -> Result<(), StudyError> {
        let iteration = self.study.state.iteration;
        let taken = evaluator.restore(&self.study.state.objective);
        taken.map_err(|source| StudyError::Evaluate { iteration, source })?;
        self.study.evaluator = Some(Box::new(evaluator));
        Ok(())
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
        self.study.absorb(&outcomes)?;
        self.open = None;
        self.learn(asked, outcomes, &mut observe).map(Some)
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
        if let Some(open) = &self.open {
            return open.asked.clone();
        }
        let Study { spec, layout, state, .. } = &mut self.study;
        let (iteration, seed) = (state.iteration, Seed(spec.seed));
        self.clock.lap();
        let (given, known) = state.hand(&mut self.waiting, spec.direction);
        let population = state.search.population();
        let stream = &mut seed.stream(Purpose::Ask, iteration, 0);
        let mut candidates = state.search.ask(population, stream);
        let seconds = self.clock.lap();
        let own = candidates.len();
        candidates.extend(given);
        let centre = iteration.is_multiple_of(spec.centre_every);
        let is_due = |at: &usize| match at.checked_sub(own) {
            Some(given) => known[given].is_none(),
            None => centre || candidates[*at].role == Role::Probe,
        };
        let due: Vec<usize> = (0..candidates.len()).filter(is_due).collect();
        let layout = layout.clone();
        let asked = Asked { layout, seed, iteration, candidates, own, known, due, seconds };
        let asked = Arc::new(asked);
        self.open = Some(Open::new(asked.clone()));
        asked
    }

    /// At most `n` evaluations of the iteration that were not given to anybody yet: the first of
    /// them, and how many.
    pub fn give(&mut self, n: usize) -> (Arc<Asked>, usize, usize) {
        let asked = self.ask();
        let (first, count) = self.open.as_mut().map_or((0, 0), |open| open.give(n));
        (asked, first, count)
    }

    /// How many outcomes are to be told yet, if candidates were asked for.
    pub fn untold(&self) -> Option<usize> {
        self.open.as_ref().map(Open::untold)
    }

    /// Takes in what became of some of the candidates that were asked for in this `iteration`, by
    /// their places in [`Asked`]. Learns and saves once all are told; says so then.
    ///
    /// What was told of an iteration that is not whole is kept in memory alone.
    pub fn tell_some(
        &mut self,
        iteration: u32,
        told: Vec<(usize, Outcome)>,
        observe: &mut impl FnMut(&IterationReport<'_>) -> Control,
    ) -> Result<Option<Control>, StudyError> {
        let nothing = || {
            let job = told.first().map_or(0, |(job, _)| *job);
            StudyError::NotAsked { iteration, job, reason: "nothing was asked for" }
        };
        let open = self.open.as_mut().ok_or_else(nothing)?;
        for (job, outcome) in told {
            open.tell(iteration, job, outcome)?;
        }
        if open.untold() > 0 { Ok(None) } else { self.give_up(observe) }
    }

    /// Ends the iteration that is open, if one is: what was not told of it counts as not evaluated.
    pub fn give_up(
        &mut self,
        observe: &mut impl FnMut(&IterationReport<'_>) -> Control,
    ) -> Result<Option<Control>, StudyError> {
        let Some(open) = &self.open else { return Ok(None) };
        let outcomes = open.outcomes();
        self.study.absorb(&outcomes)?;
        let Some(open) = self.open.take() else { return Ok(None) };
        self.learn(open.asked, outcomes, observe).map(Some)
    }

    /// Learns from the outcomes of what was asked for, one for each that was due and in their
    /// order, and saves it all.
    pub fn tell(
        &mut self,
        outcomes: Vec<Outcome>,
        observe: &mut impl FnMut(&IterationReport<'_>) -> Control,
    ) -> Result<Control, StudyError> {
        let expected = self.open.as_ref().map(|open| open.asked.len());
        let told = outcomes.len();
        if expected == Some(told) {
            // First: should the objective refuse, nobody else has learned anything.
            self.study.absorb(&outcomes)?;
        }
        match self.open.take_if(|_| expected == Some(told)) {
            Some(open) => self.learn(open.asked, outcomes, observe),
            None => Err(StudyError::ToldOthers { told, expected: expected.unwrap_or(0) }),
        }
    }

    fn learn(
        &mut self,
        asked: Arc<Asked>,
        outcomes: Vec<Outcome>,
        observe: &mut impl FnMut(&IterationReport<'_>) -> Control,
    ) -> Result<Control, StudyError> {
        let Self { study, clock, .. } = self;
        let evaluate = clock.lap();

        let spec = &study.spec;
        let outcomes: Vec<Outcome> = outcomes.into_iter().map(|it| spec.as_declared(it)).collect();
        let violations = study.state.violations_of(spec, &outcomes);
        let told = asked.with_known(&outcomes, &violations);
        let improved = study.find_best(&told);
        let evaluations = record::evaluations(study.spec.record, &asked, told);
        // The points are let go of before the search learns: it then moves θ where it is.
        let Asked { iteration, due, own, known, seed, seconds, mut candidates, .. } =
            Arc::unwrap_or_clone(asked);
        let roles: Vec<Role> = due.iter().map(|at| candidates[*at].role).collect();
        let (all, given) = (candidates.len(), candidates.split_off(own));
        drop(candidates);
        let spec = &study.spec;
        let judged = || due.iter().zip(outcomes.iter().zip(&violations));
        if spec.objectives.is_empty() {
            let mut values = vec![None; all];
            judged().for_each(|(at, (outcome, by))| values[*at] = spec.told(outcome, *by));
            study.state.search.tell(&values[..own]);
            let before = study.state.best.map(|best| spec.ranked(best.value, best.violation));
            study.state.learn(&values, (&given, &known), before, spec.direction);
        } else {
            let mut goals = vec![None; all];
            judged().for_each(|(at, (outcome, by))| goals[*at] = spec.told_goals(outcome, *by));
            study.state.search.tell_goals(&goals[..own]);
        }
        let tell = clock.lap();

        let timings = Timings { ask: seconds, evaluate, tell, store: clock.last_store };
        study.advance(improved, outcomes.len(), &outcomes);
        let statistics = study.state.search.statistics();
        let mut summary = record::summary(iteration, &roles, &outcomes, statistics);
        study.count_feasible(&mut summary, &outcomes, &violations);
        summary.total_evaluations = study.state.evaluations;
        summary.total_failures = study.state.failures;
        let leads = study.best.as_ref().filter(|best| best.record.violation.is_none());
        summary.best = leads.map(|best| best.record.reported());
        let failed = study.too_many_failures(iteration, &outcomes);
        study.hold_directory()?;
        if let Some(writer) = &mut study.writer {
            let belief = record::belief(study.spec.record, iteration, &study.state.search, seed);
            writer.commit(&Iteration {
                record: &summary,
                timings,
                evaluations: &evaluations,
                checkpoint: &study.state,
                best: study.best.as_ref().filter(|_| improved),
                belief: belief.as_ref(),
            })?;
        }
        clock.last_store = clock.lap();
        let report = IterationReport {
            record: &summary,
            evaluations: &evaluations,
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
        let passes = |(target, best): (f64, Standing)| {
            best.violation == 0.0 && told(best.value) >= told(target)
        };
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
        for _ in 0..attempts {
            let evaluator = self.evaluator.as_mut().ok_or(StudyError::NobodyEvaluates)?;
            let outcomes = evaluator.evaluate(&asked.batch(&jobs));
            let outcomes = outcomes.map_err(|source| StudyError::Evaluate { iteration, source })?;
            if self.is_enough(&outcomes) {
                return Ok(outcomes);
            }
            reasons = record::reasons(&outcomes);
        }
        let evaluations = jobs.len();
        Err(StudyError::NothingCameBack { iteration, evaluations, attempts, reasons })
    }
}
