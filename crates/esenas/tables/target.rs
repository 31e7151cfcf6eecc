//! Evaluations to a target: what `auto` chooses for purely continuous problems in a box, and plain
//! CMA-ES. Prints a line of JSON per run; `bench/peers/target.py` runs pycma on the same functions,
//! from the same starts, and makes the table.
//!
//! Functions of y = R (x − x*), x* at ±2 in turn, in [−5, 5]ᵈ; R is a product of plane rotations by
//! one angle, so that another language has the same without a generator. Run s starts at 4 sin(s +
//! 1.7 j), j the coordinate.

#![expect(clippy::disallowed_macros, reason = "an example prints")]

use std::sync::Arc;

use esenas::auto::Facts;
use esenas::controllers::ControllerConfig;
use esenas::weights::{Boundary, CmaEsConfig, WeightsConfig};
use esenas::{
    Bounds, JointConfig, Optimizer, Purpose, Scratch, Search, SearchConfig, Seed, Space, Start,
};

const TARGET: f64 = 1e-8;

fn cost(function: &str, x: &[f64]) -> f64 {
    let mut y: Vec<f64> = x.iter().zip([2.0, -2.0].iter().cycle()).map(|(x, o)| x - o).collect();
    let (name, rotated) =
        function.strip_prefix("rotated-").map_or((function, false), |n| (n, true));
    if rotated {
        let (sin, cos) = 0.7_f64.sin_cos();
        for j in 0..2 * y.len() {
            let (a, b) = (j % y.len(), (j * 7 + 1) % y.len());
            if a != b {
                (y[a], y[b]) = (cos * y[a] - sin * y[b], sin * y[a] + cos * y[b]);
            }
        }
    }
    let last = (y.len() - 1) as f64;
    let axis = |j: usize| 1e6_f64.powf(j as f64 / last);
    match name {
        "sphere" => y.iter().map(|y| y * y).sum(),
        "ellipsoid" => y.iter().enumerate().map(|(j, y)| axis(j) * y * y).sum(),
        "discus" => 1e6 * y[0] * y[0] + y[1..].iter().map(|y| y * y).sum::<f64>(),
        "cigar" => y[0] * y[0] + 1e6 * y[1..].iter().map(|y| y * y).sum::<f64>(),
        other => panic!("{other} is no function of this example"),
    }
}

fn evaluations(function: &str, dim: usize, seed: u64, plain: bool, most: u64) -> Option<u64> {
    let space = Arc::new(Space::list::<Space>([]).expect("nothing to decide"));
    let bounds = Bounds::new(vec![-5.0], vec![5.0], dim).expect("a box");
    let search = if plain {
        let cma = CmaEsConfig { sigma: 2.0, boundary: Boundary::Clip, ..CmaEsConfig::default() };
        SearchConfig::EsEnas {
            weights: WeightsConfig::CmaEs(cma),
            controller: ControllerConfig::Random(Default::default()),
            joint: JointConfig { centre: 0, ..JointConfig::default() },
        }
    } else {
        Facts::new(&space, dim, &bounds, None).choose().search
    };
    let theta = (0..dim).map(|j| 4.0 * (seed as f64 + 1.7 * j as f64).sin()).collect();
    let start = Start { space, theta, bounds: Some(bounds) };
    let mut search = Search::new(search, start).expect("settings that can be");
    let (mut point, mut scratch, mut done) = (Vec::new(), Scratch::default(), 0);
    for iteration in 0.. {
        let asked =
            search.ask(search.population(), &mut Seed(seed).stream(Purpose::Ask, iteration, 0));
        let mut values = Vec::with_capacity(asked.len());
        for candidate in &asked {
            candidate.theta.write(&mut point, &mut scratch);
            let cost = cost(function, &point);
            done += 1;
            if cost <= TARGET {
                return Some(done);
            }
            values.push(Some(-cost));
        }
        if done >= most {
            return None;
        }
        search.tell(&values);
    }
    None
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|it| it.parse().ok());
    let (Some(dim), Some(seeds), Some(most)) = (number(0), number(1), number(2)) else {
        println!("usage: target DIMENSION SEEDS MOST FUNCTION…");
        return;
    };
    for function in &words[3..] {
        for (name, plain) in [("auto", false), ("cma-es", true)] {
            for seed in 0..seeds {
                let found = evaluations(function, dim as usize, seed, plain, most);
                let found = found.map_or("null".to_owned(), |it| it.to_string());
                println!(
                    r#"{{"who": "{name}", "function": "{function}", "d": {dim}, "seed": {seed}, "evaluations": {found}}}"#
                );
            }
        }
    }
}
