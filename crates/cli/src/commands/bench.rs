//! `bench`: the paper's experiments.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use esenas_bbob::{Function, Mode};
use esenas_bench::pool::Progress;
use esenas_bench::{BenchError, bbob, theory};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{Bench, BenchBbob, BenchMode, BenchPreset, BenchTheory, Experiment};
use crate::draw::duration;
use crate::exit::bad_input;
use crate::{Console, Exit, interrupt};

/// How often a line is printed where there is no terminal.
const PERIOD: Duration = Duration::from_secs(10);

pub(super) fn bench(args: &Bench, console: &mut Console<'_>) -> Result<Exit> {
    match args {
        Bench::Bbob(args) => run_bbob(args, console),
        Bench::Theory(args) => run_theory(args, console),
        Bench::Rl(args) => super::bench_rl::bench_rl(args, console),
    }
}

fn run_bbob(args: &BenchBbob, console: &mut Console<'_>) -> Result<Exit> {
    let preset = match args.experiment.preset {
        BenchPreset::Paper => bbob::Preset::Paper,
        BenchPreset::Smoke => bbob::Preset::Smoke,
    };
    let (mode, name) = match args.mode {
        BenchMode::Centered => (Mode::Centered, "bbob"),
        BenchMode::Instance => (Mode::Instance, "bbob-instance"),
    };
    let mut plan = bbob::Plan::new(preset, mode, args.ablations);
    if let Some(evaluations) = args.evaluations {
        plan = plan.evaluations(evaluations);
    }
    plan.seeds = args.seeds.unwrap_or(plan.seeds);
    if !args.functions.is_empty() {
        let named = args.functions.iter().map(|name| name.parse::<Function>());
        let named: Result<Vec<_>, _> = named.collect();
        plan.functions = named.map_err(|error| bad_input(format!("--functions: {error}")))?;
    }
    let folder = args.experiment.folder(name);
    let mut shown = Shown::new(&args.experiment, console);
    let stop = interrupt::listen(shown.on_interrupt());
    let done = bbob::run(&plan, &folder, args.experiment.threads(), stop, |p| shown.tick(p));
    shown.end();
    match done.map_err(refused)? {
        None => stopped(&folder, console),
        Some(results) => {
            let report = bbob::report(&results, &folder).map_err(refused)?;
            said(&report.text, &report.files, console)
        }
    }
}

fn run_theory(args: &BenchTheory, console: &mut Console<'_>) -> Result<Exit> {
    let plan = match args.experiment.preset {
        BenchPreset::Paper => theory::Plan::paper(),
        BenchPreset::Smoke => theory::Plan::smoke(),
    };
    let folder = args.experiment.folder("theory");
    let mut shown = Shown::new(&args.experiment, console);
    let stop = interrupt::listen(shown.on_interrupt());
    let done = theory::run(&plan, args.experiment.threads(), stop, |p| shown.tick(p));
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

    fn on_interrupt(&self) -> impl FnOnce() + Send + 'static {
        const SAID: &str = "finishing the runs that have begun; Ctrl-C again stops at once";
        let bar = if let Self::Bar(bar) = self { Some(bar.clone()) } else { None };
        move || match bar {
            Some(bar) => bar.println(SAID),
            None => eprintln!("esenas: {SAID}"),
        }
    }

    fn tick(&mut self, progress: Progress) {
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
                    eprintln!("{text}");
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
