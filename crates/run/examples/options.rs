//! The options of the product, each alone, beside Algorithm 1 without it, as the table of `docs/auto.md` has
//! them: `cargo run --release -p esenas-run --example options`. The study is `studies/options.toml`.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use esenas_run::spec::ProblemConfig;
use esenas_run::{Control, Spec, Study};

/// Seeds of a row, each with a hidden model of its own.
const SEEDS: u64 = 9;

/// What is changed of the study, and the option beside.
const ROWS: [(&str, &[&str], &str); 11] = [
    ("d = 20, random models", &[], "baseline=additive"),
    ("d = 20, random models", &[], "offsets.rate=0.3"),
    ("d = 20, asng", &["controller.kind=asng"], "baseline=additive"),
    ("d = 20, asng", &["controller.kind=asng"], "offsets.rate=0.3"),
    ("d = 20, regularized evolution", &EVOLUTION, "baseline=additive"),
    ("d = 20, regularized evolution", &EVOLUTION, "offsets.rate=0.3"),
    ("d = 400, 4 pairs, asng", &LARGE, "baseline=additive"),
    ("d = 400, 4 pairs, asng", &LARGE, "offsets.rate=0.3"),
    ("d = 20, 1 block, noise 10, random models", &NOISE, "centre.models=incumbent"),
    ("d = 20, 2 blocks, noise 10, asng", &NOISE_ASNG, "centre.models=incumbent"),
    ("d = 20, no noise, asng", &["controller.kind=asng"], "centre.models=incumbent"),
];
const EVOLUTION: [&str; 1] = ["controller.kind=regularized-evolution"];
const LARGE: [&str; 4] = [
    "controller.kind=asng",
    "problem.dimension=400",
    "weights.directions=4",
    "stop.iterations=600",
];
const NOISE: [&str; 2] = ["problem.noise=10", "problem.blocks=1"];
const NOISE_ASNG: [&str; 2] = ["problem.noise=10", "controller.kind=asng"];

/// The cost of the best point found, as it came back, and that of the model named in the end with the weights that are
/// best for it, without noise.
fn run(changes: &[&str], seed: u64) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/options.toml");
    let mut overrides: Vec<String> = changes.iter().map(|it| (*it).to_owned()).collect();
    overrides.extend([format!("seed={seed}"), format!("problem.instance={seed}")]);
    let spec = Spec::load(&path, &overrides)?;
    let ProblemConfig::Synthetic(config) = spec.problem.clone() else {
        return Err("the study is of another problem".into());
    };
    let problem = config.build();
    let mut running = Study::built_in(spec, None)?.start();
    running.proceed(&AtomicBool::new(false), |_| Control::Continue)?;
    let study = running.study();
    let best = study.best().ok_or("nothing came back")?;
    let named = study.best_model().ok_or("no model came back")?;
    Ok((-best.record.value, -problem.value(named, &problem.best_theta(named))))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "| study | option | cost without | with | better – worse | named model without | with |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|");
    for (name, changes, option) in ROWS {
        let all = |changes: &[&str]| -> Result<Vec<_>, _> {
            (1..=SEEDS).map(|seed| run(changes, seed)).collect()
        };
        let (without, with) = (all(changes)?, all(&[changes, &[option]].concat())?);
        let better = with.iter().zip(&without).filter(|(with, without)| with.0 < without.0).count();
        let worse = with.iter().zip(&without).filter(|(with, without)| with.0 > without.0).count();
        let cost = |runs: &[(f64, f64)]| median(runs.iter().map(|it| it.0).collect());
        let named = |runs: &[(f64, f64)]| runs.iter().map(|it| it.1).sum::<f64>() / SEEDS as f64;
        println!(
            "| {name} | `{option}` | {:.2} | {:.2} | {better} – {worse} | {:.2} | {:.2} |",
            cost(&without),
            cost(&with),
            named(&without),
            named(&with),
        );
    }
    Ok(())
}
