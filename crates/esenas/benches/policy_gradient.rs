//! The speed of the policy-gradient controllers: `cargo bench -p esenas --bench policy_gradient`.
//!
//! Q is quantization, 736 decisions of 17 candidates; E edge pruning, 64 of 736; B 20 of 11. Sampling
//! is of 200 models. A step is one update on 64 points, with the pass that finds what
//! probabilities they were drawn with taken off: the difference of an iteration of five updates and
//! one of a single update, over four. All on one thread.
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

fn main() {
    println!("{:<8}{:<14}{:>16}{:>16}", "space", "policy", "sample 200, ms", "step of 64, ms");
    let list = |n: usize, k: i64| {
        Space::list(vec![Space::int(0..=k - 1).expect("not empty"); n]).expect("not empty")
    };
    let subset = Space::subset(64, 0..=735).expect("64 of 736");
    for (case, space) in [("Q", list(736, 17)), ("E", subset), ("B", list(20, 11))] {
        let space = Arc::new(space);
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
        let row = |policy: &str, sample: f64, step: f64| {
            println!("{case:<8}{policy:<14}{:>16.2}{:>16.2}", sample * 1e3, step * 1e3);
        };
        row("recurrent", sampling(recurrent(1)), updating(recurrent(5), recurrent(1)));
        row("factorized", sampling(factorized(1)), updating(factorized(5), factorized(1)));
    }
}

fn stream(iteration: u32) -> Stream {
    Seed(1).stream(Purpose::Ask, iteration, 0)
}

/// The least seconds of several calls.
fn least(mut call: impl FnMut(u32) -> f64) -> f64 {
    call(0);
    (1..6).map(call).fold(f64::INFINITY, f64::min)
}

fn sampling(mut policy: impl Optimizer<Point = Dna>) -> f64 {
    least(|iteration| {
        let start = Instant::now();
        black_box(policy.ask(200, &mut stream(iteration)));
        start.elapsed().as_secs_f64()
    })
}

fn updating<P: Optimizer<Point = Dna> + Clone>(five: P, one: P) -> f64 {
    let values: Vec<_> = (0..64).map(|i| Some(f64::from(i * 37 % 61))).collect();
    let tell = |mut policy: P| {
        policy.ask(64, &mut stream(0));
        least(|_| {
            let mut policy = policy.clone();
            let start = Instant::now();
            policy.tell(&values);
            start.elapsed().as_secs_f64()
        })
    };
    (tell(five) - tell(one)) / 4.0
}
