//! `bench`: the paper's experiments.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use esenas_bbob::{Function, Mode};
use esenas_bench::pool::Progress;
use esenas_bench::{BenchError, bbob, paper, peers, theory};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{Bench, BenchBbob, BenchMode, BenchPeers, BenchPreset, BenchTheory, Experiment};
use crate::draw::duration;
use crate::exit::bad_input;
use crate::{Console, Exit, interrupt, progress};

/// How often a line is printed where there is no terminal.
const PERIOD: Duration = Duration::from_secs(10);

pub(super) fn bench(args: &Bench, console: &mut Console<'_>) -> Result<Exit> {
    match args {
        Bench::Bbob(args) => run_bbob(args, console),
        Bench::Theory(args) => run_theory(args, console),
        Bench::Peers(args) => run_peers(args, console),
        Bench::Rl(args) => super::bench_rl::bench_rl(args, console),
        Bench::Claims(args) => {
            write!(console.out, "{}", paper::page(&args.results).map_err(refused)?)?;
            Ok(Exit::Done)
        }
    }
}

fn run_bbob(args: &BenchBbob, console: &mut Console<'_>) -> Result<Exit> {
    let preset = args.experiment.sizes();
    let (mode, name) = match args.mode {
        BenchMode::Centered => (Mode::Centered, "bbob"),
        BenchMode::Instance => (Mode::Instance, "bbob-instance"),
    };
    let (experiment, name) = match (args.ablations, args.cma) {
        (true, _) => (bbob::Experiment::Ablations, name.to_owned()),
        (_, true) => (bbob::Experiment::Cma, format!("{name}-cma")),
        _ => (bbob::Experiment::Figure2, name.to_owned()),
    };
    let mut plan = bbob::Plan::new(preset, mode, experiment);
    if let Some(evaluations) = args.evaluations {
        plan = plan.evaluations(evaluations);
    }
    plan.seeds = args.seeds.unwrap_or(plan.seeds);
    if !args.functions.is_empty() {
        plan.functions = functions(&args.functions)?;
    }
    if !args.algorithms.is_empty() {
        plan.algorithms = chosen(&plan.algorithms, &args.algorithms)?;
    }
    let folder = args.experiment.folder(&name);
    let mut shown = Shown::new(&args.experiment, console);
    let stop = interrupt::listen(shown.on_interrupt());
    let done =
        bbob::run(&plan, &folder, args.experiment.threads(), stop, |p| shown.tick(p, console));
    shown.end();
    match done.map_err(refused)? {
        None => stopped(&folder, console),
        Some(results) => {
            let report = bbob::report(&results, &folder).map_err(refused)?;
            said(&report.text, &report.files, console)
        }
    }
}

fn functions(names: &[String]) -> Result<Vec<Function>> {
    let named: Result<Vec<_>, _> = names.iter().map(|name| name.parse::<Function>()).collect();
    named.map_err(|error| bad_input(format!("--functions: {error}")))
}

fn run_peers(args: &BenchPeers, console: &mut Console<'_>) -> Result<Exit> {
    let mut plan = peers::Plan::new(args.experiment.sizes());
    plan.seeds = args.seeds.unwrap_or(plan.seeds);
    if !args.functions.is_empty() {
        plan.functions = functions(&args.functions)?;
    }
    if !args.budgets.is_empty() {
        plan.budgets.clone_from(&args.budgets);
    }
    if !args.sizes.is_empty() {
        plan.sizes = args.sizes.iter().map(|size| size_of(size)).collect::<Result<_>>()?;
    }
    if !args.algorithms.is_empty() {
        let named = args.algorithms.iter().map(|name| named(name)).collect::<Result<Vec<_>>>()?;
        plan.ours.retain(|it| named.contains(it));
    }
    let folder = args.experiment.folder("peers");
    let mut shown = Shown::new(&args.experiment, console);
    let stop = interrupt::listen(shown.on_interrupt());
    let done =
        peers::run(&plan, &folder, args.experiment.threads(), stop, |p| shown.tick(p, console));
    shown.end();
    match done.map_err(refused)? {
        None => stopped(&folder, console),
        Some(results) => {
            let (text, files) = peers::report(&results, &folder).map_err(refused)?;
            said(&text, &files, console)
        }
    }
}

/// 10x20: categories x weights.
fn size_of(text: &str) -> Result<(usize, usize)> {
    let parts = text.split_once('x').map(|(a, b)| (a.trim().parse(), b.trim().parse()));
    match parts {
        Some((Ok(d_cat), Ok(d_con))) if d_con > 0 => Ok((d_cat, d_con)),
        _ => Err(bad_input(format!("--sizes: `{text}` is not categories x weights, as in 10x20"))),
    }
}

fn named(name: &str) -> Result<peers::Ours> {
    let ids = peers::Ours::ALL.map(peers::Ours::id);
    let found = peers::Ours::ALL.into_iter().find(|it| it.id() == name);
    let accepted = ids.join(", ");
    found.ok_or_else(|| bad_input(format!("--algorithms: no `{name}` here; accepted: {accepted}")))
}

/// Those of `known` that are named, in their order.
fn chosen(known: &[bbob::Algorithm], names: &[String]) -> Result<Vec<bbob::Algorithm>> {
    let ids: Vec<String> = known.iter().map(|it| it.id()).collect();
    if let Some(name) = names.iter().find(|name| !ids.contains(name)) {
        let ids = ids.join(", ");
        return Err(bad_input(format!("--algorithms: no `{name}` here; accepted: {ids}")));
    }
    Ok(known.iter().copied().filter(|it| names.contains(&it.id())).collect())
}

fn run_theory(args: &BenchTheory, console: &mut Console<'_>) -> Result<Exit> {
    let plan = match args.experiment.preset {
        BenchPreset::Paper => theory::Plan::paper(),
        BenchPreset::Smoke => theory::Plan::smoke(),
    };
    let folder = args.experiment.folder("theory");
    let mut shown = Shown::new(&args.experiment, console);
    let stop = interrupt::listen(shown.on_interrupt());
    let done = theory::run(&plan, args.experiment.threads(), stop, |p| shown.tick(p, console));
    shown.end();
    match done.map_err(refused)? {
        None => Ok(Exit::Interrupted),
        Some(rows) => {
            let (text, files) = theory::report(&rows, &folder).map_err(refused)?;
            said(&text, &files, console)
        }
    }
}

fn said(text: &str, files: &[PathBuf], console: &mut Console<'_>) -> Result<Exit> {
    writeln!(console.out, "{text}")?;
    for file in files {
        writeln!(console.out, "wrote {}", file.display())?;
    }
    Ok(Exit::Done)
}

fn stopped(folder: &std::path::Path, console: &mut Console<'_>) -> Result<Exit> {
    writeln!(console.err, "stopped; the same command goes on with {}", folder.display())?;
    Ok(Exit::Interrupted)
}

pub(super) fn refused(error: BenchError) -> anyhow::Error {
    if error.is_bad_input() { bad_input(error) } else { error.into() }
}

impl Experiment {
    fn sizes(&self) -> bbob::Preset {
        match self.preset {
            BenchPreset::Paper => bbob::Preset::Paper,
            BenchPreset::Smoke => bbob::Preset::Smoke,
        }
    }

    fn folder(&self, name: &str) -> PathBuf {
        let preset = match self.preset {
            BenchPreset::Paper => "paper",
            BenchPreset::Smoke => "smoke",
        };
        self.out.clone().unwrap_or_else(|| format!("runs/bench-{name}-{preset}").into())
    }

    fn threads(&self) -> Option<NonZeroUsize> {
        self.workers.and_then(|workers| NonZeroUsize::new(workers as usize))
    }
}

/// How far an experiment is: a bar, a line every few seconds, or nothing.
enum Shown {
    Bar(ProgressBar),
    Lines(Option<Instant>),
    Nothing,
}

impl Shown {
    fn new(experiment: &Experiment, console: &Console<'_>) -> Self {
        match () {
            () if experiment.quiet => Self::Nothing,
            () if !console.terminal => Self::Lines(None),
            () => {
                let template = "{spinner} {bar:24.cyan} {wide_msg}";
                let style = ProgressStyle::with_template(template).expect("the template is valid");
                let bar = ProgressBar::new(1).with_style(style.progress_chars("━╸─"));
                bar.enable_steady_tick(Duration::from_millis(120));
                Self::Bar(bar)
            }
        }
    }

    fn on_interrupt(&self) -> Box<dyn FnOnce() + Send> {
        const SAID: &str = "finishing the runs that have begun; Ctrl-C again stops at once";
        match self {
            Self::Bar(bar) => {
                let bar = bar.clone();
                Box::new(move || bar.println(SAID))
            }
            Self::Lines(_) | Self::Nothing => progress::aside(SAID),
        }
    }

    fn tick(&mut self, progress: Progress, console: &mut Console<'_>) {
        let Progress { done, total, left, .. } = progress;
        let left = left.map_or_else(String::new, |left| format!(", {} left", duration(left)));
        let text = format!("{done} of {total} runs{left}");
        match self {
            Self::Nothing => {}
            Self::Bar(bar) => {
                bar.set_length(total as u64);
                bar.set_position(done as u64);
                bar.set_message(text);
            }
            Self::Lines(last) => {
                if last.is_none_or(|last| last.elapsed() > PERIOD) || done == total {
                    *last = Some(Instant::now());
                    // Whoever watches cannot stop an experiment.
                    let _ = writeln!(console.err, "{text}");
                }
            }
        }
    }

    fn end(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
