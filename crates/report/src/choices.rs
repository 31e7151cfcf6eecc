//! What the models of a study decided, over time: frequencies, how many differ, what they cost.
//!
//! From the recorded evaluations, so of any controller; where the controller is a distribution,
//! from the probabilities that it recorded of itself. What a model is belongs to others, who say it
//! through [`Models`].

use std::collections::{BTreeMap, BTreeSet};

use esenas_store::{Belief, Error, EvaluationRecord, Outcome, Reader};

use crate::Data;
use crate::reals::{PARTS, Real, Sample};
use crate::statistics::Effects;
use crate::study::Point;

/// At most this many moments are looked at, unless [`Data::moments`] says otherwise.
pub const MOMENTS: usize = 100;

/// At most this many models of each moment are looked at.
const MODELS: usize = 300;

/// About this many designs are kept.
const SAMPLES: usize = 600;

/// At most this many pairs of size and score are kept.
const PLACES: usize = 600;

/// What there is to know about models to draw their choices.
pub trait Models {
    /// What can be decided.
    fn decisions(&self) -> Vec<Decision>;

    /// What a recorded model decided: decision and option, of those that it has. `None` if it is
    /// none of these models.
    fn chosen(&self, dna: &[u8]) -> Option<Vec<(usize, usize)>>;

    /// What a recorded belief says of each decision, option by option; `None` of those it says
    /// nothing of.
    fn probabilities(&self, _belief: &Belief) -> Vec<Option<Vec<f64>>> {
        Vec::new()
    }

    /// What reals designs have.
    fn reals(&self) -> Vec<Real> {
        Vec::new()
    }

    /// Which of them a recorded design has, and what they are.
    fn numbers(&self, _record: &EvaluationRecord) -> Vec<(usize, f64)> {
        Vec::new()
    }

    /// Whether lower scores are better.
    fn minimized(&self) -> bool {
        false
    }

    /// What size is, where models have one.
    fn measure(&self) -> Option<Measure>;

    /// The size of a recorded model.
    fn size(&self, dna: &[u8]) -> Option<f64>;
}

/// Something to decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What it is called.
    pub name: String,
    /// Among what. Of a mask there are two: out and in.
    pub options: Vec<String>,
    /// Whether it says that something is in or out.
    pub mask: bool,
}

/// What the size of a model is.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// `edges`
    pub name: String,
    /// What a constraint asks for.
    pub target: Option<f64>,
    /// Whether lower scores are better.
    pub minimized: bool,
}

/// The choices of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// What could be decided.
    pub decisions: Vec<Decision>,
    /// What was, over time.
    pub moments: Vec<Moment>,
    /// The share of the variance of values within an iteration that each decision, and then each
    /// real, explains alone.
    pub importance: Vec<f64>,
    /// What reals designs have.
    pub reals: Vec<Real>,
    /// Designs that were evaluated, spread over the study.
    pub samples: Vec<Sample>,
    /// Whether lower scores are better.
    pub minimized: bool,
    /// What the size of a model is.
    pub measure: Option<Measure>,
    /// Size and score of models, some of them if there are many, all that are best for their size.
    pub places: Vec<(f64, f64)>,
}

/// How the share of an option was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Among the models that were evaluated.
    Counted,
    /// Probabilities averaged over models that the controller drew for this alone.
    Averaged,
    /// The probability itself.
    Exact,
}

impl Found {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Averaged => "averaged",
            Self::Exact => "exact",
        }
    }
}

/// The models of one iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// When.
    pub at: Point,
    /// Of each decision the probability of each option, or its frequency among all models: one
    /// without the decision counts as choosing nothing.
    pub shares: Vec<Vec<f64>>,
    /// Of each decision, which of them.
    pub found: Vec<Found>,
    /// How many of the models differ, as a share.
    pub distinct: f64,
    /// The mean size.
    pub size: Option<f64>,
    /// The mean score.
    pub score: Option<f64>,
}

impl Choices {
    /// Reads the choices of the study that `data` was read from; `None` where nothing was recorded.
    pub fn read(data: &Data, reader: &Reader, models: &dyn Models) -> Result<Option<Self>, Error> {
        let decisions = models.decisions();
        let reals = models.reals();
        let parts = decisions.iter().map(|it| it.options.len());
        let mut effects = Effects::new(parts.chain(reals.iter().map(|_| PARTS)));
        let (mut moments, mut places, mut samples) = (Vec::new(), Vec::new(), Vec::new());
        let last = data.progress.iterations.saturating_sub(1).max(1) as f64;
        for iteration in looked_at(data) {
            let Some(row) = reader.evaluations(iteration).next() else { break };
            let rows = seen(row?.1, models);
            if rows.is_empty() {
                continue;
            }
            let scores: Vec<f64> = rows.iter().filter_map(|row| row.value).collect();
            let (mean, deviation) = moments_of(&scores);
            for row in &rows {
                if let Some(value) = row.value.filter(|_| deviation > 0.0) {
                    let part = |(at, x): &(usize, f64)| (decisions.len() + at, reals[*at].part(*x));
                    let parts = row.chosen.iter().copied().chain(row.numbers.iter().map(part));
                    effects.add(&parts.collect::<Vec<_>>(), (value - mean) / deviation);
                }
                places.extend(row.size.zip(row.score));
                samples.extend(row.sample(iteration as f64 / last));
            }
            let Some(at) = data.at(iteration, reader)? else { break };
            let mut moment = Moment::of(at, &rows, &decisions);
            if let Some(belief) = reader.belief(iteration)? {
                moment.believe(models.probabilities(&belief), belief.exact);
            }
            moments.push(moment);
        }
        let importance = effects.explained();
        let measure = models.measure();
        let places = thinned(places, sign(measure.as_ref()));
        let step = samples.len().div_ceil(SAMPLES).max(1);
        let samples = samples.into_iter().step_by(step).collect();
        let minimized = models.minimized();
        let found =
            Self { decisions, moments, importance, reals, samples, minimized, measure, places };
        Ok((!found.moments.is_empty()).then_some(found))
    }

    /// The models that none beats that is not larger: size and score, by size.
    pub fn front(&self) -> Vec<(f64, f64)> {
        front(&self.places, sign(self.measure.as_ref()))
    }
}

/// What makes higher scores better.
fn sign(measure: Option<&Measure>) -> f64 {
    if measure.is_some_and(|it| it.minimized) { -1.0 } else { 1.0 }
}

/// The iterations that are looked at: spread evenly, of those whose evaluations were recorded.
fn looked_at(data: &Data) -> Vec<u64> {
    let every = data.header.spec.parse::<toml::Table>().ok().and_then(|table| {
        let every = table.get("record")?.get("every")?.as_integer()?;
        u64::try_from(every).ok()
    });
    let every = every.unwrap_or(1).max(1);
    let last = data.progress.iterations.saturating_sub(1) / every;
    let count = (data.moments as u64).min(data.progress.iterations.div_ceil(every));
    let at = |i: u64| i * last / (count - 1).max(1) * every;
    let all: BTreeSet<u64> = (0..count).map(at).collect();
    all.into_iter().collect()
}

/// A model that was evaluated.
struct Row {
    chosen: Vec<(usize, usize)>,
    numbers: Vec<(usize, f64)>,
    dna: Vec<u8>,
    size: Option<f64>,
    value: Option<f64>,
    score: Option<f64>,
}

impl Row {
    fn sample(&self, when: f64) -> Option<Sample> {
        let (chosen, numbers) = (self.chosen.clone(), self.numbers.clone());
        Some(Sample { chosen, numbers, score: self.score?, when })
    }
}

fn seen(evaluations: Vec<EvaluationRecord>, models: &dyn Models) -> Vec<Row> {
    let step = evaluations.len().div_ceil(MODELS).max(1);
    let row = |evaluation: EvaluationRecord| {
        let numbers = models.numbers(&evaluation);
        let (value, score) = match evaluation.outcome {
            Outcome::Done { value, score, .. } => (Some(value), score.or(Some(value))),
            Outcome::Failed { .. } => (None, None),
        };
        let finite = |x: Option<f64>| x.filter(|x| x.is_finite());
        let size = finite(models.size(&evaluation.dna));
        let chosen = models.chosen(&evaluation.dna)?;
        let (value, score) = (finite(value), finite(score));
        Some(Row { chosen, numbers, dna: evaluation.dna, size, value, score })
    };
    evaluations.into_iter().step_by(step).filter_map(row).collect()
}

impl Moment {
    fn of(at: Point, rows: &[Row], decisions: &[Decision]) -> Self {
        let mut shares: Vec<Vec<f64>> =
            decisions.iter().map(|decision| vec![0.0; decision.options.len()]).collect();
        for &(decision, option) in rows.iter().flat_map(|row| &row.chosen) {
            shares[decision][option] += 1.0;
        }
        shares.iter_mut().flatten().for_each(|count| *count /= rows.len() as f64);
        let distinct: BTreeSet<&[u8]> = rows.iter().map(|row| &row.dna[..]).collect();
        let mean = |of: fn(&Row) -> Option<f64>| {
            let all: Vec<f64> = rows.iter().filter_map(of).collect();
            (!all.is_empty()).then(|| moments_of(&all).0)
        };
        Self {
            at,
            found: vec![Found::Counted; shares.len()],
            shares,
            distinct: distinct.len() as f64 / rows.len() as f64,
            size: mean(|row| row.size),
            score: mean(|row| row.score),
        }
    }

    /// Puts probabilities in the place of frequencies.
    fn believe(&mut self, probabilities: Vec<Option<Vec<f64>>>, exact: bool) {
        let all = self.shares.iter_mut().zip(&mut self.found).zip(probabilities);
        for ((shares, found), probabilities) in all {
            if let Some(of) = probabilities.filter(|of| of.len() == shares.len()) {
                *shares = of;
                *found = if exact { Found::Exact } else { Found::Averaged };
            }
        }
    }
}

/// Mean and deviation.
fn moments_of(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().map(|v| v / n).sum::<f64>();
    let variance = values.iter().map(|v| (v - mean).powi(2) / n).sum::<f64>();
    (mean, variance.sqrt())
}

/// The places that none beats at the same or a smaller size.
fn front(places: &[(f64, f64)], sign: f64) -> Vec<(f64, f64)> {
    let mut sorted = places.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then((sign * b.1).total_cmp(&(sign * a.1))));
    let mut best = f64::NEG_INFINITY;
    sorted.retain(|&(_, score)| {
        let better = sign * score > best;
        best = best.max(sign * score);
        better
    });
    sorted
}

/// At most [`PLACES`], spread over the study, and the best of every size.
fn thinned(places: Vec<(f64, f64)>, sign: f64) -> Vec<(f64, f64)> {
    let mut best = BTreeMap::<u64, (f64, f64)>::new();
    for &(size, score) in &places {
        let known = best.entry(size.to_bits()).or_insert((size, score));
        if sign * score > sign * known.1 {
            known.1 = score;
        }
    }
    let step = places.len().div_ceil(PLACES).max(1);
    let mut kept: Vec<(f64, f64)> = places.into_iter().step_by(step).collect();
    kept.extend(front(&best.into_values().collect::<Vec<_>>(), sign));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_holds_what_nothing_smaller_beats() {
        let places = [(3.0, 5.0), (1.0, 1.0), (2.0, 0.5), (3.0, 4.0), (4.0, 5.0), (5.0, 6.0)];
        assert_eq!(front(&places, 1.0), [(1.0, 1.0), (3.0, 5.0), (5.0, 6.0)]);
        assert_eq!(front(&places, -1.0), [(1.0, 1.0), (2.0, 0.5)]);
        assert_eq!(front(&[], 1.0), []);
    }

    #[test]
    fn thinning_keeps_the_front() {
        let places: Vec<(f64, f64)> =
            (0..5000).map(|i| (f64::from(i % 40), f64::from(i * 7919 % 5003))).collect();
        let kept = thinned(places.clone(), 1.0);
        assert!(kept.len() <= PLACES + 40);
        assert_eq!(front(&kept, 1.0), front(&places, 1.0));
    }
}
