//! Regularized evolution (Real, Aggarwal, Huang and Le 2019, "Regularized evolution for image
//! classifier architecture search", Algorithm 1), §2.1.2 and Appendix A.2.1.
//!
//! The population is a queue of the n individuals evaluated last. Each child is a mutant of the
//! best of a tournament of √n; once evaluated it enters the queue, and the oldest dies, however
//! good: what is not found again is forgotten, which is what makes it robust to noise.
//!
//! A tournament is drawn with replacement, as in Real et al.'s Algorithm 1 ("the element stays in
//! the population"). Until n individuals are evaluated, children are members of the first
//! generation. All children of one ask have their parents among those alive at that moment.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{distinct, mean};
use crate::optimizer::told;
use crate::setting::SettingError;
use crate::{Optimizer, Statistics, Stream, Variation};

/// n at least, where it is not given: the evaluations of the paper's smaller iterations, 2·64 and 8
/// of the centre (Appendix A.2.2). Weights that ask for few points at a time, CMA-ES or one worker,
/// would else leave a population too small to choose from: with 12 or 17 CMA-ENAS is far behind
/// itself with 136.
const FEWEST: usize = 2 * 64 + 8;

/// Hyperparameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegularizedEvolutionConfig {
    /// n, how many live at a time. As many as were ever asked for at once when not given, "the
    /// number of workers" (Appendix A.2.1), and 136 at least.
    pub population: Option<usize>,
    /// How many compete to be a parent. √n, rounded down, when not given (Appendix A.2.1).
    pub tournament: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Individual<G> {
    genome: G,
    value: f64,
    /// The tell it was born in.
    born: u64,
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct RegularizedEvolution<V: Variation> {
    config: RegularizedEvolutionConfig,
    variation: V,
    /// The living, oldest first.
    population: VecDeque<Individual<V::Genome>>,
    /// The points of the last ask, until they are told.
    asked: Vec<V::Genome>,
    /// The largest ask.
    workers: usize,
    tells: u64,
}

impl<V: Variation> RegularizedEvolution<V> {
    /// Starts with nobody.
    pub fn new(config: RegularizedEvolutionConfig, variation: V) -> Result<Self, SettingError> {
        if config.population == Some(0) {
            return Err(SettingError::must("population", "be at least 1", 0));
        }
        if config.tournament == Some(0) {
            let accepted = "be from 1 to 65535, or left out for the root of population";
            return Err(SettingError::must("tournament", accepted, 0));
        }
        Ok(Self {
            config,
            variation,
            population: VecDeque::new(),
            asked: Vec::new(),
            workers: 0,
            tells: 0,
        })
    }

    /// n
    fn size(&self) -> usize {
        self.config.population.unwrap_or(self.workers.max(FEWEST))
    }

    fn tournament(&self) -> usize {
        self.config.tournament.map_or(self.size().isqrt(), usize::from)
    }

    fn child(&self, tournament: usize, stream: &mut Stream) -> V::Genome {
        if self.population.len() < self.size() {
            return self.variation.initial(stream);
        }
        let mut parent = &self.population[stream.index(self.population.len())];
        for _ in 1..tournament {
            let rival = &self.population[stream.index(self.population.len())];
            if parent.value < rival.value {
                parent = rival;
            }
        }
        self.variation.mutate(&parent.genome, stream)
    }
}

impl<V: Variation> Optimizer for RegularizedEvolution<V> {
    type Point = V::Genome;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<V::Genome> {
        self.workers = self.workers.max(n);
        let tournament = self.tournament();
        let children: Vec<V::Genome> = (0..n).map(|_| self.child(tournament, stream)).collect();
        self.asked.clone_from(&children);
        children
    }

    /// A child without a value is not born.
    fn tell(&mut self, values: &[Option<f64>]) {
        self.tells += u64::from(!self.asked.is_empty());
        let size = self.size();
        for (index, genome) in self.asked.drain(..).enumerate() {
            if let Some(value) = told(values, index) {
                if self.population.len() == size {
                    self.population.pop_front();
                }
                self.population.push_back(Individual { genome, value, born: self.tells });
            }
        }
    }

    /// It enters the population as a child would.
    fn learn(&mut self, point: &V::Genome, value: f64, _: bool) {
        self.asked = vec![point.clone()];
        self.tell(&[Some(value)]);
    }

    /// Ages are in tells.
    fn statistics(&self) -> Statistics {
        let living = self.population.len().max(1) as f64;
        let ages = || self.population.iter().map(|i| (self.tells - i.born) as f64);
        let mut statistics = vec![
            ("population", self.population.len() as f64),
            ("mean_age", ages().sum::<f64>() / living),
            ("max_age", ages().next().unwrap_or(0.0)),
            ("distinct", distinct(self.population.iter().map(|i| &i.genome))),
        ];
        if let Some(best) = self.population.iter().map(|i| i.value).reduce(f64::max) {
            statistics.push(("population_best", best));
            statistics.push(("population_mean", mean(self.population.iter().map(|i| i.value))));
        }
        statistics
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::controllers::testing::{self, Digits, Script, separable, stream};

    fn evolution(population: usize, tournament: Option<u16>) -> RegularizedEvolution<Digits> {
        let config = RegularizedEvolutionConfig { population: Some(population), tournament };
        RegularizedEvolution::new(config, Digits::new(8, 5)).unwrap()
    }

    #[test]
    fn refuses_empty_populations_and_tournaments() {
        let refused = |population, tournament| {
            let config = RegularizedEvolutionConfig { population: Some(population), tournament };
            RegularizedEvolution::new(config, Digits::new(8, 5)).unwrap_err().to_string()
        };
        assert_eq!(refused(0, None), "population must be at least 1, got 0");
        assert!(refused(9, Some(0)).starts_with("tournament must be from 1 to 65535"));
    }

    #[test]
    fn tournament_is_the_root_of_the_population() {
        let sizes = [1, 3, 4, 99, 100, 150].map(|n| evolution(n, None).tournament());
        assert_eq!(sizes, [1, 1, 2, 9, 10, 12]);
        assert_eq!(evolution(100, Some(3)).tournament(), 3);
    }

    #[test]
    fn a_population_that_is_not_given_is_the_largest_ask_if_that_is_large() {
        let lived = |asks: [usize; 3]| {
            let config = RegularizedEvolutionConfig::default();
            let mut evolution = RegularizedEvolution::new(config, Digits::new(8, 5)).unwrap();
            for (iteration, n) in asks.into_iter().cycle().take(60).enumerate() {
                evolution.ask(n, &mut testing::stream(iteration as u32));
                evolution.tell(&vec![Some(1.0); n]);
            }
            (evolution.population.len(), evolution.tournament())
        };
        assert_eq!(lived([140, 200, 150]), (200, 14));
        assert_eq!(lived([136, 136, 136]), (136, 11));
        // Red when n follows the λ of weights that ask for few.
        assert_eq!(lived([4, 9, 6]), (136, 11));
    }

    #[test]
    fn conforms() {
        testing::conforms(evolution(10, None), |point| Digits::new(8, 5).holds(point));
    }

    #[test]
    fn resume_equals_never_stopped() {
        testing::resumes(evolution(10, None), separable);
    }

    #[test]
    fn golden_trace() {
        assert_eq!(testing::trace(evolution(10, None), separable), 14_725_364_903_495_393_922);
    }

    #[test]
    fn converges() {
        testing::converges(evolution(30, None), separable, 20, 60);
    }

    /// Red when the worst dies instead, or when a failed child takes a place.
    #[test]
    fn the_oldest_dies() {
        let mut evolution = evolution(3, None);
        for (iteration, value) in [9.0, 1.0, f64::NAN, 2.0, 3.0, 0.0].into_iter().enumerate() {
            evolution.ask(1, &mut stream(iteration as u32));
            evolution.tell(&[Some(value)]);
        }
        let values: Vec<f64> = evolution.population.iter().map(|i| i.value).collect();
        assert_eq!(values, [2.0, 3.0, 0.0]);
    }

    /// Red when unevaluated children count, or the population is used before it is full.
    #[test]
    fn the_first_generation_lasts_until_enough_are_evaluated() {
        let mut evolution = evolution(4, None);
        let initial = |n: usize, iteration| -> Vec<Vec<u32>> {
            let (digits, mut stream) = (Digits::new(8, 5), stream(iteration));
            (0..n).map(|_| digits.initial(&mut stream)).collect()
        };
        assert_eq!(evolution.ask(3, &mut stream(0)), initial(3, 0));
        evolution.tell(&[None, Some(1.0), Some(1.0)]);
        assert_eq!(evolution.ask(5, &mut stream(1)), initial(5, 1));
        evolution.tell(&[None, None, Some(f64::INFINITY), Some(1.0)]);
        assert_eq!(evolution.ask(2, &mut stream(2)), initial(2, 2));
        evolution.tell(&[Some(1.0), Some(1.0)]);
        assert_ne!(evolution.ask(2, &mut stream(3)), initial(2, 3));
    }

    /// A tournament of thousands among eight holds the best but for a chance of e⁻⁵⁰⁰: then every
    /// child is one decision from it. Red when the tournament minimizes, or stops early.
    #[test]
    fn a_large_tournament_is_won_by_the_best() {
        let mut evolution = evolution(8, Some(4000));
        let points = evolution.ask(8, &mut stream(0));
        let values: Vec<_> = (0..8).map(|i| Some(f64::from(i * 3 % 8) - 20.0)).collect();
        evolution.tell(&values);
        let best = &points[5];
        for child in evolution.ask(50, &mut stream(1)) {
            assert_eq!(child.iter().zip(best).filter(|(a, b)| a != b).count(), 1);
        }
    }

    /// With a tournament of one, all are parents alike. Red when the first or the best is favoured.
    #[test]
    fn a_tournament_of_one_is_won_by_anybody() {
        let mut evolution = evolution(4, Some(1));
        let points = evolution.ask(4, &mut stream(0));
        evolution.tell(&[Some(0.0), Some(1.0), Some(2.0), Some(3.0)]);
        let mut wins = [0u32; 4];
        for child in evolution.ask(4000, &mut stream(1)) {
            let near = |p: &Vec<u32>| p.iter().zip(&child).filter(|(a, b)| a != b).count() <= 1;
            wins[points.iter().position(near).unwrap()] += 1;
        }
        assert!(wins.iter().all(|w| w.abs_diff(1000) < 140), "{wins:?}");
    }

    proptest! {
        #[test]
        fn any_answers_leave_the_last_evaluated_in_order(script in Script::any(), n in 1usize..12) {
            let mut evolution = evolution(n, None);
            let mut told = Vec::new();
            script.play(&mut evolution, |evolution, points, values| {
                let evaluated = points.iter().zip(values);
                told.extend(evaluated.filter_map(|(p, v)| Some((p.clone(), (*v)?))));
                let last = &told[told.len().saturating_sub(n)..];
                let living: Vec<_> =
                    evolution.population.iter().map(|i| (i.genome.clone(), i.value)).collect();
                assert_eq!(living, last);
                assert!(points.iter().all(|p| Digits::new(8, 5).holds(p)));
            });
        }
    }
}
