//! Where a study stands: what it would answer now, and how good that is.
//!
//! The best evaluation of a noisy study is its luckiest. The answer is the likeliest model with the
//! weights at the centre, evaluated again as often as one likes.

use std::path::Path;
use std::sync::Arc;

use esenas::{Candidate, Dna, Layout, Role, Search, Seed, Theta};
use esenas_store::{Best, Reader};
use serde_json::Value;

use crate::driver::SHOWN;
use crate::evaluator::{Batch, EvaluateError, Evaluator};
use crate::state::State;
use crate::{Outcome, Spec, Study, StudyError};

/// Evaluations of an answer have addresses that no iteration has.
const ITERATION: u32 = u32::MAX;

/// What a study would answer now.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The likeliest model; of a controller that has none, the best on the evidence.
    pub dna: Dna,
    /// The design that it is with these weights, as it is shown.
    pub model: Value,
    /// The centre; of a search that has none, the weights of the best candidate. In the user's
    /// units.
    pub theta: Vec<f64>,
    /// The same, in the coordinates of the optimizer.
    point: Theta,
}

/// How good an answer is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// The mean.
    pub mean: f64,
    /// The standard deviation; 0 of one evaluation.
    pub deviation: f64,
    /// How many evaluations came back.
    pub evaluations: u64,
    /// How many failed.
    pub failures: u64,
}

impl Scores {
    /// Those of `outcomes`; `None` if nothing came back.
    fn of(outcomes: &[Outcome]) -> Option<Self> {
        let done = outcomes.iter().flatten();
        let scores: Vec<f64> = done.map(|it| it.score.unwrap_or(it.value)).collect();
        let n = scores.len() as f64;
        let first = *scores.first()?;
        // Divided before they are added, since sums of huge scores overflow, and as differences:
        // the mean of equal scores is that score.
        let mean = first + scores.iter().map(|x| x / n - first / n).sum::<f64>();
        let variance = scores.iter().map(|x| (x - mean).powi(2) / (n - 1.0).max(1.0)).sum::<f64>();
        Some(Self {
            mean,
            deviation: variance.sqrt(),
            evaluations: scores.len() as u64,
            failures: (outcomes.len() - scores.len()) as u64,
        })
    }
}

impl Answer {
    fn of(search: &Search, layout: &Layout, best: Option<&Best>) -> Option<Self> {
        let found = || Dna::from_bytes(&best?.record.dna).ok();
        let led = || search.best_model().map(|(dna, ..)| dna.clone());
        let dna = match search.centre() {
            Some(_) => search.likeliest().or_else(led).or_else(found)?,
            None => found()?,
        };
        let of_best = || {
            let mut theta = best?.theta.clone();
            layout.to_optimizer(&mut theta);
            Some(Theta::dense(theta))
        };
        let point = search.centre().or_else(of_best)?;
        let mut theta = point.to_vec();
        layout.to_user(&mut theta);
        let model = layout.decode(&dna, &theta).ok()?.to_value(SHOWN);
        Some(Self { dna, model, theta, point })
    }

    /// Evaluates it `n` times.
    fn evaluate(
        &self,
        layout: &Arc<Layout>,
        seed: Seed,
        evaluator: &mut dyn Evaluator,
        n: u32,
    ) -> Result<Option<Scores>, EvaluateError> {
        let Self { dna, point, .. } = self.clone();
        let candidate = Candidate { dna, theta: point, role: Role::Centre };
        let jobs: Vec<(u32, &Candidate)> = (0..n).map(|job| (job, &candidate)).collect();
        let batch = Batch { layout, jobs: &jobs, seed, iteration: ITERATION };
        evaluator.evaluate(&batch).map(|outcomes| Scores::of(&outcomes))
    }
}

impl Study<'_> {
    /// What the study would answer now; `None` while it knows of no model.
    pub fn answer(&self) -> Option<Answer> {
        Answer::of(&self.state.search, &self.layout, self.best.as_ref())
    }

    /// How good `answer` is, by `n` evaluations; `None` if all of them failed. The study itself
    /// stays as it is.
    pub fn evaluate_answer(
        &mut self,
        answer: &Answer,
        n: u32,
    ) -> Result<Option<Scores>, StudyError> {
        let evaluator = self.evaluator.as_mut().ok_or(StudyError::NobodyEvaluates)?;
        let done = answer.evaluate(&self.layout, Seed(self.spec.seed), evaluator, n);
        done.map_err(|source| StudyError::Evaluate { iteration: ITERATION, source })
    }
}

/// The answer of a study in a directory, which may be running.
#[derive(Clone, Debug)]
pub struct StoredAnswer {
    /// What the study is.
    pub spec: Spec,
    /// What it would answer now.
    pub answer: Answer,
    /// What the objective has absorbed.
    objective: Vec<u8>,
}

impl StoredAnswer {
    /// That of the study in `directory`; `None` if nothing was evaluated yet.
    pub fn load(directory: &Path) -> Result<Option<Self>, StudyError> {
        let spec = Spec::stored(directory)?;
        let reader = Reader::open(directory)?;
        let Some(state) = State::stored(&reader, directory)? else { return Ok(None) };
        let answer = Answer::of(&state.search, &spec.layout()?, reader.best()?.as_ref());
        Ok(answer.map(|answer| Self { spec, answer, objective: state.objective }))
    }

    /// How good it is, by `n` evaluations; `None` if all of them failed.
    pub fn evaluate(
        &self,
        evaluator: &mut dyn Evaluator,
        n: u32,
    ) -> Result<Option<Scores>, StudyError> {
        let layout = Arc::new(self.spec.layout()?);
        let taken = evaluator.restore(&self.objective);
        let done =
            taken.and_then(|()| self.answer.evaluate(&layout, Seed(self.spec.seed), evaluator, n));
        done.map_err(|source| StudyError::Evaluate { iteration: ITERATION, source })
    }
}
