//! The options of the product, each alone, beside Algorithm 1 without it, as the table of
//! `docs/evidence/auto.md` has them: `cargo run --release -p esenas-run --example options`. The
//! study is `studies/options.toml`.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use esenas_run::spec::ProblemConfig;
use esenas_run::{Control, Spec, Study};

/// Seeds of a row, each with a hidden model of its own.
const SEEDS: u64 = 9;

/// A file of `studies/`, what is changed of it, and the option beside.
type Row = (&'static str, &'static str, &'static [&'static str], &'static str);

const OWN: &str = "options.toml";
const COMMON: &str = "bbob/es-enas.toml";

const ROWS: [Row; 12] = [
    ("d = 20, random models", OWN, &[], "baseline=additive"),
    ("d = 20, random models", OWN, &[], "offsets.rate=0.3"),
    ("d = 20, asng", OWN, &ASNG, "baseline=additive"),
    ("d = 20, asng", OWN, &ASNG, "offsets.rate=0.3"),
    ("d = 20, regularized evolution", OWN, &EVOLUTION, "baseline=additive"),
    ("d = 20, regularized evolution", OWN, &EVOLUTION, "offsets.rate=0.3"),
    ("d = 400, 4 pairs, asng", OWN, &LARGE, "baseline=additive"),
    ("d = 400, 4 pairs, asng", OWN, &LARGE, "offsets.rate=0.3"),
    ("one θ for all, 10 × 20, asng", COMMON, &SMALL, "baseline=additive"),
    ("one θ for all, 10 × 20, asng", COMMON, &SMALL, "offsets.rate=0.3"),
    ("d = 20, noise 10, asng", OWN, &NOISE, "centre.models=incumbent"),
    ("d = 20, asng", OWN, &ASNG, "centre.models=incumbent"),
];
const ASNG: [&str; 1] = ["controller.kind=asng"];
const EVOLUTION: [&str; 1] = ["controller.kind=regularized-evolution"];
const LARGE: [&str; 4] = [
    "controller.kind=asng",
    "problem.dimension=400",
    "weights.directions=4",
    "stop.iterations=600",
];
const SMALL: [&str; 5] = [
    "controller.kind=asng",
    "problem.function=Sphere",
    "problem.d_cat=10",
    "problem.d_con=20",
    "stop.evaluations=10000",
];
const NOISE: [&str; 2] = ["problem.noise=10", "controller.kind=asng"];

/// The cost of the best point found, as it came back, and that of the model named in the end with
/// the weights that are best for it, without noise, where that is known.
fn run(
    study: &str,
    changes: &[&str],
    seed: u64,
) -> Result<(f64, Option<f64>), Box<dyn std::error::Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies").join(study);
    let mut overrides: Vec<String> = changes.iter().map(|it| (*it).to_owned()).collect();
    let instance = if study == OWN { "problem.instance" } else { "problem.seed" };
    overrides.extend([format!("seed={seed}"), format!("{instance}={seed}")]);
    let spec = Spec::load(&path, &overrides)?;
    let problem = match &spec.problem {
        ProblemConfig::Synthetic(config) => Some(config.build()),
        _ => None,
    };
    let mut running = Study::built_in(spec, None)?.start();
    running.proceed(&AtomicBool::new(false), |_| Control::Continue)?;
    let study = running.study();
    let best = study.best().ok_or("nothing came back")?;
    let named = study.best_model().ok_or("no model came back")?;
    let cost = problem.map(|it| -it.value(named, &it.best_theta(named)));
    Ok((-best.record.value, cost))
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
    for (name, study, changes, option) in ROWS {
        let all = |changes: &[&str]| -> Result<Vec<_>, _> {
            (1..=SEEDS).map(|seed| run(study, changes, seed)).collect()
        };
        let (without, with) = (all(changes)?, all(&[changes, &[option]].concat())?);
        let better = with.iter().zip(&without).filter(|(with, without)| with.0 < without.0).count();
        let worse = with.iter().zip(&without).filter(|(with, without)| with.0 > without.0).count();
        let cost = |runs: &[(f64, Option<f64>)]| median(runs.iter().map(|it| it.0).collect());
        let named = |runs: &[(f64, Option<f64>)]| {
            let known: Option<Vec<f64>> = runs.iter().map(|it| it.1).collect();
            known
                .map_or(String::new(), |it| format!("{:.2}", it.iter().sum::<f64>() / SEEDS as f64))
        };
        println!(
            "| {name} | `{option}` | {:.3} | {:.3} | {better} – {worse} | {} | {} |",
            cost(&without),
            cost(&with),
            named(&without),
            named(&with),
        );
    }
    Ok(())
}
