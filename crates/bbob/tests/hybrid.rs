//! The hybrid problem.

use esenas::{Purpose, Seed};
use esenas_bbob::{BbobConfig, Buffer, Function, HybridBuffer, Mode, Scale};
use proptest::prelude::*;

fn config(function: Function, mode: Mode) -> BbobConfig {
    BbobConfig { function, d_cat: 6, d_con: 14, mode, seed: 5 }
}

#[test]
fn the_value_is_minus_the_cost_of_what_the_model_decodes_to() {
    for function in Function::ALL {
        for mode in [Mode::Raw, Mode::Centered, Mode::Instance] {
            let problem = config(function, mode).build().unwrap();
            let (dna, theta) = problem.start(Seed(3));
            let decoded = problem.space().decode(&dna).unwrap();
            let categories = decoded.as_array().unwrap().iter().map(|v| v.as_f64().unwrap());
            let x: Vec<f64> = categories.chain(theta.iter().copied()).collect();
            assert_eq!(x, problem.point(dna.genes(), &theta));
            let cost = problem.instance().cost(&x, &mut Buffer::default());
            let value = problem.value(dna.genes(), &theta, &mut HybridBuffer::default());
            assert_eq!(value, -cost, "{function}, {mode:?}");
            assert!(value < 0.0);
        }
    }
}

/// Off the grid are only the raw functions of which the specification says so.
#[test]
fn the_best_point_is_on_the_grid_and_has_no_gap() {
    use Function::{Lunacek, RosenbrockRotated, Schwefel};
    for function in Function::ALL {
        for mode in [Mode::Raw, Mode::Centered, Mode::Instance] {
            let problem = config(function, mode).build().unwrap();
            let off =
                mode == Mode::Raw && [Lunacek, RosenbrockRotated, Schwefel].contains(&function);
            assert_eq!(problem.best().is_none(), off, "{function}, {mode:?}");
            let Some((dna, theta)) = problem.best() else { continue };
            problem.space().check(&dna).unwrap();
            let scale = Scale::new(&problem, 50.try_into().unwrap(), Seed(1));
            let value = problem.value(dna.genes(), &theta, &mut HybridBuffer::default());
            assert!(scale.gap(value).abs() < 1e-14, "{function}, {mode:?}: {value}");
        }
    }
}

#[test]
fn categories_are_shuffled_in_instances_only() {
    let labels = |mode, gene| {
        let problem = config(Function::Sphere, mode).build().unwrap();
        problem.point(&[gene; 6], &[0.0; 14])[..6].to_vec()
    };
    for gene in 0..11 {
        assert_eq!(labels(Mode::Centered, gene), [f64::from(gene) - 5.0; 6]);
    }
    let first = labels(Mode::Instance, 0);
    assert!(first.iter().any(|label| *label != first[0]), "{first:?}");
    for at in 0..6 {
        let mut all: Vec<f64> = (0..11).map(|gene| labels(Mode::Instance, gene)[at]).collect();
        all.sort_by(f64::total_cmp);
        assert_eq!(all, (-5..=5).map(f64::from).collect::<Vec<_>>());
    }
}

#[test]
fn the_scale_is_the_largest_gap_of_random_search() {
    let problem = config(Function::LinearSlope, Mode::Raw).build().unwrap();
    let scale = |budget: u32, seed| Scale::new(&problem, budget.try_into().unwrap(), Seed(seed));
    let (small, large) = (scale(10, 1), scale(1000, 1));
    assert_eq!(small, scale(10, 1));
    assert_ne!(small.largest, scale(10, 2).largest);
    assert!(small.largest <= large.largest);
    assert_eq!((large.budget.get(), large.seed), (1000, Seed(1)));
    assert_eq!(large.gap(-large.largest - large.least), 1.0);
    let text = serde_json::to_string(&large).unwrap();
    assert_eq!(serde_json::from_str::<Scale>(&text).unwrap(), large);
}

#[test]
fn purely_continuous_and_purely_categorical_problems_exist() {
    for (d_cat, d_con) in [(0, 20), (20, 0)] {
        let config = BbobConfig { d_cat, d_con, ..config(Function::Katsuura, Mode::Instance) };
        let problem = config.build().unwrap();
        let (dna, theta) = problem.start(Seed(1));
        assert_eq!((dna.genes().len(), theta.len()), (d_cat, d_con));
        assert!(problem.value(dna.genes(), &theta, &mut HybridBuffer::default()) < 0.0);
        assert_eq!(problem.bounds().interval(0), (-5.0, 5.0));
    }
}

#[test]
fn settings_are_data_and_are_checked() {
    let written = "function = \"Lunacek\"\nd_cat = 3\nd_con = 4\nmode = \"instance\"\nseed = 9\n";
    let config: BbobConfig = toml::from_str(written).unwrap();
    assert_eq!(toml::to_string(&config).unwrap(), written);
    let refused = |text: &str| toml::from_str::<BbobConfig>(text).unwrap_err().to_string();
    assert!(refused("d_kat = 3").contains("unknown field `d_kat`"));
    assert!(refused("function = \"Lunacec\"").contains("`Lunacek`"));
    let none = BbobConfig { d_cat: 0, d_con: 0, ..BbobConfig::default() };
    let message = none.build().unwrap_err().to_string();
    assert!(message.starts_with("d_cat = 0, d_con = 0: dimension 0"), "{message}");
    for (d_cat, d_con) in [(1, 0), (usize::MAX, usize::MAX), (0, 5000)] {
        assert!(BbobConfig { d_cat, d_con, ..config.clone() }.build().is_err());
    }
}

/// The start of a seed, and the value there, stay what they are.
#[test]
fn a_seed_means_the_same_problem_for_good() {
    let problem = config(Function::Rastrigin, Mode::Instance).build().unwrap();
    let (dna, theta) = problem.start(Seed(7));
    let value = problem.value(dna.genes(), &theta, &mut HybridBuffer::default());
    assert_eq!(dna.genes(), [1, 8, 10, 5, 4, 0]);
    assert_eq!(theta[0], 4.343660234376269);
    assert!((value / -3658.5356637214104 - 1.0).abs() < 1e-9, "{value}");
}

proptest! {
    /// No value of the problem is better than its optimum, in the box or beyond it.
    #[test]
    fn nothing_is_better_than_the_best(index in 0..19_usize, seed in 0..50_u64, reach in 0.0..9.0_f64) {
        let config = BbobConfig { seed, ..config(Function::ALL[index], Mode::Instance) };
        let problem = config.build().unwrap();
        let mut stream = Seed(seed).stream(Purpose::Evaluate, 0, 0);
        let dna = problem.space().sample(&mut stream);
        let theta: Vec<f64> = (0..14).map(|_| reach * (2.0 * stream.unit() - 1.0)).collect();
        let value = problem.value(dna.genes(), &theta, &mut HybridBuffer::default());
        prop_assert!(value <= 1e-9 && value.is_finite(), "{}: {}", config.function, value);
    }
}
