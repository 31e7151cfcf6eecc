//! `policy`: use what a study found.

use anyhow::{Context, Result};
use esenas_control::Episode;
use esenas_control::export::Precision;
use esenas_run::problem::rl::{Form, Trained, TrainedError, Which, mean_and_deviation, returns};
use serde_json::json;

use crate::Console;
use crate::args::{Policy, PolicyEval, PolicyExport, PolicyOf, PolicyPrecision, PolicyWhich};
use crate::draw::short;
use crate::exit::bad_input;
use crate::study::expect_free;

pub(super) fn policy(args: &Policy, console: &mut Console<'_>) -> Result<()> {
    match args {
        Policy::Eval(args) => eval(args, console),
        Policy::Export(args) => export(args, console),
        Policy::Render(args) => super::render::render(args, console),
    }
}

/// The policy that is meant.
pub(super) fn load(of: &PolicyOf) -> Result<Trained> {
    let which = match of.which {
        PolicyWhich::Best => Which::Best,
        PolicyWhich::Centre => Which::Centre,
    };
    Trained::load(&of.dir, which).map_err(|error| match error {
        TrainedError::Study(study) => study.into(),
        TrainedError::Kind(_) | TrainedError::Nothing(_) => bad_input(error),
        other => other.into(),
    })
}

fn eval(args: &PolicyEval, console: &mut Console<'_>) -> Result<()> {
    let trained = load(&args.of)?;
    let episodes = trained.play(args.episodes, args.seed)?;
    let returns = returns(&episodes);
    let (mean, std) = mean_and_deviation(&returns);
    if args.json {
        let each =
            |it: &Episode| json!({ "reward": it.reward, "alive": it.alive, "steps": it.steps });
        let object = json!({
            "env": trained.config.env,
            "seed": args.seed,
            "mean": mean,
            "std": std,
            "episodes": episodes.iter().map(each).collect::<Vec<_>>(),
        });
        writeln!(console.out, "{object}")?;
        return Ok(());
    }
    let (account, full) = trained.accounts();
    let steps = episodes.iter().map(|it| it.steps as f64).sum::<f64>() / episodes.len() as f64;
    let (low, high) = returns
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let out = &mut console.out;
    writeln!(out, "return     {} ± {}", short(mean), short(std))?;
    writeln!(out, "range      {} to {}", short(low), short(high))?;
    writeln!(out, "episodes   {} of {} steps on average", episodes.len(), short(steps))?;
    writeln!(out, "env        {}", trained.config.env)?;
    let compression = 100.0 * account.compression(&full);
    writeln!(
        out,
        "policy     {} weights, {} biases, {} bits; {compression:.0} % less than unstructured",
        account.weights,
        account.biases,
        account.bits()
    )?;
    Ok(())
}

fn export(args: &PolicyExport, console: &mut Console<'_>) -> Result<()> {
    let precision = args.precision.map(|precision| match precision {
        PolicyPrecision::Double => Precision::Double,
        PolicyPrecision::Single => Precision::Single,
        PolicyPrecision::Fixed => Precision::Fixed,
    });
    let form = args.out.as_deref().map(|path| Form::of(path, precision)).transpose();
    let form = form.map_err(|said| bad_input(format_args!("--out {said}")))?;
    if let Some(path) = &args.out {
        expect_free(path)?;
    }
    let document = load(&args.of)?.document()?;
    let bytes = form.unwrap_or(Form::Json).write(&document).map_err(bad_input)?;
    match &args.out {
        None => console.out.raw().write_all(&bytes)?,
        Some(path) => std::fs::write(path, bytes)
            .with_context(|| format!("cannot write the policy to {}", path.display()))?,
    }
    Ok(())
}
