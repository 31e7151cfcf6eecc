//! Algorithm 1 with `baseline = "additive"` and without, as the table of `docs/evidence/auto.md`
//! has it: `cargo run --release -p esenas-run --example baseline`. The study is
//! `studies/baseline.toml`.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use esenas_run::spec::ProblemConfig;
use esenas_run::{Control, Spec, Study};

/// Seeds of a row, each with a hidden model of its own.
const SEEDS: u64 = 9;

/// A name, a file of `studies/`, and what is changed of it.
type Row = (&'static str, &'static str, &'static [&'static str]);

const OWN: &str = "baseline.toml";
const COMMON: &str = "bbob/es-enas.toml";

const ROWS: [Row; 5] = [
    ("d = 20, random models", OWN, &[]),
    ("d = 20, asng", OWN, &ASNG),
    ("d = 20, regularized evolution", OWN, &EVOLUTION),
    ("d = 400, 4 pairs, asng", OWN, &LARGE),
    ("one θ for all, 10 × 20, asng", COMMON, &SMALL),
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
    println!("| study | cost without | with | better – worse | named model without | with |");
    println!("|---|---:|---:|---:|---:|---:|");
    for (name, study, changes) in ROWS {
        let all = |changes: &[&str]| -> Result<Vec<_>, _> {
            (1..=SEEDS).map(|seed| run(study, changes, seed)).collect()
        };
        let (without, with) = (all(changes)?, all(&[changes, &["baseline=additive"]].concat())?);
        let better = with.iter().zip(&without).filter(|(with, without)| with.0 < without.0).count();
        let worse = with.iter().zip(&without).filter(|(with, without)| with.0 > without.0).count();
        let cost = |runs: &[(f64, Option<f64>)]| median(runs.iter().map(|it| it.0).collect());
        let named = |runs: &[(f64, Option<f64>)]| {
            let known: Option<Vec<f64>> = runs.iter().map(|it| it.1).collect();
            known
                .map_or(String::new(), |it| format!("{:.2}", it.iter().sum::<f64>() / SEEDS as f64))
        };
        println!(
            "| {name} | {:.3} | {:.3} | {better} – {worse} | {} | {} |",
            cost(&without),
            cost(&with),
            named(&without),
            named(&with),
        );
    }
    Ok(())
}
