//! The one place where errors become exit codes and paragraphs.

use std::fmt;
use std::io::{self, ErrorKind};
use std::process::ExitCode;

use esenas_run::{SpecError, StudyError};

use crate::Console;
use crate::console::shell;

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// The objective or the engine failed.
    Failed = 1,
    /// The flags, a file or a directory are not what they must be.
    BadInput = 2,
    /// Stopped by a person, and saved.
    Interrupted = 130,
}

impl Exit {
    /// The number the shell sees.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// What somebody asked for cannot be done, and asking differently would help.
#[derive(Debug)]
struct BadInput(String);

/// Says what cannot be done, where, and what to do.
pub(crate) fn bad_input(said: impl fmt::Display) -> anyhow::Error {
    anyhow::Error::new(BadInput(said.to_string()))
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// Prints what the flags were refused with, or the help that was asked for.
pub(crate) fn of_flags(refused: &clap::Error, console: &mut Console<'_>) -> Exit {
    let text = refused.render();
    let text = if console.terminal { text.ansi().to_string() } else { text.to_string() };
    let (stream, exit) = match refused.use_stderr() {
        true => (console.err.raw(), Exit::BadInput),
        false => (console.out.raw(), Exit::Done),
    };
    // There is nobody left to tell.
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    exit
}

/// Prints an error as one paragraph.
pub(crate) fn of_error(error: &anyhow::Error, console: &mut Console<'_>) -> Exit {
    let broken = |e: &io::Error| e.kind() == ErrorKind::BrokenPipe;
    if error.chain().any(|cause| cause.downcast_ref().is_some_and(broken)) {
        return Exit::Done;
    }
    let _ = console.out.raw().flush();
    let text = format!("esenas: {}{}", paragraph(error), hint(error, console.program));
    let _ = writeln!(console.err, "{text}").and_then(|()| console.err.raw().flush());
    judge(error)
}

/// The flags that do what a message advises without knowing of flags.
fn hint(error: &anyhow::Error, program: &str) -> String {
    use esenas_store::Error as E;
    let store = error.chain().find_map(|cause| match cause.downcast_ref() {
        // Transparent: it stands for its cause, and is not followed by it.
        Some(StudyError::Store(store)) => Some(store),
        _ => cause.downcast_ref(),
    });
    let differs = |cause: &StudyError| matches!(cause, StudyError::Differs { .. });
    match store {
        Some(E::CommitsLost { dir, .. }) => {
            format!(": {program} resume {} --accept-loss", shell(dir))
        }
        Some(E::Seal { .. }) => format!(": {program} resume DIR --accept-loss"),
        Some(E::Checkpoint { older: Some(older), .. }) => {
            format!(": {program} resume DIR --rewind {older}")
        }
        _ if error.chain().any(|cause| cause.downcast_ref().is_some_and(differs)) => {
            " with --out, or discard the run that is there with --fresh".to_owned()
        }
        _ => String::new(),
    }
}

/// The chain of causes, without those that the one above already quotes.
fn paragraph(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn judge(error: &anyhow::Error) -> Exit {
    for cause in error.chain() {
        if cause.is::<BadInput>() {
            return Exit::BadInput;
        }
        if let Some(store) = cause.downcast_ref() {
            return of_store(store);
        }
        if let Some(study) = cause.downcast_ref() {
            return of_study(study);
        }
        if let Some(mujoco) = cause.downcast_ref() {
            return of_mujoco(mujoco);
        }
        if cause.is::<SpecError>() {
            return Exit::BadInput;
        }
    }
    Exit::Failed
}

/// A directory that cannot be what was asked of it is input; what the disk did is not.
fn of_store(error: &esenas_store::Error) -> Exit {
    use esenas_store::Error as E;
    match error {
        E::NotAStudy { .. }
        | E::AlreadyExists { .. }
        | E::SpecInTheWay { .. }
        | E::SpecChanged { .. }
        | E::Locked { .. }
        | E::WrongFile { .. }
        | E::NewerVersion { .. }
        | E::OlderVersion { .. }
        | E::NotAFile { .. }
        | E::NotKept { .. }
        | E::NoDirectory { .. }
        | E::NotWritable { .. }
        | E::LogOnReadOnly { .. } => Exit::BadInput,
        _ => Exit::Failed,
    }
}

/// What was asked for or pointed at is input; what the registry or the disk did is not.
fn of_mujoco(error: &esenas_mujoco::Error) -> Exit {
    use esenas_mujoco::Error as E;
    match error {
        E::UnknownEnv { .. }
        | E::UnknownVersion { .. }
        | E::WrongVersion { .. }
        | E::Library { .. }
        | E::NotThere { .. }
        | E::Model { .. }
        | E::NoCache => Exit::BadInput,
        _ => Exit::Failed,
    }
}

fn of_study(error: &StudyError) -> Exit {
    match error {
        StudyError::Store(store) => of_store(store),
        StudyError::Spec(_)
        | StudyError::Differs { .. }
        | StudyError::Checkpoint { .. }
        | StudyError::Env(_)
        | StudyError::NeedsObjective
        | StudyError::NobodyEvaluates
        | StudyError::NothingEnds
        | StudyError::NotAsked { .. }
        | StudyError::ToldOthers { .. }
        | StudyError::HasObjective(_) => Exit::BadInput,
        StudyError::Evaluate { .. }
        | StudyError::NothingCameBack { .. }
        | StudyError::TooManyFailures { .. } => Exit::Failed,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    fn ended(error: &anyhow::Error) -> (Exit, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let exit = of_error(error, &mut Console::new(&mut out, &mut err, false));
        assert!(out.is_empty());
        (exit, String::from_utf8(err).unwrap())
    }

    #[test]
    fn an_error_is_one_paragraph_with_its_causes() {
        let error = bad_input("a.toml: line 3").context("cannot read the study");
        let said = "esenas: cannot read the study: a.toml: line 3\n".to_owned();
        assert_eq!(ended(&error), (Exit::BadInput, said));
        let error = anyhow::anyhow!("the objective failed").context("run: the objective failed");
        assert_eq!(ended(&error), (Exit::Failed, "esenas: run: the objective failed\n".to_owned()));
    }

    #[test]
    fn a_reader_that_went_away_is_no_error() {
        let error = Err::<(), _>(io::Error::from(ErrorKind::BrokenPipe)).context("printing");
        assert_eq!(ended(&error.unwrap_err()), (Exit::Done, String::new()));
    }

    #[test]
    fn directories_are_input_and_disks_are_not() {
        let (dir, path) = ("runs/a".into(), "runs/a/esenas.db".into());
        let input = anyhow::Error::new(esenas_store::Error::NotAStudy { dir });
        assert_eq!(ended(&input).0, Exit::BadInput);
        let disk = anyhow::Error::new(esenas_store::Error::DiskFull { path });
        assert_eq!(ended(&disk).0, Exit::Failed);
    }

    #[test]
    fn the_codes_are_the_documented_ones() {
        let all = [Exit::Done, Exit::Failed, Exit::BadInput, Exit::Interrupted];
        assert_eq!(all.map(Exit::code), [0, 1, 2, 130]);
    }
}
