//! Parsers of text, and of the bytes that models and states are kept as.

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

use crate::Target;

const QUICKSTART: &str = include_str!("../../../studies/quickstart.toml");

pub(crate) fn targets() -> Vec<Target> {
    let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    vec![
        Target::new(
            "study",
            texts(&[
                QUICKSTART,
                include_str!("../../../studies/command.toml"),
                include_str!("../../../studies/baseline.toml"),
            ]),
            study,
        ),
        Target::new(
            "override",
            texts(&["weights.sigma=0.2", "stop.iterations=5", "controller.kind=asng"]),
            |bytes| {
                let set = String::from_utf8_lossy(bytes).into_owned();
                let _ = Spec::parse("study.toml", QUICKSTART, Path::new("."), &[set])
                    .and_then(Spec::plan);
            },
        ),
        Target::new("space-json", texts(&[SPACE]), |bytes| {
            if let Ok(space) = serde_json::from_slice::<Space>(bytes) {
                use_space(&space);
            }
        }),
        Target::new(
            "space-toml",
            texts(&["op = { oneof = [1, 2] }\nedges = { manyof = { int = [0, 9] }, k = 3 }"]),
            |bytes| {
                if let Ok(text) = str::from_utf8(bytes)
                    && let Ok(space) = toml::from_str::<Space>(text)
                {
                    use_space(&space);
                }
            },
        ),
        Target::new(
            "dna",
            vec![Dna::from([0, 1, 300, 70_000]).to_bytes(), Dna::default().to_bytes()],
            |bytes| {
                if let Ok(dna) = Dna::from_bytes(bytes) {
                    assert_eq!(dna.to_bytes(), bytes, "one DNA has one form");
                }
            },
        ),
        Target::new("dna-json", texts(&["[0,1,300,70000]", "[]"]), |bytes| {
            if let Ok(text) = str::from_utf8(bytes) {
                let _ = Dna::from_json(text);
            }
        }),
        Target::new(
            "program-line",
            texts(&[
                r#"{"id":3,"value":1.5,"score":2,"metrics":{"a":0.5}}"#,
                r#"{"id":3,"error":"no"}"#,
            ]),
            |bytes| {
                let _ = wire::decode(bytes);
            },
        ),
        Target::new(
            "bbob-line",
            texts(&[
                r#"{"function":"Discus","x":[1,2],"mode":"raw","r":[[0,1],[-1,0]]}"#,
                r#"{"function":"Katsuura","d_cat":1,"d_con":2,"mode":"instance","seed":3,"points":[[7,0.5,-1]]}"#,
                r#"{"function":"Lunacek","d_con":2,"points":[[3,4],[9,-0.1e1]]}"#,
            ]),
            |bytes| {
                if let Ok(text) = str::from_utf8(bytes) {
                    let _ = Service::default().answer(text);
                }
            },
        ),
        Target::new("checkpoint", vec![checkpoint()], |bytes| {
            let _ = postcard::from_bytes::<Search>(bytes);
        }),
    ]
}

/// A study that is accepted is written out, and what is written can be read.
fn study(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let read = |text: &str| Spec::parse("study.toml", text, Path::new("."), &[]);
    if let Ok(plan) = read(text).and_then(Spec::plan) {
        let written = plan.spec().to_toml();
        let again = read(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(again.to_toml(), written);
    }
}

const SPACE: &str = r#"{"block":{"oneof":[{"kind":"conv","size":{"oneof":[3,5]}},{"kind":"skip"}]},
"edges":{"manyof":{"int":[0,9]},"k":3,"distinct":true,"sorted":true},
"order":{"permutation":["a","b","c"]},"on":{"bool":{}},"width":{"int":[8,64],"step":8},
"rate":{"real":[0.001,1],"log":true},"angle":{"real":[0,90],"step":5},
"cells":{"manyof":["none",{"w":{"weights":[2,2],"name":"w","scale":0.1}},{"b":{"weights":[2],"bounds":[-1,1]}}],"k":2}}"#;

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
