//! Theorem 1, measured: one step of ES against one step of batched hill climbing.
//!
//! On f(x) = −½ Σ aᵢ xᵢ², with aᵢ spread evenly in logarithm from α = 1 to β = κ, both are given B
//! evaluations at a point with ‖∇f‖ = 1 in a random direction, and their best hyperparameter:
//!
//! * Δ_ES = maxη E[f(x + η ĝ) − f(x)], ĝ being the engine's own estimate from B/2 pairs. On a
//!   quadratic the expectation is η E⟨∇f, ĝ⟩ − ½ η² E(ĝᵀAĝ), so the best η needs no search.
//! * Δ_MUT = maxσ E[max(0, maxᵢ f(x + σ gᵢ) − f(x))], σ from a fine grid, all on the same draws.
//!
//! The theorem predicts Δ_ES/Δ_MUT = Ω((√d − √log B)² / (κ log B)), linear in d but for logarithms.
//! Its proof takes ES's variance to be negligible, "B can be e.g. O(d)". That condition matters:
//! E‖ĝ‖² = ‖∇f‖² (1 + (d + 1)/n) with n = B/2 pairs and κ = 1, so at a *fixed* B both improvements
//! fall as 1/d and the ratio levels off. Both cases are measured.
//!
//! "To achieve the same level of 1-step improvement as ES, a mutation-based approach must use
//! Ω(exp(d)) evaluations": how many it does need is measured too.

mod measure;
mod needed;
mod report;

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use crate::BenchError;
use crate::pool::{self, Clock, Progress};

pub use measure::{Measured, measure};
pub use needed::{Needed, needed};
pub use report::report;
pub(crate) use report::{claims, read};

/// How B depends on d.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Batch {
    /// B = 2d: a pair for each coordinate.
    Growing,
    /// The same for all d.
    Fixed(u32),
}

impl Batch {
    /// B
    pub fn at(self, dim: u32) -> u32 {
        match self {
            Self::Growing => 2 * dim,
            Self::Fixed(batch) => batch,
        }
    }

    /// For people.
    pub fn name(self) -> String {
        match self {
            Self::Growing => "B = 2d".to_owned(),
            Self::Fixed(batch) => format!("B = {batch}"),
        }
    }
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// d
    pub dims: Vec<u32>,
    /// B
    pub batches: Vec<Batch>,
    /// κ
    pub conditions: Vec<f64>,
    /// d where it is measured how many evaluations hill climbing needs.
    pub needed: Vec<u32>,
    /// How often each is drawn.
    pub trials: u32,
    /// Where the draws come from.
    pub seed: u64,
}

impl Plan {
    /// Enough for exponents with two digits.
    pub fn paper() -> Self {
        Self {
            dims: vec![16, 32, 64, 128, 256, 512, 1024],
            batches: vec![Batch::Growing, Batch::Fixed(32), Batch::Fixed(128), Batch::Fixed(512)],
            conditions: vec![1.0, 10.0, 100.0],
            needed: (1..=8).map(|at| 4 * at).collect(),
            trials: 200,
            seed: 0,
        }
    }

    /// To see that everything works.
    pub fn smoke() -> Self {
        Self {
            dims: vec![16, 32, 64],
            batches: vec![Batch::Growing, Batch::Fixed(32)],
            conditions: vec![1.0, 10.0],
            needed: vec![2, 4, 6, 8],
            trials: 50,
            seed: 0,
        }
    }
}

/// One point of the plan, measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// κ
    pub condition: f64,
    /// How B was chosen.
    pub batch: Batch,
    /// d
    pub dim: u32,
    /// What came out.
    pub measured: Measured,
}

/// All of a plan, measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// One step of each.
    pub steps: Vec<Row>,
    /// What hill climbing needs for a step of ES.
    pub needed: Vec<Needed>,
}

/// What is measured at a time.
enum Job {
    Step(f64, Batch, u32),
    Needed(u32),
}

/// Hill climbing's draws beyond these change no digit that is shown.
const DRAWS: u32 = 50;

/// Measures the plan on so many threads, or one per core; `None` when `stop` became true first.
pub fn run(
    plan: &Plan,
    threads: Option<NonZeroUsize>,
    stop: &AtomicBool,
    mut show: impl FnMut(Progress),
) -> Result<Option<Rows>, BenchError> {
    let mut jobs: Vec<Job> = plan.needed.iter().map(|dim| Job::Needed(*dim)).collect();
    for &condition in &plan.conditions {
        for &batch in &plan.batches {
            jobs.extend(plan.dims.iter().map(|&dim| Job::Step(condition, batch, dim)));
        }
    }
    if jobs.is_empty() {
        return Err(BenchError::Nothing("dimensions, batches and condition numbers"));
    }
    let effort = |job: &Job| match job {
        Job::Step(_, batch, dim) => (batch.at(*dim) * dim) as usize,
        Job::Needed(dim) => 20_000 * (dim + 20) as usize,
    };
    let mut clock = Clock::new(0, jobs.iter().map(effort));
    let mut rows = Rows::default();
    let work = |job: &Job| match *job {
        Job::Step(condition, batch, dim) => {
            let measured = measure(dim, batch.at(dim), condition, plan.trials, plan.seed);
            let steps = vec![Row { condition, batch, dim, measured }];
            (effort(job), Rows { steps, needed: Vec::new() })
        }
        Job::Needed(dim) => {
            let needed = vec![needed(dim, plan.trials.min(DRAWS), plan.seed)];
            (effort(job), Rows { steps: Vec::new(), needed })
        }
    };
    let keep = |(effort, one): (usize, Rows)| {
        rows.steps.extend(one.steps);
        rows.needed.extend(one.needed);
        show(clock.tick(effort));
        Ok::<(), BenchError>(())
    };
    let done = pool::run(&jobs, threads.unwrap_or_else(pool::cores), stop, work, keep)?;
    rows.needed.sort_by_key(|row| row.dim);
    rows.steps.sort_by(|a, b| {
        a.condition.total_cmp(&b.condition).then(a.batch.cmp(&b.batch)).then(a.dim.cmp(&b.dim))
    });
    Ok((done == jobs.len()).then_some(rows))
}
