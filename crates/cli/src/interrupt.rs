//! Ctrl-C: once to finish the iteration and stop, twice to stop at once.
//!
//! Stopping at once loses nothing that was saved: a study survives worse. The same goes for the
//! signals with which a system ends a program or closes its terminal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use crate::{Exit, progress};

static PRESSED: AtomicBool = AtomicBool::new(false);
static SAY: Mutex<Option<Say>> = Mutex::new(None);
static LISTENING: Once = Once::new();

type Say = Box<dyn FnOnce() + Send>;

/// What becomes true when somebody presses Ctrl-C, from now on; `say` is called then.
///
/// A process has one Ctrl-C, so this is about the last call.
pub(crate) fn listen(say: impl FnOnce() + Send + 'static) -> &'static AtomicBool {
    PRESSED.store(false, Ordering::Relaxed);
    *SAY.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(say));
    // A system without such signals ends the process, which is fine too.
    LISTENING.call_once(|| drop(ctrlc::set_handler(pressed)));
    &PRESSED
}

/// Asks for the end, if nobody did.
pub(crate) fn press_once() {
    if !PRESSED.load(Ordering::Relaxed) {
        pressed();
    }
}

/// Called on a thread of its own, not within a signal handler; or where Ctrl-C is a key like
/// others.
pub(crate) fn pressed() {
    if PRESSED.swap(true, Ordering::Relaxed) {
        progress::leave();
        std::process::exit(Exit::Interrupted.code().into());
    }
    if let Some(say) = SAY.lock().unwrap_or_else(PoisonError::into_inner).take() {
        say();
    }
}
