//! The Python package `esenas`, beneath its Python half.
//!
//! What is here is what Python cannot do, or not fast enough; what a user sees is in
//! `python/esenas/`. Numbers cross as buffers that NumPy takes over without a copy, settings as
//! JSON, candidates as what they are. The interpreter's lock is released wherever no Python object
//! is looked at.
//!
//! | module | what it knows |
//! |---|---|
//! | `space` | search spaces |
//! | `study` | a study: settings in, iterations, records out |
//! | `table` | recorded evaluations, as columns |
//! | `batch` | the candidates of an iteration |
//! | `objective` | functions of Python as evaluators |
//! | `remote` | evaluations elsewhere: pool, work, worker |
//! | `bbob`, `control`, `policy` | built-in functions, environments, policies |
//! | `gymnasium` | environments that Python plays |
//! | `values` | JSON, buffers and outcomes to and from Python |
//! | `errors` | which exception says what |
//! | `cli` | the command line |

mod batch;
mod bbob;
mod cli;
mod columns;
mod control;
mod errors;
mod gymnasium;
mod objective;
mod policy;
mod remote;
mod space;
mod study;
mod table;
mod values;

use pyo3::prelude::*;

/// The engine of esenas.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::bbob::{Bbob, bbob_functions};
    #[pymodule_export]
    use crate::cli::main;
    #[pymodule_export]
    use crate::control::{Environment, environment_names};
    #[pymodule_export]
    use crate::gymnasium::play_environments;
    #[pymodule_export]
    use crate::policy::{Policies, Policy, PolicyClass};
    #[pymodule_export]
    use crate::remote::{Lease, Pool, Work, Worker, version};
    #[pymodule_export]
    use crate::space::Space;
    #[pymodule_export]
    use crate::study::{Study, check};
}
