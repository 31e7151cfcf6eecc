//! A BBOB function over a hybrid space (§3.1): the problem is `esenas_bbob`'s, and this is how a
//! study names, checks and evaluates it.
//!
//! All searches of one seed start from the same point, drawn uniformly: `esenas_bbob`'s own start.

use std::cell::RefCell;
use std::num::NonZeroUsize;

use esenas_bbob::{Hybrid, HybridBuffer, HybridConfig, HybridError};

use super::{Kind, Objective, Point};
use crate::evaluator::{Evaluator, InProcess};
use crate::spec::{BoxConfig, Fault, StartConfig};
use crate::study::StudyError;
use crate::{Evaluation, Outcome};

/// [−5, 5] in every coordinate.
pub(crate) const BOUNDS: BoxConfig = BoxConfig::All([-5.0, 5.0]);

/// The key that is wrong, and how; the settings can run if there is none.
pub(crate) fn check(config: &HybridConfig) -> Result<(), (&'static str, String)> {
    if config.d_con == 0 {
        return Err(("problem.d_con", "must be at least 1".to_owned()));
    }
    if config.seed > i64::MAX as u64 {
        return Err(("problem.seed", format!("must be at most {}", i64::MAX)));
    }
    config.space().map(|_| ()).map_err(|error| match error {
        HybridError::Instance { error, .. } => ("problem.d_con", format!("with d_cat: {error}")),
        HybridError::Space(error) => ("problem.d_cat", error.to_string()),
    })
}

/// 𝓜 of settings that were checked.
pub(crate) fn space(config: &HybridConfig) -> esenas::Space {
    config.space().expect("settings are checked before anything is made of them")
}

/// The problem of settings that were checked.
pub(crate) fn build(config: &HybridConfig) -> Hybrid {
    config.build().expect("settings are checked before anything is made of them")
}

impl Kind for HybridConfig {
    fn dimension(&self) -> usize {
        self.d_con
    }

    fn space(&self) -> esenas::Space {
        space(self)
    }

    fn bounds(&self) -> Option<BoxConfig> {
        Some(BOUNDS)
    }

    fn start(&self) -> StartConfig {
        StartConfig::Uniform
    }

    fn check(&self) -> Result<(), Fault> {
        check(self).map_err(|(key, what)| Fault::new(key, what))
    }

    fn evaluator(&self, workers: Option<NonZeroUsize>) -> Result<Box<dyn Evaluator>, StudyError> {
        Ok(Box::new(InProcess::new(build(self), workers)))
    }
}

thread_local! {
    static BUFFER: RefCell<HybridBuffer> = RefCell::default();
}

impl Objective for Hybrid {
    fn evaluate(&self, point: &Point<'_>) -> Outcome {
        let genes = point.model.dna.genes();
        let value = BUFFER.with_borrow_mut(|buffer| self.value(genes, point.theta, buffer));
        Ok(Evaluation::new(value))
    }
}

#[cfg(test)]
mod tests {
    use esenas::{Optimizer, Purpose, Seed};
    use esenas_bbob::Function;

    use super::*;
    use crate::Spec;
    use crate::spec::ProblemConfig;

    fn refused(config: HybridConfig) -> (&'static str, String) {
        check(&config).unwrap_err()
    }

    #[test]
    fn what_cannot_run_is_refused_with_its_key() {
        let fine = HybridConfig { function: Function::Lunacek, ..HybridConfig::default() };
        assert_eq!(check(&fine), Ok(()));
        assert_eq!(refused(HybridConfig { d_con: 0, ..fine.clone() }).0, "problem.d_con");
        let (key, what) = refused(HybridConfig { d_con: 5000, seed: 1, ..fine.clone() });
        assert!(key == "problem.d_con" && what.contains("2 to 1024"), "{key} {what}");
        let huge = HybridConfig { d_con: usize::MAX, ..fine.clone() };
        assert_eq!(refused(huge).0, "problem.d_con");
        assert_eq!(refused(HybridConfig { seed: u64::MAX, ..fine }).0, "problem.seed");
    }

    /// Red when a study would start elsewhere than the benchmark's other algorithms do.
    #[test]
    fn a_study_starts_where_the_problem_says() {
        let config = HybridConfig { d_cat: 3, d_con: 4, ..HybridConfig::default() };
        let spec = Spec { seed: 9, ..Spec::new(ProblemConfig::Bbob(config.clone()), 1) };
        let mut search = spec.build().unwrap().search;
        let (_, theta) = build(&config).start(Seed(9));
        assert_eq!(search.centre().unwrap().to_vec(), theta);
        assert!(!search.ask(4, &mut Seed(9).stream(Purpose::Ask, 0, 0)).is_empty());
    }
}
