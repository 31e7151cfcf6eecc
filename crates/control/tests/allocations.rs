//! Decoding a candidate into a network that exists, and every step of an episode, allocate nothing.

use allocation_counter::measure;
use esenas::{Purpose, Seed};
use esenas_control::policy::Initial;
use esenas_control::{Actions, Moments, Normalizer, Policy, PolicyConfig, Stage, classic};
use serde_json::json;

const KINDS: [&str; 7] = [
    "unstructured",
    "toeplitz",
    "circulant",
    "masked",
    "quantization",
    "edge-pruning",
    "nonlinearity",
];

#[test]
fn decoding_and_stepping_allocate_nothing() {
    for kind in KINDS {
        let config: PolicyConfig = serde_json::from_value(json!({ "kind": kind })).unwrap();
        let policy = Policy::new(&config, 3, 1).unwrap();
        let mut stream = Seed(1).stream(Purpose::Start, 0, 0);
        let models: Vec<_> = (0..3).map(|_| policy.space().sample(&mut stream)).collect();
        let theta = policy.start(Initial::Uniform, 0.5, &mut stream);
        let mut network = policy.network();
        let decoding = measure(|| {
            models.iter().for_each(|dna| policy.decode(dna, &theta, &mut network));
        });
        assert_eq!(decoding.count_total, 0, "decoding {kind}");

        let mut stage = Stage::new(classic::make("Pendulum").unwrap(), Actions::Limits);
        let mut moments = Moments::new(3);
        let normalizer = Normalizer::identity(3);
        let mut steps = 0;
        let stepping = measure(|| {
            let played =
                stage.play(&mut network, &normalizer, 200, &mut stream, Some(&mut moments));
            steps = played.unwrap().steps;
        });
        assert_eq!((stepping.count_total, steps, moments.count()), (0, 200, 200), "{kind}");
        // The counter counts.
        assert!(measure(|| drop(policy.network())).count_total > 0);
    }
}
