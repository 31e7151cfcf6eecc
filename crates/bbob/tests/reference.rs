//! Values against Vizier's, which others computed: `tests/data/reference.json` holds them, with
//! points and rotation matrices.

use std::collections::BTreeMap;

use esenas_bbob::{Buffer, Function, Instance, Rotation};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    points: BTreeMap<usize, Vec<Vec<f64>>>,
    rotations: BTreeMap<usize, BTreeMap<String, Vec<Vec<f64>>>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    function: Function,
    dim: usize,
    rotation: bool,
    values: Vec<f64>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("data/reference.json")).expect("the data are as described")
}

#[test]
fn every_function_agrees_with_the_reference() {
    let reference = reference();
    assert_eq!(reference.cases.len(), 19 * 4);
    let mut worst = (0.0, Function::Sphere);
    for Case { function, dim, rotation, values } in reference.cases {
        let matrix = |name: &str| {
            rotation.then(|| Rotation::new(&reference.rotations[&dim][name]).expect("orthogonal"))
        };
        let (r, q) = (matrix("R"), matrix("Q"));
        let instance = Instance::rotated(function, dim, r.as_ref(), q.as_ref()).expect("defined");
        let mut buffer = Buffer::default();
        for (x, expected) in reference.points[&dim].iter().zip(values) {
            let cost = instance.cost(x, &mut buffer);
            let error = (cost - expected).abs() / expected.abs();
            assert!(error <= 1e-9, "{function}, D = {dim}, rotation {rotation}: {cost} {expected}");
            if error > worst.0 {
                worst = (error, function);
            }
        }
    }
    assert!(worst.0 < 1e-11, "agreement has worsened: {worst:?}");
}
