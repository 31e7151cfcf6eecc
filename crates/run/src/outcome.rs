//! What became of one evaluation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An evaluation, or why there is none.
pub type Outcome = Result<Evaluation, Failure>;

/// What came back for one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What is optimized. We maximize.
    pub value: f64,
    /// The values of the other objectives, of a study with several.
    pub others: Vec<f64>,
    /// What is reported, where it differs from the value.
    pub score: Option<f64>,
    /// Whatever else the objective measured.
    pub metrics: BTreeMap<String, f64>,
    /// What the study has limits for.
    pub constraints: BTreeMap<String, f64>,
    /// What the candidate costs, where that is measured.
    pub cost: Option<f64>,
    /// What the objective wants folded into its shared state, in a form of its own.
    pub moments: Option<Vec<u8>>,
}

impl Evaluation {
    /// A value, and nothing besides.
    pub fn new(value: f64) -> Self {
        let (others, metrics, constraints) = Default::default();
        Self { value, others, score: None, metrics, constraints, cost: None, moments: None }
    }
}

/// Why a candidate has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{kind}: {reason}")]
pub struct Failure {
    /// What sort of failure it was.
    pub kind: FailureKind,
    /// What happened, for people.
    pub reason: String,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: short(reason.into()) }
    }
}

/// Bytes of a reason. More would be kept for every evaluation that fails.
const LONGEST: usize = 4096;

/// The beginning and the end: the one says what was done, the other most often what went wrong.
fn short(reason: String) -> String {
    if reason.len() <= LONGEST {
        return reason;
    }
    let (mut head, mut tail) = (LONGEST / 4, reason.len() - LONGEST / 2);
    while !reason.is_char_boundary(head) {
        head -= 1;
    }
    while !reason.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{} … ({} bytes left out) … {}", &reason[..head], tail - head, &reason[tail..])
}

/// The sorts of failure.
///
/// The first three are the objective's own answer and final: evaluating again would say the same.
/// The others are not about the candidate, as far as one can tell, and come after several attempts
/// (except that an answer which names its question, and is wrong otherwise, is final as well).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The objective said that it could not evaluate the candidate.
    Failed,
    /// The objective panicked.
    Panicked,
    /// The value or the score was NaN or infinite.
    NonFinite,
    /// The worker's answer was not one.
    Malformed,
    /// No answer within the time allowed.
    TimedOut,
    /// The worker died, or could not be reached.
    WorkerLost,
}

impl FailureKind {
    /// Whether evaluating the same candidate again would fail again.
    pub fn is_of_the_candidate(self) -> bool {
        matches!(self, Self::Failed | Self::Panicked | Self::NonFinite)
    }
}

impl std::fmt::Display for FailureKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Failed => "failed",
            Self::Panicked => "panicked",
            Self::NonFinite => "not finite",
            Self::Malformed => "malformed answer",
            Self::TimedOut => "timed out",
            Self::WorkerLost => "worker lost",
        })
    }
}

/// The door: every outcome of every executor passes here before anyone learns from it.
///
/// A value, score, constraint or cost that is not finite is a failure. A metric that is not finite
/// is left out: nobody optimizes it, and a diverged diagnostic should not cost the evaluation.
pub fn admit(outcome: Outcome) -> Outcome {
    let mut evaluation = outcome?;
    let refuse = |what: &str, x| Failure::new(FailureKind::NonFinite, format!("the {what} is {x}"));
    if !evaluation.value.is_finite() {
        return Err(refuse("value", evaluation.value));
    }
    if let Some(other) = evaluation.others.iter().find(|value| !value.is_finite()) {
        return Err(refuse("value of an objective", *other));
    }
    if let Some(score) = evaluation.score.filter(|s| !s.is_finite()) {
        return Err(refuse("score", score));
    }
    if let Some((name, x)) = evaluation.constraints.iter().find(|(_, x)| !x.is_finite()) {
        return Err(refuse(&format!("constraint {name:?}"), *x));
    }
    if let Some(cost) = evaluation.cost.filter(|cost| !(cost.is_finite() && *cost >= 0.0)) {
        let reason = format!("the cost is {cost}: it must be a finite number from 0 on");
        return Err(Failure::new(FailureKind::NonFinite, reason));
    }
    evaluation.metrics.retain(|_, x| x.is_finite());
    Ok(evaluation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_values_and_scores_are_admitted() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let failure = admit(Ok(Evaluation::new(bad))).unwrap_err();
            assert_eq!(failure.kind, FailureKind::NonFinite);
            assert_eq!(failure.to_string(), format!("not finite: the value is {bad}"));
            let scored = Evaluation { score: Some(bad), ..Evaluation::new(1.0) };
            assert_eq!(admit(Ok(scored)).unwrap_err().reason, format!("the score is {bad}"));
        }
        let limited = Evaluation {
            constraints: [("mass".to_owned(), f64::NAN)].into(),
            ..Evaluation::new(1.0)
        };
        assert_eq!(admit(Ok(limited)).unwrap_err().reason, "the constraint \"mass\" is NaN");
        let priced = Evaluation { cost: Some(-1.0), ..Evaluation::new(1.0) };
        let said = admit(Ok(priced)).unwrap_err().reason;
        assert_eq!(said, "the cost is -1: it must be a finite number from 0 on");
        let fine = Evaluation { score: Some(-0.0), ..Evaluation::new(f64::MIN) };
        assert_eq!(admit(Ok(fine.clone())), Ok(fine));
    }

    /// Red while an error of a megabyte is kept whole, or cut within a letter.
    #[test]
    fn a_long_reason_keeps_its_ends() {
        let long = format!("{}{}{}", "ä".repeat(1000), "–".repeat(300_000), "the end");
        let failure = Failure::new(FailureKind::Failed, long);
        assert!(failure.reason.len() < 4096, "{}", failure.reason.len());
        assert!(failure.reason.starts_with("ää") && failure.reason.ends_with("–the end"));
        let short = "x".repeat(4096);
        assert_eq!(Failure::new(FailureKind::Failed, short.clone()).reason, short);
    }

    #[test]
    fn a_metric_that_is_not_finite_is_left_out() {
        let metrics = [("loss", f64::NAN), ("steps", 3.0)].map(|(k, v)| (k.to_owned(), v));
        let measured = Evaluation { metrics: metrics.into(), ..Evaluation::new(1.0) };
        let kept = admit(Ok(measured)).unwrap().metrics;
        assert_eq!(kept, BTreeMap::from([("steps".to_owned(), 3.0)]));
    }
}
