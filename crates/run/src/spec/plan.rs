//! A study put together, once: its settings, and the search they begin with.

use std::sync::Arc;

use esenas::space::Size;
use esenas::weights::WeightsConfig;
use esenas::{Purpose, Search, SearchConfig, Seed, Space, Start};

use super::check::LARGEST_POPULATION;
use super::fault::Fault;
use super::{Spec, SpecError};

/// CMA-ES holds matrices of d × d doubles: beyond this many gigabytes.
const LARGEST_CMA: usize = 10_000;

/// A study that can run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) spec: Spec,
    pub(crate) space: Arc<Space>,
    pub(crate) search: Search,
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
}

impl Overview {
    pub(crate) fn of(spec: &Spec, space: &Space, search: &Search) -> Self {
        let centre = match &spec.search {
            SearchConfig::EsEnas { joint, .. } => joint.centre as usize,
            SearchConfig::Hybrid { .. } => 0,
        };
        Self {
            size: space.size(),
            decisions: space.loci(),
            dimension: spec.problem.dimension(),
            evaluations: search.population(),
            centre,
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
        Overview::of(&self.spec, &self.space, &self.search)
    }
}

impl Spec {
    /// Puts the study together, or says which key stands in the way.
    pub fn plan(self) -> Result<Plan, SpecError> {
        let (space, search) = self.build().map_err(|fault| self.locate(fault))?;
        Ok(Plan { spec: self, space, search })
    }

    fn build(&self) -> Result<(Arc<Space>, Search), Fault> {
        self.check()?;
        let space = Arc::new(self.problem.space());
        let dimension = self.problem.dimension();
        if let SearchConfig::EsEnas { weights: WeightsConfig::CmaEs(_), .. } = &self.search
            && dimension > LARGEST_CMA
        {
            let what = format!("cma-es holds d × d matrices, and d is {dimension}");
            let help = format!("use sep-cma-es, lm-ma-es, snes or es above d = {LARGEST_CMA}");
            return Err(Fault::new("weights.kind", what).help(help));
        }
        let problem = self.problem.kind();
        let bounds = problem.region()?;
        let seed = Seed(self.seed);
        let theta = problem.theta(seed, bounds.as_ref());
        let theta = theta.map_err(|what| Fault::new("problem.start", what))?;
        let dna = space.sample(&mut seed.stream(Purpose::Start, 0, 0));
        let start = Start { space: space.clone(), dna, theta, bounds };
        let search = Search::new(self.search.clone(), start).map_err(|error| self.blame(&error))?;
        if search.population() > LARGEST_POPULATION {
            let points = search.population();
            let what = format!("asks for {points} evaluations in an iteration");
            let key = if matches!(self.search, SearchConfig::Hybrid { .. }) {
                "hybrid"
            } else {
                "weights"
            };
            let help = format!("at most {LARGEST_POPULATION} are possible");
            return Err(Fault::new(key, what).help(help));
        }
        Ok((space, search))
    }
}
