//! `checkpoints`: the states after the last few iterations.

use rusqlite::Connection;

use crate::error::Fault;
use crate::frame::{self, Checkpoint, FrameError, Header};
use crate::long::{self, Column, Pieces};
use crate::record::Snapshot;

const COLUMN: Column = Column { table: "checkpoints", name: "frame", owner: 0 };

/// Writes `state` down; how long it is. `buffer` is memory to use, which is given back.
pub(crate) fn insert(
    conn: &Connection,
    iteration: u64,
    state: &dyn Snapshot,
    buffer: &mut Vec<u8>,
) -> Result<usize, Fault> {
    let memory = std::mem::take(buffer);
    let mut pieces = Pieces::new(conn, COLUMN, iteration, frame::HEADER, memory);
    let written = state.write(&mut pieces);
    let mut len = 0;
    *buffer = pieces.end(|written| {
        len = written.len as usize;
        frame::header(iteration, written.len, &written.crc).to_vec()
    })?;
    written.map_err(Fault::Io)?;
    Ok(len)
}

pub(crate) fn drop_before(conn: &Connection, iteration: u64) -> Result<(), Fault> {
    let sql = "DELETE FROM checkpoints WHERE iteration < ?1";
    conn.prepare_cached(sql)?.execute([iteration])?;
    COLUMN.drop_orphans(conn)
}

/// The checkpoint of `iteration`, or what is wrong with it.
pub(crate) fn read(
    conn: &Connection,
    iteration: u64,
) -> Result<Result<Checkpoint, FrameError>, Fault> {
    let Some(first) = COLUMN.first(conn, iteration)? else { return Ok(Err(FrameError::Missing)) };
    let mut start = vec![0; first.len().min(frame::HEADER)];
    first.read_at_exact(&mut start, 0)?;
    let header = match Header::read(&start) {
        Ok(header) => header,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut payload = Vec::new();
    long::append(&first, start.len(), &mut payload)?;
    if (payload.len() as u64) < header.length {
        COLUMN.rest(conn, iteration, header.length, &mut payload)?;
    }
    Ok(match header.around(payload) {
        Ok(checkpoint) if checkpoint.iteration != iteration => {
            Err(FrameError::Iteration(checkpoint.iteration))
        }
        other => other,
    })
}

/// The iterations there are checkpoints of, newest first.
pub(crate) fn iterations(conn: &Connection) -> Result<Vec<u64>, Fault> {
    let mut statement =
        conn.prepare_cached("SELECT iteration FROM checkpoints ORDER BY iteration DESC")?;
    let found = statement.query_map([], |row| row.get(0))?;
    Ok(found.collect::<Result<_, _>>()?)
}
