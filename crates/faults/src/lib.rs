//! A disk that fails, under the store as it is.
//!
//! SQLite reaches files through a *virtual file system*. This crate puts its own in front of the
//! system's: every write, truncation, wait and deletion in a directory that is
//! [watched](Disk::watch) is taken down, and any of them may be made to fail. The product knows
//! nothing of it and has no other path through its code.
//!
//! From what was taken down follows what a crash could have left ([`Disk::image`]): after `kill -9`
//! all that was written, the last of it perhaps in part; after power loss what was waited for, and
//! of the rest anything, in any order, page by page. The store's few other files are noted by the
//! test: see [`Disk::note`].
//!
//! The manner is that of SQLite's own crash tests and of FoundationDB's simulation: seeded, so that
//! a failure can be looked at again, and many of them.

mod disk;
mod image;
mod random;
mod vfs;

pub use disk::{Disk, Failure};
pub use image::Crash;
pub use random::Random;
