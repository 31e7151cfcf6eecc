//! `show`: a study on one screen.

use anyhow::Result;
use esenas_report::FIRST;
use esenas_store::{IterationRecord, Progress, Reader};

use crate::Console;
use crate::args::Show;
use crate::draw::{Table, count, counted, cut, noun, settings, short, sparkline};
use crate::study::{describe, percent, state, wanted};

/// Points the curve is drawn from: enough to meet the iterations at which the centre was evaluated.
const POINTS: usize = 4096;

/// Columns of the curve.
const COLUMNS: usize = 60;

/// At most this many reasons of failure are shown.
const REASONS: u64 = 10;

pub(super) fn show(args: &Show, console: &mut Console<'_>) -> Result<()> {
    let reader = Reader::open(&args.dir)?;
    let (header, progress) = (reader.header()?, reader.progress()?);
    writeln!(console.out, "{}  {}", args.dir.display(), state(&progress.state))?;
    writeln!(console.out, "  {}", far(&progress, wanted(&header.spec, "iterations")))?;
    writeln!(console.out, "\nsettings\n{}", settings(&header.spec, console.width).trim_end())?;
    curves(&reader.curve(POINTS)?, console)?;
    best(&progress, console)?;
    failures(&reader, &progress, console)
}

fn far(progress: &Progress, wanted: Option<u64>) -> String {
    let of = wanted.map_or_else(String::new, |wanted| format!(" of {}", count(wanted)));
    let iterations = noun(wanted.unwrap_or(progress.iterations), "iteration");
    let evaluations = counted(progress.evaluations, "evaluation");
    format!("{}{of} {iterations}, {evaluations}", count(progress.iterations))
}

fn curves(records: &[IterationRecord], console: &mut Console<'_>) -> Result<()> {
    let curve = |of: &dyn Fn(&IterationRecord) -> Option<f64>| records.iter().map(of).collect();
    let mut kinds: Vec<(&str, Vec<Option<f64>>)> = vec![
        ("best", curve(&|record| record.best)),
        ("mean", curve(&|record| record.values.map(|values| values.mean))),
        ("centre", curve(&|record| record.centre.map(|centre| centre.mean))),
    ];
    for name in FIRST {
        let curve: Vec<Option<f64>> = curve(&|record| record.statistics.get(name).copied());
        let mut known = curve.iter().flatten();
        let first = known.next();
        // What never changes is a setting, and shown as one.
        if known.any(|x| Some(x) != first) {
            kinds.push((name, curve));
        }
    }
    let mut title = "\ncurve\n";
    for (name, curve) in kinds {
        let mut known = curve.iter().flatten();
        let (Some(&first), last) = (known.next(), known.next_back()) else { continue };
        let (from, to) = (short(first), short(*last.unwrap_or(&first)));
        let line = sparkline(&curve, COLUMNS.min(console.width - 37));
        writeln!(console.out, "{title}  {name:<7}  {from:>11} {line} {to}")?;
        title = "";
    }
    Ok(())
}

fn best(progress: &Progress, console: &mut Console<'_>) -> Result<()> {
    let Some(best) = &progress.best else {
        writeln!(console.out, "\nno best model yet")?;
        return Ok(());
    };
    write!(console.out, "\n{}", describe(best, console.width))?;
    Ok(())
}

fn failures(reader: &Reader, progress: &Progress, console: &mut Console<'_>) -> Result<()> {
    let share = percent(progress.failures, progress.evaluations);
    if progress.failures == 0 {
        writeln!(console.out, "\nfailures  none")?;
        return Ok(());
    }
    writeln!(console.out, "\nfailures  {} ({share} of the evaluations)", count(progress.failures))?;
    let mut table = Table::new(&["", ">count", ">share", "iterations", "reason"]);
    for group in reader.failures(REASONS)? {
        table.row([
            String::new(),
            count(group.count),
            percent(group.count, progress.evaluations),
            format!("{}–{}", group.first_iteration, group.last_iteration),
            cut(&group.reason.replace('\n', " "), console.width.saturating_sub(36)),
        ]);
    }
    write!(console.out, "{table}")?;
    Ok(())
}
