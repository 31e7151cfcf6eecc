//! A BBOB function over a hybrid space (§3.1): the problem is `esenas_bbob`'s, and this is how a
//! study names, checks and evaluates it.
//!
//! All searches of one seed start from the same point, drawn uniformly: `esenas_bbob`'s own start.

use std::cell::RefCell;
use std::num::NonZeroUsize;

use esenas::Space;
use esenas_bbob::{BbobConfig, Hybrid, HybridBuffer, HybridError};

use super::{Kind, Objective, Point};
use crate::evaluator::{Evaluator, InProcess};
use crate::spec::{BoxConfig, Fault, LARGEST, StartConfig};
use crate::study::StudyError;
use crate::{Evaluation, Outcome};

impl Kind for BbobConfig {
    fn flat(&self) -> Option<usize> {
        Some(self.d_con)
    }

    fn space(&self) -> Space {
        self.space().expect("settings are checked before anything is made of them")
    }

    fn bounds(&self) -> Option<BoxConfig> {
        Some(BoxConfig::All([-5.0, 5.0]))
    }

    fn start(&self) -> StartConfig {
        StartConfig::Uniform
    }

    fn check(&self) -> Result<(), Fault> {
        if self.d_con == 0 {
            return Err(Fault::new("problem.d_con", "must be at least 1"));
        }
        if self.seed > LARGEST {
            return Err(Fault::new("problem.seed", format!("must be at most {LARGEST}")));
        }
        self.space().map(|_| ()).map_err(|error| match error {
            HybridError::Instance { error, .. } => {
                Fault::new("problem.d_con", format!("with d_cat: {error}"))
            }
            HybridError::Space(error) => Fault::new("problem.d_cat", error.to_string()),
        })
    }

    fn evaluator(&self, workers: Option<NonZeroUsize>) -> Result<Box<dyn Evaluator>, StudyError> {
        let hybrid = self.build().expect("settings are checked before anything is made of them");
        Ok(Box::new(InProcess::new(hybrid, workers)))
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

    fn refused(config: BbobConfig) -> String {
        let study = Spec::new(ProblemConfig::Bbob(config), 1);
        study.plan().unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_run_is_refused_with_its_key() {
        let fine = BbobConfig { function: Function::Lunacek, ..BbobConfig::default() };
        assert!(fine.check().is_ok());
        let none = refused(BbobConfig { d_con: 0, ..fine.clone() });
        assert!(none.contains("`problem.d_con` = 0"), "{none}");
        let many = refused(BbobConfig { d_con: 5000, seed: 1, ..fine.clone() });
        assert!(many.contains("`problem.d_con` = 5000") && many.contains("2 to 1024"), "{many}");
        let huge = refused(BbobConfig { d_con: usize::MAX, ..fine.clone() });
        assert!(huge.contains("`problem.d_con`"), "{huge}");
        let seed = refused(BbobConfig { seed: u64::MAX, ..fine });
        assert!(seed.contains("`problem.seed`"), "{seed}");
    }

    /// Red when a study would start elsewhere than the benchmark's other algorithms do.
    #[test]
    fn a_study_starts_where_the_problem_says() {
        let config = BbobConfig { d_cat: 3, d_con: 4, ..BbobConfig::default() };
        let spec = Spec { seed: 9, ..Spec::new(ProblemConfig::Bbob(config.clone()), 1) };
        let mut search = spec.plan().unwrap().search;
        let (_, theta) = config.build().unwrap().start(Seed(9));
        assert_eq!(search.centre().unwrap().to_vec(), theta);
        assert!(!search.ask(4, &mut Seed(9).stream(Purpose::Ask, 0, 0)).is_empty());
    }
}
