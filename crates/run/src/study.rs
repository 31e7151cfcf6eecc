//! A study to run: in memory, or in a directory that survives.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use esenas::{Dna, Layout};
use esenas_store::{Best, Header, Options, Reader, Writer};
use thiserror::Error;

use crate::evaluator::{EvaluateError, Evaluator, InProcess};
use crate::known::Given;
use crate::problem::Objective;
use crate::problem::rl::EnvError;
use crate::spec::{Difference, Overview, Plan, ProblemConfig, Spec, SpecError, StopConfig};
use crate::state::State;
use crate::{Crew, End};

/// Why a study could not be made, resumed, or run to its end.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The directory.
    #[error(transparent)]
    Store(#[from] esenas_store::Error),
    /// The directory holds another study.
    #[error(
        "{} holds a study that differs from this one in\n{}\n\
         only when a study ends may change: undo the difference, or choose another directory",
        directory.display(),
        differences.iter().map(|d| format!("  {d}")).collect::<Vec<_>>().join("\n")
    )]
    Differs {
        /// The directory.
        directory: PathBuf,
        /// In what: this study is *here*, that of the directory *there*.
        differences: Vec<Difference>,
    },
    /// The checkpoint is sound, but not one of ours.
    #[error(
        "{}: the checkpoint of iteration {iteration} cannot be read: {reason}; \
         resume it with the program that wrote it, {program}", directory.display()
    )]
    Checkpoint {
        /// The directory.
        directory: PathBuf,
        /// Which.
        iteration: u64,
        /// What is wrong with it.
        reason: String,
        /// What wrote it.
        program: String,
    },
    /// The objective is missing.
    #[error(
        "problem.kind is \"callable\": its objective is a function of the program that made the \
         study; run it from there"
    )]
    NeedsObjective,
    /// There are two objectives.
    #[error("problem.kind is \"{0}\", which brings its own objective; use \"callable\" for yours")]
    HasObjective(String),
    /// There is no evaluator.
    #[error("nobody evaluates this study: give it an evaluator, or ask and tell")]
    NobodyEvaluates,
    /// There is no limit.
    #[error(
        "nothing ends this study; give iterations, evaluations, wall_time, target or stagnation"
    )]
    NothingEnds,
    /// The environment cannot be made.
    #[error("problem.env: {0}")]
    Env(#[from] EnvError),
    /// The workers.
    #[error("iteration {iteration}: {source}")]
    Evaluate {
        /// When.
        iteration: u32,
        /// What happened.
        source: EvaluateError,
    },
    /// Something was told that was not asked for.
    #[error("candidate {job} of iteration {iteration} cannot be told: {reason}")]
    NotAsked {
        /// Of which iteration.
        iteration: u32,
        /// Its place among those to evaluate.
        job: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// Not one outcome for each candidate that was asked for.
    #[error("{told} outcomes are told of {expected} candidates: ask for them first")]
    ToldOthers {
        /// How many outcomes.
        told: usize,
        /// How many candidates were asked for.
        expected: usize,
    },
    /// All evaluations of an iteration failed, again and again.
    #[error(
        "iteration {iteration}: all {evaluations} evaluations failed, {attempts} times in a row:\n\
         {reasons}\nwhat was finished before is kept; mend the objective, then resume"
    )]
    NothingCameBack {
        /// Which.
        iteration: u32,
        /// How many.
        evaluations: usize,
        /// How often it was tried.
        attempts: u64,
        /// The most frequent ones.
        reasons: String,
    },
    /// Too many evaluations of an iteration failed.
    #[error(
        "iteration {iteration}: {failed} of {evaluations} evaluations failed, more than \
         failures.share = {share} allows:\n{reasons}\n\
         the iteration is kept; mend the objective, then resume, or allow for more; \
         failures.infeasible = true says that such candidates are bad ones"
    )]
    TooManyFailures {
        /// Which.
        iteration: u32,
        /// How many evaluations failed.
        failed: usize,
        /// How many evaluations there were.
        evaluations: usize,
        /// The share of them that may fail.
        share: f64,
        /// The most frequent ones.
        reasons: String,
    },
}

/// A study: what it is, who evaluates, how far it is, and where that is written down.
pub struct Study<'a> {
    pub(crate) spec: Spec,
    pub(crate) layout: Arc<Layout>,
    /// `None` if the candidates are evaluated by whoever asks for them.
    pub(crate) evaluator: Option<Box<dyn Evaluator + 'a>>,
    pub(crate) state: State,
    /// Designs to begin with.
    pub(crate) given: Vec<Given>,
    pub(crate) best: Option<Best>,
    pub(crate) writer: Option<Writer>,
    pub(crate) directory: Option<PathBuf>,
    /// How long it ran before this process.
    pub(crate) before: Duration,
}

impl<'a> Study<'a> {
    /// A study of an objective of yours, in memory, on all cores. Its space and dimension are in
    /// `spec.problem`, which is [`ProblemConfig::Callable`].
    pub fn new(spec: Spec, objective: impl Objective + 'a) -> Result<Self, StudyError> {
        if !matches!(spec.problem, ProblemConfig::Callable(_)) {
            return Err(StudyError::HasObjective(spec.problem.name()));
        }
        Self::with(spec, InProcess::new(objective, None))
    }

    /// A study of a problem that brings its objective, in memory, with so many workers, or as
    /// many as there are cores.
    pub fn built_in(spec: Spec, workers: Option<NonZeroUsize>) -> Result<Self, StudyError> {
        // First, so that nothing is built from settings that were not checked.
        let plan = spec.plan()?;
        let evaluator = plan.spec.evaluator(workers)?;
        Self::of(plan, Some(evaluator))
    }

    /// A study that `evaluator` evaluates, in memory.
    pub fn with(spec: Spec, evaluator: impl Evaluator + 'a) -> Result<Self, StudyError> {
        Self::of(spec.plan()?, Some(Box::new(evaluator)))
    }

    /// A study whose candidates you evaluate, by [`ask`](crate::Running::ask) and
    /// [`tell`](crate::Running::tell), in memory.
    pub fn ask_tell(spec: Spec) -> Result<Self, StudyError> {
        Self::of(spec.plan()?, None)
    }

    /// The study that was planned, in memory.
    pub fn of(plan: Plan, evaluator: Option<Box<dyn Evaluator + 'a>>) -> Result<Self, StudyError> {
        let Plan { spec, layout, search, given, objective } = plan;
        let mut study =
            Self::at(spec, layout, State { objective, ..State::new(search) }, evaluator);
        study.given = given;
        if let (Some(evaluator), false) = (&mut study.evaluator, study.state.objective.is_empty()) {
            let taken = evaluator.restore(&study.state.objective);
            taken.map_err(|source| StudyError::Evaluate { iteration: 0, source })?;
        }
        Ok(study)
    }

    fn at(
        spec: Spec,
        layout: Arc<Layout>,
        state: State,
        evaluator: Option<Box<dyn Evaluator + 'a>>,
    ) -> Self {
        let (given, before) = (Vec::new(), Duration::ZERO);
        let (best, writer, directory) = (None, None, None);
        Self { spec, layout, evaluator, state, given, best, writer, directory, before }
    }

    /// Lets somebody see what each worker does, as far as whoever evaluates knows.
    pub fn watch(&mut self) -> Arc<Crew> {
        let crew = Arc::new(Crew::default());
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.watch(crew.clone());
        }
        crew
    }

    /// What the study is.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// What it amounts to.
    pub fn overview(&self) -> Overview {
        Overview::of(&self.spec, &self.layout, &self.state.search)
    }

    /// The best (m, θ) so far.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// θ where the search stands, if it stands anywhere, in the user's units.
    pub fn centre(&self) -> Option<Vec<f64>> {
        let mut theta = self.state.search.centre()?.to_vec();
        self.layout.to_user(&mut theta);
        Some(theta)
    }

    /// Which coordinates of θ are which numbers of a design.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The model that the controller thinks most of.
    pub fn best_model(&self) -> Option<&Dna> {
        self.state.search.best_model().map(|(dna, ..)| dna)
    }

    /// Where it is kept.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// How many iterations are done.
    pub fn iterations(&self) -> u64 {
        self.state.iteration.into()
    }

    /// How many evaluations are done.
    pub fn evaluations(&self) -> u64 {
        self.state.evaluations
    }

    /// Keeps this study in `directory`, which must not hold one.
    pub fn create(mut self, directory: &Path, options: Options) -> Result<Self, StudyError> {
        self.keep_in(directory, options)?;
        Ok(self)
    }

    pub(crate) fn keep_in(&mut self, directory: &Path, options: Options) -> Result<(), StudyError> {
        self.spec.expect_readable()?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let header = Header {
            spec: self.spec.to_toml(),
            fingerprint: self.spec.fingerprint(),
            program: concat!("esenas ", env!("CARGO_PKG_VERSION")).to_owned(),
            created: since.as_secs(),
        };
        let options = Options { checkpoint_bytes: self.state.size(), ..options };
        self.writer = Some(Writer::create(directory, &header, options)?);
        self.directory = Some(directory.to_path_buf());
        Ok(())
    }

    /// Goes on with the study in `directory`, which must be this one but for its limits.
    pub fn resume(mut self, directory: &Path, options: Options) -> Result<Self, StudyError> {
        let writer = Writer::open(directory, options)?;
        let there = Spec::of(writer.header(), directory)?;
        self.spec = self.spec.going_on(&there).map_err(|differences| StudyError::Differs {
            directory: directory.to_path_buf(),
            differences,
        })?;
        if let Some(checkpoint) = writer.latest_checkpoint()? {
            self.state = State::of(&checkpoint, &writer.header().program, directory)?;
        }
        self.go_on(writer, directory)
    }

    /// Goes on from the state that it has, which is the last one of `directory`.
    fn go_on(mut self, writer: Writer, directory: &Path) -> Result<Self, StudyError> {
        if let Some(evaluator) = &mut self.evaluator {
            let iteration = self.state.iteration;
            evaluator
                .restore(&self.state.objective)
                .map_err(|source| StudyError::Evaluate { iteration, source })?;
        }
        if self.state.iteration > 0 {
            let reader = Reader::open(directory)?;
            self.best = reader.best()?;
            let mut seconds = 0.0;
            for row in reader.timings(0) {
                let (_, timings) = row?;
                seconds += timings.ask + timings.evaluate + timings.tell + timings.store;
            }
            self.before = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        }
        self.directory = Some(directory.to_path_buf());
        self.writer = Some(writer);
        self.write_limits()?;
        Ok(self)
    }

    /// Moves the end. Of a study in a directory that is written down. While nothing was asked for
    /// and nothing is kept, the rules of `auto` look at it once more.
    pub fn stop_at(&mut self, stop: StopConfig) -> Result<(), StudyError> {
        self.move_end(stop, true)
    }

    pub(crate) fn move_end(&mut self, stop: StopConfig, open: bool) -> Result<(), StudyError> {
        stop.check().map_err(|fault| self.spec.locate(fault))?;
        if open && self.state.iteration == 0 && self.directory.is_none() {
            let spec = self.spec.chosen_for(stop);
            if spec.search != self.spec.search {
                let Plan { search, objective, given, .. } = spec.clone().plan()?;
                self.state = State { objective, ..State::new(search) };
                self.given = given;
            }
            self.spec = spec;
            return Ok(());
        }
        self.spec.stop = stop;
        self.write_limits()
    }

    /// Whether the study is over, and why.
    pub fn ended(&self) -> Option<End> {
        self.ended_after(self.before)
    }

    /// Writes down when the study ends, if that is another end than the directory knows.
    pub(crate) fn write_limits(&mut self) -> Result<(), StudyError> {
        self.hold_directory()?;
        let text = self.spec.to_toml();
        match &mut self.writer {
            Some(writer) if writer.header().spec != text => Ok(writer.set_spec(text)?),
            _ => Ok(()),
        }
    }

    /// Takes hold of the directory again, if there is one and it was let go of.
    pub(crate) fn hold_directory(&mut self) -> Result<(), StudyError> {
        if let (None, Some(directory)) = (&self.writer, &self.directory) {
            self.writer = Some(Writer::open(directory, Options::default())?);
        }
        Ok(())
    }

    /// Goes on with the study in `directory` if there is one, which must be this one but for its
    /// limits, and else keeps it there.
    pub fn open_or_create(self, directory: &Path, options: Options) -> Result<Self, StudyError> {
        if directory.join("esenas.db").exists() {
            self.resume(directory, options)
        } else {
            self.create(directory, options)
        }
    }
}

impl Study<'static> {
    /// The study in `directory`, of a problem that brings its objective, to go on with.
    pub fn open(
        directory: &Path,
        workers: Option<NonZeroUsize>,
        options: Options,
    ) -> Result<Self, StudyError> {
        Self::open_with(directory, options, |spec| spec.evaluator(workers).map(Some))
    }

    /// The study in `directory`, evaluated by what `evaluator` makes, if anything, to go on with.
    pub fn open_with<E: From<StudyError>>(
        directory: &Path,
        options: Options,
        evaluator: impl FnOnce(&Spec) -> Result<Option<Box<dyn Evaluator>>, E>,
    ) -> Result<Self, E> {
        // Not through a reader, which accepts no losses.
        let writer = Writer::open(directory, options).map_err(StudyError::from)?;
        let spec = Spec::of(writer.header(), directory).map_err(StudyError::from)?;
        let evaluator = evaluator(&spec)?;
        let study = match writer.latest_checkpoint().map_err(StudyError::from)? {
            None => Self::of(spec.plan().map_err(StudyError::from)?, evaluator)?,
            Some(checkpoint) => {
                let state = State::of(&checkpoint, &writer.header().program, directory)?;
                let layout = Arc::new(spec.layout().map_err(StudyError::from)?);
                Self::at(spec, layout, state, evaluator)
            }
        };
        Ok(study.go_on(writer, directory)?)
    }
}
