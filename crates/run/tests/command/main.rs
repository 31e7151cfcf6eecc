//! The command pool against real programs, well-behaved and otherwise.
//!
//! Each program is a shell loop that reads a candidate, takes its `id` and its seed `n` out of the
//! line, and then runs the body given by the test. Unless it does something else, it answers with
//! the value `n`, which here is the candidate's index.

mod program;
mod protocol;
mod vices;
