//! Feeds every parser of the project broken input.
//!
//! A parser may accept or refuse, but must not panic, hang or believe a length that cannot be true.
//!
//! The tests give each [`Target`] a fixed number of inputs; for as long as you like:
//! `cargo run --release -p esenas-fuzz --example fuzz -- SECONDS [PARSER]`. What breaks a parser
//! goes into `corpus/` below the parser's name, where the tests replay it.

mod directory;
mod forged;
mod input;
mod page;
mod remote;
mod text;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use esenas::{Purpose, Seed, Stream};

/// Reads broken input, and panics where it finds a fault.
type Parse = dyn Fn(&[u8]) + Send + Sync;

/// A parser, and what it is fed with to begin with.
pub struct Target {
    /// What it reads; also the name of its corpus.
    pub name: &'static str,
    seeds: Vec<Vec<u8>>,
    parse: Box<Parse>,
}

/// Every parser of bytes or text that come from outside.
pub fn targets() -> Vec<Target> {
    let mut targets = text::targets();
    targets.extend([
        remote::worker(),
        remote::driver(),
        page::visitor(),
        directory::damaged(),
        directory::changed(),
        forged::study(),
    ]);
    targets
}

/// Panics so far, on any thread.
static PANICS: AtomicUsize = AtomicUsize::new(0);

impl Target {
    fn new(
        name: &'static str,
        seeds: Vec<Vec<u8>>,
        parse: impl Fn(&[u8]) + Send + Sync + 'static,
    ) -> Self {
        static COUNTING: Once = Once::new();
        COUNTING.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                PANICS.fetch_add(1, Ordering::Relaxed);
                before(panic);
            }));
        });
        Self { name, seeds, parse: Box::new(parse) }
    }

    /// Parses an input.
    pub fn parse(&self, input: &[u8]) {
        (self.parse)(input);
    }

    /// Where its corpus is.
    pub fn corpus(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(self.name)
    }

    /// Valid inputs.
    pub fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    /// Valid inputs, and all that is kept in the corpus, in the order of the names.
    pub fn inputs(&self) -> Vec<Vec<u8>> {
        let entries = fs::read_dir(self.corpus()).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        let kept = files.into_iter().filter_map(|path| fs::read(path).ok());
        self.seeds.iter().cloned().chain(kept).collect()
    }

    /// Parses an input, or says that it broke the parser.
    pub fn try_input(&self, input: &[u8]) -> Result<(), String> {
        let before = PANICS.load(Ordering::Relaxed);
        let parsed = catch_unwind(AssertUnwindSafe(|| self.parse(input)));
        if parsed.is_ok() && PANICS.load(Ordering::Relaxed) == before {
            return Ok(());
        }
        let text = String::from_utf8_lossy(input);
        Err(format!("{}: broken by {} bytes, {input:?}:\n{text}", self.name, input.len()))
    }
}

/// One of `inputs` with up to eight changes: bits, bytes, cuts, repeats, splices, awkward words.
pub fn mutate(inputs: &[Vec<u8>], index: u32) -> Vec<u8> {
    const WORDS: [&str; 14] = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        "null",
        "NaN",
        "-1",
        "1e999",
        "4294967296",
        "oneof",
        "\u{0}",
        "\n",
        "=",
    ];
    let stream = &mut Seed(0).stream(Purpose::Evaluate, 0, index);
    let pick = |stream: &mut Stream| inputs[stream.index(inputs.len())].clone();
    let mut bytes = pick(stream);
    for _ in 0..stream.below(8) {
        let at = stream.index(bytes.len() + 1).min(bytes.len().saturating_sub(1));
        let end = (at + 1 + stream.index(40)).min(bytes.len());
        match stream.below(7) {
            _ if bytes.is_empty() => bytes = pick(stream),
            0 => bytes[at] ^= 1 << stream.below(8),
            1 => bytes[at] = stream.bits() as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let other = pick(stream);
                let from = stream.index(other.len().max(1));
                bytes.splice(at..at, other.iter().skip(from).copied().take(60));
            }
            _ => {
                bytes.splice(at..at, WORDS[stream.index(WORDS.len())].bytes());
            }
        }
    }
    bytes
}
