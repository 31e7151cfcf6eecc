//! `resume`: a study from its run directory, from where it stopped.

use anyhow::Result;
use esenas_run::Study;
use esenas_store::{Options, Writer};

use super::session;
use crate::args::Resume;
use crate::{Console, Exit};

pub(super) fn resume(args: &Resume, console: &mut Console<'_>) -> Result<Exit> {
    let workers = session::workers(&args.how)?;
    mend(args)?;
    let finished = session::is_finished(&args.dir);
    let study = Study::open(&args.dir, workers, Options::default())?;
    if !args.how.quiet && !args.how.json {
        session::announce(&study, &args.dir, finished, console);
    }
    session::drive(study, &args.how, console)
}

/// Accepts a loss and goes back, as asked. Once opened for writing, a directory that lost something is
/// whole again, as what it still is.
fn mend(args: &Resume) -> Result<()> {
    if args.rewind.is_some() || args.accept_loss {
        let options = Options { accept_lost_commits: args.accept_loss, ..Options::default() };
        let mut writer = Writer::open(&args.dir, options)?;
        args.rewind.map_or(Ok(()), |iteration| writer.rewind_to(iteration))?;
    }
    Ok(())
}
