//! Conditional and subset problems with known optima, where flat optimizers cannot follow: what
//! `auto` chooses beside the paper's algorithms and evolution. Prints a table of the median gap
//! over instances: `cargo run --release -p esenas --example nested`.
//!
//! A model is six blocks, each of one of four kinds with decisions of its own, and 5 members of 24.
//! m* and θ* are random; with w(m) the share of m*'s selections that m does not have (what a branch
//! not taken holds is missing too), the cost is (1 + 10 w) (1 + ‖θ − θ*‖²/d) − 1: zero at the
//! optimum only, and wrong models make weights look worse. Gaps are costs divided by the mean cost
//! of random points.

#![expect(clippy::disallowed_macros, reason = "an example prints")]

use std::collections::BTreeSet;
use std::sync::Arc;

use esenas::auto::Facts;
use esenas::controllers::ControllerConfig;
use esenas::weights::WeightsConfig;
use esenas::{
    Bounds, Dna, HybridConfig, JointConfig, Optimizer, Purpose, Search, SearchConfig, Seed, Space,
    Start,
};

const EVALUATIONS: usize = 10_000;
const INSTANCES: u64 = 9;

struct Problem {
    space: Arc<Space>,
    /// What m* selects: decision and value.
    wanted: BTreeSet<(u32, u32)>,
    optimum: Vec<f64>,
}

fn space() -> Space {
    let block = serde_json::json!({ "oneof": [
        { "conv": { "size": { "oneof": [1, 3, 5, 7] }, "stride": { "oneof": [1, 2, 3] } } },
        { "dense": { "width": { "oneof": [8, 16, 32, 64, 128] },
                     "act": { "oneof": ["relu", "tanh", { "leaky": { "slope": { "oneof": [1, 2, 3] } } }] } } },
        { "attend": { "heads": { "oneof": [1, 2, 4, 8] } } },
        "skip",
    ] });
    let mut form = serde_json::Map::new();
    for at in 0..6 {
        form.insert(format!("block{at}"), block.clone());
    }
    let edges = serde_json::json!({ "manyof": { "int": [0, 23] }, "k": 5, "sorted": true });
    form.insert("edges".into(), edges);
    Space::from_value(&form.into()).expect("a space")
}

impl Problem {
    fn new(dim: usize, instance: u64) -> Self {
        let mut stream = Seed(instance).stream(Purpose::Problem, 0, 0);
        let space = Arc::new(space());
        let optimum = (0..dim).map(|_| 8.0 * stream.unit() - 4.0).collect();
        let best = space.sample(&mut stream);
        let wanted = selections(&space, &best);
        Self { space, wanted, optimum }
    }

    fn cost(&self, dna: &Dna, theta: &[f64]) -> f64 {
        let has = selections(&self.space, dna);
        let missing = self.wanted.difference(&has).count() as f64 / self.wanted.len() as f64;
        let apart = theta.iter().zip(&self.optimum).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
        (1.0 + 10.0 * missing) * (1.0 + apart / theta.len() as f64) - 1.0
    }
}

/// Decision and value; of a subset, its members.
fn selections(space: &Space, dna: &Dna) -> BTreeSet<(u32, u32)> {
    let mut found = BTreeSet::new();
    space.visit(dna, |decision, value| {
        found.insert((if decision.sorted { decision.group } else { decision.locus }, value));
    });
    found
}

fn run(problem: &Problem, search: SearchConfig, seed: Seed) -> f64 {
    let dim = problem.optimum.len();
    let mut stream = seed.stream(Purpose::Start, 0, 0);
    let theta = (0..dim).map(|_| 10.0 * stream.unit() - 5.0).collect();
    let start = Start { space: problem.space.clone(), theta, bounds: Some(bounds(dim)) };
    let mut search = Search::new(search, start).expect("settings that can be");
    let (mut done, mut best) = (0, f64::INFINITY);
    for iteration in 0.. {
        if done >= EVALUATIONS {
            break;
        }
        let points = search.ask(search.population(), &mut seed.stream(Purpose::Ask, iteration, 0));
        let costs: Vec<f64> =
            points.iter().map(|it| problem.cost(&it.dna, &it.theta.to_vec())).collect();
        best = costs.iter().take(EVALUATIONS - done).copied().fold(best, f64::min);
        done += costs.len();
        search.tell(&costs.iter().map(|cost| Some(-cost)).collect::<Vec<_>>());
    }
    best
}

fn bounds(dim: usize) -> Bounds {
    Bounds::new(vec![-5.0], vec![5.0], dim).expect("a box")
}

/// Who searches a problem.
type Searcher<'a> = &'a dyn Fn(&Problem) -> SearchConfig;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let evolution = || ControllerConfig::RegularizedEvolution(Default::default());
    let auto = |problem: &Problem| {
        let dim = problem.optimum.len();
        let budget = Some(EVALUATIONS as u64);
        Facts::new(&problem.space, dim, &bounds(dim), budget).choose().search
    };
    let paper = |weights| SearchConfig::EsEnas {
        weights,
        controller: evolution(),
        joint: JointConfig::default(),
    };
    let vanilla = |evolution| SearchConfig::Hybrid {
        evolution,
        hybrid: HybridConfig::default(),
        population: 136,
    };
    println!("| d | algorithm | median gap | least – most |\n|---|---|---|---|");
    for dim in [20, 100] {
        let problems: Vec<Problem> = (0..INSTANCES).map(|it| Problem::new(dim, it)).collect();
        let of = |search: &dyn Fn(&Problem) -> SearchConfig| -> Vec<f64> {
            let gap = |(seed, problem): (u64, &Problem)| {
                let mut stream = Seed(seed).stream(Purpose::Problem, 1, 0);
                let random: f64 = (0..1000)
                    .map(|_| {
                        let theta: Vec<f64> =
                            (0..dim).map(|_| 10.0 * stream.unit() - 5.0).collect();
                        problem.cost(&problem.space.sample(&mut stream), &theta) / 1000.0
                    })
                    .sum();
                run(problem, search(problem), Seed(seed)) / random
            };
            (0..).zip(&problems).map(gap).collect()
        };
        let all: [(&str, Searcher<'_>); 4] = [
            ("auto", &auto),
            ("ES-ENAS (Reg-Evo), the paper's", &|_| paper(WeightsConfig::default())),
            ("Reg-Evo over models and weights", &|_| vanilla(evolution())),
            ("Random", &|_| vanilla(ControllerConfig::Random(Default::default()))),
        ];
        for (name, search) in all {
            let mut gaps = of(search);
            gaps.sort_by(f64::total_cmp);
            let (least, most) = (gaps[0], gaps[gaps.len() - 1]);
            println!("| {dim} | {name} | {:.1e} | {least:.1e} – {most:.1e} |", median(gaps));
        }
    }
}
