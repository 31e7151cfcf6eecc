//! What joins the two halves beyond Algorithm 1: a baseline for θ.

use std::sync::Arc;

use esenas::controllers::{Controller, ControllerConfig, RandomConfig};
use esenas::joint::Baseline;
use esenas::shaping::Normalize;
use esenas::weights::{Es, EsConfig, Weights, WeightsConfig};
use esenas::{Dna, EsEnas, JointConfig, Optimizer, Purpose, Seed, Space};

type Joint = EsEnas<Weights, Controller>;

fn random(space: &Arc<Space>) -> Controller {
    Controller::new(ControllerConfig::Random(RandomConfig {}), space.clone()).unwrap()
}

fn digits(count: usize) -> Arc<Space> {
    Arc::new(Space::list((0..count).map(|_| Space::int(0..=4).unwrap())).unwrap())
}

fn sum(dna: &Dna) -> f64 {
    dna.genes().iter().map(|g| f64::from(*g)).sum()
}

/// f(m, θ) = a(m) + c·θ with a the sum of three digits, Var a = 6. In each coordinate of Eq. 4 the
/// variance is (Var a/2σ² + |c|² + c_j²)/n; a perfect baseline takes the first term away, and
/// neither touches the mean, c. Red when the baseline is added, learned from the values it is used
/// on, or not used.
#[test]
fn a_baseline_takes_the_variance_of_models_and_leaves_the_mean() {
    const SLOPE: [f64; 3] = [1.0, -2.0, 0.5];
    const STEP: f64 = 1e-6;
    let (sigma, n, space) = (0.1, 8, digits(3));
    let measure = |baseline| {
        let config = EsConfig {
            sigma: sigma.into(),
            step_size: STEP.into(),
            normalize: Normalize::Off,
            ..EsConfig::default()
        };
        let es = Es::new(config, vec![0.0; 3], None).unwrap();
        let config = JointConfig { centre: 0, baseline, ..JointConfig::default() };
        let mut joint = EsEnas::new(config, space.clone(), es, random(&space)).unwrap();
        let (mut means, mut squares, mut counted) = ([0.0; 3], [0.0; 3], 0.0);
        for iteration in 0..2200 {
            let before = joint.weights().theta().to_vec();
            let points = joint.ask(2 * n, &mut Seed(5).stream(Purpose::Ask, iteration, 0));
            let value = |theta: Vec<f64>| theta.iter().zip(SLOPE).map(|(x, c)| x * c).sum::<f64>();
            let values = points.iter().map(|p| Some(sum(&p.dna) + value(p.theta.to_vec())));
            joint.tell(&values.collect::<Vec<_>>());
            if iteration >= 200 {
                counted += 1.0;
                for j in 0..3 {
                    let estimate = (joint.weights().theta()[j] - before[j]) / STEP;
                    means[j] += estimate;
                    squares[j] += estimate * estimate;
                }
            }
        }
        let means = means.map(|it| it / counted);
        let of = |j: usize| (means[j], squares[j] / counted - means[j] * means[j]);
        ([of(0), of(1), of(2)], counted)
    };
    let length: f64 = SLOPE.iter().map(|c| c * c).sum();
    for (baseline, models, slack) in [(Baseline::Off, 6.0, 0.15), (Baseline::Additive, 0.0, 0.6)] {
        let (found, counted) = measure(baseline);
        for ((mean, variance), c) in found.into_iter().zip(SLOPE) {
            let expected = (models / (2.0 * sigma * sigma) + length + c * c) / n as f64;
            let share = variance / expected;
            assert!(
                (0.85..1.0 + slack).contains(&share),
                "{baseline:?}: variance {variance} for {expected}"
            );
            let apart = (mean - c).abs() / (variance / counted).sqrt();
            assert!(apart < 4.0, "{baseline:?}: {mean} for {c}, {apart} deviations apart");
        }
    }
}

/// With one model there is nothing to subtract. Red when rounding errors of means
/// reach the values.
#[test]
fn with_one_model_a_baseline_leaves_the_bits_as_they_are() {
    let single = Arc::new(Space::oneof(["only"]).unwrap());
    let run = |config: JointConfig| {
        let weights = WeightsConfig::default().build(vec![0.3; 7], None).unwrap();
        let mut joint = EsEnas::new(config, single.clone(), weights, random(&single)).unwrap();
        let mut seen = Vec::new();
        for iteration in 0..30 {
            let points = joint.ask(12, &mut Seed(2).stream(Purpose::Ask, iteration, 0));
            let thetas: Vec<Vec<f64>> = points.iter().map(|p| p.theta.to_vec()).collect();
            let value = |theta: &Vec<f64>| Some(-theta.iter().map(|x| x * x).sum::<f64>() / 3.0);
            joint.tell(&thetas.iter().map(value).collect::<Vec<_>>());
            seen.push(thetas);
        }
        seen
    };
    let plain = run(JointConfig::default());
    let baseline = Baseline::Additive;
    assert_eq!(plain, run(JointConfig { baseline, ..JointConfig::default() }));
}

/// Stopped after each iteration and read back. Red when one of their states is left out.
#[test]
fn resuming_equals_never_having_stopped() {
    let space = digits(3);
    let config = JointConfig { centre: 2, baseline: Baseline::Additive, ..JointConfig::default() };
    let weights = WeightsConfig::default().build(vec![0.3; 5], None).unwrap();
    let mut whole: Joint = EsEnas::new(config, space.clone(), weights, random(&space)).unwrap();
    let again =
        |it: &Joint| -> Joint { postcard::from_bytes(&postcard::to_stdvec(it).unwrap()).unwrap() };
    let mut parts = whole.clone();
    for iteration in 0..12 {
        let mut told = Vec::new();
        for (stops, joint) in [(false, &mut whole), (true, &mut parts)] {
            let points = joint.ask(10, &mut Seed(2).stream(Purpose::Ask, iteration, 0));
            if stops {
                *joint = again(joint);
            }
            let value = |dna: &Dna, theta: Vec<f64>| Some(sum(dna) - theta.iter().sum::<f64>());
            let mut values: Vec<_> =
                points.iter().map(|p| value(&p.dna, p.theta.to_vec())).collect();
            values[3] = None;
            joint.tell(&values);
            told.push(values);
        }
        assert_eq!(told[0], told[1]);
        parts = again(&parts);
    }
    assert_eq!(postcard::to_stdvec(&whole).unwrap(), postcard::to_stdvec(&parts).unwrap());
}
