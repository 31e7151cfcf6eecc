//! A short run over every parser: all that was kept, and some of it changed.

use esenas_fuzz::{mutate, targets};

/// How many changed inputs a parser gets; those that look at a whole directory are slow.
fn count(name: &str) -> u32 {
    match name {
        "damaged" | "changed" | "forged" => 20,
        "request" => 200,
        "worker" | "answer" => 1000,
        _ => 4000,
    }
}

#[test]
fn no_parser_breaks_on_broken_input() {
    for target in targets() {
        let inputs = target.inputs();
        let changed = (0..count(target.name)).map(|index| mutate(&inputs, index));
        for input in inputs.iter().cloned().chain(changed) {
            target.try_input(&input).unwrap_or_else(|broken| panic!("{broken}"));
        }
    }
}
