//! Random nested spaces, for the tests of everything that works on spaces.

use esenas::space::{Candidates, First, Many, Real, Space, Tensor};
use proptest::prelude::*;
use serde_json::json;

/// Spaces of every kind of node, a few levels deep, with up to some dozens of decisions.
pub(crate) fn spaces() -> impl Strategy<Value = Space> {
    let leaf =
        prop_oneof![
            Just(Space::from(json!(null))),
            (-2i64..3).prop_map(Space::from),
            Just(Space::bool()),
            reals().prop_map(|real| Space::real(real).unwrap()),
            tensors().prop_map(|tensor| Space::weights(tensor).unwrap()),
            (-3i64..3, 0i64..5, 1u64..3)
                .prop_map(|(low, more, step)| Space::oneof(Candidates::int(low, low + more, step))
                    .unwrap()),
            (1u32..4, 0i64..5, any::<bool>()).prop_map(|(k, more, sorted)| {
                Space::manyof(Many { k, distinct: true, sorted }, 0..=i64::from(k) - 1 + more)
                    .unwrap()
            }),
        ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let few = prop::collection::vec(inner, 1..4);
        prop_oneof![
            few.clone().prop_map(|parts| Space::list(parts).unwrap()),
            few.clone().prop_map(
                |parts| Space::dict(["a", "b", "my name"].into_iter().zip(parts)).unwrap()
            ),
            few.clone().prop_map(|list| Space::oneof(list).unwrap()),
            few.clone().prop_map(|list| Space::permutation(list).unwrap()),
            (few, 1u32..4, any::<bool>(), any::<bool>()).prop_map(|(list, k, distinct, sorted)| {
                let k = if distinct { k.min(list.len() as u32) } else { k };
                Space::manyof(Many { k, distinct, sorted }, list).unwrap()
            }),
        ]
    })
}

fn reals() -> impl Strategy<Value = Real> {
    let ends = (1e-3..1e3, 1e-3..1e3, any::<bool>());
    prop_oneof![
        ends.prop_map(|(low, more, log)| Real { log, ..Real::from(low..=low + more) }),
        (-9i32..9, 1i32..40, 1i32..5).prop_map(|(low, count, step)| {
            let [low, high, step] = [low, low + count * step, step].map(f64::from);
            Real { step: Some(0.5 * step), ..Real::from(0.5 * low..=0.5 * high) }
        }),
    ]
}

/// Named ones agree in everything.
fn tensors() -> impl Strategy<Value = Tensor> {
    let first = prop::sample::select(vec![First::Zeros, First::Uniform, First::Gaussian]);
    let shape = prop::collection::vec(1usize..4, 0..3);
    let bounds = prop::sample::select(vec![None, Some((-0.25, 2.0))]);
    let own = (shape, first, prop::option::of(1e-3..1e3), bounds);
    prop_oneof![
        own.prop_map(|(shape, first, scale, bounds)| Tensor {
            first,
            scale,
            bounds,
            ..Tensor::from(shape)
        }),
        Just(Tensor {
            name: Some("shared".into()),
            first: First::Given(vec![0.5, -1.0, 3.0]),
            ..Tensor::from([3])
        }),
    ]
}

/// Spaces small enough to enumerate, the number of their points at most `most`.
pub(crate) fn small_spaces(most: u128) -> impl Strategy<Value = Space> {
    spaces().prop_filter("small", move |space| space.size().exact.is_some_and(|size| size <= most))
}
