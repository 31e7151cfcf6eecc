//! Compares the controllers that learn a distribution, each tuned with the same effort:
//! `cargo run --release -p esenas --example controllers -- [SEEDS] [EVALUATIONS]`.
//!
//! Three problems, values from about 0 for random models to 1 for the best: *separable*, 20
//! decisions of 11, each worth more the nearer it is to its own optimum; *chained*, 20 decisions of
//! 11, each worth something only relative to the one before, `x_i = x_{i−1} + 3 mod 11`, the first
//! free; *subset*, 8 members among 64 to be found. Every controller has the same five step sizes to
//! choose from, as multiples of its default, by the mean of the last batch on seeds of their own;
//! what is shown is for other seeds: the mean of the last batch (the mean, least and most of the
//! seeds), how many evaluations it took until a batch's mean was 0.9 (the median; - where most
//! never did), and CPU seconds of a run.
//!
//! With `settings` in front, the settings of the policy gradient that are not the paper's, each
//! left out, at the paper's step size and at ten times that; with noise too, of deviation 0.3 on
//! every value.
#![expect(clippy::disallowed_macros, reason = "an example prints")]

use std::sync::Arc;

use esenas::controllers::{
    Asng, AsngConfig, FactorizedPolicyGradient, FactorizedPolicyGradientConfig, PolicyGradient,
    PolicyGradientConfig, Training,
};
use esenas::{Dna, Optimizer, Purpose, Seed, Space};
use rustix::time::{ClockId, clock_gettime};

/// Models of an iteration.
const BATCH: u32 = 200;

/// The deviation of noise.
const NOISE: f64 = 0.3;

/// Multiples of a default.
const MULTIPLES: [f64; 5] = [0.3, 1.0, 3.0, 10.0, 30.0];

/// The problems, in the order of the tables.
const PROBLEMS: [Problem; 3] = [Problem::Separable, Problem::Chained, Problem::Subset];

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let settings = arguments.first().is_some_and(|first| first == "settings");
    arguments.drain(..usize::from(settings));
    let number = |at: usize, default: u32| {
        arguments.get(at).map_or(default, |it| it.parse().expect("a whole number"))
    };
    let (seeds, evaluations) = (number(0, 3), number(1, 20_000));
    println!("{evaluations} evaluations, {seeds} seeds\n");
    if settings {
        return without(seeds, evaluations);
    }
    println!("| problem | controller | step | last batch | least – most | to 0.9 | CPU s |");
    println!("|---|---|---|---|---|---|---|");
    for problem in PROBLEMS {
        for kind in [Kind::Recurrent, Kind::Factorized, Kind::Asng] {
            let tune = |multiple: &f64| run(problem, kind, *multiple, 1000, evaluations).last;
            let tried: Vec<f64> = MULTIPLES.iter().map(tune).collect();
            let better = |best: usize, at: usize| if tried[at] > tried[best] { at } else { best };
            let multiple = MULTIPLES[(1..tried.len()).fold(0, better)];
            let runs: Vec<Run> =
                (0..seeds).map(|seed| run(problem, kind, multiple, seed, evaluations)).collect();
            show(problem, kind, multiple, &runs);
        }
    }
}

/// Settings of the policy gradient with which the others are compared.
fn settings() -> [(&'static str, Training); 7] {
    let all = Training::default();
    let (entropy, max_norm, max_kl, baseline_rate) = (0.0, 1e6, 1e30, 1.0);
    [
        ("as they are", all),
        ("no end at a divergence", Training { max_kl, ..all }),
        ("gradients of any length", Training { max_norm, ..all }),
        ("no entropy bonus", Training { entropy, ..all }),
        ("ten times the entropy bonus", Training { entropy: 10.0 * all.entropy, ..all }),
        ("each iteration its own baseline", Training { baseline_rate, ..all }),
        ("none of them", Training { entropy, max_norm, max_kl, baseline_rate, ..all }),
    ]
}

/// The mean of the last batch without noise, and how many evaluations it took to 0.9.
fn without(seeds: u32, evaluations: u32) {
    let columns = PROBLEMS.map(|problem| format!("{problem:?} | with noise")).join(" | ");
    println!("| settings | step | {columns} |");
    println!("|---|---|{}", "---|".repeat(2 * PROBLEMS.len()));
    for multiple in [1.0, 10.0] {
        for (name, training) in settings() {
            let config = PolicyGradientConfig::default();
            let learning_rate = config.learning_rate * multiple;
            let config = PolicyGradientConfig { learning_rate, training, ..config };
            let cell = |problem: Problem, noise| {
                let run = |seed| {
                    let space = Arc::new(problem.space());
                    let policy = PolicyGradient::new(config, space).expect("valid");
                    learn(policy, problem, noise, seed, evaluations)
                };
                let runs: Vec<Run> = (0..seeds).map(run).collect();
                let mean = runs.iter().map(|run| run.last).sum::<f64>() / runs.len() as f64;
                format!("{mean:.3} ({})", median(&runs))
            };
            let cells = PROBLEMS.map(|it| format!("{} | {}", cell(it, 0.0), cell(it, NOISE)));
            println!("| {name} | × {multiple} | {} |", cells.join(" | "));
        }
    }
}

/// The evaluations to a batch's mean of 0.9; - where most never got there.
fn median(runs: &[Run]) -> String {
    let mut reached: Vec<u32> = runs.iter().map(|run| run.reached.unwrap_or(u32::MAX)).collect();
    reached.sort_unstable();
    let median = reached[reached.len() / 2];
    if median == u32::MAX { "-".to_owned() } else { median.to_string() }
}

fn show(problem: Problem, kind: Kind, multiple: f64, runs: &[Run]) {
    let n = runs.len() as f64;
    let mean = |of: fn(&Run) -> f64| runs.iter().map(of).sum::<f64>() / n;
    let least = runs.iter().map(|run| run.last).fold(f64::INFINITY, f64::min);
    let most = runs.iter().map(|run| run.last).fold(f64::NEG_INFINITY, f64::max);
    let median = median(runs);
    println!(
        "| {problem:?} | {kind:?} | × {multiple} | {:.3} | {least:.3} – {most:.3} | {median} | {:.2} |",
        mean(|run| run.last),
        mean(|run| run.cpu),
    );
}

#[derive(Clone, Copy, Debug)]
enum Problem {
    Separable,
    Chained,
    Subset,
}

impl Problem {
    fn space(self) -> Space {
        let list = |n: usize, k: i64| {
            Space::list(vec![Space::int(0..=k - 1).expect("not empty"); n]).expect("not empty")
        };
        match self {
            Self::Separable | Self::Chained => list(20, 11),
            Self::Subset => Space::subset(8, 0..=63).expect("8 of 64"),
        }
    }

    fn value(self, dna: &Dna) -> f64 {
        let genes = dna.genes();
        match self {
            Self::Separable => {
                let best = |at: u32| (at * 7 + 3) % 11;
                let worth =
                    |(at, gene): (u32, &u32)| 1.0 - f64::from(gene.abs_diff(best(at))) / 4.0;
                (0..).zip(genes).map(worth).sum::<f64>() / 20.0
            }
            Self::Chained => {
                let right = genes.windows(2).filter(|pair| pair[1] == (pair[0] + 3) % 11).count();
                right as f64 / (genes.len() - 1) as f64
            }
            Self::Subset => genes.iter().filter(|gene| *gene % 8 == 5).count() as f64 / 8.0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Recurrent,
    Factorized,
    Asng,
}

struct Run {
    /// The mean of the last batch.
    last: f64,
    /// Evaluations until a batch's mean was 0.9.
    reached: Option<u32>,
    cpu: f64,
}

fn run(problem: Problem, kind: Kind, multiple: f64, seed: u32, evaluations: u32) -> Run {
    let space = Arc::new(problem.space());
    match kind {
        Kind::Recurrent => {
            let mut config = PolicyGradientConfig::default();
            config.learning_rate *= multiple;
            let policy = PolicyGradient::new(config, space).expect("valid");
            learn(policy, problem, 0.0, seed, evaluations)
        }
        Kind::Factorized => {
            let mut config = FactorizedPolicyGradientConfig::default();
            config.learning_rate = (config.learning_rate * multiple).min(1.0);
            let policy = FactorizedPolicyGradient::new(config, space).expect("valid");
            learn(policy, problem, 0.0, seed, evaluations)
        }
        Kind::Asng => {
            let mut config = AsngConfig::default();
            config.step_size *= multiple;
            learn(Asng::new(config, space).expect("valid"), problem, 0.0, seed, evaluations)
        }
    }
}

fn learn(
    mut policy: impl Optimizer<Point = Dna>,
    problem: Problem,
    noise: f64,
    seed: u32,
    evaluations: u32,
) -> Run {
    let (start, mut last, mut reached) = (cpu_seconds(), 0.0, None);
    for iteration in 0..evaluations / BATCH {
        let mut stream = Seed(seed.into()).stream(Purpose::Ask, iteration, 0);
        let models = policy.ask(BATCH as usize, &mut stream);
        let values: Vec<f64> = models.iter().map(|dna| problem.value(dna)).collect();
        last = values.iter().sum::<f64>() / f64::from(BATCH);
        if last >= 0.9 {
            reached = reached.or(Some((iteration + 1) * BATCH));
        }
        let mut draws = Seed(seed.into()).stream(Purpose::Problem, iteration, 0);
        let told = values.into_iter().map(|value| {
            // Uniform, of that deviation.
            Some(value + noise * 12f64.sqrt() * (draws.unit() - 0.5))
        });
        policy.tell(&told.collect::<Vec<_>>());
    }
    Run { last, reached, cpu: cpu_seconds() - start }
}

fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}
