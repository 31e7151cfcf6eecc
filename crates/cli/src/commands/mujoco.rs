//! `mujoco`: the library and the models, found or fetched.

use anyhow::Result;
use esenas_mujoco::{Places, VERSION, doctor, install};

use crate::args::Mujoco;
use crate::{Console, Exit};

pub(super) fn mujoco(args: Mujoco, console: &mut Console<'_>) -> Result<Exit> {
    match args {
        Mujoco::Install(library) => {
            let err = &mut console.err;
            let mut say = |line: &str| drop(writeln!(err, "{line}"));
            let places = Places::from_env().with_library(library.mujoco);
            let engine = install(places, &mut say)?;
            writeln!(console.out, "MuJoCo {VERSION}: {}", engine.path().display())?;
            Ok(Exit::Done)
        }
        Mujoco::Doctor(library) => {
            let findings = doctor(&Places::from_env().with_library(library.mujoco));
            for finding in &findings {
                let mark = if finding.wrong { "wrong" } else { "" };
                writeln!(console.out, "{mark:>5}  {:<15}  {}", finding.what, finding.said)?;
            }
            let wrong = findings.iter().any(|finding| finding.wrong);
            Ok(if wrong { Exit::Failed } else { Exit::Done })
        }
    }
}
