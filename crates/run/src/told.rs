//! What a study makes of the outcomes of an iteration, beside what its search learns from them.

use esenas::{Candidate, Scratch};
use esenas_store::{Best, BestRecord};

use crate::asked::Told;
use crate::driver::SHOWN;
use crate::state::{Standing, State};
use crate::{Evaluation, Outcome, Study, StudyError, record};

impl Study<'_> {
    /// Takes the best candidate, if it is better than all before; of equals the first. Its weights
    /// are written over those of the best before.
    pub(crate) fn find_best(&mut self, told: &[Told<'_>]) -> bool {
        let ranked = |value, violation| self.spec.ranked(value, violation);
        let mut rank = self.state.best.map(|best| ranked(best.value, best.violation));
        let mut found = None;
        for it in told {
            let Ok(evaluation) = &it.outcome else { continue };
            let own = ranked(evaluation.value, it.violation);
            if rank.is_none_or(|rank| rank < own) {
                rank = Some(own);
                found = Some((it, evaluation));
            }
        }
        let Some((it, evaluation)) = found else { return false };
        let Candidate { dna, theta: point, .. } = it.candidate;
        let mut theta = self.best.take().map_or_else(Vec::new, |best| best.theta);
        self.layout.write(point, &mut theta, &mut Scratch::default());
        let record = BestRecord {
            iteration: self.state.iteration.into(),
            index: it.index as u64,
            value: evaluation.value,
            score: evaluation.score,
            violation: Some(it.violation).filter(|violation| *violation > 0.0),
            dna: dna.to_bytes(),
            model: self.layout.design(dna, &theta).to_value(SHOWN).to_string(),
            dimension: theta.len() as u64,
        };
        self.best = Some(Best { record, theta });
        true
    }

    /// Has the objective learn from what the candidates found out, in their order, or not at all.
    pub(crate) fn absorb(&mut self, outcomes: &[Outcome]) -> Result<(), StudyError> {
        let Some(evaluator) = &mut self.evaluator else { return Ok(()) };
        let spec = &self.spec;
        // What is no answer by the study's own word has nothing to say to others either.
        let counts = |done: &&Evaluation| spec.as_declared(Ok((*done).clone())).is_ok();
        let brought = outcomes.iter().flatten().filter(|done| done.moments.is_some());
        let moments = brought.filter(counts).filter_map(|done| done.moments.clone());
        let moments: Vec<Vec<u8>> = moments.collect();
        let State { iteration, objective, .. } = &mut self.state;
        let failed = |source| StudyError::Evaluate { iteration: *iteration, source };
        if !moments.is_empty()
            && let Err(error) = evaluator.absorb(&moments)
        {
            evaluator.restore(objective).map_err(failed)?;
            return Err(failed(error));
        }
        *objective = evaluator.state();
        Ok(())
    }

    /// Counts the iteration as done.
    pub(crate) fn advance(&mut self, improved: bool, evaluations: usize, outcomes: &[Outcome]) {
        let state = &mut self.state;
        let best = self.best.as_ref().filter(|_| improved);
        let standing = best.map(|best| Standing {
            value: best.record.value,
            violation: best.record.violation.unwrap_or(0.0),
            iteration: state.iteration,
        });
        state.best = standing.or(state.best);
        state.iteration += 1;
        state.evaluations += evaluations as u64;
        state.failures += outcomes.iter().filter(|outcome| outcome.is_err()).count() as u64;
    }

    /// Why the study stops, if more of an iteration failed than it accepts.
    pub(crate) fn too_many_failures(
        &self,
        iteration: u32,
        outcomes: &[Outcome],
    ) -> Option<StudyError> {
        let (share, evaluations) = (self.spec.failures.share, outcomes.len());
        let failures = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
        let failed = failures.filter(|failure| !self.spec.is_announced(failure)).count();
        (failed as f64 > share * evaluations as f64).then(|| StudyError::TooManyFailures {
            iteration,
            failed,
            evaluations,
            share,
            reasons: record::reasons(outcomes),
        })
    }
}
