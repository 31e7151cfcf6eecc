//! `policy`: use what a study found.

use anyhow::{Context, Result};
use esenas_control::Episode;
use esenas_run::problem::rl::{Trained, TrainedError, Which, mean_and_deviation, returns};
use serde_json::json;

use crate::Console;
use crate::args::{Policy, PolicyEval, PolicyExport, PolicyOf, PolicyWhich};
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
    let text = format!("{}\n", load(&args.of)?.document());
    match &args.out {
        None => console.out.raw().write_all(text.as_bytes())?,
        Some(path) => {
            expect_free(path)?;
            std::fs::write(path, text)
                .with_context(|| format!("cannot write the policy to {}", path.display()))?;
        }
    }
    Ok(())
}
