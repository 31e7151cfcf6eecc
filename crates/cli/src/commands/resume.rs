//! `resume`: a study from its run directory, from where it stopped.

use anyhow::Result;
use esenas_run::Study;
use esenas_store::{Options, Writer};

use super::session;
use crate::args::Resume;
use crate::{Console, Exit};

pub(super) fn resume(args: &Resume, console: &mut Console<'_>) -> Result<Exit> {
    session::expect_screen(&args.how, console)?;
    let options = Options { accept_lost_commits: args.accept_loss, ..Options::default() };
    if let Some(iteration) = args.rewind {
        Writer::open(&args.dir, options)?.rewind_to(iteration)?;
    }
    let finished = session::is_finished(&args.dir);
    let study =
        Study::open_with(&args.dir, options, |spec| session::evaluator(spec, &args.how, console))?;
    if !args.how.quiet && !args.how.json {
        session::announce(&study, &args.dir, finished, console);
    }
    session::drive(study, &args.dir, &args.how, console)
}
