//! `resume`: a study from its run directory, from where it stopped.

use anyhow::Result;
use esenas_run::Study;
use esenas_store::{Options, Writer};

use super::session;
use crate::args::Resume;
use crate::console::shell;
use crate::{Console, Exit};

pub(super) fn resume(args: &Resume, console: &mut Console<'_>) -> Result<Exit> {
    let workers = session::workers(&args.how)?;
    let options = Options { accept_lost_commits: args.accept_loss, ..Options::default() };
    if let Some(iteration) = args.rewind {
        Writer::open(&args.dir, options)?.rewind_to(iteration)?;
    }
    let study = Study::open(&args.dir, workers, options)?;
    if !args.how.quiet && !args.how.json {
        let (dir, done) = (shell(&args.dir), study.iterations());
        writeln!(console.out, "going on in {dir} after iteration {done}\n")?;
    }
    session::drive(study, &args.how, console)
}
