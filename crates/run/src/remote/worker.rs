//! The other end: evaluates chunks, in any process that knows the study.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use esenas::{Base, Candidate, Layout, Seed};
use thiserror::Error;

use super::WireError;
use super::wire::{self, Address, Answer, Kind, Shared, shorten};
use crate::evaluator::{Batch, EvaluateError, Evaluator};
use crate::{Spec, StudyError};

/// Evaluates chunks of the study it was made for.
pub struct Worker {
    study: String,
    seed: Seed,
    layout: Arc<Layout>,
    evaluator: Box<dyn Evaluator>,
    now: Option<Now>,
}

/// The iteration that is being evaluated.
struct Now {
    /// As it came, to tell whether the next chunk is of the same.
    bytes: Vec<u8>,
    iteration: u32,
    base: Option<Arc<Base>>,
}

/// Why a chunk was not evaluated.
#[derive(Debug, Error)]
pub enum WorkerError {
    /// The bytes.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The evaluator failed.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
}

/// The study of a driver, as it was resolved there.
fn written(text: &str) -> Result<Spec, StudyError> {
    Ok(Spec::read("the study", text, Path::new(""), &[])?)
}

impl Worker {
    /// A worker for the study in `text`, whose problem brings its objective, with so many threads,
    /// or as many as there are cores.
    pub fn new(text: &str, threads: Option<NonZeroUsize>) -> Result<Self, StudyError> {
        let spec = written(text)?;
        let evaluator = spec.evaluator(threads)?;
        Self::made(&spec, evaluator)
    }

    /// A worker for the study in `text`, evaluated by whomever you like.
    pub fn with(text: &str, evaluator: impl Evaluator + 'static) -> Result<Self, StudyError> {
        Self::made(&written(text)?, Box::new(evaluator))
    }

    fn made(spec: &Spec, evaluator: Box<dyn Evaluator>) -> Result<Self, StudyError> {
        Ok(Self {
            study: spec.fingerprint(),
            seed: Seed(spec.seed),
            layout: Arc::new(spec.layout()?),
            evaluator,
            now: None,
        })
    }

    /// Evaluates a chunk of an iteration: bytes in, bytes out.
    pub fn evaluate(&mut self, shared: &[u8], chunk: &[u8]) -> Result<Vec<u8>, WorkerError> {
        if self.now.as_ref().is_none_or(|now| now.bytes != shared) {
            self.begin(shared)?;
        }
        let (iteration, base) =
            self.now.as_ref().map_or((0, None), |now| (now.iteration, now.base.as_ref()));
        let addresses: Vec<Address> = wire::unseal(Kind::Chunk, chunk)?;
        let places: Vec<(u32, u32)> = addresses.iter().map(|it| (it.job, it.index)).collect();
        let candidate = |it: Address| it.candidate(self.layout.space(), base, self.layout.dim());
        let candidates =
            addresses.into_iter().map(candidate).collect::<Result<Vec<Candidate>, _>>()?;
        let jobs: Vec<(u32, &Candidate)> =
            places.iter().map(|(_, index)| *index).zip(&candidates).collect();
        let batch = Batch { layout: &self.layout, jobs: &jobs, seed: self.seed, iteration };
        let mut outcomes = self.evaluator.evaluate(&batch)?;
        for failure in outcomes.iter_mut().filter_map(|outcome| outcome.as_mut().err()) {
            shorten(&mut failure.reason);
        }
        let answer: Answer = places.into_iter().map(|(job, _)| job).zip(outcomes).collect();
        Ok(wire::seal(Kind::Answer, &answer))
    }

    /// Takes in what an iteration has in common.
    fn begin(&mut self, bytes: &[u8]) -> Result<(), WorkerError> {
        let shared: Shared = wire::unseal(Kind::Shared, bytes)?;
        if shared.program != wire::PROGRAM {
            let here = wire::PROGRAM.to_owned();
            return Err(WireError::Version { there: shared.program, here }.into());
        }
        if shared.study != self.study {
            return Err(WireError::Study { there: shared.study, here: self.study.clone() }.into());
        }
        let dim = self.layout.dim();
        let fits = |base: &Arc<Base>| {
            base.centre.len() == dim
                && base.spread.as_ref().is_none_or(|spread| spread.len() == dim)
        };
        if !shared.base.as_ref().is_none_or(fits) {
            let reason = format!("θ has not {dim} coordinates");
            let what = "the shared state of an iteration";
            return Err(WireError::Damaged { what, reason }.into());
        }
        self.evaluator.restore(&shared.objective)?;
        let (bytes, Shared { iteration, base, .. }) = (bytes.to_vec(), shared);
        self.now = Some(Now { bytes, iteration, base });
        Ok(())
    }
}
