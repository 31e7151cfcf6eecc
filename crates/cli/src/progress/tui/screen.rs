//! The terminal, taken and given back: at the end, on an error, on a panic, on a second Ctrl-C.

use std::io::{self, Stdout, Write};
use std::panic;
use std::sync::{Mutex, MutexGuard, Once, PoisonError, TryLockError};
use std::thread::{self, ThreadId};

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::prelude::CrosstermBackend;
use ratatui::{Frame, Terminal};

/// A process has one terminal.
static TAKEN: Mutex<Option<Taken>> = Mutex::new(None);
/// The thread that draws, which holds the above while it does.
static DRAWS: Mutex<Option<ThreadId>> = Mutex::new(None);
static HOOK: Once = Once::new();

/// At most this many messages of panics are kept until there is a place to print them.
const KEPT: usize = 20;

#[derive(Default)]
struct Taken {
    owner: Option<ThreadId>,
    said: Vec<String>,
}

/// The terminal, while it is taken.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Screen {
    pub(super) fn enter() -> io::Result<Self> {
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                if keep(info) {
                    return;
                }
                leave();
                before(info);
            }));
        });
        *lock(&TAKEN) = Some(Taken { owner: Some(thread::current().id()), said: Vec::new() });
        let entered = enable_raw_mode().and_then(|()| execute!(io::stdout(), EnterAlternateScreen));
        let entered = entered.and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        entered.map(|terminal| Self { terminal }).inspect_err(|_| leave())
    }

    /// Draws, unless the terminal has been given back.
    pub(super) fn draw(&mut self, paint: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let taken = lock(&TAKEN);
        if taken.is_none() {
            return Err(io::ErrorKind::NotConnected.into());
        }
        self.terminal.draw(paint).map(drop)
    }
}

pub(super) fn this_thread_draws() {
    *lock(&DRAWS) = Some(thread::current().id());
}

/// Gives the terminal back, if it is taken, and prints what had to wait for that.
pub(crate) fn leave() {
    let draws = *lock(&DRAWS) == Some(thread::current().id());
    let taken = match TAKEN.try_lock() {
        Ok(mut taken) => taken.take(),
        Err(TryLockError::Poisoned(taken)) => taken.into_inner().take(),
        // Its own drawing failed.
        Err(TryLockError::WouldBlock) if draws => Some(Taken::default()),
        Err(TryLockError::WouldBlock) => lock(&TAKEN).take(),
    };
    let Some(taken) = taken else { return };
    // Whatever fails here, there is nothing else to try.
    let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
    for said in taken.said {
        let _ = writeln!(io::stderr(), "{said}");
    }
}

/// Keeps the words of a thread that panics below the study, which goes on: an objective's, recorded
/// as a failure. Those of the thread that took the terminal or draws on it are its end.
fn keep(info: &panic::PanicHookInfo<'_>) -> bool {
    let this = thread::current().id();
    if *lock(&DRAWS) == Some(this) {
        return false;
    }
    let mut taken = lock(&TAKEN);
    let Some(taken) = taken.as_mut().filter(|taken| taken.owner != Some(this)) else {
        return false;
    };
    if taken.said.len() < KEPT {
        taken.said.push(info.to_string());
    }
    true
}
