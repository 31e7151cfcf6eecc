//! The workers, what they do, and what must hold whatever they do.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::time::Duration;

use esenas_run::dispatcher::{
    Action, Dispatcher, Lease, LeaseId, Limits, Receipt, Speculation, WorkerId, Workers,
};
use esenas_run::{Evaluation, Failure, FailureKind, Outcome};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// What kind of world it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nature {
    pub(crate) jobs: usize,
    pub(crate) workers: usize,
    pub(crate) chunk: usize,
    /// How many leases a worker takes at once.
    pub(crate) leases: usize,
    pub(crate) attempts: u32,
    pub(crate) timeout: Option<Duration>,
    pub(crate) speculation: bool,
    /// The chance, in percent, that a worker misbehaves over a lease.
    pub(crate) faults: u64,
    /// Whether the executor replaces the workers that it loses.
    pub(crate) replaces: bool,
    /// Every `poison`-th index kills whoever evaluates it.
    pub(crate) poison: Option<usize>,
}

enum Event {
    Answer { worker: WorkerId, lease: LeaseId, index: usize, outcome: Outcome },
    Crash(WorkerId),
}

pub(crate) struct World {
    nature: Nature,
    rng: ChaCha8Rng,
    now: Duration,
    sequence: u64,
    /// What will happen, and when. Outlives the iteration, as real answers do.
    events: BTreeMap<(Duration, u64), Event>,
    /// Everyone who lives, and the leases they are at work on.
    alive: BTreeMap<WorkerId, BTreeSet<LeaseId>>,
    /// Workers that never answer again, though no one knows.
    hung: BTreeSet<WorkerId>,
    /// Every lease there ever was.
    leases: Vec<Lease>,
}

fn crash() -> Failure {
    Failure::new(FailureKind::WorkerLost, "crashed")
}

/// What an honest worker answers. One in seven candidates cannot be evaluated, one in eleven
/// diverges.
fn truth(iteration: usize, index: usize) -> Outcome {
    match (index % 7, index % 11) {
        (3, _) => Err(Failure::new(FailureKind::Failed, format!("bad {iteration}/{index}"))),
        (_, 5) => Ok(Evaluation::new(f64::NAN)),
        _ => Ok(Evaluation::new((1000 * iteration + index) as f64)),
    }
}

/// What an honest world records.
pub(crate) fn expected(iteration: usize, index: usize) -> Outcome {
    let nan = Failure::new(FailureKind::NonFinite, "the value is NaN");
    truth(iteration, index).and_then(|e| if e.value.is_nan() { Err(nan) } else { Ok(e) })
}

impl World {
    pub(crate) fn new(seed: u64, nature: Nature) -> (Self, Workers) {
        let mut workers = Workers::default();
        let alive = (0..nature.workers).map(|_| (workers.join(), BTreeSet::new())).collect();
        let world = Self {
            nature,
            rng: ChaCha8Rng::seed_from_u64(seed),
            now: Duration::ZERO,
            sequence: 0,
            events: BTreeMap::new(),
            alive,
            hung: BTreeSet::new(),
            leases: Vec::new(),
        };
        (world, workers)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.rng.next_u64() % n
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn schedule(&mut self, millis: u64, event: Event) {
        self.sequence += 1;
        self.events.insert((self.now + Duration::from_millis(millis), self.sequence), event);
    }

    /// The executor's clock: ours, but not always right.
    fn clock(&mut self) -> Duration {
        match self.below(100) {
            0 if 0 < self.nature.faults => self.now.saturating_sub(Duration::from_secs(2)),
            _ => self.now,
        }
    }

    /// A worker sets out on a lease: decides what it will do.
    fn work_on(&mut self, truths: &[Outcome], lease: &Lease) {
        let (worker, id) = (lease.worker, lease.id);
        self.alive.get_mut(&worker).unwrap().insert(id);
        if self.hung.contains(&worker) {
            return;
        }
        let misbehaves = self.chance(self.nature.faults);
        let vice = if misbehaves { self.below(6) } else { u64::MAX };
        let mut delay = 0;
        for &index in &lease.indices {
            delay += 10 + self.below(200);
            if self.nature.poison.is_some_and(|p| index % p == 0) || (vice == 0 && self.chance(40))
            {
                return self.schedule(delay, Event::Crash(worker));
            }
            if vice == 1 && self.chance(40) {
                self.hung.insert(worker);
                return;
            }
            delay += if vice == 2 { self.below(60_000) } else { 0 };
            let outcome = truths[index].clone();
            if vice == 3 {
                let again = outcome.clone();
                let later = delay + self.below(3000);
                self.schedule(later, Event::Answer { worker, lease: id, index, outcome: again });
            }
            if vice == 4 {
                self.lie(worker, id, index, delay);
            }
            self.schedule(delay, Event::Answer { worker, lease: id, index, outcome });
        }
        if vice == 5 {
            let leaves = self.below(5000);
            self.schedule(leaves, Event::Crash(worker));
        }
    }

    /// Answers for someone else's lease, for one that never was, for an index not asked for.
    fn lie(&mut self, worker: WorkerId, lease: LeaseId, index: usize, delay: u64) {
        let outcome = || Ok(Evaluation::new(-666.0));
        let (other, far) = (LeaseId(self.below(lease.0 + 1)), LeaseId(lease.0 + 1000));
        for (lease, index) in [(far, index), (lease, 1_000_000), (lease, usize::MAX)] {
            self.schedule(delay, Event::Answer { worker, lease, index, outcome: outcome() });
        }
        if self.leases[other.0 as usize].worker != worker {
            let event = Event::Answer { worker, lease: other, index, outcome: outcome() };
            self.schedule(delay, event);
        }
    }

    /// Everyone who can takes work.
    fn assign(&mut self, truths: &[Outcome], work: &mut Dispatcher) {
        let workers: Vec<WorkerId> = self.alive.keys().copied().collect();
        for worker in workers {
            if self.nature.leases <= self.alive[&worker].len() {
                continue;
            }
            let (most, now) = (1 + self.below(self.nature.chunk as u64) as usize, self.clock());
            if let Some(lease) = work.lease(worker, most, now) {
                assert_eq!(lease.id.0 as usize, self.leases.len(), "lease ids are never reused");
                assert!(!lease.indices.is_empty() && lease.indices.len() <= most);
                self.leases.push(lease.clone());
                self.work_on(truths, &lease);
            }
        }
    }

    fn remove(&mut self, work: &mut Dispatcher, worker: WorkerId, failure: Failure) {
        if self.alive.remove(&worker).is_none() {
            return;
        }
        self.hung.remove(&worker);
        // What it had said before may still be under way.
        work.worker_lost(worker, failure);
        if self.nature.replaces {
            let worker = work.join();
            self.alive.insert(worker, BTreeSet::new());
        }
    }

    fn react(&mut self, work: &mut Dispatcher, action: Action) {
        match action {
            Action::Suspected { worker, .. } => {
                if !self.hung.contains(&worker) && self.chance(20) {
                    work.answered(worker);
                }
            }
            Action::Expired { worker, lease } => {
                let late = Failure::new(FailureKind::TimedOut, "late");
                if self.hung.contains(&worker) || self.chance(50) {
                    self.remove(work, worker, late);
                } else {
                    if let Some(leases) = self.alive.get_mut(&worker) {
                        leases.remove(&lease);
                    }
                    work.lost(lease, late);
                }
            }
        }
    }

    /// Time passes until the next event, or until the dispatcher wants to look at the clock.
    fn advance(&mut self, work: &Dispatcher) -> Option<Event> {
        let jump = if self.nature.faults > 0 && self.below(500) == 0 { 20_000 } else { 0 };
        let next = self.events.keys().next().copied();
        let wake = work.wake().map_or(self.now + Duration::from_millis(100), |w| w.max(self.now));
        match next.filter(|(at, _)| *at <= wake) {
            Some(key) => {
                self.now = self.now.max(key.0) + Duration::from_millis(jump);
                self.events.remove(&key)
            }
            None => {
                // The clock may have been wrong when the lease was granted: never stand still.
                self.now = wake + Duration::from_millis(1 + jump);
                None
            }
        }
    }

    /// One iteration, as an executor would run it: `truths` is what honest workers answer.
    pub(crate) fn iterate(
        &mut self,
        truths: &[Outcome],
        workers: Workers,
    ) -> (Vec<Outcome>, Workers) {
        let Nature { attempts, timeout, speculation, .. } = self.nature;
        let jobs = truths.len();
        let speculation = speculation.then(Speculation::default);
        let attempts_cap = NonZeroU32::new(attempts).unwrap();
        let limits = Limits { attempts: attempts_cap, timeout, retry_failed: false, speculation };
        let mut work = Dispatcher::new(jobs, limits, workers);
        let first = self.leases.len();
        let mut answered: BTreeMap<usize, Outcome> = BTreeMap::new();
        let mut abandoned = false;
        let mut steps = 0;
        while !work.is_complete() {
            steps += 1;
            assert!(steps < 100_000, "it does not end: {:?}", self.nature);
            self.assign(truths, &mut work);
            match self.advance(&work) {
                Some(Event::Crash(worker)) => self.remove(&mut work, worker, crash()),
                Some(Event::Answer { worker, lease, index, outcome }) => {
                    self.take_answer(&mut work, worker, lease, index, outcome, &mut answered);
                }
                None => {}
            }
            let now = self.clock();
            for action in work.tick(now) {
                self.react(&mut work, action);
            }
            if self.alive.is_empty() {
                assert!(work.workers().is_empty());
                abandoned = true;
                work.abandon(&Failure::new(FailureKind::WorkerLost, "all gone"));
            }
        }
        let (outcomes, workers) = work.finish();

        assert_eq!(outcomes.len(), jobs);
        let mut leased = vec![0; jobs];
        let indices = self.leases[first..].iter().flat_map(|lease| &lease.indices);
        indices.for_each(|&index| leased[index] += 1);
        for (index, outcome) in outcomes.iter().enumerate() {
            // Work that is lost together is held against no one, once.
            let together = self.nature.chunk * self.nature.leases;
            let cap = attempts + u32::from(1 < together);
            assert!(leased[index] <= cap, "index {index} was leased {} times", leased[index]);
            match answered.get(&index) {
                Some(first) => assert_eq!(outcome, first, "the first answer is the outcome"),
                None => {
                    let failure = outcome.as_ref().unwrap_err();
                    let given_up =
                        attempts <= leased[index] && failure.reason.contains("given up after");
                    let all_gone = abandoned && failure.reason == "all gone";
                    assert!(given_up || all_gone, "{index} ({}): {failure}", leased[index]);
                }
            }
        }
        (outcomes, workers)
    }

    /// Machines join between iterations, too.
    pub(crate) fn admit(&mut self, workers: &mut Workers) {
        if self.alive.is_empty() || self.chance(10) {
            self.alive.insert(workers.join(), BTreeSet::new());
        }
    }

    fn take_answer(
        &mut self,
        work: &mut Dispatcher,
        worker: WorkerId,
        lease: LeaseId,
        index: usize,
        outcome: Outcome,
        answered: &mut BTreeMap<usize, Outcome>,
    ) {
        let (now, lied) = (self.clock(), outcome == Ok(Evaluation::new(-666.0)));
        let receipt = work.done(worker, lease, index, outcome.clone(), now);
        if lied {
            assert!(matches!(receipt, Receipt::Unknown | Receipt::Stale), "{receipt:?}");
            return;
        }
        let nan = Failure::new(FailureKind::NonFinite, "the value is NaN");
        let outcome = outcome.and_then(|e| if e.value.is_nan() { Err(nan) } else { Ok(e) });
        if receipt == Receipt::Accepted {
            assert!(answered.insert(index, outcome).is_none(), "{index} was accepted twice");
        }
        assert_ne!(receipt, Receipt::Unknown, "an honest answer is always known");
        // It is idle again once it has said all it will.
        let lie = |o: &Outcome| *o == Ok(Evaluation::new(-666.0));
        let mut to_come = self.events.values().filter_map(|event| match event {
            Event::Answer { lease, outcome, .. } => (!lie(outcome)).then_some(*lease),
            Event::Crash(_) => None,
        });
        if !to_come.any(|l| l == lease)
            && let Some(leases) = self.alive.get_mut(&worker)
        {
            leases.remove(&lease);
        }
    }
}

/// A few iterations of a world that needs no driver.
pub(crate) fn run(seed: u64, nature: Nature, iterations: usize) -> Vec<Vec<Outcome>> {
    let (mut world, mut workers) = World::new(seed, nature);
    let mut history = Vec::new();
    for iteration in 0..iterations {
        let truths: Vec<Outcome> = (0..nature.jobs).map(|i| truth(iteration, i)).collect();
        let (outcomes, after) = world.iterate(&truths, workers);
        workers = after;
        history.push(outcomes);
        world.admit(&mut workers);
    }
    history
}
