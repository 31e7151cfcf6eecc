//! The one that writes.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

use crate::connect::Writing;
use crate::encode::Encode;
use crate::error::Fault;
use crate::fold::Folder;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::record::{Header, Iteration, Outcome};
use crate::seal::{Mark, Seal, Verdict};
use crate::state::Tally;
use crate::{Checkpoint, Error, connect, create, reader, schema, table};

/// How to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many checkpoints to keep; at least one is.
    pub checkpoints_kept: u64,
    /// Go on although commits are missing that were made, or though it cannot be known.
    pub accept_lost_commits: bool,
    /// How often a commit waits for the disk: what a power loss can cost at most.
    pub sync_every: Duration,
    /// The database's log is moved into it whenever it has grown by this much. On the disk it takes
    /// up to eight times as much, and more while somebody reads.
    pub log_bytes: u32,
    /// About how long a checkpoint will be. A new database is laid out for it; nothing else
    /// follows.
    pub checkpoint_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            checkpoints_kept: 3,
            accept_lost_commits: false,
            sync_every: Duration::from_secs(1),
            log_bytes: 32 << 20,
            checkpoint_bytes: 0,
        }
    }
}

/// The one writer of a study, from creation or resumption until it is dropped or finished.
#[derive(Debug)]
pub struct Writer {
    pub(crate) layout: Layout,
    // Before the connection, which folds the rest when it is closed.
    folder: Folder,
    pub(crate) conn: Writing,
    pub(crate) tally: Tally,
    seal: Seal,
    pub(crate) header: Header,
    options: Options,
    /// (evaluations, failures) so far.
    pub(crate) totals: (u64, u64),
    repeated: u64,
    pub(crate) synced: Option<Instant>,
    /// Bytes of checkpoints and weights that are kept in memory.
    kept: usize,
    /// How long the last checkpoint was.
    state_bytes: usize,
    /// Memory for a piece of a checkpoint.
    buffer: Vec<u8>,
    // Last, so that it is released after the connection is closed.
    lock: Lock,
}

impl Writer {
    /// Makes a new study in `dir`, which is made if need be, and opens it.
    ///
    /// Refused where there is a study already, or a `study.toml` that is not the same text.
    pub fn create(dir: &Path, header: &Header, options: Options) -> Result<Self, Error> {
        let layout = Layout::new(dir);
        let lock = create::create(&layout, header, options)?;
        Self::enter(layout, lock, options)
    }

    /// Opens the study in `dir` to go on with it.
    pub fn open(dir: &Path, options: Options) -> Result<Self, Error> {
        let layout = Layout::new(dir);
        layout.expect_study()?;
        let lock = Lock::acquire(&layout)?;
        Self::enter(layout, lock, options)
    }

    fn enter(layout: Layout, lock: Lock, options: Options) -> Result<Self, Error> {
        let at = |fault: Fault| fault.at(&layout.database);
        let wal_bytes = layout.wal_bytes();
        let mark = match Seal::read(&layout) {
            Err(Error::Seal { .. }) if options.accept_lost_commits => None,
            mark => Some(mark?),
        };
        let mut conn = connect::for_writing(&layout.database).map_err(at)?;
        let version = schema::version(&conn, &layout.database)?;
        quick_check(&conn).map_err(at)?;
        let found = Tally::peek(&conn).map_err(at)?;
        let verdict = mark.map_or(Verdict::Whole, |mark| mark.judge(found.0, wal_bytes));
        if verdict == Verdict::Lost && !options.accept_lost_commits {
            let expected = mark.map_or(0, |mark| mark.committed);
            return Err(commits_lost(&layout, found, expected));
        }
        let header = table::study::read(&conn).map_err(at)?;
        expect_spec(&layout, &header)?;
        schema::migrate(&mut conn, version).map_err(at)?;
        let tally = Tally::read(&conn).map_err(at)?;
        let last = reader::last_record(&conn, &tally).map_err(at)?;
        let totals = last.map_or((0, 0), |last| (last.total_evaluations, last.total_failures));
        connect::may_close(&conn).map_err(at)?;
        let folder = Folder::start(&layout.database, &mut conn, options.log_bytes).map_err(at)?;
        let durable = mark.map_or(0, |mark| mark.durable.min(tally.commits));
        let seal = Seal::write(&layout, Mark { durable, ..Mark::new(tally.commits) })?;
        let repeated = if let Verdict::PowerLoss(commits) = verdict { commits } else { 0 };
        let synced = None;
        Ok(Self {
            layout,
            folder,
            conn: conn.into(),
            tally,
            seal,
            header,
            options,
            totals,
            repeated,
            synced,
            kept: 0,
            state_bytes: options.checkpoint_bytes,
            buffer: Vec::new(),
            lock,
        })
    }

    /// What the study is.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The iteration to commit next; also how many there are.
    pub fn next_iteration(&self) -> u64 {
        self.tally.iterations
    }

    /// How many commits a power loss took before this writer opened the study. They are computed
    /// again.
    pub fn commits_repeated(&self) -> u64 {
        self.repeated
    }

    /// The state after the last iteration; none before the first.
    ///
    /// An unusable one is an error that names the newest sound one, for [`Writer::rewind_to`]:
    /// going on from an older state is somebody's decision.
    pub fn latest_checkpoint(&self) -> Result<Option<Checkpoint>, Error> {
        let checkpoint = reader::latest_checkpoint(&self.conn, &self.tally);
        checkpoint.map_err(|fault| fault.at(&self.layout.database))
    }

    /// Writes down an iteration: all of it or, on an error, nothing.
    ///
    /// When this returns the iteration survives the death of the process at any instant.
    pub fn commit(&mut self, iteration: &Iteration<'_>) -> Result<(), Error> {
        self.check(iteration)?;
        self.keep(iteration)?;
        let record = iteration.record;
        let mut tally = Tally {
            commits: self.tally.commits + 1,
            iterations: self.tally.iterations + 1,
            bests: self.tally.bests + u64::from(iteration.best.is_some()),
            failures: self.tally.failures,
            beliefs: self.tally.beliefs + u64::from(iteration.belief.is_some()),
            finished: None,
        };
        let (mut buffer, mut state_bytes) = (std::mem::take(&mut self.buffer), self.state_bytes);
        let oldest = (record.iteration + 1).saturating_sub(self.options.checkpoints_kept.max(1));
        let committed = self.transact(tally.commits, |conn| {
            let evaluations = iteration.evaluations;
            table::iterations::insert(conn, record, evaluations.checksum())?;
            table::timings::insert(conn, record.iteration, iteration.timings)?;
            table::evaluations::insert(conn, record.iteration, evaluations)?;
            tally.failures += table::failures::count(conn, record.iteration, evaluations)?;
            if let Some(best) = iteration.best {
                table::best::insert(conn, best)?;
            }
            if let Some(belief) = iteration.belief {
                table::beliefs::insert(conn, record.iteration, belief)?;
            }
            // Their pages are taken for the new one.
            table::checkpoints::drop_before(conn, oldest)?;
            let state = iteration.checkpoint;
            state_bytes = table::checkpoints::insert(conn, record.iteration, state, &mut buffer)?;
            table::best::drop_theta_before(conn, oldest)?;
            tally.write(conn)?;
            Ok((tally, (record.total_evaluations, record.total_failures)))
        });
        (self.buffer, self.state_bytes) = (buffer, state_bytes);
        committed
    }

    /// Keeps in memory what the next commits write over: the checkpoints, and as many best models.
    fn keep(&mut self, iteration: &Iteration<'_>) -> Result<(), Error> {
        let each = self.state_bytes + iteration.best.map_or(0, |best| 8 * best.theta.len());
        let rows = usize::try_from(self.options.checkpoints_kept.max(1)).unwrap_or(usize::MAX);
        let bytes = rows.saturating_mul(each);
        if self.kept < bytes {
            connect::keep(&self.conn, bytes).map_err(|fault| fault.at(&self.layout.database))?;
            self.kept = bytes;
        }
        Ok(())
    }

    /// Marks the study as finished and closes it.
    pub fn finish(mut self, why: &str) -> Result<(), Error> {
        let (commits, finished) = (self.tally.commits + 1, Some(why.to_string()));
        let (tally, totals) = (Tally { commits, finished, ..self.tally.clone() }, self.totals);
        self.synced = None;
        self.transact(commits, |conn| tally.write(conn).map(|()| (tally, totals)))
    }

    /// One transaction, which gives the tally and the totals after it, and then its number on the
    /// seal.
    pub(crate) fn transact(
        &mut self,
        commits: u64,
        work: impl FnOnce(&Connection) -> Result<(Tally, (u64, u64)), Fault>,
    ) -> Result<(), Error> {
        if let Some(parent) = self.lock.parent() {
            return Err(Error::Forked { dir: self.layout.dir.clone(), parent });
        }
        let durable = self.synced.is_none_or(|last| self.options.sync_every <= last.elapsed());
        if durable && !self.layout.database.exists() {
            return Err(Error::Vanished { path: self.layout.database.clone() });
        }
        let gate = self.folder.enter();
        let done = write(&mut self.conn, durable, work);
        drop(gate);
        self.folder.leave();
        (self.tally, self.totals) = done.map_err(|fault| fault.at(&self.layout.database))?;
        if durable {
            self.synced = Some(Instant::now());
        }
        self.seal.advance(commits, durable)
    }

    /// Refuses what contradicts itself or what came before: a caller that resumed from the wrong
    /// state is found out here, not in the figures.
    fn check(&self, iteration: &Iteration<'_>) -> Result<(), Error> {
        let record = iteration.record;
        let refuse = |what| Err(Error::Refused { iteration: record.iteration, what });
        if record.iteration != self.tally.iterations {
            return refuse(format!("iteration {} is next", self.tally.iterations));
        }
        let (evaluations, failures) = self.totals;
        let totals = (evaluations + record.evaluations, failures + record.failures);
        if (record.total_evaluations, record.total_failures) != totals {
            return refuse(format!("its totals of evaluations and failures should be {totals:?}"));
        }
        if !iteration.evaluations.is_sorted_by(|a, b| a.index < b.index) {
            return refuse("its evaluations are not by ascending index".into());
        }
        for evaluation in iteration.evaluations {
            if matches!(evaluation.outcome, Outcome::Done { value, .. } if value.is_nan()) {
                return refuse(format!("the value of evaluation {} is NaN", evaluation.index));
            }
        }
        match iteration.best {
            Some(best) if best.record.iteration != record.iteration => {
                refuse(format!("its best model is of iteration {}", best.record.iteration))
            }
            Some(best) if best.record.value.is_nan() => refuse("its best value is NaN".into()),
            Some(best) if best.record.dimension != best.theta.len() as u64 => {
                refuse("its best model has another dimension than its weights".into())
            }
            _ => Ok(()),
        }
    }
}

fn write<T>(
    conn: &mut Connection,
    durable: bool,
    work: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, Fault> {
    // FULL waits for the disk at the commit, NORMAL only when the log is folded into the database.
    let wait = |conn: &Connection, how| conn.pragma_update(None, "synchronous", how);
    if durable {
        wait(conn, "FULL")?;
    }
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    if durable {
        wait(conn, "NORMAL")?;
    }
    Ok(done)
}

pub(crate) fn commits_lost(layout: &Layout, found: (u64, u64), expected: u64) -> Error {
    let (found, iterations) = found;
    Error::CommitsLost { dir: layout.dir.clone(), found, expected, iterations }
}

/// SQLite's own check of the structure of the file.
pub(crate) fn quick_check(conn: &Connection) -> Result<(), Fault> {
    let said: String = conn.query_one("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if said != "ok" {
        // Of two lines, the first of which names no more than the database.
        return Err(Fault::Damaged(said.lines().last().unwrap_or_default().to_owned()));
    }
    Ok(())
}

/// `study.toml` as it was written; written again if somebody removed it.
fn expect_spec(layout: &Layout, header: &Header) -> Result<(), Error> {
    let path = layout.spec();
    match fs::read(&path) {
        Ok(text) if text == header.spec.as_bytes() => Ok(()),
        Ok(_) => Err(Error::SpecChanged { path }),
        Err(e) if e.kind() == ErrorKind::NotFound => create::write_spec(layout, header),
        Err(e) => Err(Error::io(&path, e)),
    }
}
