//! The engine's speed, beside its peers'.
//!
//! `cargo bench -p esenas --bench engine` measures ours on one thread; where `bench/peers/run.sh`
//! has left its lines in `target/peers/`, each row also shows the peer and the ratio.
//! `bench/engine.sh` does both in one run.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and its peers' lines")]
#![expect(clippy::disallowed_macros, reason = "a benchmark prints")]

use std::cell::RefCell;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use esenas::controllers::{RegularizedEvolution, RegularizedEvolutionConfig};
use esenas::weights::{
    CmaEs, CmaEsConfig, Es, EsConfig, LmMaEs, LmMaEsConfig, SepCmaEs, SepCmaEsConfig, Snes,
    SnesConfig,
};
use esenas::{
    BLOCK, Dna, Noise, Optimizer, Purpose, Scratch, Seed, Space, Stream, WeightOptimizer,
};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("no pool is built yet");
    let peers = Peers::read();
    models(&peers);
    evolution_strategies(&peers);
    distributions(&peers);
    peers.summary();
}

/// CPU seconds per call: the mean and the least over at least `budget` seconds, after a warm-up.
///
/// The peers' figures are CPU seconds too: what else the machine does counts for neither.
struct Time {
    mean: f64,
    least: f64,
}

fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

fn time(budget: f64, mut call: impl FnMut(u32)) -> Time {
    (0..3).for_each(&mut call);
    let (start, mut least, mut calls) = (cpu_seconds(), f64::INFINITY, 0);
    loop {
        let before = cpu_seconds();
        call(3 + calls);
        let after = cpu_seconds();
        least = least.min(after - before);
        calls += 1;
        if calls >= 3 && after - start > budget {
            return Time { mean: (after - start) / f64::from(calls), least };
        }
    }
}

fn stream(iteration: u32) -> Stream {
    Seed(1).stream(Purpose::Ask, iteration, 0)
}

/// Regularized evolution, random DNA, JSON and decoding on the paper's three kinds of space.
fn models(peers: &Peers) {
    println!("Models: calls per CPU second, and how many times PyGlove's rate that is\n");
    println!("{:<10}{:<34}{:>14}{:>14}{:>10}", "space", "what", "esenas", "PyGlove", "ratio");
    let list = |n: usize, k: i64| {
        Space::list(vec![Space::int(0..=k - 1).expect("not empty"); n]).expect("not empty")
    };
    let subset = Space::subset(64, 0..=735).expect("64 of 736");
    for (case, space) in [("20x11", list(20, 11)), ("736x17", list(736, 17)), ("64of736", subset)] {
        let space = Arc::new(space);
        let row = |what: &str, peer: &str, per_call: f64, seconds: f64| {
            let ours = per_call / seconds;
            let asked = if peer == "propose_feedback" { 10_000.0 } else { 1_000.0 };
            let theirs = peers.pyglove(case, peer, ours, asked);
            let shown = theirs.map_or("-".into(), |p| format!("{p:.2}"));
            let ratio = theirs.map_or("-".into(), |p| format!("{:.0}", ours / p));
            println!("{case:<10}{what:<34}{ours:>14.0}{shown:>14}{ratio:>10}");
        };
        let config = RegularizedEvolutionConfig { population: Some(150), tournament: Some(12) };
        let mut evolution = RegularizedEvolution::new(config, space.clone()).expect("valid");
        let values: Vec<_> = (0..150).map(|i| Some(f64::from(i * 37 % 101))).collect();
        let seconds = time(0.5, |i| {
            black_box(evolution.ask(150, &mut stream(i)));
            evolution.tell(&values);
        });
        row("regularized evolution, ask + tell", "propose_feedback", 150.0, seconds.mean);
        let mut draws = stream(0);
        let dnas: Vec<Dna> = (0..100).map(|_| space.sample(&mut draws)).collect();
        let json: Vec<String> = dnas.iter().map(Dna::to_json).collect();
        let each =
            |mut call: Box<dyn FnMut(usize)>| time(0.3, |_| (0..100).for_each(&mut call)).mean;
        let sampled = space.clone();
        row(
            "random DNA",
            "random",
            100.0,
            each(Box::new(move |_| {
                black_box(sampled.sample(&mut draws));
            })),
        );
        let (to, from) = (dnas.clone(), json.clone());
        row(
            "to JSON",
            "to_json",
            100.0,
            each(Box::new(move |i| {
                black_box(to[i].to_json());
            })),
        );
        row(
            "from JSON",
            "from_json",
            100.0,
            each(Box::new(move |i| {
                black_box(Dna::from_json(&from[i]).expect("valid"));
            })),
        );
        let decoded = space.clone();
        row(
            "parse and decode",
            "decode",
            100.0,
            each(Box::new(move |i| {
                let dna = Dna::from_json(&json[i]).expect("valid");
                black_box(decoded.decode(&dna).expect("valid"));
            })),
        );
    }
}

/// One ES iteration without objective: every probe written out once, then the update.
fn evolution_strategies(peers: &Peers) {
    println!(
        "\nES, 64 antithetic pairs: CPU seconds per iteration (mean), and the peers' in multiples\n"
    );
    println!(
        "{:>9}{:>11}{:>11}{:>11}{:>11}{:>10}{:>9}{:>9}{:>9}{:>13}{:>13}{:>13}{:>13}",
        "d",
        "mean s",
        "least s",
        "ns/(n d)",
        "/ vectors",
        "/ matrix",
        "/ block",
        "/ copy",
        "/ floor",
        "numpy f64",
        "numpy f32",
        "evosax",
        "evotorch"
    );
    for d in [100, 1_000, 10_000, 100_000, 1_000_000] {
        let mut es = Es::new(EsConfig::default(), vec![0.0; d], None).expect("valid");
        let ours = iteration(&mut es, 128);
        let over = |time: Time| ours.mean / time.mean;
        let peer = |lib, asked| peers.ratio("ES iteration", lib, d, ours.mean, asked);
        println!(
            "{d:>9}{:>11.2e}{:>11.2e}{:>11.2}{:>11.2}{:>10}{:>9.2}{:>9.2}{:>9.2}{:>13}{:>13}{:>13}{:>13}",
            ours.mean,
            ours.least,
            ours.mean * 1e9 / (64 * d) as f64,
            over(vectors(64, d)),
            matrix(64, d).map_or("-".into(), |time| format!("{:.2}", over(time))),
            over(blocks(64, d)),
            over(copies(128, d)),
            over(floor(64, d)),
            peer("numpy-f64", 4.0),
            peer("numpy-f32", 1.0),
            peer("evosax-open-es", 1.0),
            peer("evotorch-pgpe", 1.0),
        );
    }
    println!(
        "\nThe iteration's time, mean over mean, over that of:\n\n\
         / vectors   drawing its 64 Gaussian vectors once, each into the same vector of d doubles;\n\
         / matrix    drawing them once into a matrix of 64 d doubles, as NumPy's users hold them, up to 1 GB;\n\
         / block     drawing them once, block by block into the same 4 kB, where none is of use to anybody;\n\
         / copy      copying the centre 128 times into two vectors, which is what any 128 points of d doubles take;\n\
         / floor     drawing them into the same 4 kB and copying the centre for each point, block by block; beyond\n            \
         4 MB of Gaussians, which are not kept so that memory is O(d), drawing them a second time for the update.\n\n\
         ES at d = 10,000 by the number of pairs:"
    );
    for pairs in [16, 64, 256] {
        let mut es = Es::new(EsConfig::default(), vec![0.0; 10_000], None).expect("valid");
        println!("{pairs:>9} pairs{:>11.2e} s", iteration(&mut es, 2 * pairs).mean);
    }
}

/// Iterations of the algorithms that keep a distribution, at their default population.
fn distributions(peers: &Peers) {
    println!("\nDistributions: CPU seconds per iteration (mean), and the peers' in multiples\n");
    println!("{:<12}{:>9}{:>8}{:>11}   peers", "", "d", "points", "mean s");
    let row = |name: &str, d: usize, points: usize, ours: Time, libs: &[(&str, f64)]| {
        let what = format!("{name} iteration");
        let ratio = |lib, asked| peers.ratio(&what, lib, d, ours.mean, asked);
        let each = libs.iter().map(|&(lib, asked)| format!("{lib} {}", ratio(lib, asked)));
        let shown = each.collect::<Vec<_>>().join(", ");
        println!("{name:<12}{d:>9}{points:>8}{:>11.2e}   {shown}", ours.mean);
    };
    for d in [100, 1000] {
        let mut it = CmaEs::new(CmaEsConfig::default(), vec![1.0; d], None).expect("valid");
        let n = it.population();
        row("cma-es", d, n, iteration(&mut it, n), &[("pycma", 1.0), ("cmaes-cma", 10.0)]);
    }
    for d in [1_000, 10_000, 100_000] {
        let mut it = SepCmaEs::new(SepCmaEsConfig::default(), vec![1.0; d], None).expect("valid");
        let n = it.population();
        row("sep-cma-es", d, n, iteration(&mut it, n), &[("cmaes-sep", 4.0)]);
        row("sep-cma-es", d, 128, iteration(&mut it, 128), &[("evosax-sep-cma", 1.0)]);
        let mut it = Snes::new(SnesConfig::default(), vec![1.0; d], None).expect("valid");
        let libs = [("evosax-snes", 1.0), ("evotorch-snes", 1.0)];
        row("snes", d, 128, iteration(&mut it, 128), &libs);
        let mut it = LmMaEs::new(LmMaEsConfig::default(), vec![1.0; d], None).expect("valid");
        let n = it.population();
        row("lm-ma-es", d, n, iteration(&mut it, n), &[]);
    }
}

/// Ask for `n` points, write each out, tell values of no meaning.
fn iteration(optimizer: &mut impl WeightOptimizer, n: usize) -> Time {
    let values: Vec<_> = (0..n).map(|i| Some((i * 37 % 101) as f64)).collect();
    let (mut out, mut scratch) = (Vec::new(), Scratch::default());
    time(2.0, |i| {
        for point in optimizer.ask(n, &mut stream(i)) {
            point.write(&mut out, &mut scratch);
            black_box(&out);
        }
        optimizer.tell(&values);
    })
}

/// Draw `rows` Gaussian vectors, block by block, and keep none.
fn blocks(rows: u32, d: usize) -> Time {
    let mut block = vec![0.0; BLOCK];
    time(0.5, |key| {
        for row in 0..rows {
            for (at, start) in (0..d).step_by(BLOCK).enumerate() {
                let out = &mut block[..BLOCK.min(d - start)];
                Noise::Gaussian(key.into()).fill(row, at, out);
                black_box(&out);
            }
        }
    })
}

fn draw(key: u32, row: u32, block: &mut [f32], vector: &mut [f64]) {
    for (at, out) in vector.chunks_mut(BLOCK).enumerate() {
        let block = &mut block[..out.len()];
        Noise::Gaussian(key.into()).fill(row, at, block);
        out.iter_mut().zip(&*block).for_each(|(out, g)| *out = f64::from(*g));
    }
}

/// Draw `rows` Gaussian vectors as points are kept, in double precision, one at a time.
fn vectors(rows: u32, d: usize) -> Time {
    let (mut block, mut vector) = (vec![0.0; BLOCK], vec![0.0; d]);
    time(0.5, |key| {
        for row in 0..rows {
            draw(key, row, &mut block, &mut vector);
            black_box(&vector);
        }
    })
}

/// Draw `rows` Gaussian vectors into one matrix, in double precision; none beyond 1 GB.
fn matrix(rows: u32, d: usize) -> Option<Time> {
    let size = rows as usize * d;
    if 8 * size > 1 << 30 {
        return None;
    }
    let (mut block, mut matrix) = (vec![0.0; BLOCK], vec![0.0; size]);
    Some(time(0.5, |key| {
        for (row, vector) in (0..).zip(matrix.chunks_mut(d)) {
            draw(key, row, &mut block, vector);
        }
        black_box(&matrix);
    }))
}

/// The least that an iteration does: draw, write two points for each of `rows` vectors, and draw
/// again for the update where they were too many to keep.
fn floor(rows: u32, d: usize) -> Time {
    let (centre, mut block) = (vec![1.0; d], vec![0.0; BLOCK]);
    let (mut plus, mut minus) = (vec![0.0; d], vec![0.0; d]);
    let twice = rows as usize * d > 1 << 20;
    time(0.5, |key| {
        let noise = Noise::Gaussian(key.into());
        for row in 0..rows {
            let points = plus.chunks_mut(BLOCK).zip(minus.chunks_mut(BLOCK));
            for (at, ((plus, minus), centre)) in points.zip(centre.chunks(BLOCK)).enumerate() {
                let numbers = &mut block[..plus.len()];
                noise.fill(row, at, numbers);
                black_box(numbers);
                plus.copy_from_slice(centre);
                minus.copy_from_slice(centre);
            }
            black_box((&plus, &minus));
        }
        for at in 0..if twice { d.div_ceil(BLOCK) } else { 0 } {
            let numbers = &mut block[..BLOCK.min(d - at * BLOCK)];
            for row in 0..rows {
                noise.fill(row, at, numbers);
                black_box(&numbers);
            }
        }
    })
}

/// Copy a vector `points` times, into two in turn.
fn copies(points: usize, d: usize) -> Time {
    let (centre, mut pair) = (vec![1.0; d], [vec![0.0; d], vec![0.0; d]]);
    time(0.5, |_| {
        for point in 0..points {
            pair[point % 2].copy_from_slice(black_box(&centre));
            black_box(&pair);
        }
    })
}

/// What `bench/peers/run.sh` measured.
struct Peers {
    lines: Vec<Value>,
    ratios: RefCell<Vec<String>>,
}

impl Peers {
    fn read() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers");
        let read = |name| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let text = read("overhead.jsonl") + &read("pyglove_bench.jsonl");
        let lines: Vec<Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if lines.is_empty() {
            println!("No peers: run bench/peers/run.sh first to see theirs beside ours.\n");
        }
        Self { lines, ratios: RefCell::default() }
    }

    fn pyglove(&self, case: &str, what: &str, ours: f64, asked: f64) -> Option<f64> {
        let line = self.lines.iter().find(|l| l["case"] == case && l["what"] == what)?;
        let theirs = line["per_second"].as_f64()?;
        self.note(format!("{what}, {case}"), "pyglove", ours / theirs, asked);
        Some(theirs)
    }

    fn ratio(&self, what: &str, lib: &str, d: usize, ours: f64, asked: f64) -> String {
        let line = self.lines.iter().find(|l| l["lib"] == lib && l["d"] == d);
        let Some(theirs) = line.and_then(|line| line["cpu_mean_s"].as_f64()) else {
            return "-".into();
        };
        self.note(format!("{what}, d = {d}"), lib, theirs / ours, asked);
        format!("{:.1}x", theirs / ours)
    }

    fn note(&self, what: String, lib: &str, ratio: f64, asked: f64) {
        let digits = if ratio < 100.0 { 1 } else { 0 };
        let short = if ratio < asked { "  <- short of it" } else { "" };
        let line = format!("{what:<34}{lib:<18}{ratio:>12.digits$}x{asked:>10}x{short}");
        self.ratios.borrow_mut().push(line);
    }

    /// Every ratio of this run, beside the one it is meant to reach.
    fn summary(&self) {
        println!("\nAll ratios to peers\n");
        println!("{:<34}{:<18}{:>13}{:>11}", "what", "peer", "ratio", "at least");
        self.ratios.borrow().iter().for_each(|line| println!("{line}"));
    }
}
