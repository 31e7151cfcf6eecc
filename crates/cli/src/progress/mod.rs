//! A running study, as it goes: one of a bar, a whole screen, a table of lines, JSON lines, or
//! nothing.
//!
//! Nothing here can stop a study: where its words cannot be written any more (the pipe is closed,
//! the disk of the log is full), it goes on without them, and its records say the same.

mod bar;
mod lines;
mod pace;
mod tui;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use esenas_run::spec::StopConfig;
use esenas_run::{Crew, IterationReport};
use serde_json::Value;

use crate::args::How;
use crate::export::jsonl;
use crate::{Console, draw};
use bar::Bar;
use lines::Lines;
use pace::Pace;
use tui::Tui;

pub(crate) use tui::leave;

/// How a study shows itself.
pub(crate) enum Progress {
    /// Live, in a terminal.
    Bar(Bar),
    /// Live, in all of it.
    Tui(Tui),
    /// A table that grows downwards.
    Lines(Lines),
    /// One object per iteration.
    Json,
    /// Not at all.
    Quiet,
}

impl Progress {
    /// As the flags ask for it, of a study that ends like this.
    pub(crate) fn new(
        how: &How,
        stop: &StopConfig,
        (dir, workers): (&Path, usize),
        crew: Option<Arc<Crew>>,
        console: &Console<'_>,
    ) -> Result<Self> {
        let pace = Pace::new(stop.clone());
        Ok(match () {
            () if how.tui => Self::Tui(Tui::start(dir, (workers, crew), pace)?),
            () if how.quiet => Self::Quiet,
            () if how.json => Self::Json,
            () if console.terminal => Self::Bar(Bar::new(pace)),
            () => Self::Lines(Lines::new(pace)),
        })
    }

    /// What to do when Ctrl-C is pressed: say so at once, for an iteration can last.
    pub(crate) fn on_interrupt(&self) -> Box<dyn FnOnce() + Send> {
        const SAID: &str = "finishing the iteration; Ctrl-C again stops at once";
        match self {
            Self::Tui(tui) => Box::new(tui.on_interrupt()),
            _ => self.later(SAID.to_owned()),
        }
    }

    /// Says `text` when it is called, from any thread, without disturbing what is shown.
    pub(crate) fn later(&self, text: String) -> Box<dyn FnOnce() + Send> {
        match self {
            Self::Bar(bar) => {
                let bar = bar.handle();
                Box::new(move || bar.println(text))
            }
            // Its workers are on the screen.
            Self::Tui(_) => Box::new(|| ()),
            Self::Lines(_) | Self::Json | Self::Quiet => aside(text),
        }
    }

    /// An iteration is done.
    pub(crate) fn iteration(&mut self, report: &IterationReport<'_>, out: &mut dyn Write) {
        let text = match self {
            Self::Bar(bar) => return bar.iteration(report),
            Self::Tui(tui) => return tui.iteration(report),
            Self::Lines(lines) => lines.iteration(report),
            Self::Json => json(report),
            Self::Quiet => return,
        };
        if !text.is_empty() {
            // See above: a study is not stopped by its log.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
    }

    /// The last iteration is done, or the study failed.
    pub(crate) fn end(&mut self, out: &mut dyn Write) {
        match self {
            Self::Bar(bar) => bar.end(),
            Self::Tui(tui) => tui.end(),
            Self::Lines(lines) => drop(out.write_all(lines.end().as_bytes())),
            Self::Json | Self::Quiet => {}
        }
    }
}

/// Says `text` when Ctrl-C is pressed: on a thread of its own, which no console reaches.
pub(crate) fn aside(text: impl Into<String>) -> Box<dyn FnOnce() + Send> {
    let text = text.into();
    Box::new(move || drop(writeln!(std::io::stderr(), "esenas: {text}")))
}

fn json(report: &IterationReport<'_>) -> String {
    let mut object = jsonl::iteration(report.record);
    object.insert("seconds".to_owned(), draw::json(report.elapsed.as_secs_f64()));
    format!("{}\n", Value::Object(object))
}
