//! `bench rl`: studies of policies, run one after the other on all cores.

use std::num::NonZeroUsize;

use anyhow::Result;
use esenas_bench::rl::{self, Selection, Settings};
use esenas_run::IterationReport;

use super::bench::refused;
use crate::args::{BenchRl, TableFormat};
use crate::draw::{count, duration, short};
use crate::{Console, Exit, interrupt, progress};

pub(super) fn bench_rl(args: &BenchRl, console: &mut Console<'_>) -> Result<Exit> {
    let plan = rl::Plan::paper();
    if let Some(format) = args.tables {
        for (group, table) in plan.tables(&args.results).map_err(refused)? {
            match format {
                TableFormat::Markdown => {
                    writeln!(console.out, "## {group}\n\n{}", table.markdown())?
                }
                TableFormat::Latex => writeln!(console.out, "% {group}\n{}", table.latex())?,
            }
        }
        return Ok(Exit::Done);
    }
    let selection = Selection {
        groups: args.groups.clone(),
        envs: args.envs.clone(),
        controllers: args.controllers.clone(),
    };
    let cells = plan.select(&selection).map_err(refused)?;
    if args.list {
        for cell in &cells {
            let paper = cell.paper.map_or_else(String::new, |paper| format!("  paper {paper}"));
            writeln!(console.out, "studies/rl/{}.toml{paper}", cell.name)?;
        }
        return Ok(Exit::Done);
    }
    let settings = Settings {
        seeds: args.seeds.clone(),
        iterations: args.iterations,
        episodes: args.episodes,
        runs: args.out.clone(),
        results: args.results.clone(),
        workers: args.workers.and_then(|n| NonZeroUsize::new(n as usize)),
        commit: args.commit.clone(),
    };
    let stop = interrupt::listen(progress::aside("finishing this iteration"));
    let quiet = args.quiet;
    let done =
        rl::run(&cells, &settings, stop, |name: &str, seed: u64, report: &IterationReport<'_>| {
            // About a line a minute, and the first.
            let iteration = report.record.iteration;
            if quiet || !(iteration == 0 || (iteration + 1).is_multiple_of(10)) {
                return;
            }
            let best = report.record.best.map_or_else(String::new, short);
            let centre =
                report.record.centre.as_ref().map_or_else(String::new, |it| short(it.mean));
            let time = duration(report.elapsed);
            let done = count(iteration + 1);
            // Whoever watches cannot stop a study.
            let _ = writeln!(
                console.err,
                "{name}, seed {seed}: {done} iterations, best {best}, centre {centre}, {time}"
            );
        });
    match done.map_err(refused)? {
        None => {
            writeln!(console.err, "stopped; the same command goes on with {}", args.out.display())?;
            Ok(Exit::Interrupted)
        }
        Some(outcome) => {
            writeln!(console.out, "{}", outcome.table)?;
            for file in &outcome.files {
                writeln!(console.out, "wrote {}", file.display())?;
            }
            Ok(Exit::Done)
        }
    }
}
