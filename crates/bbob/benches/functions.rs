//! Evaluations per second of each function, rotated, on one core.
//!
//! `cargo bench -p esenas-bbob --bench functions` for D = 100; `-- 40` after it for another D.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::disallowed_macros, reason = "a benchmark prints")]

use std::hint::black_box;
use std::time::Instant;

use esenas::{Purpose, Seed};
use esenas_bbob::{Buffer, Function, Instance, Mode};

const POINTS: usize = 64;
const SECONDS: f64 = 0.3;

fn main() {
    let dim: usize = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(100);
    println!("D = {dim}");
    println!("{:<28}{:>14}{:>14}", "evaluations per second", "one by one", "in batches");
    let mut stream = Seed(1).stream(Purpose::Start, 0, 0);
    let xs: Vec<f64> = (0..POINTS * dim).map(|_| 10.0 * stream.unit() - 5.0).collect();
    for function in Function::ALL {
        let instance = Instance::new(function, dim, 0, Mode::Raw, Seed(1)).expect("defined");
        let (mut buffer, mut out) = (Buffer::default(), vec![0.0; POINTS]);
        let single = rate(|| {
            for x in xs.chunks(dim) {
                black_box(instance.cost(black_box(x), &mut buffer));
            }
        });
        let batch = rate(|| instance.costs(black_box(&xs), black_box(&mut out), &mut buffer));
        println!("{function:<28}{single:>14.0}{batch:>14.0}");
    }
}

/// Points per second, of the fastest call in so many seconds: others use the machine too.
fn rate(mut call: impl FnMut()) -> f64 {
    call();
    let (start, mut least) = (Instant::now(), f64::INFINITY);
    while start.elapsed().as_secs_f64() < SECONDS {
        let before = Instant::now();
        call();
        least = least.min(before.elapsed().as_secs_f64());
    }
    POINTS as f64 / least
}
