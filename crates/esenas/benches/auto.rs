//! What an iteration of `auto`'s choice costs beside one of plain ES: `cargo bench -p esenas
//! --bench auto`.
//!
//! CPU time on one thread of ask, writing all points out and tell, per point; ES has as many
//! points, in pairs, and models of regularized evolution from the same space of 100 nested
//! decisions (50 blocks of two kinds, each with a decision of its own). The objective costs
//! nothing.
#![expect(clippy::disallowed_macros, reason = "a benchmark prints")]

use std::hint::black_box;
use std::sync::Arc;

use esenas::auto::{Choice, Facts};
use esenas::controllers::ControllerConfig;
use esenas::joint::Baseline;
use esenas::weights::{EsConfig, WeightsConfig};
use esenas::{
    Bounds, JointConfig, Optimizer, Purpose, Scratch, Search, SearchConfig, Seed, Space, Start,
};
use rustix::time::{ClockId, clock_gettime};

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("no pool is built yet");
    let space = Arc::new(space());
    println!("| d | decisions | algorithm | points | µs per point | of ES |");
    println!("|---|---|---|---:|---:|---:|");
    for dim in [1_000, 100_000] {
        let bounds = Bounds::new(vec![-5.0], vec![5.0], dim).expect("a box");
        let Choice { search, .. } = Facts::new(&space, dim, &bounds, None).choose_for_others();
        let SearchConfig::EsEnas { weights, controller, joint } = search else {
            unreachable!("without a limit of evaluations nothing moves by turns");
        };
        let auto = |joint: JointConfig| SearchConfig::EsEnas {
            weights: weights.clone(),
            controller: controller.clone(),
            joint,
        };
        let population = start(auto(joint.clone()), &space, dim).population() as u32;
        let es = EsConfig { directions: population.div_ceil(2), ..EsConfig::default() };
        let es = |controller| SearchConfig::EsEnas {
            weights: WeightsConfig::Es(es.clone()),
            controller,
            joint: JointConfig { centre: 0, ..JointConfig::default() },
        };
        let with_baseline = JointConfig { baseline: Baseline::Additive, ..joint.clone() };
        let all = vec![
            ("ES-ENAS (Reg-Evo)", es(ControllerConfig::default())),
            ("auto", auto(joint)),
            ("auto, baseline additive", auto(with_baseline)),
        ];
        let mut plain = None;
        for (name, search) in all {
            let (seconds, points) = time(start(search, &space, dim));
            let of = plain.get_or_insert(seconds);
            let (micros, ratio) = (1e6 * seconds, seconds / *of);
            println!("| {dim} | 100 | {name} | {points} | {micros:.1} | × {ratio:.2} |");
        }
    }
}

fn space() -> Space {
    let block = serde_json::json!({ "oneof": [
        { "conv": { "size": { "oneof": [1, 3, 5, 7] } } },
        { "dense": { "width": { "oneof": [8, 16, 32, 64, 128] } } },
    ] });
    Space::from_value(&serde_json::json!({ "blocks": vec![block; 50] })).expect("a space")
}

fn start(search: SearchConfig, space: &Arc<Space>, dim: usize) -> Search {
    let bounds = Some(Bounds::new(vec![-5.0], vec![5.0], dim).expect("a box"));
    let start = Start { space: space.clone(), theta: vec![0.0; dim], bounds };
    Search::new(search, start).expect("settings that can be")
}

fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// Least CPU seconds of an iteration, per point, and how many points that is.
fn time(mut search: Search) -> (f64, usize) {
    let (mut least, mut points) = (f64::INFINITY, 0);
    let (mut point, mut scratch) = (Vec::new(), Scratch::default());
    let begun = cpu_seconds();
    for iteration in 0.. {
        let before = cpu_seconds();
        let asked =
            search.ask(search.population(), &mut Seed(1).stream(Purpose::Ask, iteration, 0));
        let mut values = Vec::with_capacity(asked.len());
        for candidate in &asked {
            candidate.theta.write(&mut point, &mut scratch);
            values.push(Some(black_box(&point)[0]));
        }
        points = asked.len();
        drop(asked);
        search.tell(&values);
        let after = cpu_seconds();
        if iteration >= 3 {
            least = least.min((after - before) / points as f64);
        }
        if iteration >= 10 && after - begun > 1.5 {
            break;
        }
    }
    (least, points)
}
