//! `check`: what a study amounts to, without running it.

use anyhow::Result;
use esenas_run::Spec;

use crate::Console;
use crate::args::Check;
use crate::draw::{counted, models};

pub(super) fn check(args: &Check, console: &mut Console<'_>) -> Result<()> {
    let plan = Spec::load(&args.study, &args.set)?.plan()?;
    let (spec, overview) = (plan.spec(), plan.overview());
    let models = models(overview.size);
    let decisions = counted(overview.decisions.into(), "possible decision");
    let weights = counted(overview.dimension as u64, "weight");
    let evaluations = counted(overview.evaluations as u64, "evaluation");
    let centre = overview.centre;
    // As comments, so that what is printed is a study file again.
    writeln!(console.out, "# {} can run", args.study.display())?;
    writeln!(console.out, "# |M|  {models}, of {decisions}")?;
    writeln!(console.out, "# d    {weights}")?;
    writeln!(console.out, "# n    {evaluations} per iteration, {centre} of the centre")?;
    if overview.is_rescaled {
        let share = "of each interval, or of the scale of weights: all sides are searched as 1";
        writeln!(console.out, "# σ    a share {share}")?;
    }
    if let Some(reason) = &spec.choice {
        writeln!(console.out, "# auto {reason}")?;
    }
    write!(console.out, "\n{}", spec.to_toml())?;
    Ok(())
}
