//! What lets go of a program's pipes when it is dead, whoever else holds them.

use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::process::GRACE;

/// Open for as long as the program lives. Whoever waits for a pipe waits for this, too.
#[derive(Debug)]
pub(super) struct Gate {
    near: UnixStream,
    far: UnixStream,
    closed: OnceLock<Instant>,
}

impl Gate {
    pub(super) fn new() -> io::Result<Self> {
        let (near, far) = UnixStream::pair()?;
        Ok(Self { near, far, closed: OnceLock::new() })
    }

    /// From now on nobody waits.
    pub(super) fn close(&self) {
        self.closed.get_or_init(Instant::now);
        // This fails if it was done before.
        let _ = self.near.shutdown(Shutdown::Both);
    }

    /// A pipe that ends when the program does, or soon after.
    pub(super) fn guard<T>(self: &Arc<Self>, pipe: T) -> Gated<T> {
        Gated { pipe, gate: self.clone() }
    }

    /// Waits until there is something to read: what was written before the death is, for a while.
    fn readable(&self, pipe: &impl AsFd) -> bool {
        let ready = self.wait(pipe, PollFlags::IN);
        ready && self.closed.get().is_none_or(|closed| closed.elapsed() < GRACE)
    }

    /// Waits until more can be written; `false` if there is nobody to read it.
    pub(super) fn writable(&self, pipe: &impl AsFd) -> bool {
        self.wait(pipe, PollFlags::OUT) && self.closed.get().is_none()
    }

    /// Waits for the pipe or the gate; whether the pipe is ready.
    fn wait(&self, pipe: &impl AsFd, what: PollFlags) -> bool {
        loop {
            let mut both = [PollFd::new(pipe, what), PollFd::new(&self.far, PollFlags::IN)];
            match poll(&mut both, None) {
                Err(Errno::INTR) => {}
                Err(_) => return false,
                Ok(_) => return !both[0].revents().is_empty(),
            }
        }
    }
}

/// A pipe from the program; see [`Gate::guard`].
pub(super) struct Gated<T> {
    pipe: T,
    gate: Arc<Gate>,
}

impl<T: Read + AsFd> Read for Gated<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.gate.readable(&self.pipe) { self.pipe.read(buffer) } else { Ok(0) }
    }
}
