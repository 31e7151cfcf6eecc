//! What reports have to be told about models: their decisions, their size, their pictures.

mod decisions;
mod portraits;

use std::collections::BTreeMap;

use esenas::Block;
use esenas::controllers::{ControllerConfig, Marginals};
use esenas::space::{Cost, Numbers, Price};
use esenas::{Dna, SearchConfig, Space};
use esenas_control::policy::{Edges, PolicyConfig};
use esenas_report::choices::{Decision, Measure};
use esenas_report::{Choices, Data, Models, Real};
use esenas_run::spec::Direction;
use esenas_run::{Rows, Spec};
use esenas_store::{Belief, Error, EvaluationRecord, Reader};

use decisions::{Decisions, shorten};

/// At most this many reals are looked at.
const MOST_REALS: usize = 1024;

/// The models of a study.
pub(crate) struct StudyModels {
    space: Space,
    decisions: Decisions,
    size: Option<(Measure, Price)>,
    rows: Option<Rows>,
    reals: Vec<Real>,
    /// Which real a block is, by its path.
    places: BTreeMap<String, usize>,
    minimized: bool,
}

impl StudyModels {
    /// The models of `spec`.
    pub(crate) fn new(spec: &Spec) -> Self {
        let space = spec.problem.space();
        let size =
            sized(spec).and_then(|(measure, cost)| Some((measure, cost.price(&space).ok()?)));
        let layout = spec.layout().ok();
        let blocks = layout.iter().flat_map(|layout| layout.blocks());
        let real = |block: &Block| match &block.numbers {
            Some(Numbers::Real(it)) => Some((block.path.clone(), it.low, it.high, it.log)),
            _ => None,
        };
        let found: Vec<_> = blocks.filter_map(real).take(MOST_REALS).collect();
        let mut names: Vec<String> = found.iter().map(|(path, ..)| path.clone()).collect();
        shorten(&mut names);
        let places = found.iter().enumerate().map(|(at, it)| (it.0.clone(), at)).collect();
        let named = names.into_iter().zip(found);
        let reals = named.map(|(name, (_, low, high, logarithmic))| Real {
            name,
            interval: (low, high),
            logarithmic,
        });
        Self {
            decisions: Decisions::new(&space, &spec.problem),
            reals: reals.collect(),
            places,
            rows: layout.map(Rows::new),
            minimized: spec.direction == Direction::Minimize,
            size,
            space,
        }
    }

    fn dna(&self, bytes: &[u8]) -> Option<Dna> {
        Dna::from_bytes(bytes).ok().filter(|dna| self.space.check(dna).is_ok())
    }
}

impl Models for StudyModels {
    fn decisions(&self) -> Vec<Decision> {
        self.decisions.all().to_vec()
    }

    fn chosen(&self, dna: &[u8]) -> Option<Vec<(usize, usize)>> {
        Some(self.decisions.chosen(&self.space, &self.dna(dna)?))
    }

    fn probabilities(&self, belief: &Belief) -> Vec<Option<Vec<f64>>> {
        let found = Marginals::from_numbers(&self.space, &belief.marginals, belief.exact);
        found.map_or_else(Vec::new, |found| self.decisions.probabilities(&found))
    }

    fn reals(&self) -> Vec<Real> {
        self.reals.clone()
    }

    fn numbers(&self, record: &EvaluationRecord) -> Vec<(usize, f64)> {
        let named = self.rows.as_ref().and_then(|rows| rows.reals(record)).unwrap_or_default();
        let at = |(path, x): (&str, f64)| Some((*self.places.get(path)?, x));
        named.into_iter().filter_map(at).collect()
    }

    fn minimized(&self) -> bool {
        self.minimized
    }

    fn measure(&self) -> Option<Measure> {
        self.size.as_ref().map(|(measure, _)| measure.clone())
    }

    fn size(&self, dna: &[u8]) -> Option<f64> {
        let (_, price) = self.size.as_ref()?;
        Some(price.of(&self.space, &self.dna(dna)?))
    }
}

/// What counts as the size of a model: what a constraint or a controller counts, or edges that may
/// be any number.
fn sized(spec: &Spec) -> Option<(Measure, Cost)> {
    let pruned = match spec.problem.policy().map(|it| it.policy) {
        Some(PolicyConfig::EdgePruning(it) | PolicyConfig::Nonlinearity(it)) => Some(it.edges),
        _ => None,
    };
    let name = |cost: &Cost| match cost {
        Cost::Active if pruned.is_some() => "edges",
        Cost::Active => "active choices",
        Cost::Decisions => "decisions",
        Cost::Table(_) | Cost::Measured => "cost",
    };
    let found = match &spec.search {
        SearchConfig::EsEnas { joint, controller, .. } => {
            match (&joint.view.constraint, controller) {
                (Some(it), _) => Some((it.cost.clone(), Some(it.target))),
                (None, ControllerConfig::Nsga2(it)) => Some((it.cost.clone(), None)),
                _ => None,
            }
        }
        SearchConfig::Alternating { alternating, .. } => {
            let constraint = alternating.view.constraint.as_ref();
            constraint.map(|it| (it.cost.clone(), Some(it.target)))
        }
        SearchConfig::Hybrid { .. } | SearchConfig::Front(_) => None,
    };
    // Of the model alone a cost that evaluations measure says nothing.
    let found = found.filter(|(cost, _)| *cost != Cost::Measured);
    let any = (pruned == Some(Edges::Any)).then_some((Cost::Active, None));
    let (cost, target) = found.or(any)?;
    let minimized = spec.direction == Direction::Minimize;
    Some((Measure { name: name(&cost).to_owned(), target, minimized }, cost))
}

/// Adds to `data` what only those who know its models can: choices and portraits. A study that this
/// program does not understand goes without.
pub(crate) fn complete(data: &mut Data, reader: &Reader) -> Result<(), Error> {
    let Ok(spec) = Spec::of(&data.header, data.name.as_ref()) else { return Ok(()) };
    data.choices = Choices::read(data, reader, &StudyModels::new(&spec))?;
    data.portraits = portraits::of(&spec, reader)?;
    Ok(())
}
