//! `preset`: what is searched with where the study does not say.
//!
//! `"paper"` leaves it to the paper: Algorithm 1 with its settings for the kind of problem. `"auto"`
//! chooses by the rules of [`esenas::auto`]. A resolved study names what was chosen and has no preset: a
//! resumption cannot choose again.

use esenas::auto::{Choice, Facts, policy};
use serde::{Deserialize, Serialize};

use super::{ProblemConfig, StopConfig};

/// Who says what the study does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Preset {
    /// The rules.
    Auto,
    /// The paper.
    Paper,
}

/// What `auto` makes of a study, if it has a box for θ or is of a policy: the others are left to the paper.
pub(super) fn choose(problem: &ProblemConfig, stop: &StopConfig) -> Option<Choice> {
    let kind = problem.kind();
    // What cannot run is refused by whoever builds it.
    kind.check().ok()?;
    let dim = Some(kind.dimension()).filter(|dim| *dim > 0)?;
    match kind.region().ok()? {
        Some(bounds) => Some(Facts::new(&kind.space(), dim, &bounds, stop.evaluations).choose()),
        None => kind.is_policy().then(|| policy(dim)),
    }
}
