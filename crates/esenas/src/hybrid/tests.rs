use proptest::prelude::*;

use super::*;
use crate::controllers::testing::{self, Digits, Script, stream};
use crate::controllers::{
    HillClimb, HillClimbConfig, Neat, NeatConfig, Random, RegularizedEvolution,
    RegularizedEvolutionConfig,
};

const DIM: usize = 3;
const MODELS: usize = 4;

fn bounds() -> Bounds {
    Bounds::new(vec![-5.0], vec![5.0], DIM).unwrap()
}

fn variation(bounds: Option<Bounds>) -> HybridVariation<Digits> {
    let config = HybridConfig::default();
    let models = Digits::new(MODELS, 5).keeping();
    HybridVariation::new(config, models, vec![0.5, -0.5, 1.0], bounds).unwrap()
}

/// Its optimum, 0, is at digits 1, 2, 3, 1 and θ = 0.
fn objective(digits: &Vec<u32>, theta: &[f64]) -> f64 {
    testing::separable(digits) - theta.iter().map(|x| x * x).sum::<f64>()
}

fn valid(point: &Hybrid<Vec<u32>>) -> bool {
    let inside = point.theta().iter().all(|x| (-5.0..=5.0).contains(x));
    point.theta().len() == DIM && inside && Digits::new(MODELS, 5).holds(point.dna())
}

fn evolution() -> RegularizedEvolution<HybridVariation<Digits>> {
    let config = RegularizedEvolutionConfig { population: Some(30), tournament: None };
    RegularizedEvolution::new(config, variation(Some(bounds()))).unwrap()
}

fn climb() -> HillClimb<HybridVariation<Digits>> {
    HillClimb::new(HillClimbConfig::default(), variation(Some(bounds())))
}

fn neat() -> Neat<HybridVariation<Digits>> {
    let config = NeatConfig { population: 30, species: 4, ..NeatConfig::default() };
    Neat::new(config, variation(Some(bounds()))).unwrap()
}

#[test]
fn refuses_what_is_no_scale_and_no_start() {
    let refuse = |config, theta: f64, bounds| {
        let theta = vec![0.0, theta, 0.0];
        HybridVariation::new(config, Digits::new(MODELS, 5), theta, bounds).unwrap_err().to_string()
    };
    let make =
        |mutation_scale, theta, bounds| refuse(HybridConfig { mutation_scale }, theta, bounds);
    for scale in [0.0, -1.0, f64::NAN] {
        let said = format!("mutation_scale must be positive and finite, got {scale}");
        assert_eq!(make(scale, 0.0, None), said);
    }
    let infinite = make(1.0, f64::INFINITY, Some(bounds()));
    assert_eq!(infinite, "theta must start finite, got inf at coordinate 1");
    let outside = make(1.0, 6.0, Some(bounds()));
    assert_eq!(outside, "theta must start within [-5, 5], got 6 at coordinate 1");
}

#[test]
fn baselines_conform() {
    testing::conforms(Random::new(variation(Some(bounds()))), valid);
    testing::conforms(evolution(), valid);
    testing::conforms(climb(), valid);
    testing::conforms(neat(), valid);
}

#[test]
fn baselines_resume_as_if_never_stopped() {
    let objective = |p: &Hybrid<Vec<u32>>| objective(p.dna(), p.theta());
    testing::resumes(Random::new(variation(None)), objective);
    testing::resumes(evolution(), objective);
    testing::resumes(climb(), objective);
    testing::resumes(neat(), objective);
}

#[test]
fn golden_traces() {
    let objective = |p: &Hybrid<Vec<u32>>| objective(p.dna(), p.theta());
    let traces = [
        testing::trace(Random::new(variation(Some(bounds()))), objective),
        testing::trace(evolution(), objective),
        testing::trace(climb(), objective),
        testing::trace(neat(), objective),
    ];
    let golden = [
        13_493_619_233_360_559_454,
        14_744_928_448_654_815_176,
        2_600_339_920_108_476_712,
        8_697_324_125_808_326_130,
    ];
    assert_eq!(traces, golden);
}

/// To within 0.1 of the optimum. Red when θ is not inherited, or the model is not mutated.
#[test]
fn baselines_converge() {
    let objective = |p: &Hybrid<Vec<u32>>| objective(p.dna(), p.theta()) + 0.1;
    testing::converges(evolution(), objective, 20, 100);
    testing::converges(climb(), objective, 20, 100);
    testing::converges(neat(), objective, 20, 100);
}

/// Red when σ_mut is not the deviation, or θ is not the parent's or the start's.
#[test]
fn mutants_and_the_first_generation_are_as_far_as_the_scale() {
    let theta: Vec<f64> = (0..4000).map(f64::from).collect();
    let models = Digits::new(MODELS, 5);
    let variation =
        HybridVariation::new(HybridConfig::default(), models, theta.clone(), None).unwrap();
    let parent = Hybrid::new(vec![0; MODELS], theta.clone());
    let mutant = variation.mutate(&parent, &mut stream(0));
    assert!(mutant.dna().iter().filter(|d| **d != 0).count() <= 1);
    for child in [mutant, variation.initial(&mut stream(1))] {
        let steps: Vec<f64> =
            child.theta().iter().zip(&theta).map(|(a, b)| (a - b) / 0.07).collect();
        let mean = steps.iter().sum::<f64>() / steps.len() as f64;
        let square = steps.iter().map(|s| s * s).sum::<f64>() / steps.len() as f64;
        assert!(mean.abs() < 0.08 && (square - 1.0).abs() < 0.12, "{mean} {square}");
    }
}

/// One mutator for all, and one start: alone and as a controller, evolution has the same first
/// models and mutants. Red when either has a chance of its own to keep a model, or a first model of
/// its own.
#[test]
fn models_vary_as_those_of_controllers_do() {
    let space =
        Arc::new(crate::Space::list(vec![crate::Space::oneof(0..=10).unwrap(); 3]).unwrap());
    let config = HybridConfig::default();
    let variation = HybridVariation::new(config, space.clone(), vec![0.0; DIM], None).unwrap();
    for draw in 0..50 {
        let [one, other] = [0; 2].map(|_| stream(draw));
        let (mut one, mut other) = (one, other);
        assert_eq!(variation.initial(&mut one).dna, space.initial(&mut other));
        let parent = Hybrid::new(space.first(), vec![0.0; DIM]);
        let [mut one, mut other] = [0; 2].map(|_| stream(draw));
        assert_eq!(
            variation.mutate(&parent, &mut one).dna,
            Variation::mutate(&space, &parent.dna, &mut other)
        );
    }
}

/// A box narrower than a step. Red when mutants are not clipped.
#[test]
fn a_mutant_stays_in_the_box() {
    let bounds = Bounds::new(vec![0.0, -0.01], vec![0.01, 0.0], 2).unwrap();
    let (config, models) = (HybridConfig::default(), Digits::new(MODELS, 5));
    let variation = HybridVariation::new(config, models, vec![0.0; 2], Some(bounds)).unwrap();
    let mut draws = stream(0);
    for _ in 0..50 {
        let mutant = variation.initial(&mut draws);
        assert!((0.0..=0.01).contains(&mutant.theta()[0]));
        assert!((-0.01..=0.0).contains(&mutant.theta()[1]));
    }
}

/// Red when a coordinate is blended, drawn always from one side, or drawn with its neighbours.
#[test]
fn a_child_has_each_coordinate_from_either_parent() {
    let variation = variation(None);
    let parent = |digit, x| Hybrid::new(vec![digit; MODELS], vec![x; 200]);
    let child = variation.crossover(&parent(1, 1.0), &parent(2, -1.0), &mut stream(0));
    let from_one = child.theta().iter().filter(|x| **x == 1.0).count();
    let from_other = child.theta().iter().filter(|x| **x == -1.0).count();
    assert_eq!(from_one + from_other, 200);
    assert!((70..130).contains(&from_one));
    let changes = child.theta().windows(2).filter(|w| w[0] != w[1]).count();
    assert!((70..130).contains(&changes));
}

/// Mean 0 and variance 25/3 in the box ±5; variance 1 about the start without one.
#[test]
fn random_weights_fill_the_box_or_surround_the_start() {
    let moments = |variation: HybridVariation<Digits>| {
        let mut stream = stream(0);
        let draw = |_| variation.sample(&mut stream).theta()[0];
        let draws: Vec<f64> = (0..4000).map(draw).collect();
        let mean = draws.iter().sum::<f64>() / 4000.0;
        (mean, draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 4000.0)
    };
    let (mean, variance) = moments(variation(Some(bounds())));
    assert!(mean.abs() < 0.2 && (variance - 25.0 / 3.0).abs() < 0.5, "{mean} {variance}");
    let (mean, variance) = moments(variation(None));
    assert!((mean - 0.5).abs() < 0.08 && (variance - 1.0).abs() < 0.12, "{mean} {variance}");
}

#[test]
fn distance_adds_the_mean_difference_of_weights() {
    let by = Compatibility { excess: 1.0, disjoint: 2.0, weight: 0.5 };
    let one = Hybrid::new(vec![0, 0, 0, 0], vec![0.0, 1.0, 2.0]);
    let other = Hybrid::new(vec![0, 1, 0, 0], vec![3.0, 1.0, -1.0]);
    let distance = |a, b| variation(None).distance(a, b, &by);
    assert_eq!(distance(&one, &other), 2.0 * 0.25 + 0.5 * 2.0);
    assert_eq!(distance(&other, &one), distance(&one, &other));
    assert_eq!(distance(&one, &one), 0.0);
}

#[test]
fn genomes_are_ordered_by_model_then_weights() {
    let genome = |digit: u32, x: f64| Hybrid::new(digit, vec![x]);
    let mut genomes = [genome(1, 0.0), genome(0, 2.0), genome(0, 0.0), genome(0, -0.0)];
    genomes.sort();
    let order: Vec<_> = genomes.iter().map(|g| (*g.dna(), g.theta()[0])).collect();
    assert_eq!(order, [(0, -0.0), (0, 0.0), (0, 2.0), (1, 0.0)]);
    assert_ne!(genome(0, 0.0), genome(0, -0.0));
    assert_eq!(genome(0, 1.0), genome(0, 1.0));
}

proptest! {
    #[test]
    fn any_answers_keep_every_baseline_in_the_box(script in Script::any()) {
        let mut evolution = evolution();
        script.clone().play(&mut evolution, |_, points, _| assert!(points.iter().all(valid)));
        let mut neat = neat();
        script.clone().play(&mut neat, |_, points, _| assert!(points.iter().all(valid)));
        let mut climb = climb();
        script.play(&mut climb, |_, points, _| assert!(points.iter().all(valid)));
    }
}

/// Red when mutants are rounded: steps of σ_mut would never add up to one of the grid.
#[test]
fn genomes_on_a_grid_keep_what_rounding_takes() {
    let variation = variation(Some(bounds().with_steps(vec![1.0], DIM).unwrap()));
    let mut stream = stream(0);
    let mutant = variation.mutate(&variation.initial(&mut stream), &mut stream);
    assert!(mutant.theta().iter().all(|x| x.fract() != 0.0), "{mutant:?}");
    let (_, theta) = mutant.into_candidate();
    assert!(theta.to_vec().iter().all(|x| x.fract() == 0.0), "{theta:?}");
}
