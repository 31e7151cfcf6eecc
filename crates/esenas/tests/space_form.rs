//! Spaces and DNAs written and read: round trips are exact, hostile input is an error.

#[path = "common/spaces.rs"]
mod spaces;

use std::sync::Arc;

use esenas::space::{Dna, DnaFormatError, Many, Space, SpaceFault};
use esenas::{Purpose, Seed};
use proptest::prelude::*;
use serde_json::{Value, json};
use spaces::{small_spaces, spaces};

fn fault(value: Value) -> SpaceFault {
    Space::from_value(&value).unwrap_err().fault
}

fn json_values() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "oneof",
        "manyof",
        "permutation",
        "int",
        "real",
        "weights",
        "log",
        "scale",
        "bounds",
        "first",
        "float",
        "choice",
        "bool",
        "const",
        "k",
        "step",
        "distinct",
        "a",
        "one_of",
        "$__toml_private_datetime",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..400).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(words.clone().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn spaces_round_trip(space in spaces()) {
        let json = serde_json::to_string(&space).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Space>(&json).unwrap(), &space);
        let shared = Arc::new(space);
        let bytes = postcard::to_stdvec(&shared).unwrap();
        prop_assert_eq!(postcard::from_bytes::<Arc<Space>>(&bytes).unwrap(), shared);
    }

    /// TOML has no null and no bare root, and can say everything else.
    #[test]
    fn toml_round_trips(space in small_spaces(1000)) {
        let space = Space::dict([("x", space)]).unwrap();
        if let Ok(text) = toml::to_string(&space) {
            prop_assert_eq!(toml::from_str::<Space>(&text).unwrap(), space);
        } else {
            prop_assert!(space.to_value().to_string().contains("null"));
        }
    }

    /// Any value is a space or an error; a space reads back what it writes.
    #[test]
    fn any_value_is_a_space_or_refused(value in json_values()) {
        if let Ok(space) = Space::from_value(&value) {
            prop_assert_eq!(&Space::from_value(&space.to_value()).unwrap(), &space);
            let stream = &mut Seed(1).stream(Purpose::Ask, 0, 0);
            if space.max_len() < 10_000 {
                prop_assert!(space.decode(&space.sample(stream)).is_ok());
            }
        }
        // A constant is itself, whatever it contains.
        let constant = Space::from(value.clone());
        prop_assert_eq!(&Space::from_value(&constant.to_value()).unwrap(), &constant);
        prop_assert_eq!(constant.decode(&Dna::default()).unwrap(), value);
    }

    #[test]
    fn dna_round_trips(genes in prop::collection::vec(prop_oneof![0u32..300, any::<u32>()], 0..50)) {
        let dna = Dna::from(genes);
        prop_assert_eq!(&Dna::from_bytes(&dna.to_bytes()).unwrap(), &dna);
        prop_assert_eq!(&Dna::from_json(&dna.to_json()).unwrap(), &dna);
        prop_assert_eq!(dna.to_json(), serde_json::to_string(&dna).unwrap());
        let bytes = postcard::to_stdvec(&dna).unwrap();
        prop_assert_eq!(&postcard::from_bytes::<Dna>(&bytes).unwrap(), &dna);
    }

    /// Of all bytes, only those that a DNA writes are read as one.
    #[test]
    fn bytes_are_canonical(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
        if let Ok(dna) = Dna::from_bytes(&bytes) {
            prop_assert_eq!(dna.to_bytes(), bytes.clone());
        }
        let _ = postcard::from_bytes::<Dna>(&bytes);
        let _ = postcard::from_bytes::<Space>(&bytes);
    }

    #[test]
    fn text_never_panics(text in "[\\[\\]{}\":,0-9a-z\\-.e ]{0,40}") {
        let _ = Dna::from_json(&text);
        let _ = serde_json::from_str::<Space>(&text);
    }
}

#[test]
fn malformed_bytes_are_refused_by_name() {
    let read = |bytes: &[u8]| Dna::from_bytes(bytes).unwrap_err();
    assert_eq!(read(&[]), DnaFormatError::Truncated(0));
    assert_eq!(read(&[2, 1]), DnaFormatError::Truncated(1));
    assert_eq!(read(&[1, 0x80]), DnaFormatError::Truncated(0));
    assert_eq!(read(&[1, 0x80, 0]), DnaFormatError::Malformed(0));
    assert_eq!(read(&[1, 0xff, 0xff, 0xff, 0xff, 0x1f]), DnaFormatError::Malformed(0));
    assert_eq!(read(&[1, 0xff, 0xff, 0xff, 0xff, 0xff]), DnaFormatError::Malformed(0));
    assert_eq!(read(&[1, 5, 6]), DnaFormatError::Trailing(1));
    assert_eq!(read(&[0x81, 0x80, 0x80, 0x08]), DnaFormatError::TooLong((1 << 24) + 1));
    assert_eq!(Dna::from_bytes(&[1, 0xff, 0xff, 0xff, 0xff, 0x0f]).unwrap(), [u32::MAX].into());
}

#[test]
fn malformed_json_is_refused() {
    for json in ["", "{}", "[-1]", "[1.5]", "[4294967296]", "[1,]", "[1] 2", "[[1]]", "[null]", "3"]
    {
        assert!(matches!(Dna::from_json(json), Err(DnaFormatError::Json(_))), "{json}");
    }
    let long = format!("[{}0]", "0,".repeat(1 << 24));
    assert!(Dna::from_json(&long).unwrap_err().to_string().contains("at most 16777216"));
}

#[test]
fn impossible_spaces_are_refused_by_name() {
    assert_eq!(fault(json!({"oneof": []})), SpaceFault::NoCandidates);
    assert_eq!(fault(json!({"permutation": []})), SpaceFault::NoCandidates);
    assert_eq!(fault(json!({"manyof": [1], "k": 0})), SpaceFault::NoSlots);
    let k = SpaceFault::NotEnoughCandidates { k: 2, candidates: 1 };
    assert_eq!(fault(json!({"manyof": [1], "k": 2})), k);
    assert!(matches!(
        fault(json!({"manyof": [1], "k": -2})),
        SpaceFault::WrongValue { key: "k", .. }
    ));
    assert!(matches!(fault(json!({"manyof": [1]})), SpaceFault::MissingKey { key: "k", .. }));
    assert!(matches!(fault(json!({"int": [2, 1]})), SpaceFault::WrongValue { key: "int", .. }));
    let all = json!({"int": [i64::MIN, i64::MAX]});
    assert_eq!(fault(all), SpaceFault::TooManyCandidates(u64::MAX));
    let twice = Space::dict([("a", 1), ("b", 2), ("a", 3)]).unwrap_err();
    assert_eq!(twice.fault, SpaceFault::DuplicateName("a".into()));
    let twice = serde_json::from_str::<Space>(r#"{"a": 1, "a": 2}"#).unwrap_err();
    assert!(twice.to_string().contains("`a` is used twice"), "{twice}");
}

#[test]
fn absurd_sizes_are_refused() {
    let many = |k, space: Space| Space::manyof(Many { k, distinct: false, sorted: false }, [space]);
    let billion = many(1_000_000_000, Space::bool()).unwrap_err();
    assert_eq!(billion.fault, SpaceFault::TooManyDecisions(1_000_000_000));
    // A billion by nesting, far below in size of text.
    let thousand = many(1000, Space::bool()).unwrap();
    let million = many(1000, thousand).unwrap();
    assert!(matches!(many(1000, million).unwrap_err().fault, SpaceFault::TooManyDecisions(_)));

    let mut deep = Space::bool();
    let error = loop {
        match Space::oneof([deep]) {
            Ok(deeper) => deep = deeper,
            Err(error) => break error,
        }
    };
    assert!(matches!(error.fault, SpaceFault::TooDeep(_)));
    let text = format!("{}1{}", "[".repeat(110), "]".repeat(110));
    assert!(serde_json::from_str::<Space>(&text).unwrap_err().to_string().contains("at most 100"));
    let text = "[".repeat(1 << 20);
    assert!(serde_json::from_str::<Space>(&text).is_err());
}

/// What TOML knows and JSON does not is refused, not bent.
#[test]
fn dates_and_infinities_are_refused() {
    let error = |text| toml::from_str::<Space>(text).unwrap_err().to_string();
    assert!(error("x = { oneof = [2024-05-01, 3] }").contains("at `x.oneof[0]`: dates"));
    assert!(error("x = inf").contains("not a JSON number"));
}

/// However a map is written, it is the same space.
#[test]
fn the_order_of_names_does_not_matter() {
    let read = |text| serde_json::from_str::<Space>(text).unwrap();
    let one = read(r#"{"b": {"int": [0, 3]}, "a": {"bool": {}}}"#);
    assert_eq!(one, read(r#"{"a": {"bool": {}}, "b": {"int": [0, 3]}}"#));
    assert_eq!(one.decode(&[1, 3].into()).unwrap(), json!({"a": true, "b": 3}));
}
