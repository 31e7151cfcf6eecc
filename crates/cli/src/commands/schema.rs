//! `schema`: the study file, for editors.

use anyhow::Result;

use crate::Console;

pub(super) fn schema(console: &mut Console<'_>) -> Result<()> {
    console.out.raw().write_all(esenas_run::spec::schema().as_bytes())?;
    Ok(())
}
