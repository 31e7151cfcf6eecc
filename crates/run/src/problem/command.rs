//! Programs in any language; see [`command`](crate::command) for how they are spoken to.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use esenas::Space;
use serde::{Deserialize, Serialize};

use super::Kind;
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
    /// d
    pub dimension: usize,
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
    fn dimension(&self) -> usize {
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

    fn evaluator(&self, workers: Option<NonZeroUsize>) -> Result<Box<dyn Evaluator>, StudyError> {
        Ok(Box::new(Programs::new(self, workers)))
    }
}
