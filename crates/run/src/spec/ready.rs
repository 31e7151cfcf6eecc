//! Whether a study can be evaluated here, which is not part of what it is.

use super::{Spec, SpecError};

impl Spec {
    /// Refuses a study that cannot be evaluated on this machine, as far as that can be known
    /// beforehand: its program is not there, say. Records are read without asking.
    pub fn ready(&self) -> Result<(), SpecError> {
        self.problem.kind().ready().map_err(|fault| self.locate(fault))
    }
}
