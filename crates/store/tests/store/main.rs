//! What the store promises, tested through its public face.

mod beliefs;
mod corruption;
mod crash;
mod disk;
mod exclusive;
mod fold;
mod records;
mod respec;
mod study;
mod versions;
