//! `checkpoints`: the states after the last few iterations.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Fault;
use crate::frame::{self, Checkpoint, FrameError};
use crate::stream::Room;

pub(crate) fn insert(conn: &Connection, iteration: u64, payload: &[u8]) -> Result<(), Fault> {
    let sql = "INSERT INTO checkpoints (iteration, frame) VALUES (?1, zeroblob(?2))";
    conn.prepare_cached(sql)?.execute(params![iteration, frame::length(payload)])?;
    let mut room = Room::open(conn, "checkpoints", "frame", iteration)?;
    room.bytes(&frame::header(iteration, payload))?;
    room.bytes(payload)
}

pub(crate) fn drop_before(conn: &Connection, iteration: u64) -> Result<(), Fault> {
    let sql = "DELETE FROM checkpoints WHERE iteration < ?1";
    conn.prepare_cached(sql)?.execute([iteration])?;
    Ok(())
}

/// The checkpoint of `iteration`, or what is wrong with it.
pub(crate) fn read(
    conn: &Connection,
    iteration: u64,
) -> Result<Result<Checkpoint, FrameError>, Fault> {
    let sql = "SELECT frame FROM checkpoints WHERE iteration = ?1";
    let mut statement = conn.prepare_cached(sql)?;
    let sound = |row: &rusqlite::Row<'_>| match row.get_ref(0)?.as_blob() {
        Ok(bytes) => Ok(frame::read(bytes)),
        Err(_) => Ok(Err(FrameError::Magic)),
    };
    let found = statement.query_row([iteration], sound).optional()?;
    Ok(match found.unwrap_or(Err(FrameError::Missing)) {
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
