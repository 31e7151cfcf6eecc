//! `run`: a study from its file, from the start or from where it stopped.

use std::path::{Path, PathBuf};

use anyhow::Result;
use esenas_run::{Spec, Study};

use super::session;
use crate::args::Run;
use crate::draw::{counted, models};
use crate::exit::bad_input;
use crate::{Console, Exit};

pub(super) fn run(args: &Run, console: &mut Console<'_>) -> Result<Exit> {
    session::expect_screen(&args.how, console)?;
    let plan = Spec::load(&args.study, &args.set)?.plan()?;
    let evaluator = session::evaluator(plan.spec(), &args.how, console)?;
    let study = Study::of(plan, Some(evaluator))?;
    let dir = args.out.clone().map_or_else(|| default_directory(&args.study), Ok)?;
    // Not before the new study is known to be one that can run.
    if args.fresh {
        esenas_store::discard(&dir)?;
    }
    let study = study.open_or_create(&dir, args.how.options())?;
    if !args.how.quiet && !args.how.json {
        let overview = study.overview();
        let weights = counted(overview.dimension as u64, "weight");
        let evaluations = counted(overview.evaluations as u64, "evaluation");
        let models = models(overview.size);
        let text = format!("{models}, {weights}, {evaluations} per iteration");
        let _ = writeln!(console.out, "{text}");
        if let Some(reason) = &study.spec().choice {
            let _ = writeln!(console.out, "auto: {reason}");
        }
        session::announce(&study, &dir, console);
    }
    session::drive(study, &dir, &args.how, console)
}

/// A study is called what its file is called.
fn default_directory(study: &Path) -> Result<PathBuf> {
    let name = study.file_stem().unwrap_or("study".as_ref());
    let dir = Path::new("runs").join(name);
    if name == "." || name == ".." {
        let what = "its name without the ending leads out of runs/; name the directory with --out";
        return Err(bad_input(format_args!("{}: {what}", study.display())));
    }
    Ok(dir)
}
