//! Policies in environments: the tables of section 4 and appendix C as studies.
//!
//! `studies/rl/paper.toml` describes them all: groups of one policy class, each over environments
//! and controllers, with the paper's numbers. From it come the study files beside it (a test
//! compares) and what `esenas bench rl` runs. A study keeps itself in its run directory, so that
//! whatever stops the benchmark, it goes on where it was.

mod claims;
mod curves;
mod figures;
mod length;
mod page;
mod plan;
mod report;
mod row;
mod run;
mod tables;
mod used;

pub(crate) use claims::claims;
pub use length::Length;
pub use plan::{Cell, Paper, Plan, Selection};
pub use report::Outcome;
pub use row::Row;
pub use run::{Progress, Settings, run};
pub use tables::GroupTable;
