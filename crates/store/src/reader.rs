//! Those that read: beside the writer, after a crash, and without ever being in the way.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};
use serde::Serialize;

use crate::error::Fault;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::record::{Belief, Best, BestRecord, EvaluationRecord, Header, IterationRecord, Timings};
use crate::seal::{Seal, Verdict};
use crate::state::Tally;
use crate::writer::{commits_lost, quick_check};
use crate::{Checkpoint, ContentDigest, Error, connect, content, schema, table};

/// Rows per statement: a statement that lasts would keep the writer's log from being reused.
const PAGE: u64 = 1024;

/// A view of a study.
#[derive(Debug)]
pub struct Reader {
    layout: Layout,
    conn: Connection,
}

/// How far a study is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Whether it is running.
    pub state: State,
    /// Iterations so far.
    pub iterations: u64,
    /// Evaluations so far, recorded one by one or not.
    pub evaluations: u64,
    /// Failed evaluations so far.
    pub failures: u64,
    /// The last iteration.
    pub last: Option<IterationRecord>,
    /// The best model.
    pub best: Option<BestRecord>,
}

/// The weights of a model.
type Theta = Vec<f64>;

/// Whether a study is running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A process is writing it.
    Running,
    /// It was interrupted, by a person or by a crash; it can be resumed.
    Stopped,
    /// It ended by itself.
    Finished {
        /// Why.
        why: String,
    },
}

/// Evaluations that failed for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailureGroup {
    /// The reason.
    pub reason: String,
    /// How often, among the recorded evaluations.
    pub count: u64,
    /// The first iteration it happened in.
    pub first_iteration: u64,
    /// The last one.
    pub last_iteration: u64,
}

impl Reader {
    /// Opens the study in `dir` for reading.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        Self::open_limited(dir, None)
    }

    /// The same for somebody who waits: whatever is read takes at most `limit` from now on,
    /// together.
    pub fn open_within(dir: &Path, limit: Duration) -> Result<Self, Error> {
        Self::open_limited(dir, Some(limit))
    }

    fn open_limited(dir: &Path, limit: Option<Duration>) -> Result<Self, Error> {
        let layout = Layout::new(dir);
        layout.expect_study()?;
        let at = |fault: Fault| fault.at(&layout.database);
        let wal_bytes = layout.wal_bytes();
        // Before the database, which a writer advances first.
        let mark = Seal::read(&layout)?;
        let mut conn = connect::for_reading(&layout).map_err(|fault| match fault {
            Fault::Sql(e) if e.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
                Error::LogOnReadOnly { dir: layout.dir.clone() }
            }
            fault => at(fault),
        })?;
        if let Some(limit) = limit {
            connect::end_after(&mut conn, limit).map_err(at)?;
        }
        let (found, known) = (schema::version(&conn, &layout.database)?, schema::VERSION);
        let commits = Tally::peek(&conn).map_err(at)?;
        if mark.judge(commits.0, wal_bytes) == Verdict::Lost {
            return Err(commits_lost(&layout, commits, mark.committed));
        }
        if found < schema::READABLE {
            return Err(Error::OlderVersion { path: layout.database.clone(), found, known });
        }
        let reader = Self { layout, conn };
        reader.snapshot(last_record)?;
        Ok(reader)
    }

    /// What the study is.
    pub fn header(&self) -> Result<Header, Error> {
        self.snapshot(|conn, _| table::study::read(conn))
    }

    /// How far it is.
    pub fn progress(&self) -> Result<Progress, Error> {
        // Asked first: a writer that finishes in between is then found finished.
        let running = Lock::is_held(&self.layout);
        self.snapshot(|conn, tally| {
            let last = last_record(conn, tally)?;
            let state = match &tally.finished {
                _ if running => State::Running,
                Some(why) => State::Finished { why: why.clone() },
                None => State::Stopped,
            };
            Ok(Progress {
                state,
                iterations: tally.iterations,
                evaluations: last.as_ref().map_or(0, |last| last.total_evaluations),
                failures: last.as_ref().map_or(0, |last| last.total_failures),
                last,
                best: table::best::newest(conn, tally.bests)?.map(|best| best.record),
            })
        })
    }

    /// The iterations from `from` on, read in pages.
    pub fn iterations(&self, from: u64) -> impl Iterator<Item = Result<IterationRecord, Error>> {
        pages(from, |from| {
            self.snapshot(|conn, _| {
                let page = table::iterations::page(conn, from, PAGE)?;
                Ok(page.into_iter().map(|stored| stored.record).collect())
            })
        })
    }

    /// Where the time of the iterations from `from` on went, read in pages.
    pub fn timings(&self, from: u64) -> impl Iterator<Item = Result<(u64, Timings), Error>> {
        pages(from, |from| self.snapshot(|conn, _| table::timings::page(conn, from, PAGE)))
    }

    /// The recorded evaluations of the iterations from `from` on, one iteration at a time.
    pub fn evaluations(
        &self,
        from: u64,
    ) -> impl Iterator<Item = Result<(u64, Vec<EvaluationRecord>), Error>> {
        pages(from, |at| {
            self.snapshot(|conn, tally| {
                let there = at < tally.iterations;
                let page = there.then(|| Ok((at, table::evaluations::of(conn, at)?)));
                page.into_iter().collect()
            })
        })
    }

    /// At most `points` iterations, evenly spaced, the first and the last among them.
    pub fn curve(&self, points: usize) -> Result<Vec<IterationRecord>, Error> {
        self.snapshot(|conn, tally| {
            let count = (points as u64).min(tally.iterations);
            let last = tally.iterations.saturating_sub(1);
            // A single point is the last one: (0 · …) would show the first.
            let at = |i: u64| if count < 2 { last } else { spread(i, last, count - 1) };
            (0..count).map(|i| Ok(table::iterations::one(conn, at(i))?.record)).collect()
        })
    }

    /// The best model with its weights.
    pub fn best(&self) -> Result<Option<Best>, Error> {
        self.snapshot(|conn, tally| {
            let newest = table::best::newest(conn, tally.bests)?;
            newest.map(|stored| table::best::with_theta(conn, stored)).transpose()
        })
    }

    /// The first model that was the best, with its weights, which older programs did not keep.
    pub fn first_best(&self) -> Result<Option<(BestRecord, Option<Theta>)>, Error> {
        self.snapshot(|conn, tally| {
            let Some(first) = table::best::history(conn, tally.bests)?.into_iter().next() else {
                return Ok(None);
            };
            let theta = table::best::theta(conn, &first)?;
            Ok(Some((first.record, theta)))
        })
    }

    /// What the search held likely after `iteration`, where that was recorded.
    pub fn belief(&self, iteration: u64) -> Result<Option<Belief>, Error> {
        self.snapshot(|conn, tally| {
            let found = belief_from(conn, tally, iteration)?;
            Ok(found.filter(|(at, _)| *at == iteration).map(|(_, belief)| belief))
        })
    }

    /// The same of all iterations from `from` on that have it recorded, one at a time.
    pub fn beliefs(&self, from: u64) -> impl Iterator<Item = Result<(u64, Belief), Error>> {
        let mut next = Some(from);
        std::iter::from_fn(move || {
            let from = next?;
            let found = self.snapshot(|conn, tally| belief_from(conn, tally, from)).transpose();
            next = found.as_ref().and_then(|found| Some(found.as_ref().ok()?.0 + 1));
            found
        })
    }

    /// Every model that was the best at its time, oldest first.
    pub fn best_history(&self) -> Result<Vec<BestRecord>, Error> {
        self.snapshot(|conn, tally| {
            let history = table::best::history(conn, tally.bests)?;
            Ok(history.into_iter().map(|stored| stored.record).collect())
        })
    }

    /// The `limit` most frequent reasons of failure.
    pub fn failures(&self, limit: u64) -> Result<Vec<FailureGroup>, Error> {
        self.snapshot(|conn, tally| table::failures::most_frequent(conn, limit, tally.failures))
    }

    /// The state after the last iteration; see
    /// [`Writer::latest_checkpoint`](crate::Writer::latest_checkpoint).
    pub fn latest_checkpoint(&self) -> Result<Option<Checkpoint>, Error> {
        self.snapshot(latest_checkpoint)
    }

    /// A digest of everything that two runs of one study share: the study, records, evaluations,
    /// best models, the last checkpoint. Not of times, places, what was thinned out, or how the run
    /// ended.
    pub fn content_digest(&self) -> Result<ContentDigest, Error> {
        self.snapshot(content::digest)
    }

    /// Reads everything there is and compares every checksum.
    pub fn verify(&self) -> Result<(), Error> {
        self.snapshot(|conn, _| quick_check(conn))?;
        self.timings(0).try_for_each(|row| row.map(drop))?;
        self.failures(0)?;
        self.content_digest().map(drop)
    }

    /// One consistent view, for as long as `read` takes.
    fn snapshot<T>(
        &self,
        read: impl FnOnce(&Connection, &Tally) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let view = || {
            let transaction = self.conn.unchecked_transaction()?;
            let tally = Tally::read(&transaction)?;
            read(&transaction, &tally)
        };
        view().map_err(|fault: Fault| fault.at(&self.layout.database))
    }
}

/// `i · last / steps`, without overflow for any study that fits on a disk.
fn spread(i: u64, last: u64, steps: u64) -> u64 {
    (u128::from(i) * u128::from(last) / u128::from(steps)) as u64
}

/// The last record, whose number must be the one the tally says.
pub(crate) fn last_record(
    conn: &Connection,
    tally: &Tally,
) -> Result<Option<IterationRecord>, Fault> {
    if !table::iterations::page(conn, tally.iterations, 1)?.is_empty() {
        return Err(Fault::Damaged(format!("it has more than {} iterations", tally.iterations)));
    }
    let last = tally.iterations.checked_sub(1);
    last.map(|last| Ok(table::iterations::one(conn, last)?.record)).transpose()
}

/// The first belief from iteration `from` on; none in a database from before there were any.
pub(crate) fn belief_from(
    conn: &Connection,
    tally: &Tally,
    from: u64,
) -> Result<Option<(u64, Belief)>, Fault> {
    if tally.beliefs == 0 { Ok(None) } else { table::beliefs::from(conn, from) }
}

pub(crate) fn latest_checkpoint(
    conn: &Connection,
    tally: &Tally,
) -> Result<Option<Checkpoint>, Fault> {
    let Some(iteration) = tally.iterations.checked_sub(1) else { return Ok(None) };
    let reason = match table::checkpoints::read(conn, iteration)? {
        Ok(checkpoint) => return Ok(Some(checkpoint)),
        Err(reason) => reason,
    };
    let mut older = table::checkpoints::iterations(conn)?.into_iter();
    let sound = |&i: &u64| i < iteration && matches!(table::checkpoints::read(conn, i), Ok(Ok(_)));
    Err(Fault::Checkpoint { iteration, reason, older: older.find(sound) })
}

/// Consecutive rows from `from` on: fetched a page at a time, until a page is empty or fails.
fn pages<T>(
    from: u64,
    mut fetch: impl FnMut(u64) -> Result<Vec<T>, Error>,
) -> impl Iterator<Item = Result<T, Error>> {
    let (mut next, mut page, mut over) = (from, Vec::new().into_iter(), false);
    std::iter::from_fn(move || {
        if page.len() == 0 && !over {
            match fetch(next) {
                Ok(rows) => page = rows.into_iter(),
                Err(e) => {
                    over = true;
                    return Some(Err(e));
                }
            }
            over = page.len() == 0;
        }
        next += 1;
        page.next().map(Ok)
    })
}
