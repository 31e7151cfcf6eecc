//! Programs in any language; see [`command`](crate::command) for how they are spoken to.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use esenas::Space;
use serde::{Deserialize, Serialize};

use super::Kind;
use crate::command::program::{self, Missing};
use crate::command::scratch::Scratch;
use crate::evaluator::{Evaluator, Programs};
use crate::spec::{BoxConfig, Fault, Seconds, StartConfig, StepsConfig};
use crate::study::StudyError;

/// A program in any language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandProblem {
    /// The program and its arguments. No shell is involved.
    pub argv: Vec<String>,
    /// Where it is run; where the study is started, when left out.
    #[serde(default)]
    pub directory: Option<PathBuf>,
    /// 𝓜
    pub space: Space,
    /// How many coordinates θ has beside the models. Left out, θ are the numbers of the space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<usize>,
    /// The box of θ.
    #[serde(default)]
    pub bounds: Option<BoxConfig>,
    /// The grids its coordinates are on.
    #[serde(default)]
    pub steps: Option<StepsConfig>,
    /// The first θ.
    #[serde(default)]
    pub start: StartConfig,
    /// The time allowed for one evaluation.
    #[serde(default = "hour")]
    pub timeout: Seconds,
    /// How often an evaluation is tried that a program died of, or was late with.
    #[serde(default = "three")]
    pub attempts: u32,
    /// How often in a row a program is restarted without an answer in between.
    #[serde(default = "thirty")]
    pub restarts: u32,
    /// The longest θ that is sent inline; longer ones go through a file.
    #[serde(default = "ten_thousand")]
    pub inline: usize,
}

fn hour() -> Seconds {
    Seconds(3600.0)
}

fn three() -> u32 {
    3
}

fn thirty() -> u32 {
    30
}

fn ten_thousand() -> usize {
    10_000
}

impl Kind for CommandProblem {
    fn flat(&self) -> Option<usize> {
        self.dimension
    }

    fn is_own(&self) -> bool {
        true
    }

    fn space(&self) -> Space {
        self.space.clone()
    }

    fn bounds(&self) -> Option<BoxConfig> {
        self.bounds.clone()
    }

    fn steps(&self) -> Option<StepsConfig> {
        self.steps.clone()
    }

    fn start(&self) -> StartConfig {
        self.start.clone()
    }

    fn check(&self) -> Result<(), Fault> {
        if self.argv.is_empty() {
            let help = "give a program and its arguments, as in [\"python3\", \"f.py\"]";
            return Err(Fault::new("problem.argv", "is empty").help(help));
        }
        if self.attempts == 0 {
            return Err(Fault::new("problem.attempts", "must be at least 1"));
        }
        if self.timeout.duration().is_zero() {
            return Err(Fault::new("problem.timeout", "must be more than 0"));
        }
        Ok(())
    }

    fn ready(&self) -> Result<(), Fault> {
        let here = PathBuf::from(".");
        let directory = self.directory.as_ref().unwrap_or(&here);
        if !directory.is_dir() {
            let what = "is no directory here";
            return Err(Fault::new("problem.directory", what).help("name one that is"));
        }
        let fault = |what: String| Fault::new("problem.argv", what);
        if let Some(at) = self.argv.iter().position(|word| word.contains('\0')) {
            let what = format!("word {at} has a zero byte, which no program can be given");
            return Err(fault(what));
        }
        let program = self.argv.first().map_or("", |word| word.as_str());
        program::find(program, directory).map_err(|missing| match missing {
            Missing::OnPath => fault(format!("{program:?} is no program on the PATH"))
                .help("install it, or give the path of a file that may be executed"),
            Missing::At(path) => fault(format!("there is no {}", path.display()))
                .help("give a program on the PATH, or the path of one"),
            Missing::NotExecutable(path) => {
                fault(format!("{} may not be executed", path.display()))
                    .help("give its interpreter, as in [\"python3\", \"f.py\"], or chmod +x it")
            }
        })?;
        // Where θ goes that is too long for a line.
        Scratch::new().map(drop).map_err(|error| Fault::new("problem", error.to_string()))
    }

    fn evaluator(&self, workers: Option<NonZeroUsize>) -> Result<Box<dyn Evaluator>, StudyError> {
        Ok(Box::new(Programs::new(self, workers)))
    }
}
