//! A running study that fills the terminal: curve, choices, statistics, workers, throughput, time
//! left.
//!
//! The study runs on its thread and only leaves numbers here; another one draws them, listens to
//! keys and reads the records for what lies in the past. So a long iteration does not freeze the
//! picture, and a resumed study shows its whole curve.

mod numbers;
mod paint;
mod screen;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use esenas_report::Data;
use esenas_run::{Crew, IterationReport};
use esenas_store::{Glance, Reader, glance};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};

use super::Pace;
use crate::{interrupt, models};
use numbers::Numbers;
use screen::Screen;

pub(crate) use screen::leave;

/// How often it is drawn.
const REFRESH: Duration = Duration::from_millis(100);

/// Reading the records takes at most this share of the time.
const SHARE: u32 = 20;

/// The picture, from the study's side.
pub(crate) struct Tui {
    numbers: Arc<Mutex<Numbers>>,
    pace: Pace,
    over: Arc<AtomicBool>,
    painter: Option<JoinHandle<()>>,
}

impl Tui {
    /// Takes the terminal.
    pub(crate) fn start(
        dir: &Path,
        (workers, crew): (usize, Option<Arc<Crew>>),
        pace: Pace,
    ) -> Result<Self> {
        let screen = Screen::enter().context("--tui: cannot take the terminal")?;
        let numbers = Arc::new(Mutex::new(Numbers::new(dir, workers)));
        let over = Arc::new(AtomicBool::new(false));
        let painter = Painter {
            screen,
            numbers: numbers.clone(),
            crew,
            over: over.clone(),
            past: Past { dir: dir.to_path_buf(), seen: None, data: None, next: Instant::now() },
        };
        let painter = Some(thread::spawn(|| painter.paint()));
        Ok(Self { numbers, pace, over, painter })
    }

    /// Takes note of an iteration.
    pub(super) fn iteration(&mut self, report: &IterationReport<'_>) {
        self.pace.iteration(report);
        lock(&self.numbers).iteration(report, &self.pace);
    }

    /// What to do when somebody asks for the end: say that it was heard.
    pub(super) fn on_interrupt(&self) -> impl FnOnce() + Send + 'static {
        let numbers = self.numbers.clone();
        move || lock(&numbers).stopping = true
    }

    /// Gives the terminal back.
    pub(super) fn end(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // A painter that failed said so when it did.
        let _ = self.painter.take().map(JoinHandle::join);
        leave();
    }
}

/// Also when the study fails or panics.
impl Drop for Tui {
    fn drop(&mut self) {
        self.end();
    }
}

fn lock(numbers: &Mutex<Numbers>) -> std::sync::MutexGuard<'_, Numbers> {
    numbers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that draws.
struct Painter {
    screen: Screen,
    numbers: Arc<Mutex<Numbers>>,
    crew: Option<Arc<Crew>>,
    over: Arc<AtomicBool>,
    past: Past,
}

impl Painter {
    fn paint(mut self) {
        screen::this_thread_draws();
        while !self.over.load(Ordering::Relaxed) {
            self.past.refresh();
            let mut numbers = lock(&self.numbers).clone();
            numbers.crew = self.crew.as_ref().map(|crew| crew.members()).unwrap_or_default();
            // A terminal that cannot be written to any more stops no study.
            if self
                .screen
                .draw(|frame| paint::all(frame, &numbers, self.past.data.as_ref()))
                .is_err()
            {
                return;
            }
            if !listen() {
                thread::sleep(REFRESH);
            }
        }
    }
}

/// Waits for keys until it is time to draw; whether there is anything to listen to.
fn listen() -> bool {
    let until = Instant::now() + REFRESH;
    loop {
        match event::poll(until.saturating_duration_since(Instant::now())) {
            Ok(true) => {}
            Ok(false) => return true,
            Err(_) => return false,
        }
        let Ok(Event::Key(key)) = event::read() else { continue };
        if key.kind != KeyEventKind::Press {
            continue;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            // In this mode of the terminal it is a key like others.
            KeyCode::Char('c') if control => interrupt::pressed(),
            KeyCode::Char('q') => interrupt::press_once(),
            _ => {}
        }
    }
}

/// What is recorded.
struct Past {
    dir: PathBuf,
    seen: Option<Glance>,
    data: Option<Data>,
    next: Instant,
}

impl Past {
    /// Reads it again if it changed and if it is time. What cannot be read now is read later.
    fn refresh(&mut self) {
        let start = Instant::now();
        if start < self.next {
            return;
        }
        let seen = glance(&self.dir).ok();
        if seen.is_some() && seen != self.seen && self.read().is_ok() {
            self.seen = seen;
        }
        self.next = Instant::now() + (start.elapsed() * SHARE).max(Duration::from_millis(500));
    }

    fn read(&mut self) -> Result<(), esenas_store::Error> {
        let reader = Reader::open(&self.dir)?;
        let mut data = match self.data.take() {
            Some(mut data) => {
                data.update(&reader)?;
                data
            }
            None => Data::read(self.dir.display().to_string(), &reader)?,
        };
        models::complete(&mut data, &reader)?;
        self.data = Some(data);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
