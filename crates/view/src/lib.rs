//! The live page: studies in a browser, while they run and afterwards.
//!
//! A server of one thread per connection that reads run directories and writes nothing. Its figures
//! are those of `esenas-report`, its numbers those of the records; what only they can say who know
//! models and environments comes through [`Knows`].
//!
//! | module | what it does |
//! |---|---|
//! | `http` | one request, one answer, and limits to both |
//! | `query` | what an address asks for |
//! | [`access`](Access) | who may look: loopback, or a token |
//! | `shelf` | the studies below a folder, read again when they changed |
//! | `pages` | the list, and one study or several |
//! | `server` | which address is answered by what |
//!
//! # Why no web framework
//!
//! It answers GET without bodies to a handful of people. `httparse` reads the head and the standard
//! library does the rest: one dependency, where `axum` with its smallest features brings about
//! thirty.
//!
//! # What is promised
//!
//! * A study that runs is never held up: a change is noticed by [`esenas_store::glance`], which
//!   opens no database, and read through a [`Reader`](esenas_store::Reader).
//! * A study that is stopped, resumed, begun anew or removed is no error: the page says so and goes
//!   on.
//! * No word of a study is taken for HTML, no address for a path: names are looked up among those
//!   that were found.
//! * Pages of other sites cannot read it: answers are for names of the loopback alone, or for a
//!   token.

mod access;
mod http;
mod pages;
mod query;
mod server;
mod shelf;

pub use access::{Access, TokenError};
pub use server::{Server, ServerError};
pub use shelf::Knows;
