//! How many edges the models at the centre use, iteration by iteration.

use std::path::Path;

use esenas::Dna;
use esenas_run::problem::rl::RlConfig;
use esenas_run::spec::ProblemConfig;
use esenas_run::{Spec, StudyError};
use esenas_store::{EvaluationRecord, Outcome, Reader, Role};

use crate::BenchError;

/// Of how many edges it is kept how often each is used.
const FEW: usize = 64;

/// Edges in use at the centre, on average over its models.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Used {
    /// How many.
    pub(super) edges: f64,
    /// Of all there are.
    pub(super) share: f64,
    /// How often each, where there are few and models choose them.
    pub(super) each: Vec<f64>,
}

/// By iteration; nothing where every model uses as many.
pub(super) fn used(directory: &Path, iterations: usize) -> Result<Vec<Option<Used>>, BenchError> {
    let spec = Spec::stored(directory)?;
    let mut found = vec![None; iterations];
    let ProblemConfig::Rl(config) = spec.problem else { return Ok(found) };
    let Some(counter) = Counter::of(&config) else { return Ok(found) };
    let reader = Reader::open(directory).map_err(StudyError::from)?;
    for evaluated in reader.evaluations(0) {
        let (iteration, records) = evaluated.map_err(StudyError::from)?;
        if let Some(place) = found.get_mut(iteration as usize) {
            *place = counter.mean(&records);
        }
    }
    Ok(found)
}

/// What knows the edges of a model.
struct Counter {
    /// All there are.
    pool: usize,
    /// Whether models decide about each, or a mask that the objective has measured.
    chosen: bool,
}

impl Counter {
    fn of(config: &RlConfig) -> Option<Self> {
        let policy = config.class()?;
        let pool = policy.layout().edges();
        let masked = policy.usage(&vec![0.0; policy.dimension()]).is_some();
        let chosen = policy.decides_about_each_edge();
        (masked || chosen).then_some(Self { pool, chosen })
    }

    fn mean(&self, records: &[EvaluationRecord]) -> Option<Used> {
        let mut used = Used::default();
        let mut models = 0.0;
        if self.chosen && self.pool <= FEW {
            used.each = vec![0.0; self.pool];
        }
        for record in records.iter().filter(|record| record.role == Role::Centre) {
            let Outcome::Done { metrics, .. } = &record.outcome else { continue };
            if self.chosen {
                let Ok(dna) = Dna::from_bytes(&record.dna) else { continue };
                let edges = &dna.genes()[..self.pool.min(dna.genes().len())];
                used.edges += edges.iter().filter(|gene| **gene == 1).count() as f64;
                used.each.iter_mut().zip(edges).for_each(|(p, gene)| *p += f64::from(*gene));
            } else if let Some(share) = metrics.as_ref().and_then(|it| it.get("usage")) {
                used.edges += share * self.pool as f64;
            } else {
                continue;
            }
            models += 1.0;
        }
        used.edges /= models;
        used.share = used.edges / self.pool as f64;
        used.each.iter_mut().for_each(|p| *p /= models);
        (models > 0.0).then_some(used)
    }
}
