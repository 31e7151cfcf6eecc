//! The study file: everything that decides what a study computes.
//!
//! How many workers there are and where is never in it: they cannot change the result. See
//! `docs/study.md` for every key, and [`schema`] for editors.
//!
//! | module | what it does |
//! |---|---|
//! | `document` | reads TOML and remembers where each key stands; applies `--set` |
//! | `file` | the sections as they are written, and as they are meant |
//! | `goals` | limits and costs that are measured: what an answer must have, and how it ranks |
//! | `preset` | `auto` and `paper`: what searches where the study does not say; `[auto]` |
//! | `defaults` | completes sections with what the problem's kind has by default |
//! | `check` | what cannot run is refused, before anything does |
//! | `plan` | a study put together, once |
//! | `resume` | which limits a study has when it goes on, and what `auto` chose before |
//! | `removed` | keys that are no more, and what to use instead |
//! | `blame` | which key a refusal is about |
//! | `section` | a section without a study around it |
//! | `source`, `fault` | where that key stands, and how it is said |
//! | `write` | the resolved study as text, and how two of them differ |

mod beside;
mod blame;
mod check;
mod defaults;
mod document;
mod fault;
mod file;
mod goals;
mod plan;
mod preset;
mod problem;
mod ready;
mod removed;
mod resume;
mod section;
mod settings;
mod shape;
mod source;
mod text;
mod write;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use esenas::{JointConfig, SearchConfig};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use check::LARGEST;
pub(crate) use fault::Fault;
pub use fault::SpecError;
pub use goals::{Constraints, Goal};
pub use plan::{Attempt, Overview, Plan};
pub use preset::AutoConfig;
pub use problem::{BoxConfig, ProblemConfig, StartConfig, StepsConfig};
pub use section::check_section;
pub use settings::{Direction, FailuresConfig, RecordConfig, Seconds, StopConfig};
pub use source::Source;
pub use write::Difference;

use crate::Known;
use crate::evaluator::Evaluator;
pub use crate::problem::{CallableProblem, CommandProblem};
use crate::study::StudyError;
use document::Document;

/// A study, resolved: every default is written out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "file::File", into = "file::File")]
pub struct Spec {
    /// Where all randomness comes from.
    pub seed: u64,
    /// Which values are better.
    pub direction: Direction,
    /// The names of several goals; with a minus sign, lower values are better.
    pub objectives: Vec<String>,
    /// What measured numbers may be, by name.
    pub constraints: Constraints,
    /// When it ends.
    pub stop: StopConfig,
    /// What is optimized.
    pub problem: ProblemConfig,
    /// What optimizes it.
    pub search: SearchConfig,
    /// Every how many iterations the centre is evaluated.
    pub centre_every: u32,
    /// The run that it goes on from.
    pub warm_start: Option<PathBuf>,
    /// Designs that are known beforehand.
    pub designs: Vec<Known>,
    /// What is recorded.
    pub record: RecordConfig,
    /// How many failures it survives.
    pub failures: FailuresConfig,
    /// What the rules of `auto` were told, and which sections they chose.
    pub auto: AutoConfig,
    /// Why those are what they are, where the rules chose them just now. It is no part of the
    /// study: what was chosen is.
    pub choice: Option<String>,
    /// Where it was written, for messages.
    pub source: Source,
}

impl Spec {
    /// ES-ENAS with the paper's settings on `problem`, for so many iterations.
    pub fn new(problem: ProblemConfig, iterations: u32) -> Self {
        Self {
            seed: 0,
            direction: Direction::default(),
            objectives: Vec::new(),
            constraints: Constraints::default(),
            stop: StopConfig::iterations(iterations),
            search: SearchConfig::EsEnas {
                weights: problem.kind().weights(),
                controller: problem.kind().controller(),
                joint: JointConfig::default(),
            },
            problem,
            centre_every: 1,
            warm_start: None,
            designs: Vec::new(),
            record: RecordConfig::default(),
            failures: FailuresConfig::default(),
            auto: AutoConfig::default(),
            choice: None,
            source: Source::default(),
        }
    }

    /// Reads a study file and applies overrides of the form `a.b=c`.
    ///
    /// What is wrong is refused with the line and the key; what only the search itself can tell, by
    /// [`plan`](Self::plan).
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self, SpecError> {
        let text = text::read(path)
            .map_err(|source| SpecError::Read { path: path.to_path_buf(), source })?;
        let directory = path.parent().unwrap_or(Path::new(""));
        let name = path.display().to_string();
        let document = Self::document(&name, &text, directory, overrides)?;
        let spec = Self::resolve(document.looked_up()?)?;
        spec.expect_end()?;
        spec.ready()?;
        Ok(spec)
    }

    /// Reads a study from `text`. `name` is what messages call it, and `directory` is where files
    /// that it names are looked for.
    pub fn parse(
        name: &str,
        text: &str,
        directory: &Path,
        overrides: &[String],
    ) -> Result<Self, SpecError> {
        let spec = Self::read(name, text, directory, overrides)?;
        spec.expect_end()?;
        Ok(spec)
    }

    /// The same, of a study that need not end.
    pub(crate) fn read(
        name: &str,
        text: &str,
        directory: &Path,
        overrides: &[String],
    ) -> Result<Self, SpecError> {
        Self::resolve(Self::document(name, text, directory, overrides)?)
    }

    fn document(
        name: &str,
        text: &str,
        directory: &Path,
        overrides: &[String],
    ) -> Result<Document, SpecError> {
        let mut document = Document::parse(name, text)?;
        overrides.iter().try_for_each(|text| document.set(text))?;
        document.inline_space(directory)?;
        Ok(document)
    }

    /// Reads a study from values that never were a file; it need not end. `name` is what messages
    /// call it.
    pub fn from_value(name: &str, value: Value) -> Result<Self, SpecError> {
        Self::resolve(Document::new(name, value).looked_up()?)
    }

    fn resolve(mut document: Document) -> Result<Self, SpecError> {
        let spec = Self::accept(&mut document.value).map_err(|fault| document.locate(fault))?;
        Ok(Self { source: document.source, ..spec })
    }

    fn accept(study: &mut Value) -> Result<Self, Fault> {
        removed::refuse(study)?;
        beside::combinations(study)?;
        defaults::complete(study);
        preset::check_batch(study)?;
        let spec: Self = blame::read(study)?;
        shape::expect_tables(study, &spec.to_value())?;
        spec.check()?;
        preset::check_told(study, &spec)?;
        Ok(spec)
    }

    /// Says where a fault of this study is.
    pub(crate) fn locate(&self, fault: Fault) -> SpecError {
        self.source.locate(fault, &self.to_value())
    }

    /// Who evaluates a problem that brings its objective, with so many workers, or as many as there
    /// are cores. Called of studies that were read or checked.
    pub fn evaluator(
        &self,
        workers: Option<NonZeroUsize>,
    ) -> Result<Box<dyn Evaluator>, StudyError> {
        self.ready()?;
        self.problem.kind().evaluator(workers)
    }
}

/// The JSON Schema of a study file, for editors: `docs/study.schema.json`.
pub fn schema() -> &'static str {
    include_str!("../../../docs/study.schema.json")
}
