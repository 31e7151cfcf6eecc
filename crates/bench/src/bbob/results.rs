//! What came out, to be looked at from all sides.

use std::collections::BTreeMap;

use esenas_bbob::Function;
use esenas_report::statistics::{self, Mean};

use super::plan::Key;
use super::run::Outcome;
use super::{Algorithm, Plan};
use crate::cells::Cells;

/// An algorithm, (d_cat, d_con), a function and a seed.
type Place = (Algorithm, (usize, usize), Function, u64);

/// The curves of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    plan: Plan,
    /// Gaps at the checkpoints.
    curves: BTreeMap<Place, Vec<f64>>,
}

impl Results {
    pub(crate) fn collect(plan: &Plan, cells: &Cells<Key, Outcome>) -> Self {
        let mut curves = BTreeMap::new();
        for key in plan.runs() {
            if let (Some(Outcome::Gaps(gaps)), Some((algorithm, seed))) = (cells.get(&key), key.run)
            {
                let size = (key.problem.d_cat, key.problem.d_con);
                curves.insert((algorithm, size, key.problem.function, seed), gaps.clone());
            }
        }
        Self { plan: plan.clone(), curves }
    }

    /// What was run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The algorithms of a setting, in the order of the plan.
    pub fn algorithms(&self, size: (usize, usize)) -> Vec<Algorithm> {
        self.plan.algorithms.iter().copied().filter(|it| it.applies(size.0)).collect()
    }

    /// The gap in the end of every function and seed, in their order.
    pub fn last(&self, algorithm: Algorithm, size: (usize, usize)) -> Vec<f64> {
        self.at(algorithm, size, usize::MAX)
    }

    /// The gap at a checkpoint of every function and seed; at the last one for numbers beyond.
    pub fn at(&self, algorithm: Algorithm, size: (usize, usize), checkpoint: usize) -> Vec<f64> {
        let pick = |function, seed| {
            let curve = self.curves.get(&(algorithm, size, function, seed))?;
            curve.get(checkpoint).or(curve.last()).copied()
        };
        let functions = self.plan.functions.iter();
        functions.flat_map(|f| (0..self.plan.seeds).filter_map(|seed| pick(*f, seed))).collect()
    }

    /// The mean gap over functions, in the end. Its error is that over seeds: functions are the
    /// benchmark's, and not a sample.
    pub fn aggregate(&self, algorithm: Algorithm, size: (usize, usize)) -> Option<Mean> {
        let seeds = self.plan.seeds as usize;
        let gaps = self.last(algorithm, size);
        let of_seed = |seed: usize| {
            let gaps: Vec<f64> = gaps.iter().copied().skip(seed).step_by(seeds).collect();
            statistics::mean(&gaps).map(|mean| mean.mean)
        };
        statistics::mean(&(0..seeds).filter_map(of_seed).collect::<Vec<_>>())
    }

    /// The mean gap over functions and seeds at each checkpoint, with the evaluations done then.
    pub fn curve(&self, algorithm: Algorithm, size: (usize, usize)) -> Vec<(f64, f64)> {
        let point = |(at, evaluations): (usize, &u32)| {
            let mean = statistics::mean(&self.at(algorithm, size, at))?;
            Some((f64::from(*evaluations), mean.mean))
        };
        self.plan.checkpoints().iter().enumerate().filter_map(point).collect()
    }

    /// The mean rank of each algorithm of a setting over functions and seeds, 1 being best.
    pub fn ranks(&self, size: (usize, usize)) -> Vec<(Algorithm, f64)> {
        let algorithms = self.algorithms(size);
        let columns: Vec<Vec<f64>> = algorithms.iter().map(|it| self.last(*it, size)).collect();
        let rows = columns.iter().map(Vec::len).min().unwrap_or(0);
        let mut sums = vec![0.0; algorithms.len()];
        for row in 0..rows {
            let gaps: Vec<f64> = columns.iter().map(|column| column[row]).collect();
            for (sum, rank) in sums.iter_mut().zip(statistics::ranks(&gaps)) {
                *sum += rank;
            }
        }
        let mean = |sum: f64| sum / rows.max(1) as f64;
        algorithms.into_iter().zip(sums).map(|(it, sum)| (it, mean(sum))).collect()
    }

    /// The gaps in the end of two algorithms, pair by pair.
    pub fn pairs(&self, one: Algorithm, other: Algorithm, size: (usize, usize)) -> Vec<(f64, f64)> {
        self.last(one, size).into_iter().zip(self.last(other, size)).collect()
    }
}
