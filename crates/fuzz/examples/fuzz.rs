//! Coverage-guided search for input that breaks a parser: see `scripts/fuzz.sh`.

#![no_main]

use std::path::Path;
use std::sync::OnceLock;

use esenas_fuzz::{Target, targets};

/// The parser that `ESENAS_FUZZ` names. Its valid inputs are written to the folder that
/// `ESENAS_FUZZ_SEEDS` names.
fn target() -> &'static Target {
    static TARGET: OnceLock<Target> = OnceLock::new();
    TARGET.get_or_init(|| {
        let name = std::env::var("ESENAS_FUZZ").expect("ESENAS_FUZZ names a parser");
        let found = targets().into_iter().find(|target| target.name == name);
        let found = found.unwrap_or_else(|| panic!("there is no parser {name}"));
        if let Some(folder) = std::env::var_os("ESENAS_FUZZ_SEEDS") {
            for (at, seed) in found.seeds().iter().enumerate() {
                let path = Path::new(&folder).join(format!("seed-{at}"));
                std::fs::write(path, seed).expect("the folder is there");
            }
        }
        found
    })
}

libfuzzer_sys::fuzz_target!(
    init: {
        target();
    },
    |bytes: &[u8]| target().parse(bytes)
);
