//! Policies by themselves: what a document keeps, and what it is refused for.

use esenas::{Purpose, Seed};
use esenas_control::policy::Initial;
use esenas_control::{Actor, Document, Normalizer, Outputs, Policy, PolicyConfig};
use proptest::prelude::*;

fn actor(policy: &str, seed: u64) -> Actor {
    let config: PolicyConfig = serde_json::from_str(policy).unwrap();
    let policy = Policy::new(&config, 5, 2).unwrap();
    let stream = |purpose| Seed(seed).stream(purpose, 0, 0);
    let dna = policy.space().sample(&mut stream(Purpose::Ask));
    let theta = policy.start(Initial::Uniform, 1.0, &mut stream(Purpose::Start));
    let mut network = policy.network();
    policy.decode(&dna, &theta, &mut network);
    let normalizer = Normalizer { mean: vec![0.5; 5], scale: vec![2.0; 5] };
    let limits = Some([vec![-3.0, 0.0], vec![1.0, 8.0]]);
    Actor::new(network, normalizer, Outputs::Limits, limits)
}

proptest! {
    /// Red when a document loses something, or what is read from it sums in another order.
    #[test]
    fn a_document_acts_as_what_it_was_made_from(seed in any::<u64>(), kind in 0..4_usize) {
        let policies = [
            r#"{ "kind": "unstructured", "hidden": [4, 3] }"#,
            r#"{ "kind": "edge-pruning", "hidden": [4, 3], "edges": 12, "residual": true }"#,
            r#"{ "kind": "nonlinearity", "hidden": [6], "edges": "any", "biases": "all" }"#,
            r#"{ "kind": "toeplitz", "hidden": [] }"#,
        ];
        let mut first = actor(policies[kind], seed);
        let text = serde_json::to_string(&first.document(Some("Any"))).unwrap();
        let document: Document = serde_json::from_str(&text).unwrap();
        let mut second = Actor::try_from(document).unwrap();
        let observations: Vec<f64> = (0..15).map(|at| (at as f64 * 0.7).sin() * 3.0).collect();
        let (mut one, mut two) = ([0.0; 6], [0.0; 6]);
        first.act(&observations, &mut one);
        second.act(&observations, &mut two);
        prop_assert_eq!(one.map(f64::to_bits), two.map(f64::to_bits));
    }
}

#[test]
fn nothing_of_a_document_is_believed() {
    let sound = actor(r#"{ "kind": "unstructured", "hidden": [2] }"#, 1).document(None);
    assert!(Actor::try_from(sound.clone()).is_ok());
    type Spoil = fn(&mut Document);
    let spoil: [(&str, Spoil); 6] = [
        ("format", |it| it.format = "other".to_owned()),
        ("edges", |it| it.edges[0].1 = 900),
        ("edges", |it| it.edges[0].0 = 6),
        ("biases", |it| it.biases.truncate(it.biases.len() - 1)),
        ("normalizer.mean", |it| it.normalizer.mean.push(0.0)),
        ("hidden", |it| it.hidden = usize::MAX),
    ];
    for (named, spoil) in spoil {
        let mut document = sound.clone();
        spoil(&mut document);
        let said = Actor::try_from(document).unwrap_err();
        assert!(said.contains(named), "{named}: {said}");
    }
}
