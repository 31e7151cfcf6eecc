//! A short run over every parser.

use esenas_fuzz::targets;

#[test]
fn no_parser_breaks_on_broken_input() {
    for target in targets() {
        for index in 0..4000 {
            target.try_input(0, index).unwrap_or_else(|broken| panic!("{broken}"));
        }
    }
}
