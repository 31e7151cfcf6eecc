//! The pool: moves questions and answers between the dispatcher and the programs.

use std::mem::take;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::process::{Event, Process, What};
use super::scratch::Scratch;
use super::slot::{Slot, Task};
use super::watchdog::Watchdog;
use super::wire::{Request, Said, encode};
use super::{CommandConfig, CommandError};
use crate::dispatcher::{Action, Dispatcher, Lease, LeaseId, WorkerId, Workers};
use crate::{Crew, Executor, ExecutorError, Failure, FailureKind, Outcome};

/// How many events may wait. Programs that say more have to wait for us.
const BACKLOG: usize = 256;
/// How long programs may take to end by themselves, once there is nothing more to do.
const FAREWELL: Duration = Duration::from_secs(1);
/// The longest sleep between two looks at the clock.
const NAP: Duration = Duration::from_secs(1);

/// A pool of programs that evaluate candidates; see [`command`](super).
#[derive(Debug)]
pub struct CommandPool {
    config: CommandConfig,
    slots: Vec<Slot>,
    /// Lent to the dispatcher while there is one.
    workers: Workers,
    events: Receiver<Event>,
    sender: SyncSender<Event>,
    /// Before the scratch directory, which it removes if nobody else does.
    watchdog: Watchdog,
    scratch: Scratch,
    epoch: Instant,
    crew: Option<Arc<Crew>>,
}

impl CommandPool {
    /// Starts the programs, or says why they cannot be.
    pub fn start(config: CommandConfig) -> Result<Self, CommandError> {
        let program = config.argv.first().ok_or(CommandError::Empty)?.clone();
        let (sender, events) = sync_channel(BACKLOG);
        let (scratch, epoch) = (Scratch::new()?, Instant::now());
        let watchdog = Watchdog::start(scratch.path());
        let (workers, slots, crew) = (Workers::default(), Vec::new(), None);
        let mut pool =
            Self { config, slots, workers, events, sender, watchdog, scratch, epoch, crew };
        for at in 0..pool.config.workers.get() {
            let worker = pool.workers.join();
            let process = Process::spawn(&pool.config, at, worker, pool.sender.clone());
            let mut slot = Slot::default();
            slot.fill(process.map_err(|source| CommandError::Start {
                program: program.clone(),
                directory: pool.config.directory.clone(),
                source,
            })?);
            pool.slots.push(slot);
            pool.guard();
        }
        Ok(pool)
    }

    /// Has what runs now killed, should we die.
    fn guard(&mut self) {
        self.watchdog.guard(self.slots.iter().filter_map(Slot::group));
    }

    /// Tells `crew` from now on what each program does.
    pub(crate) fn watch(&mut self, crew: Arc<Crew>) {
        self.crew = Some(crew);
    }

    fn tell(&self, what: impl FnOnce(&Crew)) {
        if let Some(crew) = &self.crew {
            what(crew);
        }
    }

    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }

    fn drive(
        &mut self,
        work: &mut Dispatcher,
        job: &(dyn Fn(usize) -> Request + Sync),
    ) -> Result<(), ExecutorError> {
        let jobs = work.open();
        while !work.is_complete() {
            self.restart(work);
            if self.slots.iter().all(|slot| slot.is_given_up(&self.config)) {
                let last = self.slots.last().map_or("", |slot| &slot.reason);
                let reason = format!("restarted {} times, and {last}", self.config.restarts);
                return Err(ExecutorError::NoWorkers { open: work.open(), jobs, reason });
            }
            self.assign(work, job)?;
            if !work.is_complete() {
                self.listen(work);
                self.expire(work);
            }
        }
        Ok(())
    }

    /// Restarts what is due.
    fn restart(&mut self, work: &mut Dispatcher) {
        let now = self.now();
        for at in 0..self.slots.len() {
            if self.slots[at].restart(&self.config).is_none_or(|due| now < due) {
                continue;
            }
            let worker = work.join();
            match Process::spawn(&self.config, at, worker, self.sender.clone()) {
                Ok(process) => {
                    self.slots[at].fill(process);
                    self.guard();
                    self.tell(|crew| crew.restarted(at));
                }
                Err(error) => {
                    let reason = format!("the program cannot be started again: {error}");
                    work.worker_lost(worker, Failure::new(FailureKind::WorkerLost, &reason));
                    self.slots[at].died(reason, &self.config, now);
                }
            }
        }
    }

    /// Gives everyone who is idle something to do.
    fn assign(
        &mut self,
        work: &mut Dispatcher,
        job: &(dyn Fn(usize) -> Request + Sync),
    ) -> Result<(), ExecutorError> {
        let now = self.now();
        for (at, slot) in self.slots.iter_mut().enumerate() {
            while let Some(lease) = slot.idle().and_then(|worker| work.lease(worker, 1, now)) {
                let Lease { id, worker, indices } = lease;
                let index = indices[0];
                let request = job(index);
                if let Some(at) = request.theta.iter().position(|x| !x.is_finite()) {
                    let reason = format!("theta[{at}] is {}: not sent", request.theta[at]);
                    let failure = Failure::new(FailureKind::NonFinite, reason);
                    work.done(worker, id, index, Err(failure), now);
                    continue;
                }
                let is_long = self.config.inline < request.theta.len();
                let write = || self.scratch.write(id.0, &request.theta);
                let theta = is_long.then(write).transpose().inspect_err(|error| {
                    // Not the worker's fault.
                    work.lost(id, Failure::new(FailureKind::WorkerLost, error.to_string()));
                    work.answered(worker);
                })?;
                let line = encode(id.0, &request, theta.as_ref().map(|file| file.path()));
                slot.ask(Task { lease: id, index, _theta: theta }, line);
                if let Some(crew) = &self.crew {
                    crew.started(at);
                }
            }
        }
        Ok(())
    }

    /// Waits for something to happen, and then takes in what has.
    fn listen(&mut self, work: &mut Dispatcher) {
        let restarts = self.slots.iter().filter_map(|slot| slot.restart(&self.config));
        let wake = restarts.chain(work.wake()).min();
        let nap = wake.map_or(NAP, |wake| wake.saturating_sub(self.now()).min(NAP));
        let first = self.events.recv_timeout(nap).ok();
        // No more than this at once: the clock must be looked at, however much is said.
        let events = first.into_iter().chain(self.events.try_iter()).take(BACKLOG);
        for Event { worker, what } in events.collect::<Vec<_>>() {
            // Whoever is in no slot is dead to us.
            if let Some(at) = self.slots.iter().position(|slot| slot.is(worker)) {
                self.hear(work, at, worker, what);
            }
        }
    }

    fn hear(&mut self, work: &mut Dispatcher, at: usize, worker: WorkerId, what: What) {
        match what {
            What::Said(Said::Answer { id, outcome }) => {
                self.answer(work, at, worker, LeaseId(id), outcome);
            }
            What::Said(Said::Malformed(reason)) if self.slots[at].task.is_none() => {
                self.slots[at].note(&reason);
            }
            What::Said(Said::Malformed(reason)) | What::Unreadable(reason) => {
                self.bury(work, at, worker, Failure::new(FailureKind::Malformed, reason));
            }
            What::Said(Said::Chatter) => {}
            What::Closed => {
                let process = self.slots[at].process.take();
                let reason = process.map(Process::post_mortem).unwrap_or_default();
                self.bury(work, at, worker, Failure::new(FailureKind::WorkerLost, reason));
            }
        }
    }

    fn answer(
        &mut self,
        work: &mut Dispatcher,
        at: usize,
        worker: WorkerId,
        lease: LeaseId,
        outcome: Outcome,
    ) {
        let now = self.now();
        let slot = &mut self.slots[at];
        if let Some(task) = slot.task.take_if(|task| task.lease == lease) {
            slot.forgive();
            let failed = outcome.is_err();
            self.tell(|crew| crew.ended(at, failed));
            work.done(worker, lease, task.index, outcome, now);
        } else if !slot.was_asked(lease) {
            let reason = format!("it answered for id {}, which it was never asked", lease.0);
            self.bury(work, at, worker, Failure::new(FailureKind::Malformed, reason));
        }
        // Anything else was answered before.
    }

    /// Stops whoever has run out of time.
    fn expire(&mut self, work: &mut Dispatcher) {
        for action in work.tick(self.now()) {
            // A program cannot be asked for a sign of life other than its answer.
            let Action::Expired { worker, lease } = action else { continue };
            let timeout = self.config.limits.timeout.unwrap_or_default();
            let mut reason = format!("no answer within {timeout:?}");
            let Some(at) = self.slots.iter().position(|slot| slot.is(worker)) else {
                work.lost(lease, Failure::new(FailureKind::TimedOut, reason));
                continue;
            };
            if let Some(process) = &self.slots[at].process {
                reason += &process.tail.last_words(Duration::ZERO);
            }
            self.bury(work, at, worker, Failure::new(FailureKind::TimedOut, reason));
        }
    }

    /// The worker is no more, and if it is, it is killed. Another attempt is made elsewhere.
    ///
    /// That goes for one that says what is no answer, too. It may be out of step, and one that
    /// only ever says such things would be the quickest of all, and fail candidates that the
    /// others can evaluate.
    fn bury(&mut self, work: &mut Dispatcher, at: usize, worker: WorkerId, failure: Failure) {
        self.tell(|crew| crew.ended(at, true));
        self.slots[at].died(failure.reason.clone(), &self.config, self.epoch.elapsed());
        work.worker_lost(worker, failure);
    }
}

impl Executor for CommandPool {
    type Job = Request;

    /// After an error the next batch starts with all workers, and restarts, again.
    fn evaluate(
        &mut self,
        jobs: usize,
        job: &(dyn Fn(usize) -> Request + Sync),
    ) -> Result<Vec<Outcome>, ExecutorError> {
        self.slots.iter_mut().for_each(Slot::forgive);
        let mut work = Dispatcher::new(jobs, self.config.limits, take(&mut self.workers));
        let driven = self.drive(&mut work, job);
        let (outcomes, workers) = work.finish();
        self.workers = workers;
        driven.map(|()| outcomes)
    }
}

impl Drop for CommandPool {
    /// Well-behaved programs end when their input does; the others are killed.
    fn drop(&mut self) {
        let mut processes: Vec<Process> =
            self.slots.iter_mut().filter_map(|slot| slot.process.take()).collect();
        processes.iter_mut().for_each(Process::close_input);
        let start = Instant::now();
        for process in &processes {
            process.ends_within(FAREWELL.saturating_sub(start.elapsed()));
        }
    }
}
