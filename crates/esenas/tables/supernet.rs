//! Supernets: models whose branches own weights. What learning each weight from the points that
//! used it brings, beside the same optimizers without: `cargo run --release -p esenas --example
//! supernet` prints a table of median gaps.
//!
//! Two problems. *Blocks*: each of B blocks takes one of K branches with W weights of its own, all
//! far from what they should be; the gap is the squared distance of the weights in use, and what
//! the branches cost. *Network*: a regression by L layers, each one of K affine maps with an
//! activation, and a shared head; the gap is the mean squared error beside a teacher's. "Random"
//! draws models at random for good, and its gap is the mean over them.

#![expect(clippy::disallowed_macros, reason = "an example prints")]

use std::sync::Arc;

use esenas::auto::Facts;
use esenas::controllers::ControllerConfig;
use esenas::space::{First, Space, Tensor};
use esenas::weights::{EsConfig, LineEsConfig, SepCmaEsConfig, SnesConfig, WeightsConfig};
use esenas::{
    Dna, JointConfig, Layout, Optimizer, Pairing, Purpose, Search, SearchConfig, Seed, Start,
    Stream,
};

const ITERATIONS: u32 = 300;
const POINTS: usize = 64;
/// Others than those with which rules were chosen.
const INSTANCES: std::ops::Range<u64> = 100..105;

/// Branches that own weights, and weights that all models share.
#[derive(Clone, Copy)]
struct Net {
    name: &'static str,
    blocks: usize,
    branches: usize,
    weights: usize,
    shared: usize,
    /// Whether it is a network, whose layers are the blocks.
    network: bool,
}

const NETS: [Net; 3] = [
    Net {
        name: "blocks, 6 × 4 × 10",
        blocks: 6,
        branches: 4,
        weights: 10,
        shared: 0,
        network: false,
    },
    Net {
        name: "blocks, 12 × 8 × 20 + 100",
        blocks: 12,
        branches: 8,
        weights: 20,
        shared: 100,
        network: false,
    },
    Net {
        name: "network, 3 × 4 × 20 + 5",
        blocks: 3,
        branches: 4,
        weights: 20,
        shared: 5,
        network: true,
    },
];

/// As many numbers go through a layer of the network.
const WIDE: usize = 4;

impl Net {
    /// With its weights as leaves, or without any.
    fn space(&self, leaves: bool) -> Arc<Space> {
        let weights = |count: usize| {
            let tensor = Tensor { first: First::Zeros, ..Tensor::from([count]) };
            Space::weights(tensor).expect("a shape")
        };
        let branch = |at: i64| match leaves {
            true => Space::dict([("w", weights(self.weights)), ("k", at.into())]).expect("names"),
            false => at.into(),
        };
        let block = || Space::oneof((0..self.branches as i64).map(branch).collect::<Vec<_>>());
        let mut parts: Vec<Space> = (0..self.blocks).map(|_| block().expect("branches")).collect();
        if leaves && self.shared > 0 {
            parts.push(weights(self.shared));
        }
        Arc::new(Space::list(parts).expect("few"))
    }

    fn dim(&self) -> usize {
        self.blocks * self.branches * self.weights + self.shared
    }

    /// The weights of each block's branch.
    fn active<'a>(&self, dna: &Dna, theta: &'a [f64]) -> Vec<&'a [f64]> {
        let of = |(block, branch): (usize, &u32)| {
            &theta[(block * self.branches + *branch as usize) * self.weights..][..self.weights]
        };
        dna.genes().iter().enumerate().map(of).collect()
    }
}

/// What is to be found.
struct Problem {
    net: Net,
    target: Vec<f64>,
    /// What each branch costs.
    costs: Vec<f64>,
    /// Of the network: inputs, and what comes out for them.
    data: Vec<([f64; WIDE], f64)>,
}

fn gaussian(stream: &mut Stream, count: usize) -> Vec<f64> {
    esenas::Noise::Gaussian(stream.bits()).row(0, count).into_iter().map(f64::from).collect()
}

impl Problem {
    fn new(net: Net, instance: u64) -> Self {
        let mut stream = Seed(instance).stream(Purpose::Problem, 0, 0);
        let target = gaussian(&mut stream, net.dim());
        let costs = (0..net.blocks * net.branches).map(|_| stream.unit()).collect();
        let mut problem = Self { net, target, costs, data: Vec::new() };
        let teacher = net.space(false).sample(&mut stream);
        for _ in 0..if net.network { 16 } else { 0 } {
            let input: [f64; WIDE] = gaussian(&mut stream, WIDE).try_into().expect("so many");
            let output = problem.output(&teacher, &problem.target, input);
            problem.data.push((input, output));
        }
        problem
    }

    fn output(&self, dna: &Dna, theta: &[f64], input: [f64; WIDE]) -> f64 {
        let mut x = input;
        for (w, branch) in self.net.active(dna, theta).into_iter().zip(dna.genes()) {
            let (bias, rows) = w.split_at(WIDE);
            let mut next = [0.0; WIDE];
            for (out, (bias, row)) in next.iter_mut().zip(bias.iter().zip(rows.chunks(WIDE))) {
                let sum = bias + row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
                *out = match branch % 4 {
                    0 => sum.tanh(),
                    1 => sum.max(0.0),
                    2 => sum.sin(),
                    _ => sum.clamp(-1.0, 1.0),
                };
            }
            next.iter_mut().zip(x).for_each(|(out, x)| *out += x);
            x = next;
        }
        let head = &theta[theta.len() - self.net.shared..];
        head[0] + head[1..].iter().zip(x).map(|(w, x)| w * x).sum::<f64>()
    }

    /// What the weights in use are short of.
    fn distance(&self, dna: &Dna, theta: &[f64]) -> f64 {
        if self.net.network {
            let error = |(input, output): &([f64; WIDE], f64)| {
                (self.output(dna, theta, *input) - output).powi(2)
            };
            return self.data.iter().map(error).sum::<f64>() / self.data.len() as f64;
        }
        let apart = |(x, y): (&f64, &f64)| (x - y).powi(2);
        let blocks =
            self.net.active(dna, theta).into_iter().zip(self.net.active(dna, &self.target));
        let of_blocks = blocks.map(|(w, t)| w.iter().zip(t).map(apart).sum::<f64>()).sum::<f64>();
        let from = theta.len() - self.net.shared;
        of_blocks + theta[from..].iter().zip(&self.target[from..]).map(apart).sum::<f64>()
    }

    fn cost(&self, dna: &Dna) -> f64 {
        if self.net.network {
            return 0.0;
        }
        let of = |costs: &[f64], taken: usize| {
            costs[taken] - costs.iter().copied().fold(f64::INFINITY, f64::min)
        };
        let blocks = self.costs.chunks(self.net.branches).zip(dna.genes());
        blocks.map(|(costs, branch)| of(costs, *branch as usize)).sum()
    }
}

/// The gap at the end: of θ alone over models at random, or of θ with the best models of the last
/// iteration.
fn run(problem: &Problem, config: SearchConfig, leaves: bool, random: bool, seed: u64) -> f64 {
    let net = problem.net;
    let (seed, space) = (Seed(seed), net.space(leaves));
    let dim = net.dim();
    let start = Start { space: space.clone(), theta: vec![0.0; dim], bounds: None };
    let mut search = Search::new(config, start).expect("settings that can be");
    let (mut left, mut iteration, mut last) = (ITERATIONS as usize * POINTS, 0, Vec::new());
    while left > 0 {
        let n = search.population();
        let points = search.ask(n, &mut seed.stream(Purpose::Ask, iteration, 0));
        let value = |it: &esenas::Candidate| {
            Some(-problem.distance(&it.dna, &it.theta.to_vec()) - problem.cost(&it.dna))
        };
        let values: Vec<_> = points.iter().map(value).collect();
        last = points.into_iter().map(|it| it.dna).collect();
        search.tell(&values);
        (left, iteration) = (left.saturating_sub(n), iteration + 1);
    }
    let theta = search.centre().expect("a centre").to_vec();
    if random {
        let mut stream = seed.stream(Purpose::Look, 0, 0);
        let gap =
            (0..200).map(|_| problem.distance(&space.sample(&mut stream), &theta)).sum::<f64>();
        return gap / 200.0;
    }
    let known = search.best_model().map(|(dna, ..)| dna.clone());
    let gap = |dna: &Dna| problem.distance(dna, &theta) + problem.cost(dna);
    last.iter().chain(&known).map(gap).fold(f64::INFINITY, f64::min)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// An optimizer with a step size of its own choice of these, and whether both points of a pair have
/// one model.
fn weights(name: &str) -> (Vec<WeightsConfig>, Pairing) {
    let population = Some(POINTS);
    let sigmas = [0.05, 0.2, 0.7];
    let es = |step: f64| EsConfig {
        sigma: 0.1.into(),
        step_size: step.into(),
        directions: POINTS as u32 / 2,
        ..EsConfig::default()
    };
    let sep = |mirrored: bool| {
        let of = |sigma| SepCmaEsConfig { sigma, population, mirrored, ..Default::default() };
        sigmas.map(of).map(WeightsConfig::SepCmaEs).into()
    };
    let line = |sigma| LineEsConfig { sigma, population };
    let snes = |sigma| SnesConfig { sigma, population, ..Default::default() };
    match name {
        "es" => {
            let steps = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32];
            (steps.map(es).map(WeightsConfig::Es).into(), Pairing::Independent)
        }
        "sep-cma-es" => (sep(false), Pairing::Independent),
        "sep-cma-es, pairs" => (sep(true), Pairing::Shared),
        "snes" => (sigmas.map(snes).map(WeightsConfig::Snes).into(), Pairing::Independent),
        _ => (sigmas.map(line).map(WeightsConfig::LineEs).into(), Pairing::Independent),
    }
}

/// The median gap, with the best of the step sizes.
fn best(problems: &[Problem], name: &str, leaves: bool, random: bool) -> f64 {
    let (all, pairing) = weights(name);
    let of = |weights: WeightsConfig| {
        let controller = match random {
            true => ControllerConfig::Random(Default::default()),
            false => ControllerConfig::RegularizedEvolution(Default::default()),
        };
        let joint = JointConfig { centre: 0, pairing, ..JointConfig::default() };
        let config = SearchConfig::EsEnas { weights, controller, joint };
        let gap = |(seed, problem)| run(problem, config.clone(), leaves, random, seed);
        median((0..).zip(problems).map(gap).collect())
    };
    all.into_iter().map(of).fold(f64::INFINITY, f64::min)
}

fn main() {
    println!(
        "| problem | models | optimizer | without | with | ratio |\n|---|---|---|---|---|---|"
    );
    for net in NETS {
        let problems: Vec<Problem> = INSTANCES.map(|it| Problem::new(net, it)).collect();
        let print = |models: &str, name: &str, [without, with]: [f64; 2]| {
            let (problem, ratio) = (net.name, without / with);
            println!("| {problem} | {models} | {name} | {without:.1e} | {with:.1e} | {ratio:.1} |");
        };
        for (random, models) in [(true, "random"), (false, "evolution")] {
            for name in ["es", "sep-cma-es", "sep-cma-es, pairs", "snes", "line-es"] {
                print(models, name, [false, true].map(|it| best(&problems, name, it, random)));
            }
        }
        let auto = |leaves: bool| {
            let layout = match leaves {
                true => Layout::new(net.space(true)).expect("a layout"),
                false => Layout::flat(net.space(false), net.dim(), None),
            };
            let budget = Some(u64::from(ITERATIONS) * POINTS as u64);
            let choice = Facts::of(&layout, budget).choose();
            let gap = |(seed, problem)| run(problem, choice.search.clone(), leaves, false, seed);
            median((0..).zip(&problems).map(gap).collect())
        };
        print("its own", "auto", [false, true].map(auto));
    }
}
