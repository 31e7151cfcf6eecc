//! `resume`: a study from its run directory, from where it stopped.

use anyhow::Result;
use esenas_run::Study;
use esenas_run::spec::StopConfig;
use esenas_store::{Options, Writer};

use super::session;
use crate::args::{Limit, Resume};
use crate::exit::bad_input;
use crate::{Console, Exit};

pub(super) fn resume(args: &Resume, console: &mut Console<'_>) -> Result<Exit> {
    session::expect_screen(&args.how, console)?;
    let options = Options { accept_lost_commits: args.accept_loss, ..args.how.options() };
    if let Some(iteration) = args.rewind {
        Writer::open(&args.dir, options)?.rewind_to(iteration)?;
    }
    let mut study = Study::open_with(&args.dir, options, |spec| {
        session::evaluator(spec, &args.how, console).map(Some)
    })?;
    if args.iterations.is_some() || args.evaluations.is_some() {
        study.stop_at(limits(args, &study)?)?;
    }
    if !args.how.quiet && !args.how.json {
        session::announce(&study, &args.dir, console);
    }
    session::drive(study, &args.dir, &args.how, console)
}

/// The limits that were asked for, in place of the study's.
fn limits(args: &Resume, study: &Study<'_>) -> Result<StopConfig> {
    let total = |limit: Option<Limit>, done: u64| {
        limit.map(|limit| match limit {
            Limit::Total(n) => n,
            Limit::More(n) => done.saturating_add(n),
        })
    };
    let iterations = total(args.iterations, study.iterations()).map(u32::try_from).transpose();
    let most = u32::MAX;
    Ok(StopConfig {
        iterations: iterations
            .map_err(|_| bad_input(format_args!("--iterations: at most {most}")))?,
        evaluations: total(args.evaluations, study.evaluations()),
        ..StopConfig::default()
    })
}
