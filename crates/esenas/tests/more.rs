//! More evaluations are never worse: what `auto` finds with four times as many, each time told how
//! many there are.

use std::sync::Arc;

use esenas::auto::Facts;
use esenas::{Bounds, Candidate, Optimizer, Purpose, Search, Seed, Space, Start};

/// Generators, and points in time.
const SHAPE: (usize, usize) = (3, 13);
const DIM: usize = SHAPE.0 * SHAPE.1;
const MOST: f64 = 130.0;

/// A unit commitment: which generators run when, and what they give. What is missing of the demand,
/// and what a generator cannot give, costs ten thousand times as much as running it. (The model is
/// that of Nevergrad's task, with numbers of its own.)
fn cost(candidate: &Candidate, instance: u64) -> f64 {
    let output = candidate.theta.to_vec();
    let wave = |j: usize, step: f64| (step * j as f64 + instance as f64).sin();
    let (mut missed, mut running) = (0.0, 0.0);
    for time in 0..SHAPE.1 {
        let given: f64 = (0..SHAPE.0).map(|it| output[it * SHAPE.1 + time]).sum();
        missed += (given - (150.0 + 50.0 * wave(time, 2.3))).abs();
    }
    for (j, (on, output)) in candidate.dna.genes().iter().zip(&output).enumerate() {
        let on = f64::from(*on);
        missed += (0.6 * MOST * on - output).max(0.0) + (output - MOST * on).max(0.0);
        running += 0.5 * output + (5.0 + 4.0 * wave(j / SHAPE.1, 1.7)) * on;
    }
    running + 1e4 * missed
}

/// The least cost that so many evaluations find.
fn least(evaluations: u64, instance: u64) -> f64 {
    let space = Arc::new(Space::list((0..DIM).map(|_| Space::int(0..=1).unwrap())).unwrap());
    let bounds = Bounds::new(vec![0.0], vec![MOST], DIM).unwrap();
    let search = Facts::new(&space, DIM, &bounds, Some(evaluations)).choose().search;
    let start = Start { space, theta: bounds.middle(DIM), bounds: Some(bounds) };
    let mut search = Search::new(search, start).unwrap();
    let (mut least, mut spent) = (f64::INFINITY, 0);
    for iteration in 0.. {
        let stream = &mut Seed(instance).stream(Purpose::Ask, iteration, 0);
        let points = search.ask(search.population(), stream);
        let costs: Vec<f64> = points.iter().map(|it| cost(it, instance)).collect();
        let left = (evaluations - spent) as usize;
        least = costs.iter().take(left).copied().fold(least, f64::min);
        spent += costs.len() as u64;
        if spent >= evaluations {
            break;
        }
        search.tell(&costs.iter().map(|cost| Some(-cost)).collect::<Vec<_>>());
    }
    least
}

/// Red when batches grow with the budget, or a search that stands still has nothing that follows.
#[test]
fn more_is_never_worse() {
    let found = |evaluations| {
        let mut costs = [101, 102, 103, 104, 105].map(|instance| least(evaluations, instance));
        costs.sort_by(f64::total_cmp);
        costs[2]
    };
    let costs = [500, 2000, 8000, 32_000].map(found);
    assert!(costs.is_sorted_by(|less, more| more <= less), "{costs:?}");
    assert!(costs[2] < 0.7 * costs[1] && costs[3] < costs[2], "{costs:?}");
}
