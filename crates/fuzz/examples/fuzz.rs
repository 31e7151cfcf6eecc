//! `cargo run --release -p esenas-fuzz --example fuzz -- SECONDS [SEED]`: a long run over every
//! parser. Ends with exit code 1 and the input at the first that breaks one.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use esenas_fuzz::targets;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (Some(Ok(seconds)), seed) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: fuzz SECONDS [SEED]");
        return ExitCode::from(2);
    };
    let seed = seed.and_then(Result::ok).unwrap_or(1);
    let targets = targets();
    let (start, mut inputs) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        for target in &targets {
            if let Err(broken) = target.try_input(seed, inputs) {
                eprintln!("{broken}");
                return ExitCode::FAILURE;
            }
        }
        inputs += 1;
    }
    println!("{inputs} inputs for each of {} parsers: none broke", targets.len());
    ExitCode::SUCCESS
}
