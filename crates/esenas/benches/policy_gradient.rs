//! The speed of the policy-gradient controllers:
//! `cargo bench -p esenas --bench policy_gradient -- --threads 2`.
//!
//! Q is quantization, 736 decisions of 17 candidates; E edge pruning, 64 of 736; B 20 of 11.
//! Sampling is of 200 models. A step is one update on 64 points, with the pass that finds what
//! probabilities they were drawn with taken off: the difference of an iteration of five updates and
//! one of a single update, over four. Seconds are the least of several calls. Peak is what
//! independent fused multiplications and additions reach in as many threads. With `--json` a line
//! for each figure, as `bench/peers/pointer_bench.py` prints them; `bench/pointer.sh` puts both in
//! one table.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::disallowed_macros, reason = "a benchmark prints")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use esenas::controllers::{
    FactorizedPolicyGradient, FactorizedPolicyGradientConfig, PolicyGradient, PolicyGradientConfig,
    Training,
};
use esenas::{Dna, Optimizer, Purpose, Seed, Space, Stream};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use rustix::time::{ClockId, clock_gettime};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let json = arguments.iter().any(|argument| argument == "--json");
    let value = arguments.iter().skip_while(|argument| *argument != "--threads").nth(1);
    let threads = value.map_or(1, |threads| threads.parse().expect("--threads takes a number"));
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("no pool yet");
    let show = Show { json, threads, peak: peak(threads) };
    show.head();
    for case in CASES {
        let space = Arc::new(case.space());
        let training = |steps| Training { steps, max_kl: 1e30, ..Training::default() };
        let recurrent = |steps| {
            let training = training(steps);
            let config = PolicyGradientConfig { training, ..PolicyGradientConfig::default() };
            PolicyGradient::new(config, space.clone()).expect("valid")
        };
        let factorized = |steps| {
            let training = training(steps);
            let config = FactorizedPolicyGradientConfig { training, ..Default::default() };
            FactorizedPolicyGradient::new(config, space.clone()).expect("valid")
        };
        let forward = case.work();
        show.row(&case, "recurrent", "sample", sampling(recurrent(1)), Some(200.0 * forward));
        let step = updating(recurrent(5), recurrent(1));
        show.row(&case, "recurrent", "step", step, Some(3.0 * 64.0 * forward));
        show.row(&case, "factorized", "sample", sampling(factorized(1)), None);
        show.row(&case, "factorized", "step", updating(factorized(5), factorized(1)), None);
    }
}

struct Case {
    name: &'static str,
    decisions: usize,
    arity: i64,
    subset: bool,
}

const CASES: [Case; 3] = [
    Case { name: "Q", decisions: 736, arity: 17, subset: false },
    Case { name: "E", decisions: 64, arity: 736, subset: true },
    Case { name: "B", decisions: 20, arity: 11, subset: false },
];

impl Case {
    fn space(&self) -> Space {
        let candidates = 0..=self.arity - 1;
        if self.subset {
            return Space::subset(self.decisions as u32, candidates).expect("enough");
        }
        let decision = Space::int(candidates).expect("not empty");
        Space::list(vec![decision; self.decisions]).expect("not empty")
    }

    /// Floating-point operations of one model forwards: the recurrent product, and the pointer's.
    /// Backwards it is twice as many.
    fn work(&self) -> f64 {
        self.decisions as f64 * (2.0 * 100.0 * 400.0 + 2.0 * 100.0 * self.arity as f64)
    }
}

/// Seconds of a call.
#[derive(Clone, Copy)]
struct Seconds {
    wall: f64,
    cpu: f64,
}

struct Show {
    json: bool,
    threads: usize,
    peak: f64,
}

impl Show {
    fn head(&self) {
        if !self.json {
            println!("threads {}, peak {:.0} GFLOP/s\n", self.threads, self.peak / 1e9);
            println!("case  policy      what       wall, ms     CPU, ms   GFLOP/s   of peak");
        }
    }

    fn row(&self, case: &Case, policy: &str, what: &str, seconds: Seconds, work: Option<f64>) {
        let (name, Seconds { wall, cpu }) = (case.name, seconds);
        let share = work.map(|work| work / wall / self.peak);
        if self.json {
            let line = serde_json::json!({
                "lib": format!("esenas-{policy}"), "case": name, "what": what,
                "threads": self.threads, "wall_s": wall, "cpu_s": cpu, "share_of_peak": share,
            });
            println!("{line}");
            return;
        }
        print!("{name:<6}{policy:<12}{what:<7}{:>12.2}{:>12.2}", wall * 1e3, cpu * 1e3);
        match share {
            Some(share) => println!("{:>10.1}{share:>10.2}", share * self.peak / 1e9),
            None => println!(),
        }
    }
}

fn stream(iteration: u32) -> Stream {
    Seed(1).stream(Purpose::Ask, iteration, 0)
}

fn now() -> Seconds {
    let cpu = clock_gettime(ClockId::ProcessCPUTime);
    let wall = clock_gettime(ClockId::Monotonic);
    let seconds = |time: rustix::time::Timespec| time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9;
    Seconds { wall: seconds(wall), cpu: seconds(cpu) }
}

/// The least seconds of several calls, after a warm-up, for about half a second.
fn least(mut call: impl FnMut(u32) -> Seconds) -> Seconds {
    call(0);
    let (start, mut calls) = (Instant::now(), 0);
    let mut least = Seconds { wall: f64::INFINITY, cpu: f64::INFINITY };
    while calls < 3 || start.elapsed().as_secs_f64() < 0.5 {
        calls += 1;
        let Seconds { wall, cpu } = call(calls);
        least = Seconds { wall: least.wall.min(wall), cpu: least.cpu.min(cpu) };
    }
    least
}

fn time(call: impl FnOnce()) -> Seconds {
    let before = now();
    call();
    let after = now();
    Seconds { wall: after.wall - before.wall, cpu: after.cpu - before.cpu }
}

fn sampling(mut policy: impl Optimizer<Point = Dna>) -> Seconds {
    least(|iteration| {
        time(|| {
            black_box(policy.ask(200, &mut stream(iteration)));
        })
    })
}

fn updating<P: Optimizer<Point = Dna> + Clone>(five: P, one: P) -> Seconds {
    let values: Vec<_> = (0..64).map(|i| Some(f64::from(i * 37 % 61))).collect();
    let tell = |mut policy: P| {
        policy.ask(64, &mut stream(0));
        least(|_| {
            let mut policy = policy.clone();
            time(|| policy.tell(&values))
        })
    };
    let (five, one) = (tell(five), tell(one));
    Seconds { wall: (five.wall - one.wall) / 4.0, cpu: (five.cpu - one.cpu) / 4.0 }
}

/// Independent chains of fused multiplications and additions.
struct Chains(u32);

const CHAINS: usize = 12;

impl WithSimd for Chains {
    /// How many operations there were, and something that depends on all.
    type Output = (f64, f32);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (f64, f32) {
        let factor = simd.splat_f32s(black_box(0.999));
        let mut sums = [simd.splat_f32s(1.0); CHAINS];
        for _ in 0..self.0 {
            for sum in &mut sums {
                *sum = simd.mul_add_f32s(*sum, factor, factor);
            }
        }
        let operations = f64::from(self.0) * (2 * CHAINS * S::F32_LANES) as f64;
        (operations, sums.into_iter().map(|sum| simd.reduce_sum_f32s(sum)).sum())
    }
}

/// Operations per second, at best.
fn peak(threads: usize) -> f64 {
    let arch = Arch::new();
    let run = || {
        let start = Instant::now();
        let run = |_: usize| arch.dispatch(Chains(black_box(2_000_000)));
        let done: Vec<(f64, f32)> = (0..threads).into_par_iter().map(run).collect();
        black_box(&done);
        done.iter().map(|(operations, _)| operations).sum::<f64>() / start.elapsed().as_secs_f64()
    };
    (0..6).map(|_| run()).fold(0.0, f64::max)
}
