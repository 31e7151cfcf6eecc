//! The run directory of a study: what happened, the best models, and the state to go on from.
//!
//! The only crate that knows SQL and file formats; it knows no algorithm. A directory holds
//!
//! | file | content |
//! |---|---|
//! | `study.toml` | the resolved study, for people; the database holds the same text |
//! | `esenas.db`, its `-wal` and `-shm` while open or after a crash | all else, in one database |
//! | `esenas.seal` | how many commits the database must hold; see [`seal`](self#what-is-promised) |
//! | `esenas.lock` | held by the one process that writes, and says which |
//!
//! # What is promised
//!
//! * **One iteration, one transaction**: record, evaluations, checkpoint, best model
//!   ([`Writer::commit`]). After `kill -9` at any instant every commit that returned is there, and
//!   no half of one.
//! * **Power loss** costs at most the iterations of the last second, a prefix remains, and since a
//!   study is deterministic they are computed again with the same bits. Waiting for the disk at
//!   every commit costs milliseconds, so it is done once a second, which for slow objectives is
//!   every iteration. Moving the log into the database waits longer; a thread does that while
//!   commits go on.
//! * **Nothing is lost in silence.** SQLite takes a database whose `-wal` was removed for a whole
//!   one. The seal counts the commits outside of the database, so that this is an error.
//! * **Nothing false is returned.** Every row is covered by a checksum that is verified when it is
//!   read. A flipped bit where a page of the file holds nothing goes unnoticed, and has no effect
//!   on what is read.
//! * **One writer, any number of readers**, which never block it ([`Reader`]).
//! * **Equal runs have equal [`Reader::content_digest`]s**: wall-clock times live in a table of
//!   their own.
//!
//! A reader answers about 10⁶ evaluations without holding them: by keys, in pages, or with N
//! points.

mod connect;
mod content;
mod create;
mod encode;
mod error;
mod fold;
mod frame;
mod glance;
mod layout;
mod lock;
mod long;
mod numbers;
mod reader;
mod record;
mod regular;
mod respec;
mod rewind;
mod schema;
mod seal;
mod state;
mod table;
mod writer;

pub use content::ContentDigest;
pub use create::discard;
pub use error::Error;
pub use frame::{Checkpoint, FrameError};
pub use glance::{Glance, glance};
pub use layout::is_of_study;
pub use numbers::Named;
pub use reader::{FailureGroup, Progress, Reader, State};
pub use record::{
    Belief, Best, BestRecord, Centre, EvaluationRecord, Header, Iteration, IterationRecord,
    Outcome, Role, Snapshot, Summary, Timings,
};
pub use table::failures::without_numbers;
pub use writer::{Options, Writer};
