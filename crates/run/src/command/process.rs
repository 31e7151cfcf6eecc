//! One running program, and the four threads that keep it from ever making us wait.
//!
//! Three serve its pipes and one waits for its death. A descendant that left its group may hold the
//! pipes for as long as it likes: what serves them ends with the program all the same.

use std::io::{self, ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::CommandConfig;
use super::gate::{Gate, Gated};
use super::lines::Lines;
use super::tail::Tail;
use super::wire::{Said, decode};
use crate::dispatcher::WorkerId;

/// How long a program that closed its output may take to end, and its last words to arrive.
pub(super) const GRACE: Duration = Duration::from_millis(100);

/// Something a program did.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) worker: WorkerId,
    pub(super) what: What,
}

/// What it was.
#[derive(Debug)]
pub(super) enum What {
    /// It wrote a line.
    Said(Said),
    /// It died, or closed its output.
    Closed,
    /// It wrote something that cannot be read on from.
    Unreadable(String),
}

/// A running program. Dropped, it is killed, and all that it started with it.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) worker: WorkerId,
    pub(super) tail: Arc<Tail>,
    child: Child,
    /// Towards its standard input, which is closed when this is dropped.
    requests: Option<Sender<Vec<u8>>>,
    /// Closed when it is dead.
    gate: Arc<Gate>,
    /// From then on its id may be someone else's.
    reaped: bool,
}

impl Process {
    /// Starts it. What it does is told to `events`.
    pub(super) fn spawn(
        config: &CommandConfig,
        slot: usize,
        worker: WorkerId,
        events: SyncSender<Event>,
    ) -> io::Result<Self> {
        let (program, arguments) = config.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).env("ESENAS_WORKER", slot.to_string()).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &config.directory {
            command.current_dir(directory);
        }
        let (requests, lines) = channel();
        let (tail, gate) = (Arc::new(Tail::default()), Arc::new(Gate::new()?));
        let child = command.spawn()?;
        // From here on dropping it kills it, should a thread fail to start.
        let mut process =
            Self { worker, tail, child, requests: Some(requests), gate, reaped: false };
        if let Some(stdin) = process.child.stdin.take() {
            let gate = process.gate.clone();
            ioctl_fionbio(&stdin, true)?;
            Builder::new().spawn(move || write(stdin, lines, &gate))?;
        }
        if let Some(stderr) = process.child.stderr.take() {
            let (tail, stderr) = (process.tail.clone(), process.gate.guard(stderr));
            Builder::new().spawn(move || tail.drain(stderr))?;
        }
        if let Some(stdout) = process.child.stdout.take() {
            let (tail, limit) = (process.tail.clone(), config.longest_line);
            let stdout = process.gate.guard(stdout);
            Builder::new().spawn(move || listen(stdout, limit, worker, &events, &tail))?;
        }
        let (group, gate) = (process.group(), process.gate.clone());
        Builder::new().spawn(move || wait(group, &gate))?;
        Ok(process)
    }

    /// The process group that it leads, by its own id.
    pub(super) fn group(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Has the line written. If the program no longer reads, its end will be heard of.
    pub(super) fn send(&self, line: Vec<u8>) {
        if let Some(requests) = &self.requests {
            let _ = requests.send(line);
        }
    }

    /// Tells the program that there is nothing more to do.
    pub(super) fn close_input(&mut self) {
        self.requests = None;
    }

    /// What became of a program that died or closed its output.
    pub(super) fn post_mortem(mut self) -> String {
        let ended = self.ends_within(GRACE);
        let end = match self.kill() {
            Some(status) if ended => format!("the program ended ({status}) before it answered"),
            _ => "the program closed its standard output before it answered".to_owned(),
        };
        end + &self.tail.last_words(GRACE)
    }

    /// Whether the program ends by itself within `patience`. It is not reaped: its id stays its
    /// own, and that of its group, so that [`kill`](Self::kill) cannot hit anyone else.
    pub(super) fn ends_within(&self, patience: Duration) -> bool {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if !matches!(waitid(WaitId::Pid(self.group()), how), Ok(None)) {
                return true;
            }
            if patience <= start.elapsed() {
                return false;
            }
            sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(5));
        }
    }

    /// Kills the program and its group, and reaps it.
    fn kill(&mut self) -> Option<ExitStatus> {
        if self.reaped {
            return None;
        }
        // This fails if there is nothing left to kill.
        let _ = kill_process_group(self.group(), Signal::KILL);
        // Even a killed process may be stuck in the system, on a dead network disk say. Better
        // an unreaped child than to be stuck with it.
        self.reaped = self.ends_within(Duration::from_secs(1));
        self.reaped.then(|| self.child.wait().ok()).flatten()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        self.gate.close();
    }
}

/// Waits for the program's death. It is not reaped; see [`Process::ends_within`].
fn wait(program: Pid, gate: &Gate) {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(program), how), Err(Errno::INTR)) {}
    gate.close();
}

fn write(mut stdin: ChildStdin, lines: Receiver<Vec<u8>>, gate: &Gate) {
    for line in lines {
        let mut rest = &line[..];
        while !rest.is_empty() {
            if !gate.writable(&stdin) {
                return;
            }
            match stdin.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(_) => return,
            }
        }
    }
}

fn listen(
    stdout: Gated<ChildStdout>,
    limit: usize,
    worker: WorkerId,
    events: &SyncSender<Event>,
    tail: &Tail,
) {
    let mut lines = Lines::new(stdout, limit);
    loop {
        let what = match lines.next() {
            Ok(Some(line)) => match decode(line) {
                Said::Chatter => {
                    tail.push_line(line);
                    continue;
                }
                said => What::Said(said),
            },
            Ok(None) => What::Closed,
            Err(error) => What::Unreadable(error.to_string()),
        };
        let is_last = !matches!(what, What::Said(_));
        // No one listens any more if the pool is gone.
        if events.send(Event { worker, what }).is_err() || is_last {
            return;
        }
    }
}
