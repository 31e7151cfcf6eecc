//! `cargo run --release -p esenas-fuzz --example fuzz -- SECONDS [PARSER]`: a long run over every
//! parser, or over one. Ends with exit code 1 and the input at the first that breaks one.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use esenas_fuzz::{mutate, targets};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|text| text.parse::<u64>().ok());
    let (Some(seconds), name) = (seconds, arguments.next()) else {
        eprintln!("usage: fuzz SECONDS [PARSER]");
        return ExitCode::from(2);
    };
    let is_wanted =
        |target: &&esenas_fuzz::Target| name.as_deref().is_none_or(|it| it == target.name);
    let targets = targets();
    let inputs: Vec<_> = targets.iter().filter(is_wanted).map(|it| (it, it.inputs())).collect();
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        for (target, inputs) in &inputs {
            if let Err(broken) = target.try_input(&mutate(inputs, count)) {
                eprintln!("{broken}");
                return ExitCode::FAILURE;
            }
        }
        count += 1;
    }
    println!("{count} inputs for each of {} parsers: none broke", inputs.len());
    ExitCode::SUCCESS
}
