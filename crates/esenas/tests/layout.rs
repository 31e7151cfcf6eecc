//! Layouts: numbers in their own units, wherever they stand, and designs there and back.

#[path = "common/spaces.rs"]
#[allow(dead_code, reason = "other tests want small ones")]
mod spaces;

use std::ops::Range;
use std::sync::Arc;

use esenas::space::{First, Many, Real, Space, Tensor};
use esenas::weights::{Es, EsConfig};
use esenas::{
    Bounds, Dna, Layout, Optimizer, Purpose, Scratch, Seed, Stream, Theta, WeightOptimizer,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use spaces::spaces;

fn stream() -> Stream {
    Seed(1).stream(Purpose::Start, 0, 0)
}

fn layout(form: Value) -> Layout {
    Layout::new(Arc::new(Space::from_value(&form).unwrap())).unwrap()
}

fn fault(form: Value) -> String {
    match Space::from_value(&form) {
        Ok(space) => Layout::new(Arc::new(space)).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

/// The example of the documentation: every kind of leaf, in branches and beside them.
fn plant() -> Value {
    json!({
        "material": { "oneof": ["steel", {
            "kind": "composite", "layers": { "int": [2, 12] }, "angle": { "real": [0, 90] },
        }] },
        "flow": { "real": [1e-5, 10.0], "log": true },
        "tubes": { "real": [10, 200], "step": 2 },
        "cell": { "oneof": [{ "op": "conv", "w": { "weights": [2, 3], "name": "w" } },
                            { "op": "deep", "w": { "weights": [2, 3], "name": "w" }, "b": { "weights": [1] } },
                            "pool"] },
        "head": { "weights": [4, 2], "scale": 0.1, "first": "zeros" },
    })
}

/// With all numbers as doubles: between 2 and 2.0 a design does not tell.
fn alike(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.iter().map(alike).collect(),
        Value::Object(map) => map.iter().map(|(name, part)| (name.clone(), alike(part))).collect(),
        other => other.clone(),
    }
}

proptest! {
    /// Red when a place has another's block, a unit does not come back, or a candidate is taken for
    /// another.
    #[test]
    fn designs_come_back(space in spaces(), seed in any::<u64>()) {
        let Ok(layout) = Layout::new(Arc::new(space)) else { return Ok(()) };
        let mut stream = Seed(seed).stream(Purpose::Start, 0, 0);
        let dna = layout.space().sample(&mut stream);
        let mut x = layout.start(&mut stream);
        x.iter_mut().for_each(|x| *x += 0.3 * (stream.unit() - 0.5));
        layout.bounds().inspect(|bounds| bounds.place(0, &mut x));
        let mut theta = x.clone();
        layout.to_user(&mut theta);
        let design = layout.decode(&dna, &theta).unwrap().to_value(usize::MAX);
        let mut again = vec![f64::NAN; layout.dim()];
        let found = layout.encode(&design, &mut again).unwrap();
        let value = layout.decode(&found, &again).unwrap().to_value(usize::MAX);
        prop_assert_eq!(alike(&value), alike(&design));
        let mut active = Vec::new();
        layout.active(&found, &mut active);
        for (at, number) in again.iter().enumerate() {
            let is_active = active.iter().any(|range| range.contains(&at));
            prop_assert_eq!(number.is_nan(), !is_active, "coordinate {}", at);
        }
        // The model's choices are those of the space alone.
        let own = layout.space().decode(&found).unwrap();
        prop_assert_eq!(own, without_numbers(&value, &layout.space().decode(&found).unwrap()));
        let mut back = theta.clone();
        layout.to_optimizer(&mut back);
        layout.bounds().inspect(|bounds| bounds.place(0, &mut back));
        layout.to_user(&mut back);
        for (a, b) in theta.iter().zip(&back) {
            prop_assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0), "{} {}", a, b);
        }
    }

    /// Red when blocks overlap, leave a gap, or are active where they are not.
    #[test]
    fn blocks_are_the_coordinates(space in spaces(), seed in any::<u64>()) {
        let Ok(layout) = Layout::new(Arc::new(space)) else { return Ok(()) };
        let mut end = 0;
        for block in layout.blocks() {
            prop_assert_eq!(block.range.start, end);
            end = block.range.end;
        }
        prop_assert_eq!(end, layout.dim());
        let mut stream = Seed(seed).stream(Purpose::Start, 0, 0);
        let models: Vec<Dna> = (0..70).map(|_| layout.space().sample(&mut stream)).collect();
        let used = layout.used(models.iter());
        for (point, dna) in models.iter().enumerate() {
            let mut active = Vec::new();
            layout.active(dna, &mut active);
            prop_assert!(active.windows(2).all(|pair| pair[0].end < pair[1].start));
            let mut met = Vec::new();
            layout.space().visit(dna, |decision, value| met.push((decision.locus, value)));
            for block in layout.blocks() {
                let hangs = block.parents.is_empty() || block.parents.iter().any(|it| met.contains(it));
                let is_active = |at| active.iter().any(|range: &Range<usize>| range.contains(&at));
                prop_assert!(block.range.clone().all(|at| is_active(at) == hangs), "{}", block.path);
                prop_assert!(block.range.clone().all(|at| used.is_used(at, point) == hangs));
            }
        }
    }

    /// Whatever a design is said to be, it is one or refused.
    #[test]
    fn any_value_is_a_design_or_refused(at in 0usize..6, with in prop::sample::select(vec![
        json!(null), json!(3), json!(11), json!("steel"), json!([1, 2]), json!({ "kind": "composite" }),
        json!([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]),
    ])) {
        let layout = layout(plant());
        let key = ["material", "flow", "tubes", "cell", "head", "foot"][at];
        let mut design = json!({ "material": "steel", "flow": 1, "tubes": 12, "cell": "pool",
                                 "head": vec![[0.0; 2]; 4] });
        design[key] = with;
        let mut theta = vec![0.0; layout.dim()];
        if let Ok(dna) = layout.encode(&design, &mut theta) {
            let again = layout.decode(&dna, &theta).unwrap().to_value(100);
            prop_assert_eq!(again["flow"].as_f64(), design["flow"].as_f64());
        }
    }
}

/// `value` where `mask` has a null, which is a number.
fn without_numbers(value: &Value, mask: &Value) -> Value {
    match (value, mask) {
        (Value::Object(map), Value::Object(mask)) => {
            let part =
                |(key, part): (&String, &Value)| (key.clone(), without_numbers(part, &mask[key]));
            Value::Object(map.iter().map(part).collect())
        }
        (Value::Array(items), Value::Array(mask)) if items.len() == mask.len() => {
            items.iter().zip(mask).map(|(item, mask)| without_numbers(item, mask)).collect()
        }
        (_, Value::Null) => Value::Null,
        (value, _) => value.clone(),
    }
}

#[test]
fn blocks_say_where_they_stand() {
    let layout = layout(plant());
    let blocks: Vec<_> =
        layout.blocks().iter().map(|it| (it.path.as_str(), it.range.clone())).collect();
    let expected = [
        ("cell.oneof[0].w", 0..6),
        ("cell.oneof[1].b", 6..7),
        ("flow", 7..8),
        ("head", 8..16),
        ("material.oneof[1].angle", 16..17),
        ("tubes", 17..18),
    ];
    assert_eq!(blocks, expected);
    assert_eq!(layout.blocks()[0].parents, [(0, 0), (0, 1)], "shared by two cells");
    assert!(layout.blocks()[2].parents.is_empty() && layout.is_conditional());
    let bounds = layout.bounds().unwrap();
    assert!(!bounds.is_bounded(0) && !bounds.is_bounded(8));
    assert_eq!([bounds.interval(7), bounds.interval(17)], [(0.0, 1.0); 2]);
    assert_eq!((bounds.step(17), bounds.step(7)), (1.0 / 95.0, 0.0));
    assert_eq!(layout.width(), 1.0);
    // DNA is as without the numbers.
    assert_eq!((layout.space().loci(), layout.space().size().exact), (3, Some(36)));
}

#[test]
fn designs_have_their_numbers_in_place() {
    let layout = layout(plant());
    let mut theta = layout.start(&mut stream());
    theta[7] = 1.0;
    theta[17] = 1.0 / 95.0;
    layout.to_user(&mut theta);
    assert_eq!((theta[7], theta[17], theta[16]), (10.0, 12.0, 45.0));
    assert_eq!(theta[8..16], [0.0; 8]);
    let design = layout.decode(&[1, 1, 5].into(), &theta).unwrap();
    assert_eq!(design.get("tubes").unwrap().number(), Some(12.0));
    let cell = design.get("cell").unwrap();
    assert_eq!(cell.get("op").unwrap().text(), Some("deep"));
    assert_eq!(cell.get("w").unwrap().array(), Some(&theta[..6]));
    assert_eq!(design.get("material").unwrap().get("layers").unwrap().integer(), Some(7));
    let value = design.to_value(6);
    assert_eq!(value["cell"]["w"][1][2], json!(theta[5]));
    assert_eq!(value["head"], json!({ "offset": 8, "shape": [4, 2] }));
    assert_eq!(
        design.to_value(5)["cell"]["w"],
        json!({ "name": "w", "offset": 0, "shape": [2, 3] })
    );
    assert!(layout.decode(&[9, 0].into(), &theta).is_err());
}

/// Red when slots of a choice share what each owns, or own what they share.
#[test]
fn each_slot_owns_its_numbers() {
    let branch = |name: Option<&str>| {
        let tensor = Tensor { name: name.map(str::to_owned), ..Tensor::from([2]) };
        Space::dict([("w", Space::weights(tensor).unwrap())]).unwrap()
    };
    let many = Many { k: 3, distinct: false, sorted: false };
    let of = |name| {
        let list = [Space::from("skip"), branch(name)];
        Layout::new(Arc::new(Space::manyof(many, list).unwrap())).unwrap()
    };
    let own = of(None);
    let paths: Vec<_> = own.blocks().iter().map(|block| block.path.as_str()).collect();
    assert_eq!(paths, ["[0].oneof[1].w", "[1].oneof[1].w", "[2].oneof[1].w"]);
    let one = |range: Range<usize>| vec![range];
    let mut active = one(7..9);
    own.active(&[1, 0, 1].into(), &mut active);
    assert_eq!(active, [0..2, 4..6]);
    let shared = of(Some("w"));
    assert_eq!((shared.blocks().len(), shared.dim()), (1, 2));
    shared.active(&[0, 0, 1].into(), &mut active);
    assert_eq!(active, one(0..2));
    shared.active(&[0, 0, 0].into(), &mut active);
    assert!(active.is_empty());
    let mut theta = [0.0; 2];
    let design = json!([{ "w": [1, 2] }, "skip", { "w": [1, 3] }]);
    let error = shared.encode(&design, &mut theta).unwrap_err().to_string();
    assert_eq!(
        error,
        "design, at `[2].w`: an array of its own; accepted is the same as at `[0].w`, with which it is shared"
    );
    let design = json!([{ "w": [1, 2] }, "skip", { "w": [1, 2] }]);
    assert_eq!(shared.encode(&design, &mut theta).unwrap(), [1, 0, 1].into());
    assert_eq!(theta, [1.0, 2.0]);
}

#[test]
fn a_design_that_is_not_of_the_space_is_refused_by_key() {
    let layout = layout(plant());
    let refused = |key: &str, value: Value| {
        let mut design = json!({ "material": "steel", "flow": 1, "tubes": 12, "cell": "pool",
                                 "head": vec![[0.0; 2]; 4] });
        design[key] = value;
        let mut theta = vec![0.0; layout.dim()];
        layout.encode(&design, &mut theta).unwrap_err().to_string()
    };
    assert_eq!(
        refused("flow", json!(11)),
        "design, at `flow`: 11; accepted is a number from 0.00001 to 10"
    );
    assert_eq!(
        refused("tubes", json!(13)),
        "design, at `tubes`: 13; accepted is a number from 10 to 200 in steps of 2"
    );
    assert_eq!(
        refused("head", json!([1, 2])),
        "design, at `head`: [1,2]; accepted is an array of shape [4, 2] of numbers"
    );
    assert_eq!(
        refused("material", json!({ "kind": "composite", "layers": 13, "angle": 45 })),
        "design, at `material.layers`: 13; accepted is an integer from 2 to 12"
    );
    assert!(
        refused("cell", json!("poll"))
            .starts_with("design, at `cell`: \"poll\"; accepted is one of {\"op\":\"conv\"")
    );
    assert_eq!(
        refused("foot", json!(1)).split("accepted").nth(1).unwrap(),
        " is an object with the keys cell, flow, head, material, tubes"
    );
}

/// Candidates that overlap are dealt so that all have one. Red when the first that fits is always
/// taken.
#[test]
fn selections_are_matched_to_candidates() {
    let space = Space::permutation([
        Space::int(0..=3).unwrap(),
        Space::int(2..=5).unwrap(),
        Space::from(3),
    ]);
    let layout = Layout::new(Arc::new(space.unwrap())).unwrap();
    let dna = layout.encode(&json!([3, 2, 0]), &mut []).unwrap();
    assert_eq!(dna, [2, 1, 0, 0, 0].into());
    let error = layout.encode(&json!([5, 5, 3]), &mut []).unwrap_err().to_string();
    assert!(error.starts_with("design, at `[1]`: 5; ") && error.ends_with("none twice"), "{error}");
    let many = Many { k: 2, distinct: true, sorted: true };
    let sorted = Layout::new(Arc::new(Space::manyof(many, [4, 5, 6]).unwrap())).unwrap();
    assert_eq!(sorted.encode(&json!([4, 6.0]), &mut []).unwrap(), [0, 2].into());
    assert!(sorted.encode(&json!([6, 4]), &mut []).is_err());
}

#[test]
fn weights_begin_as_they_are_told() {
    let block = |first| {
        let tensor = Tensor { first, scale: Some(0.5), ..Tensor::from([4]) };
        let theta = |layout: &Layout| {
            let mut theta = layout.start(&mut stream());
            layout.to_user(&mut theta);
            theta
        };
        let space = |bounds| Space::weights(Tensor { bounds, ..tensor.clone() }).unwrap();
        [None, Some((-0.25, 1.0))].map(|it| theta(&Layout::new(Arc::new(space(it))).unwrap()))
    };
    let given = First::Given(vec![0.1, 0.2, -0.1, 0.7]);
    let same = vec![0.1, 0.2, -0.1, 0.7];
    assert_eq!(block(given), [same.clone(), same]);
    assert_eq!(block(First::Zeros), [vec![0.0; 4], vec![0.0; 4]]);
    let [free, boxed] = block(First::Gaussian);
    assert!(free.iter().any(|x| *x < -0.25) && free.iter().all(|x| x.abs() < 2.0), "{free:?}");
    assert!(boxed.iter().zip(&free).all(|(x, y)| *x == y.clamp(-0.25, 1.0)));
    let [free, boxed] = block(First::Uniform);
    assert!(free.iter().all(|x| x.abs() <= 0.5) && boxed.iter().all(|x| (-0.25..=1.0).contains(x)));
    assert_ne!(free[0], free[1]);
}

#[test]
fn flat_boxes_of_equal_sides_stay_what_they_are() {
    let space = || Arc::new(Space::bool());
    let flat = |low: &[f64], high: &[f64], steps: &[f64]| {
        let bounds = Bounds::new(low.to_vec(), high.to_vec(), 2).unwrap();
        let bounds = bounds.with_steps(steps.to_vec(), 2).unwrap();
        (Layout::flat(space(), 2, Some(bounds.clone())), bounds)
    };
    for (low, high) in [(&[-5.0][..], &[5.0][..]), (&[-5.0, 0.1], &[5.0, 10.1])] {
        let (layout, bounds) = flat(low, high, &[0.5, 0.0]);
        assert_eq!((layout.bounds(), layout.width()), (Some(&bounds), 10.0));
        let mut theta = [0.123, 4.56];
        layout.to_user(&mut theta);
        assert_eq!(theta, [0.123, 4.56]);
    }
    let (layout, _) = flat(&[0.1, -100.0], &[1.0, 100.0], &[0.0, 30.0]);
    let bounds = layout.bounds().unwrap();
    assert_eq!([bounds.interval(0), bounds.interval(1)], [(0.0, 1.0); 2]);
    assert_eq!((bounds.step(0), bounds.step(1), layout.width()), (0.0, 0.15, 1.0));
    let mut theta = [1.0, 1.0];
    bounds.place(0, &mut theta);
    layout.to_user(&mut theta);
    assert_eq!(theta, [1.0, 80.0], "100 is no point of the grid");
    let none = Layout::flat(space(), 3, None);
    assert_eq!((none.bounds(), none.start(&mut stream())), (None, vec![0.0; 3]));
    assert_eq!(Layout::flat(space(), 0, None).blocks(), []);
    let mut active = Vec::new();
    none.active(&[0].into(), &mut active);
    assert!(active.len() == 1 && active[0] == (0..3) && !none.is_conditional());
    assert_eq!(none.decode(&[1].into(), &[0.0; 3]).unwrap().to_value(0), json!(true));
}

/// What can be wrong with numbers: which key, which value, what is accepted.
#[test]
fn impossible_numbers_are_refused_by_name() {
    for (form, said) in [
        (
            json!({ "x": { "real": [3, 1] } }),
            "space, at `x`: `real` is [3, 1]; accepted is [low, high], finite numbers with low < high",
        ),
        (json!({ "real": 5 }), "`real` is 5; accepted is [low, high]"),
        (json!({ "real": [0] }), "`real` is [0]; accepted is [low, high]"),
        (json!({ "real": [0, 1], "log": true }), "`log` needs low above 0, which is 0"),
        (json!({ "real": [1, 2], "log": "yes" }), "`log` is \"yes\"; accepted is true or false"),
        (
            json!({ "real": [0, 10], "step": 3 }),
            "`step` is 3, which does not divide 0 to 10; set high = 9, or another step",
        ),
        (
            json!({ "real": [0, 1], "step": 2 }),
            "`step` is 2; accepted is a number above 0, at most high - low",
        ),
        (json!({ "real": [0, 1], "step": -0.5 }), "`step` is -0.5; accepted is a number above 0"),
        (json!({ "real": [0, 1], "stp": 0.5 }), "`real` has no key `stp`; did you mean `step`?"),
        (json!({ "real": [-1e308, 1e308] }), "`real` is ["),
        (json!({ "weights": 3 }), "`weights` is 3; accepted is the shape"),
        (json!({ "weights": [3, 0] }), "`weights` is [3, 0]; accepted is the shape"),
        (json!({ "weights": [2, -1] }), "`weights` is [2,-1]; accepted is the shape"),
        (
            json!({ "weights": [100_000, 100_000] }),
            "too many numbers; a space has at most 1073741824",
        ),
        (json!({ "weights": [u64::MAX, u64::MAX] }), "too many numbers"),
        (
            json!([{ "weights": [1 << 29] }, { "weights": [1 << 29] }, { "weights": [1] }]),
            "space, at `[2]`: too many numbers",
        ),
        (
            json!({ "weights": [2], "scale": 0 }),
            "`scale` is 0; accepted is a number from 1e-100 to 1e100",
        ),
        (
            json!({ "weights": [2], "first": "ones" }),
            "`first` is \"ones\"; accepted is \"zeros\", \"uniform\", \"gaussian\", or an array of numbers",
        ),
        (json!({ "weights": [2], "first": [1] }), "`first` has 1 numbers; the shape has 2"),
        (
            json!({ "weights": [2], "first": [1, 5], "bounds": [0, 2] }),
            "`first` is 5; accepted is finite numbers within the bounds",
        ),
        (
            json!({ "weights": [2], "bounds": [2, 2] }),
            "`bounds` is [2, 2]; accepted is [low, high]",
        ),
        (
            json!({ "weights": [2], "name": "" }),
            "`name` is \"\"; accepted is a name of at least one character",
        ),
        (
            json!({ "a": { "weights": [2], "name": "w" }, "b": [{ "weights": [3], "name": "w" }] }),
            "space, at `b[0]`: `name` is \"w\", which the weights at `a` have too; those that share a name agree in everything else",
        ),
        (
            json!({ "x": { "float": [0, 1] } }),
            "space, at `x`: `float` is no form of a space; write { \"real\": [low, high] }",
        ),
        (
            json!({ "categorical": ["a", "b"] }),
            "`categorical` is no form of a space; write { \"oneof\": [ … ] }",
        ),
        (json!({ "int": 5 }), "`int` is 5; accepted is [low, high]"),
        (json!({ "range": [1, 9] }), "write { \"int\": [low, high] }"),
    ] {
        let error = fault(form.clone());
        assert!(error.contains(said), "{form}: {error}");
    }
    // Sharing with another scale is no sharing.
    let named = |scale| Tensor { name: Some("w".into()), scale, ..Tensor::from([2]) };
    let two = Space::list([None, Some(2.0)].map(|it| Space::weights(named(it)).unwrap())).unwrap();
    assert!(Layout::new(Arc::new(two)).is_err());
    let many = Many { k: 1 << 21, distinct: false, sorted: false };
    let real = Space::real(Real::from(0.0..=1.0)).unwrap();
    assert!(Space::manyof(many, [real]).unwrap_err().to_string().contains("at most 1048576"));
}

#[test]
fn a_constant_is_told_from_a_space() {
    let constant = |form: Value| Space::from_value(&form).unwrap().is_constant();
    assert!(constant(json!({ "a": 1 })) && constant(json!([{ "oneof": [1] }])));
    assert!(!constant(json!({ "real": [0, 1] })) && !constant(json!({ "bool": {} })));
}

/// Red when a part of a point is written in the units of another, or a mirror image is taken for
/// one without units.
#[test]
fn points_are_written_in_units() {
    let log = json!({ "real": [1e-3, 1.0], "log": true });
    let layout = layout(
        json!([{ "weights": [1500], "scale": 0.25 }, log, { "weights": [1000], "scale": 3 }]),
    );
    let flat = {
        let (low, high) = (0..2501).map(|at| (f64::from(at), f64::from(2 * at + 1))).unzip();
        let bounds = Bounds::new(low, high, 2501).unwrap();
        Layout::flat(Arc::new(Space::bool()), 2501, Some(bounds))
    };
    for layout in [layout, flat] {
        let config = EsConfig::default();
        let start = layout.start(&mut stream());
        let mut es = Es::new(config, start, layout.bounds().cloned()).unwrap();
        let (mut out, mut scratch) = (Vec::new(), Scratch::default());
        let points = es.ask(6, &mut stream());
        for point in points.iter().chain([&es.centre(), &points[0]]) {
            let mut expected = point.to_vec();
            layout.to_user(&mut expected);
            layout.write(point, &mut out, &mut scratch);
            assert_eq!(out, expected);
        }
        point_and_mirror(&layout, &points);
    }
}

fn point_and_mirror(layout: &Layout, points: &[Theta]) {
    let (mut out, mut scratch) = (Vec::new(), Scratch::default());
    layout.write(&points[0], &mut out, &mut scratch);
    points[1].write(&mut out, &mut scratch);
    assert_eq!(out, points[1].to_vec(), "not in units");
}

/// A million numbers in ten thousand blocks, half of which hang on a choice: no work is done per
/// block and coordinate.
#[test]
fn many_blocks_are_no_trouble() {
    let block = json!({ "oneof": ["skip", { "w": { "weights": [100], "scale": 0.1 } }] });
    let always = json!({ "weights": [100] });
    let layout = layout(json!({ "some": vec![block; 5000], "all": vec![always; 5000] }));
    assert_eq!((layout.blocks().len(), layout.dim()), (10_000, 1_000_000));
    let mut stream = stream();
    let models: Vec<Dna> = (0..128).map(|_| layout.space().sample(&mut stream)).collect();
    let used = layout.used(models.iter());
    let mut ranges = Vec::new();
    for (point, dna) in models.iter().enumerate() {
        layout.active(dna, &mut ranges);
        let count: usize = ranges.iter().map(Range::len).sum();
        let taken: u32 = dna.genes().iter().sum();
        assert_eq!(count, 500_000 + 100 * taken as usize);
        assert_eq!(used.is_used(999_999, point), dna.genes()[4999] == 1);
        assert!(used.is_used(0, point));
    }
    let theta = layout.start(&mut stream);
    let design = layout.decode(&models[0], &theta).unwrap();
    assert_eq!(
        design.get("all").unwrap().item(4999).unwrap().array().unwrap(),
        &theta[499_900..500_000]
    );
    // A design holds views: nothing of θ is copied, and who asks for ranges again and again
    // allocates once.
    let info = allocation_counter::measure(|| drop(layout.decode(&models[1], &theta).unwrap()));
    assert!(info.bytes_total < 4_000_000, "{info:?}");
    let info = allocation_counter::measure(|| layout.active(&models[0], &mut ranges));
    assert!(info.count_total <= 4, "{info:?}");
}

/// Red when a real is read from another block of coordinates, or before it is placed and scaled.
#[test]
fn reals_are_read_without_the_rest() {
    let layout = layout(json!([
        { "real": [-3, 5], "step": 0.5 },
        { "weights": [1500] },
        { "oneof": [{ "real": [1e-3, 1.0], "log": true }, "none"] },
        { "weights": [700] },
        { "real": [0, 90] },
    ]));
    let theta = layout.start(&mut stream());
    let mut es = Es::new(EsConfig::default(), theta, layout.bounds().cloned()).unwrap();
    for (genes, expected) in [(vec![0], 3), (vec![1], 2)] {
        let dna = Dna::from(genes);
        let mut points = es.ask(4, &mut stream());
        points.push(es.centre());
        for point in points {
            let mut whole = Vec::new();
            layout.write(&point, &mut whole, &mut Scratch::default());
            let reals = layout.reals(&dna);
            let places: Vec<f64> = reals.iter().map(|block| whole[block.range.start]).collect();
            assert_eq!(layout.real_numbers(&dna, &point), places);
            assert_eq!(places.len(), expected);
        }
    }
}
