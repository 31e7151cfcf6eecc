//! `bench rl`: studies of policies, run one after the other or a few at a time.

use std::num::NonZeroUsize;

use anyhow::Result;
use esenas_bench::rl::{self, Length, Progress, Selection, Settings};

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
    if args.page {
        for file in plan.write_page(&args.results).map_err(refused)? {
            writeln!(console.out, "wrote {}", file.display())?;
        }
        return Ok(Exit::Done);
    }
    let selection = Selection {
        groups: args.groups.clone(),
        envs: args.envs.clone(),
        controllers: args.controllers.clone(),
    };
    let jobs = if args.queue {
        plan.queue().map_err(refused)?
    } else {
        let cells = plan.select(&selection).map_err(refused)?;
        let seeded = |cell: rl::Cell| args.seeds.iter().map(move |seed| (cell.clone(), *seed));
        cells.into_iter().flat_map(seeded).collect()
    };
    if args.list {
        return list(&jobs, args.queue, console);
    }
    let at_least_one = |n: u32| NonZeroUsize::new(n as usize).unwrap_or(NonZeroUsize::MIN);
    let settings = Settings {
        length: args.iterations.map(Length::exactly),
        episodes: args.episodes,
        runs: args.out.clone(),
        results: args.results.clone(),
        jobs: at_least_one(args.jobs),
        workers: args.workers.map(at_least_one),
        commit: args.commit.clone(),
    };
    let stop = interrupt::listen(progress::aside("finishing this iteration"));
    let quiet = args.quiet;
    let done = rl::run(&jobs, &settings, stop, |progress: &Progress| {
        // About a line a minute, and the first.
        let Progress { study, seed, record, elapsed } = progress;
        let iteration = record.iteration;
        if quiet || !(iteration == 0 || (iteration + 1).is_multiple_of(10)) {
            return;
        }
        let best = record.best.map_or_else(String::new, short);
        let centre = record.centre.as_ref().map_or_else(String::new, |it| short(it.mean));
        let (done, time) = (count(iteration + 1), duration(*elapsed));
        // Whoever watches cannot stop a study.
        let _ = writeln!(
            console.err,
            "{study}, seed {seed}: {done} iterations, best {best}, centre {centre}, {time}"
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

/// Names what would run: each study once, or all there is to do with its seed.
fn list(jobs: &[(rl::Cell, u64)], seeds: bool, console: &mut Console<'_>) -> Result<Exit> {
    let mut before = None;
    for (cell, seed) in jobs {
        let paper = cell.paper.map_or_else(String::new, |paper| format!("  paper {paper}"));
        match seeds {
            true => writeln!(console.out, "studies/rl/{}.toml  seed {seed}{paper}", cell.name)?,
            false if before == Some(&cell.name) => {}
            false => writeln!(console.out, "studies/rl/{}.toml{paper}", cell.name)?,
        }
        before = Some(&cell.name);
    }
    Ok(Exit::Done)
}
