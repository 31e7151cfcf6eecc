//! A study put together, once: its settings, and the search they begin with.

use std::sync::Arc;
use std::time::{Duration, Instant};

use esenas::space::Size;
use esenas::{Candidate, Layout, Optimizer, Purpose, Search, SearchConfig, Seed, Start};
use serde_json::Value;

use super::check::LARGEST_POPULATION;
use super::fault::Fault;
use super::{Spec, SpecError, StartConfig};
use crate::driver::SHOWN;
use crate::evaluator::{Batch, EvaluateError, Evaluator};
use crate::known::Given;
use crate::warm::Warm;
use crate::{Failure, FailureKind, Known, Outcome};

/// A study that can run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) spec: Spec,
    pub(crate) layout: Arc<Layout>,
    pub(crate) search: Search,
    /// Designs to begin with.
    pub(crate) given: Vec<Given>,
    /// What the objective learned in the run that this one goes on from.
    pub(crate) objective: Vec<u8>,
}

/// What a study amounts to.
#[derive(Clone, Debug, PartialEq)]
pub struct Overview {
    /// |𝓜|
    pub size: Size,
    /// How many decisions a model can have.
    pub decisions: u32,
    /// d
    pub dimension: usize,
    /// Evaluations in an iteration, those of the centre included.
    pub evaluations: usize,
    /// Evaluations of the centre in an iteration that has them.
    pub centre: usize,
    /// Whether θ is searched in units of its own, so that a σ is a share of each interval.
    pub is_rescaled: bool,
}

impl Overview {
    pub(crate) fn of(spec: &Spec, layout: &Layout, search: &Search) -> Self {
        let centre = match &spec.search {
            SearchConfig::EsEnas { joint, .. } => joint.centre as usize,
            SearchConfig::Alternating { alternating, .. } => alternating.centre as usize,
            SearchConfig::Hybrid { .. } | SearchConfig::Front(_) => 0,
        };
        Self {
            size: layout.space().size(),
            decisions: layout.space().loci(),
            dimension: layout.dim(),
            evaluations: search.population(),
            centre,
            is_rescaled: layout.is_rescaled(),
        }
    }
}

impl Plan {
    /// What the study is.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// What it amounts to.
    pub fn overview(&self) -> Overview {
        Overview::of(&self.spec, &self.layout, &self.search)
    }

    /// Has one candidate evaluated: the first that the study would ask for.
    pub fn attempt(&self, evaluator: &mut dyn Evaluator) -> Result<Attempt, EvaluateError> {
        let (seed, mut search) = (Seed(self.spec.seed), self.search.clone());
        let stream = &mut seed.stream(Purpose::Ask, 0, 0);
        let asked = search.ask(search.population(), stream);
        let jobs: Vec<(u32, &Candidate)> = asked.iter().take(1).map(|it| (0, it)).collect();
        let batch = Batch { layout: &self.layout, jobs: &jobs, seed, iteration: 0 };
        let design = batch.with(0, |point| point.design().to_value(SHOWN));
        let began = Instant::now();
        let outcome = evaluator.evaluate(&batch)?.into_iter().next();
        let nothing = || Err(Failure::new(FailureKind::Failed, "nothing came back"));
        let outcome = self.spec.as_declared(outcome.unwrap_or_else(nothing));
        Ok(Attempt { design, outcome, elapsed: began.elapsed() })
    }
}

/// What became of one candidate.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The design, as it is shown.
    pub design: Value,
    /// What came back.
    pub outcome: Outcome,
    /// How long that took.
    pub elapsed: Duration,
}

impl Spec {
    /// Puts the study together, or says which key stands in the way.
    pub fn plan(self) -> Result<Plan, SpecError> {
        self.clone().build().map_err(|fault| self.locate(fault))
    }

    /// Which coordinates of θ are which numbers of a design.
    pub fn layout(&self) -> Result<Layout, SpecError> {
        self.problem.kind().layout().map_err(|fault| self.locate(fault))
    }

    fn build(self) -> Result<Plan, Fault> {
        self.check()?;
        let layout = Arc::new(self.problem.kind().layout()?);
        let mut given = self.given(&layout)?;
        let (seed, space) = (Seed(self.seed), layout.space().clone());
        let mut theta = self.problem.kind().theta(seed, &layout)?;
        let before = self.warm_start.as_deref().map(|run| Warm::load(run, &layout)).transpose()?;
        if let Some(centre) = before.as_ref().and_then(|run| run.theta.clone()) {
            theta = centre;
        }
        let start = Start { space, theta, bounds: layout.bounds().cloned() };
        let search = Search::new(self.search.clone(), start).map_err(|error| self.blame(&error))?;
        let mut plan =
            Plan { spec: self, layout, search, given: Vec::new(), objective: Vec::new() };
        if let Some(run) = before {
            run.hand_over(&mut plan, &mut given);
        }
        plan.given = given;
        plan.check_population()?;
        Ok(plan)
    }

    /// The designs to begin with.
    fn given(&self, layout: &Layout) -> Result<Vec<Given>, Fault> {
        let mut given = Vec::new();
        if let StartConfig::Design(design) = self.problem.kind().start() {
            let known = Known::new(design);
            given.push(known.found("problem.start", self, layout)?);
        }
        for (at, known) in self.designs.iter().enumerate() {
            given.push(known.found(&format!("designs[{at}]"), self, layout)?);
        }
        Ok(given)
    }
}

impl Plan {
    fn check_population(&self) -> Result<(), Fault> {
        let points = self.search.population();
        if points <= LARGEST_POPULATION {
            return Ok(());
        }
        let what = format!("asks for {points} evaluations in an iteration");
        let is_hybrid = matches!(self.spec.search, SearchConfig::Hybrid { .. });
        let key = if is_hybrid { "hybrid" } else { "weights" };
        let help = format!("at most {LARGEST_POPULATION} are possible");
        Err(Fault::new(key, what).help(help))
    }
}
