//! A place in the pool: a program, or the pause before its restart.

use std::collections::VecDeque;
use std::time::Duration;

use rustix::process::Pid;

use super::CommandConfig;
use super::process::Process;
use super::scratch::ThetaFile;
use crate::dispatcher::{LeaseId, WorkerId};

/// How many questions back an answer may come twice before it counts as made up.
const REMEMBERED: usize = 64;

/// One of the pool's workers, through all its restarts.
#[derive(Debug, Default)]
pub(super) struct Slot {
    pub(super) process: Option<Process>,
    pub(super) task: Option<Task>,
    /// The last questions put to the process.
    asked: VecDeque<LeaseId>,
    /// Deaths in a row, without an answer in between.
    deaths: u32,
    /// When to restart.
    due: Duration,
    /// The last death.
    pub(super) reason: String,
}

/// What a worker is working on.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) lease: LeaseId,
    pub(super) index: usize,
    /// Kept for as long as the worker may read it.
    pub(super) _theta: Option<ThetaFile>,
}

impl Slot {
    /// The worker, if it has nothing to do.
    pub(super) fn idle(&self) -> Option<WorkerId> {
        self.process.as_ref().filter(|_| self.task.is_none()).map(|process| process.worker)
    }

    /// The process group of its program, if that runs.
    pub(super) fn group(&self) -> Option<Pid> {
        self.process.as_ref().map(Process::group)
    }

    /// Whether this is the worker's place.
    pub(super) fn is(&self, worker: WorkerId) -> bool {
        self.process.as_ref().is_some_and(|process| process.worker == worker)
    }

    /// Puts a question to the worker.
    pub(super) fn ask(&mut self, task: Task, line: Vec<u8>) {
        if self.asked.len() == REMEMBERED {
            self.asked.pop_front();
        }
        self.asked.push_back(task.lease);
        self.task = Some(task);
        if let Some(process) = &self.process {
            process.send(line);
        }
    }

    /// Whether the worker was asked that, not long ago.
    pub(super) fn was_asked(&self, lease: LeaseId) -> bool {
        self.asked.contains(&lease)
    }

    /// Its deaths are forgotten: it answered, or a new batch begins.
    pub(super) fn forgive(&mut self) {
        self.deaths = 0;
    }

    /// Keeps something the worker said, to be shown should it die.
    pub(super) fn note(&self, said: &str) {
        if let Some(process) = &self.process {
            process.tail.push_line(said.as_bytes());
        }
    }

    /// Takes a new process in.
    pub(super) fn fill(&mut self, process: Process) {
        *self = Self { process: Some(process), deaths: self.deaths, ..Self::default() };
    }

    /// The process is gone; it is to be restarted after a pause.
    pub(super) fn died(&mut self, reason: String, config: &CommandConfig, now: Duration) {
        let deaths = self.deaths + 1;
        *self = Self { deaths, due: now + config.pause(deaths), reason, ..Self::default() };
    }

    /// Whether it has died too often to be tried again.
    pub(super) fn is_given_up(&self, config: &CommandConfig) -> bool {
        self.process.is_none() && config.restarts < self.deaths
    }

    /// When it is to be restarted, if it is.
    pub(super) fn restart(&self, config: &CommandConfig) -> Option<Duration> {
        (self.process.is_none() && !self.is_given_up(config)).then_some(self.due)
    }
}
