//! Independent jobs on several threads, their results handed over one by one.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How far a list of jobs is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Jobs done, those of earlier runs among them.
    pub done: usize,
    /// All jobs.
    pub total: usize,
    /// How long this run has lasted.
    pub elapsed: Duration,
    /// How long it will last, if the jobs left are like those of this run.
    pub left: Option<Duration>,
}

/// As many threads as there are cores.
pub fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Does `jobs` on so many threads until there are none left or `stop` is true; jobs that have begun
/// are finished. `keep` gets each result as it comes, in any order, on this thread; when it fails,
/// nothing more is begun. Returns how many were done.
pub fn run<J: Sync, R: Send, E>(
    jobs: &[J],
    threads: NonZeroUsize,
    stop: &AtomicBool,
    work: impl Fn(&J) -> R + Sync,
    mut keep: impl FnMut(R) -> Result<(), E>,
) -> Result<usize, E> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, results) = mpsc::channel();
    let worker = |sender: mpsc::Sender<R>| {
        while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            if sender.send(work(job)).is_err() {
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.get().min(jobs.len()) {
            let (sender, worker) = (sender.clone(), &worker);
            scope.spawn(move || worker(sender));
        }
        drop(sender);
        let mut done = 0;
        for result in results {
            let kept = keep(result);
            failed.store(kept.is_err(), Ordering::Relaxed);
            kept?;
            done += 1;
        }
        Ok(done)
    })
}

/// Counts jobs, and says how long the rest will take.
#[derive(Debug)]
pub struct Clock {
    since: Instant,
    before: usize,
    progress: Progress,
}

impl Clock {
    /// Of `total` jobs, `before` were done in earlier runs.
    pub fn new(before: usize, total: usize) -> Self {
        let progress = Progress { done: before, total, elapsed: Duration::ZERO, left: None };
        Self { since: Instant::now(), before, progress }
    }

    /// One more is done.
    pub fn tick(&mut self) -> Progress {
        let Progress { done, total, .. } = &mut self.progress;
        *done += 1;
        let elapsed = self.since.elapsed();
        let share = (*total - *done) as f64 / (*done - self.before) as f64;
        self.progress.left = Duration::try_from_secs_f64(elapsed.as_secs_f64() * share).ok();
        self.progress.elapsed = elapsed;
        self.progress
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static GO: AtomicBool = AtomicBool::new(false);

    #[test]
    fn all_jobs_are_done_once_on_any_number_of_threads() {
        let jobs: Vec<u32> = (0..100).collect();
        for threads in [1, 3, 8] {
            let mut got = Vec::new();
            let keep = |square| {
                got.push(square);
                Ok::<_, ()>(())
            };
            let threads = NonZeroUsize::new(threads).unwrap();
            assert_eq!(run(&jobs, threads, &GO, |job| job * job, keep), Ok(100));
            got.sort_unstable();
            assert_eq!(got, jobs.iter().map(|job| job * job).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_is_begun_after_a_stop_or_a_failure() {
        let jobs: Vec<u32> = (0..1000).collect();
        let (stop, two) = (AtomicBool::new(false), NonZeroUsize::new(2).unwrap());
        let mut kept = 0;
        let keep = |_| {
            kept += 1;
            stop.store(kept == 5, Ordering::Relaxed);
            Ok::<_, ()>(())
        };
        let slow = |_: &u32| std::thread::sleep(Duration::from_millis(1));
        assert!(run(&jobs, two, &stop, slow, keep).unwrap() < 1000);
        let failed = run(&jobs, two, &GO, slow, |()| Err("full"));
        assert_eq!(failed, Err("full"));
    }

    #[test]
    fn the_time_left_is_that_of_the_jobs_left() {
        let mut clock = Clock::new(90, 100);
        let progress = clock.tick();
        assert_eq!((progress.done, progress.total), (91, 100));
        assert_eq!(progress.left.map(|left| left >= progress.elapsed), Some(true));
        assert_eq!((0..9).map(|_| clock.tick()).last().unwrap().left, Some(Duration::ZERO));
    }
}
