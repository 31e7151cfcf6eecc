//! What an answer is held to: limits on what was measured, a cost, and what a failure means.

use std::collections::BTreeMap;

use esenas::controllers::ControllerConfig;
use esenas::front::MOST_GOALS;
use esenas::joint::Baseline;
use esenas::shaping::{Constraint, IMPOSSIBLE, Limit, feasible_first};
use esenas::space::Cost;
use esenas::{Goals, SearchConfig};

use super::fault::Fault;
use super::{Direction, Spec};
use crate::{Evaluation, Failure, FailureKind, Outcome};

/// One of several goals: what it is called, and which values are better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Its name, without the minus sign.
    pub name: String,
    /// Which values are better.
    pub direction: Direction,
}

impl Goal {
    /// As it is written: with a minus sign, lower values are better.
    pub(crate) fn read(text: &str) -> Self {
        let (name, direction) = match text.strip_prefix('-') {
            Some(name) => (name, Direction::Minimize),
            None => (text, Direction::Maximize),
        };
        Self { name: name.to_owned(), direction }
    }
}

/// Limits on measured numbers, by name.
pub type Constraints = BTreeMap<String, Limit>;

impl Spec {
    /// Refuses limits that are none, and searches that know values only by their differences.
    pub(super) fn check_goals(&self) -> Result<(), Fault> {
        for (name, limit) in &self.constraints {
            let fault = |key: &str, what: &str| {
                let key =
                    format!("constraints.{name}{}{key}", if key.is_empty() { "" } else { "." });
                Fault::new(key, what)
            };
            if name.is_empty() {
                return Err(Fault::new("constraints", "must have names, and one is empty"));
            }
            limit.check().map_err(|error| fault(&error.key, &error.what))?;
        }
        self.check_objectives()?;
        if self.is_ordered() { self.check_ranks() } else { Ok(()) }
    }

    /// What is optimized, where that is more than one value.
    pub fn objectives(&self) -> Vec<Goal> {
        self.objectives.iter().map(|text| Goal::read(text)).collect()
    }

    fn check_objectives(&self) -> Result<(), Fault> {
        let fault = |what: String| Err(Fault::new("objectives", what));
        let objectives = self.objectives();
        if objectives.is_empty() {
            return Ok(());
        }
        if !(2..=MOST_GOALS).contains(&objectives.len()) {
            let what = format!("must be from 2 to {MOST_GOALS} names, got {}", objectives.len());
            let help = "one objective is what `direction` is for";
            return Err(Fault::new("objectives", what).help(help));
        }
        for (at, Goal { name, .. }) in objectives.iter().enumerate() {
            if name.is_empty() || name.starts_with('-') {
                return fault(format!(
                    "must be names, with one minus to minimize; {name:?} is none"
                ));
            }
            if objectives[..at].iter().any(|it| it.name == *name) {
                return fault(format!("must differ, and {name:?} is there twice"));
            }
            if self.constraints.contains_key(name) {
                return fault(format!("must not have the name of a limit, as {name:?} has"));
            }
        }
        match self.problem.kind().is_own() {
            true => Ok(()),
            false => fault("need a problem of your own: this kind has one value".to_owned()),
        }
    }

    /// Whether candidates may be infeasible.
    pub(crate) fn is_ordered(&self) -> bool {
        !self.constraints.is_empty() || self.failures.infeasible
    }

    fn check_ranks(&self) -> Result<(), Fault> {
        let by = match self.constraints.is_empty() {
            true => "failures.infeasible",
            false => "[constraints]",
        };
        let fault = |key, what: &str| {
            let help = "choose another: limits are an order of candidates, and this learns from \
                        differences of values";
            Err(Fault::new(key, format!("{what} beside {by}")).help(help))
        };
        let (SearchConfig::EsEnas { controller, .. }
        | SearchConfig::Hybrid { evolution: controller, .. }) = &self.search
        else {
            return Ok(());
        };
        if let SearchConfig::EsEnas { joint, .. } = &self.search
            && joint.baseline == Baseline::Additive
        {
            return fault("baseline", "cannot be \"additive\"");
        }
        match controller {
            ControllerConfig::PolicyGradient(_) | ControllerConfig::FactorizedPolicyGradient(_) => {
                fault("controller.kind", "cannot be a policy gradient")
            }
            _ => Ok(()),
        }
    }

    /// What the cost that evaluations measure counts for, if it does.
    fn measured_cost(&self) -> Option<&Constraint> {
        let view = match &self.search {
            SearchConfig::EsEnas { joint, .. } => &joint.view,
            SearchConfig::Alternating { alternating, .. } => &alternating.view,
            SearchConfig::Hybrid { .. } | SearchConfig::Front(_) => return None,
        };
        view.constraint.as_ref().filter(|it| it.cost == Cost::Measured)
    }

    /// An outcome that has what the study declares, and no limit that it does not.
    pub(crate) fn as_declared(&self, outcome: Outcome) -> Outcome {
        let mut evaluation = outcome?;
        let refuse = |what: String| Err(Failure::new(FailureKind::Malformed, what));
        let (values, wanted) = (1 + evaluation.others.len(), self.objectives.len().max(1));
        if values != wanted {
            let names = match self.objectives.is_empty() {
                true => "the study has one: name several in `objectives`".to_owned(),
                false => format!("the objectives are {}", self.objectives.join(", ")),
            };
            return refuse(format!("the answer has {values} values, not {wanted}: {names}"));
        }
        for name in evaluation.constraints.keys() {
            if !self.constraints.contains_key(name) {
                let known: Vec<&str> = self.constraints.keys().map(String::as_str).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return refuse(format!(
                    "the answer has a constraint {name:?} that the study does not declare: \
                     [constraints] has {known}"
                ));
            }
        }
        for name in self.constraints.keys() {
            if !evaluation.constraints.contains_key(name) {
                return refuse(format!("the answer lacks the constraint {name:?}"));
            }
        }
        if self.measured_cost().is_some() && evaluation.cost.is_none() {
            return refuse("the answer lacks the cost, which [constraint] measures".to_owned());
        }
        // Recorded by their names, as what else was measured.
        for (objective, value) in self.objectives().into_iter().zip(values_of(&evaluation)) {
            evaluation.metrics.insert(objective.name, value);
        }
        Ok(evaluation)
    }

    /// By how much an evaluation exceeds each of the limits.
    pub(crate) fn excesses(&self, evaluation: &Evaluation) -> Vec<f64> {
        let measured = |name| evaluation.constraints.get(name).copied();
        let limits = self.constraints.iter();
        limits.map(|(name, limit)| measured(name).map_or(0.0, |x| limit.excess(x))).collect()
    }

    /// A value with its violation, as searches are told it: higher is better.
    pub(crate) fn ranked(&self, value: f64, violation: f64) -> f64 {
        let value = self.direction.maximized(value);
        if self.is_ordered() { feasible_first(value, violation) } else { value }
    }

    /// What a search is told of an outcome with this violation.
    pub(crate) fn told(&self, outcome: &Outcome, violation: f64) -> Option<f64> {
        match outcome {
            Ok(evaluation) => Some(match (self.measured_cost(), evaluation.cost) {
                (Some(constraint), Some(cost)) => {
                    let value = self.direction.maximized(evaluation.value);
                    let value = self.direction.maximized(constraint.apply(value, cost));
                    self.ranked(value, violation)
                }
                _ => self.ranked(evaluation.value, violation),
            }),
            Err(failure) if self.is_announced(failure) => Some(IMPOSSIBLE),
            Err(_) => None,
        }
    }

    /// What a search is told of an outcome with several values.
    pub(crate) fn told_goals(&self, outcome: &Outcome, violation: f64) -> Option<Goals> {
        let signed = |(objective, value): (Goal, f64)| objective.direction.maximized(value);
        match outcome {
            Ok(evaluation) => {
                let each = self.objectives().into_iter().zip(values_of(evaluation));
                Some(Goals { values: each.map(signed).collect(), violation })
            }
            Err(failure) if self.is_announced(failure) => {
                Some(Goals { values: vec![f64::MIN; self.objectives.len()], violation: f64::MAX })
            }
            Err(_) => None,
        }
    }

    /// Whether the study expects such failures: they say that a candidate is infeasible.
    pub(crate) fn is_announced(&self, failure: &Failure) -> bool {
        self.failures.infeasible && failure.kind.is_of_the_candidate()
    }
}

/// The values of all objectives, in their order.
fn values_of(evaluation: &Evaluation) -> Vec<f64> {
    std::iter::once(evaluation.value).chain(evaluation.others.iter().copied()).collect()
}
