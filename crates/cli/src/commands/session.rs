//! A study while it runs, from here to its end: what `run` and `resume` have in common.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use esenas_run::spec::{CommandProblem, ProblemConfig};
use esenas_run::{Control, Crew, End, Evaluator, Report, Spec, Study};
use esenas_store::Reader;

use crate::args::{ExecutorKind, How};
use crate::console::shell;
use crate::draw::{count, counted, duration};
use crate::exit::bad_input;
use crate::export::tensorboard::Events;
use crate::progress::Progress;
use crate::study::{describe, percent};
use crate::{Console, Exit, Ray, Refused, interrupt};

/// Who evaluates `spec`: whoever the flags name.
pub(super) fn evaluator(
    spec: &Spec,
    how: &How,
    console: &Console<'_>,
) -> Result<Box<dyn Evaluator>> {
    let workers = workers(how)?;
    let Some(ExecutorKind::Ray(address)) = &how.executor else {
        return Ok(spec.evaluator(workers)?);
    };
    let Some(engines) = console.engines else {
        return Err(bad_input(
            "--executor ray needs the Python package, which brings this same command: \
             pip install 'esenas[ray]'",
        ));
    };
    let quiet = how.quiet || how.json;
    let ray = Ray { address: address.as_deref(), insecure: how.insecure, quiet, workers };
    engines.ray(spec, &ray).map_err(|refused| match refused {
        Refused::BadInput(said) => bad_input(said),
        failed => failed.into(),
    })
}

/// How many workers were asked for. One is what *inline* means.
fn workers(how: &How) -> Result<Option<NonZeroUsize>> {
    let workers = how.workers.and_then(|n| NonZeroUsize::new(n as usize));
    match &how.executor {
        Some(ExecutorKind::Inline) => match workers {
            Some(n) if n.get() > 1 => Err(bad_input(format_args!(
                "--executor inline evaluates one after the other, --workers asks for {n}: \
                 leave one of them out"
            ))),
            _ => Ok(Some(NonZeroUsize::MIN)),
        },
        Some(ExecutorKind::Threads | ExecutorKind::Ray(_)) | None => Ok(workers),
    }
}

/// How many evaluations there are at a time.
fn at_a_time(how: &How) -> Result<usize> {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    Ok(workers(how)?.map_or_else(cores, NonZeroUsize::get))
}

/// A screen can be filled where there is one.
pub(super) fn expect_screen(how: &How, console: &Console<'_>) -> Result<()> {
    if how.tui && !console.terminal {
        return Err(bad_input(
            "--tui fills a terminal, and the output is none: leave it out, or do not redirect",
        ));
    }
    Ok(())
}

/// Says where it is and what is about to happen.
pub(super) fn announce(study: &Study<'_>, dir: &Path, console: &mut Console<'_>) {
    let dir = shell(dir);
    let text = match study.iterations() {
        _ if study.ended().is_some() => format!("{dir} is finished; nothing is left to do"),
        0 => format!("{dir}: Ctrl-C stops it, and it can be resumed\n"),
        done => format!("{dir}: going on after {}\n", counted(done, "iteration")),
    };
    // As with progress: nobody has to listen for a study to run.
    let _ = writeln!(console.out, "{text}");
}

/// Runs `study` to its end or until Ctrl-C, and says how it ended.
pub(super) fn drive(
    mut study: Study<'_>,
    dir: &Path,
    how: &How,
    console: &mut Console<'_>,
) -> Result<Exit> {
    let stop = study.spec().stop.clone();
    let mut events = how.tensorboard.as_deref().map(|logs| watched(dir, logs)).transpose()?;
    let place = (dir, at_a_time(how)?);
    let problem = study.spec().problem.clone();
    let awaited = Awaited::of(&problem);
    let crew = (how.tui || awaited.is_some()).then(|| study.watch());
    let shown = crew.clone().filter(|_| how.tui);
    let mut progress = Progress::new(how, &stop, place, shown, console)?;
    if let (Some(awaited), Some(crew)) = (awaited, crew) {
        awaited.watch(crew, progress.later(awaited.said()));
    }
    let interrupt = interrupt::listen(progress.on_interrupt());
    let done = study.run(interrupt, |report| {
        progress.iteration(report, &mut console.out);
        // As with progress: whoever watches cannot stop a study. What is wrong is said at the end.
        if let Some(Ok(file)) = &mut events
            && let Err(error) = file.append(report.record, report.timings)
        {
            events = Some(Err(error));
        }
        Control::Continue
    });
    progress.end(&mut console.out);
    if let Some(Err(error)) = events {
        writeln!(console.err, "esenas: {error:#}; the records are whole: export them")?;
    }
    let report = done?;
    if !how.quiet && !how.json {
        conclude(&report, console)?;
    }
    Ok(if report.end == End::Interrupted { Exit::Interrupted } else { Exit::Done })
}

/// A program whose first answer is waited for.
struct Awaited<'a>(&'a CommandProblem);

/// Most programs that answer at all have answered once by then.
const PATIENCE: Duration = Duration::from_secs(10);

impl<'a> Awaited<'a> {
    fn of(problem: &'a ProblemConfig) -> Option<Self> {
        match problem {
            ProblemConfig::Command(it) if it.timeout.duration() > PATIENCE => Some(Self(it)),
            _ => None,
        }
    }

    fn said(&self) -> String {
        let CommandProblem { argv, timeout, .. } = self.0;
        let (waited, timeout) = (duration(PATIENCE), duration(timeout.duration()));
        format!(
            "no answer from {} for {waited}; problem.timeout waits for {timeout}: \
             to see what one evaluation does, `check --try` the study",
            argv.join(" ")
        )
    }

    /// Says so if nobody has answered by then, though somebody evaluates.
    fn watch(&self, crew: Arc<Crew>, say: Box<dyn FnOnce() + Send>) {
        let look = move || {
            std::thread::sleep(PATIENCE);
            let (members, _) = crew.members();
            let waits = members.iter().any(|it| it.since.is_some());
            if waits && members.iter().all(|it| it.evaluations == 0) {
                say();
            }
        };
        // Where no thread can be had, nobody is told.
        let _ = std::thread::Builder::new().name("first answer".to_owned()).spawn(look);
    }
}

/// An event file of what is recorded so far, to go on with.
fn watched(dir: &Path, logs: &Path) -> Result<Result<Events>> {
    let reader = Reader::open(dir)?;
    let mut events = Events::create(&reader, true, logs)?;
    events.catch_up(&reader)?;
    Ok(Ok(events))
}

/// The end of the story: why, how good, where, and what next.
fn conclude(report: &Report, console: &mut Console<'_>) -> Result<()> {
    let iterations = counted(report.iterations, "iteration");
    let evaluations = counted(report.evaluations, "evaluation");
    let done = format!("{iterations}, {evaluations} in {}", duration(report.elapsed));
    writeln!(console.out, "\n{}: {done}", report.end)?;
    if report.failures > 0 {
        let share = percent(report.failures, report.evaluations);
        writeln!(console.out, "failed: {} ({share})", count(report.failures))?;
    }
    if let Some(best) = &report.best {
        write!(console.out, "\n{}", describe(&best.record, console.width))?;
    }
    let Some(directory) = &report.directory else { return Ok(()) };
    let (program, dir) = (console.program, shell(directory));
    writeln!(console.out, "\nrecords  {dir}")?;
    if report.end == End::Interrupted {
        writeln!(console.out, "go on    {program} resume {dir}")?;
    }
    writeln!(console.out, "look     {program} show {dir}")?;
    writeln!(console.out, "weights  {program} best {dir} --theta best.npy")?;
    Ok(())
}
