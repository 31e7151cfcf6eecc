//! When CMA-ES has nothing left to find: the termination criteria of pycma 4, and what they read.
//!
//! They inform; the optimizer goes on working. Names are pycma's; its documentation and Hansen
//! 2016, §B.3 and §B.4 describe them. Left out are those about budgets, which belong to the
//! study, and `tolxstagnation`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Why an optimizer has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Standard deviations and evolution path are below `tolx` in every coordinate.
    TolX,
    /// A standard deviation has grown by `tolfacupx`: the first σ was far too small.
    TolFacUpX,
    /// The values of this iteration and the best ones of the last many differ by less than
    /// `tolfun`.
    TolFun,
    /// The best values of the last many iterations differ by less than `tolfunhist`.
    TolFunHist,
    /// σ grew while no axis of C did: creeping.
    TolUpSigma,
    /// C is conditioned worse than `tolconditioncov`.
    ConditionCov,
    /// A tenth of a standard deviation along a principal axis does not change the mean.
    NoEffectAxis,
    /// A fifth of a standard deviation in some coordinate does not change the mean.
    NoEffectCoord,
    /// Neither best nor median value improved over `tolstagnation` iterations.
    TolStagnation,
    /// The best three quarters of the values were equal more than `tolflatfitness` times in a row.
    TolFlatFitness,
}

/// When to report a [`Stop`]; the defaults are those of pycma 4.5.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tolerances {
    /// For [`Stop::TolX`].
    pub tolx: f64,
    /// For [`Stop::TolFacUpX`].
    pub tolfacupx: f64,
    /// For [`Stop::TolFun`].
    pub tolfun: f64,
    /// For [`Stop::TolFunHist`].
    pub tolfunhist: f64,
    /// For [`Stop::TolUpSigma`].
    pub tolupsigma: f64,
    /// For [`Stop::ConditionCov`].
    pub tolconditioncov: f64,
    /// For [`Stop::TolStagnation`]; 100 + 100 d^1.5 / λ when left out.
    pub tolstagnation: Option<u64>,
    /// For [`Stop::TolFlatFitness`].
    pub tolflatfitness: u64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            tolx: 1e-11,
            tolfacupx: 1e3,
            tolfun: 1e-11,
            tolfunhist: 1e-12,
            tolupsigma: 1e20,
            tolconditioncov: 1e14,
            tolstagnation: None,
            tolflatfitness: 1,
        }
    }
}

/// Best and median values are kept of one iteration in this many.
const SPARSE: u64 = 5;

/// What is remembered of the values told. Values are maximized.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct History {
    iteration: u64,
    /// λ of the last iteration.
    count: usize,
    /// Best and worst value of the last iteration.
    last: Option<(f64, f64)>,
    /// Best values, newest first, of the last 10 + 30 d/λ iterations.
    recent: VecDeque<f64>,
    /// Best and median values of every fifth iteration, newest first.
    sparse: VecDeque<(f64, f64)>,
    /// The best value ever, and when it came.
    record: Option<(f64, u64)>,
    /// Iterations in a row whose best three quarters were equal.
    flat: u64,
}

impl History {
    /// Takes in an iteration's values, best first.
    pub(super) fn record(&mut self, tolerances: &Tolerances, dim: usize, ranked: &[(u32, f64)]) {
        let [(_, best), .., (_, worst)] = *ranked else { return };
        self.iteration += 1;
        self.count = ranked.len();
        self.last = Some((best, worst));
        let quarter = ranked[(3 * ranked.len()) / 4].1;
        self.flat = if best > quarter { 0 } else { self.flat + 1 };
        if self.record.is_none_or(|(record, _)| best > record) {
            self.record = Some((best, self.iteration));
        }
        self.recent.push_front(best);
        self.recent.truncate((10.0 + 30.0 * dim as f64 / self.count as f64) as usize);
        if self.iteration.is_multiple_of(SPARSE) {
            let middle = ranked.len() / 2;
            let median = 0.5 * ranked[middle].1 + 0.5 * ranked[(ranked.len() - 1) / 2].1;
            self.sparse.push_front((best, median));
            self.sparse.truncate((2 * self.half_span(tolerances, dim) + 1).max(101));
        }
    }

    /// Iterations since the best value ever came.
    pub(super) fn idle(&self) -> u64 {
        self.record.map_or(0, |(_, at)| self.iteration - at)
    }

    fn stagnation(&self, tolerances: &Tolerances, dim: usize) -> u64 {
        let default = 100.0 + 100.0 * (dim as f64).powf(1.5) / self.count.max(1) as f64;
        tolerances.tolstagnation.unwrap_or(default as u64)
    }

    /// Half the stagnation period, in entries of `sparse`.
    fn half_span(&self, tolerances: &Tolerances, dim: usize) -> usize {
        (self.stagnation(tolerances, dim) / (2 * SPARSE)).max(1) as usize
    }

    /// The criteria that the values alone decide.
    pub(super) fn stop(&self, tolerances: &Tolerances, dim: usize) -> Option<Stop> {
        let (best, worst) = self.last?;
        let high = self.recent.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let low = self.recent.iter().copied().fold(f64::INFINITY, f64::min);
        if best - worst < tolerances.tolfun && high - low < tolerances.tolfun {
            return Some(Stop::TolFun);
        }
        if self.recent.len() > 9 && high - low < tolerances.tolfunhist {
            return Some(Stop::TolFunHist);
        }
        if self.flat > tolerances.tolflatfitness {
            return Some(Stop::TolFlatFitness);
        }
        self.stagnates(tolerances, dim).then_some(Stop::TolStagnation)
    }

    fn stagnates(&self, tolerances: &Tolerances, dim: usize) -> bool {
        let half = self.half_span(tolerances, dim);
        let early = (dim as f64 * (5.0 + 100.0 / self.count.max(1) as f64)) as u64;
        let long = self.iteration > early
            && self.idle() > self.stagnation(tolerances, dim) / 2
            && self.sparse.len() > (2 * half).max(100);
        let median = |skip: usize, of: fn(&(f64, f64)) -> f64| {
            let mut window: Vec<f64> = self.sparse.iter().skip(skip).take(half).map(of).collect();
            window.sort_by(f64::total_cmp);
            0.5 * window[half / 2] + 0.5 * window[(half - 1) / 2]
        };
        long && median(0, |x| x.0) <= median(half, |x| x.0)
            && median(0, |x| x.1) <= median(half, |x| x.1)
    }
}
