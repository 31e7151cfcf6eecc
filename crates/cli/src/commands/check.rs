//! `check`: what a study amounts to, without running it.

use anyhow::Result;
use esenas_run::Spec;

use crate::Console;
use crate::args::Check;
use crate::draw::{count, models};

pub(super) fn check(args: &Check, console: &mut Console<'_>) -> Result<()> {
    let spec = Spec::load(&args.study, &args.set)?;
    let overview = spec.overview()?;
    let models = models(overview.size);
    let (decisions, dimension) = (count(overview.decisions), count(overview.dimension as u64));
    let (evaluations, centre) = (overview.evaluations, overview.centre);
    // As comments, so that what is printed is a study file again.
    writeln!(console.out, "# {} can run", args.study.display())?;
    writeln!(console.out, "# |M|  {models} models, of {decisions} possible decisions")?;
    writeln!(console.out, "# d    {dimension} weights")?;
    writeln!(
        console.out,
        "# n    {evaluations} evaluations per iteration, {centre} of the centre"
    )?;
    write!(console.out, "\n{}", spec.to_toml())?;
    Ok(())
}
