//! Feeds every parser of the project broken input: valid examples, mutated.
//!
//! A parser may accept or refuse, but must not panic, hang or believe a length that cannot be true.
//! The tests run each [`Target`] for a fixed number of inputs;
//! `cargo run --release -p esenas-fuzz --example fuzz -- SECONDS` goes on for as long as you like.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use esenas::controllers::ControllerConfig;
use esenas::weights::WeightsConfig;
use esenas::{
    Dna, JointConfig, Layout, Optimizer, Purpose, Search, SearchConfig, Seed, Space, Start, Stream,
};
use esenas_bbob::Service;
use esenas_run::Spec;
use esenas_run::command::wire;

/// A parser, and what it is fed with to begin with.
pub struct Target {
    /// What it reads.
    pub name: &'static str,
    seeds: Vec<Vec<u8>>,
    parse: fn(&[u8]),
}

/// Every parser of bytes or text that come from outside.
pub fn targets() -> Vec<Target> {
    let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    vec![
        Target {
            name: "study TOML",
            seeds: texts(&[
                include_str!("../../../studies/quickstart.toml"),
                include_str!("../../../studies/command.toml"),
                include_str!("../../../studies/baseline.toml"),
            ]),
            parse: |bytes| {
                if let Ok(text) = str::from_utf8(bytes)
                    && let Ok(plan) =
                        Spec::parse("study.toml", text, Path::new("."), &[]).and_then(Spec::plan)
                {
                    let _ = plan.spec().to_toml();
                }
            },
        },
        Target {
            name: "override",
            seeds: texts(&["weights.sigma=0.2", "stop.iterations=5", "controller.kind=asng"]),
            parse: |bytes| {
                let study = include_str!("../../../studies/quickstart.toml");
                let set = String::from_utf8_lossy(bytes).into_owned();
                let _ =
                    Spec::parse("study.toml", study, Path::new("."), &[set]).and_then(Spec::plan);
            },
        },
        Target { name: "space JSON", seeds: texts(&[SPACE]), parse: space_json },
        Target {
            name: "space TOML",
            seeds: texts(&[
                "op = { oneof = [1, 2] }\nedges = { manyof = { int = [0, 9] }, k = 3 }",
            ]),
            parse: |bytes| {
                if let Ok(text) = str::from_utf8(bytes)
                    && let Ok(space) = toml::from_str::<Space>(text)
                {
                    use_space(&space);
                }
            },
        },
        Target {
            name: "DNA bytes",
            seeds: vec![Dna::from([0, 1, 300, 70_000]).to_bytes(), Dna::default().to_bytes()],
            parse: |bytes| {
                if let Ok(dna) = Dna::from_bytes(bytes) {
                    assert_eq!(dna.to_bytes(), bytes, "one DNA has one form");
                }
            },
        },
        Target {
            name: "DNA JSON",
            seeds: texts(&["[0,1,300,70000]", "[]"]),
            parse: |bytes| {
                if let Ok(text) = str::from_utf8(bytes) {
                    let _ = Dna::from_json(text);
                }
            },
        },
        Target {
            name: "worker line",
            seeds: texts(&[
                r#"{"id":3,"value":1.5,"score":2,"metrics":{"a":0.5}}"#,
                r#"{"id":3,"error":"no"}"#,
            ]),
            parse: |bytes| {
                let _ = wire::decode(bytes);
            },
        },
        Target {
            name: "BBOB line",
            seeds: texts(&[
                r#"{"function":"Discus","x":[1,2],"mode":"raw","r":[[0,1],[-1,0]]}"#,
                r#"{"function":"Katsuura","d_cat":1,"d_con":2,"mode":"instance","seed":3,"points":[[7,0.5,-1]]}"#,
                r#"{"function":"Lunacek","d_con":2,"points":[[3,4],[9,-0.1e1]]}"#,
            ]),
            parse: |bytes| {
                if let Ok(text) = str::from_utf8(bytes) {
                    let _ = Service::default().answer(text);
                }
            },
        },
        Target {
            name: "checkpoint",
            seeds: vec![checkpoint()],
            parse: |bytes| {
                let _ = postcard::from_bytes::<Search>(bytes);
            },
        },
    ]
}

const SPACE: &str = r#"{"block":{"oneof":[{"kind":"conv","size":{"oneof":[3,5]}},{"kind":"skip"}]},
"edges":{"manyof":{"int":[0,9]},"k":3,"distinct":true,"sorted":true},
"order":{"permutation":["a","b","c"]},"on":{"bool":{}},"width":{"int":[8,64],"step":8},
"rate":{"real":[0.001,1],"log":true},"angle":{"real":[0,90],"step":5},
"cells":{"manyof":["none",{"w":{"weights":[2,2],"name":"w","scale":0.1}},{"b":{"weights":[2],"bounds":[-1,1]}}],"k":2}}"#;

fn space_json(bytes: &[u8]) {
    if let Ok(space) = serde_json::from_slice::<Space>(bytes) {
        use_space(&space);
    }
}

/// What was accepted must also work.
fn use_space(space: &Space) {
    if space.max_len() > 10_000 {
        return;
    }
    let mut stream = Seed(1).stream(Purpose::Ask, 0, 0);
    let dna = space.sample(&mut stream);
    let mutant = space.mutate(&dna, &mut stream);
    assert!(space.check(&dna).is_ok() && space.check(&mutant).is_ok());
    let again = Space::from_value(&space.to_value());
    assert_eq!(again.as_ref(), Ok(space), "what is written can be read");
    let few = space.places() < 100;
    if let Some(layout) = few.then(|| Layout::new(Arc::new(space.clone())).ok()).flatten()
        && layout.dim() < 10_000
    {
        use_layout(&layout, &dna, &mut stream);
    }
}

/// A design is one of the space, and which it is does not depend on who asks.
fn use_layout(layout: &Layout, dna: &Dna, stream: &mut Stream) {
    let mut theta = layout.start(stream);
    layout.to_user(&mut theta);
    let design = |dna, theta: &[f64]| {
        layout.decode(dna, theta).expect("a point of the space").to_value(usize::MAX)
    };
    let (value, mut again) = (design(dna, &theta), vec![0.0; layout.dim()]);
    let found = layout.encode(&value, &mut again).expect("a design is one");
    let same = design(&found, &again);
    assert_eq!(layout.encode(&same, &mut again), Ok(found), "{value} {same}");
}

/// A state in the middle of an iteration.
fn checkpoint() -> Vec<u8> {
    let space: Space = serde_json::from_str(SPACE).expect("the example is a space");
    let space = Arc::new(space);
    let start = Start { space, theta: vec![0.5; 4], bounds: None };
    let config = SearchConfig::EsEnas {
        weights: WeightsConfig::default(),
        controller: ControllerConfig::default(),
        joint: JointConfig::default(),
    };
    let mut search = Search::new(config, start).expect("the defaults are valid");
    search.ask(12, &mut Seed(1).stream(Purpose::Ask, 0, 0));
    search.tell(&[Some(1.0); 12]);
    search.ask(12, &mut Seed(1).stream(Purpose::Ask, 1, 0));
    postcard::to_stdvec(&search).expect("a state serializes")
}

impl Target {
    /// Parses the `index`-th input of `seed`, or says which input broke the parser.
    pub fn try_input(&self, seed: u64, index: u32) -> Result<(), String> {
        let mut stream = Seed(seed).stream(Purpose::Evaluate, 0, index);
        let input = mutate(&self.seeds, &mut stream);
        catch_unwind(AssertUnwindSafe(|| (self.parse)(&input))).map_err(|_| {
            let input = String::from_utf8_lossy(&input);
            format!("{}: seed {seed}, input {index} broke it:\n{input}", self.name)
        })
    }
}

/// One of `seeds` with up to eight changes: bits, bytes, cuts, repeats, splices, awkward words.
fn mutate(seeds: &[Vec<u8>], stream: &mut Stream) -> Vec<u8> {
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
    let pick = |stream: &mut Stream| seeds[stream.index(seeds.len())].clone();
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
                let from = stream.index(other.len());
                bytes.splice(at..at, other[from..].iter().copied().take(60));
            }
            _ => {
                bytes.splice(at..at, WORDS[stream.index(WORDS.len())].bytes());
            }
        }
    }
    bytes
}
