//! Run directories of every released version, and of the one in the making: read, gone on with or
//! refused in so many words. See docs/guides/durability.md for what is promised.
//!
//! `data/formats/NAME` holds six of twelve iterations. What is in `unreleased` is made anew with
//! `ESENAS_UPDATE=1` when the format changes; a release renames it to its version, and it is never
//! changed again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use esenas_run::{Control, Spec, Study, StudyError};
use esenas_store::{Error, Options, Reader};

static RUNNING: AtomicBool = AtomicBool::new(false);

const STUDY: &str = "seed = 5\n[stop]\niterations = 12\n\
    [problem]\nkind = \"synthetic\"\ndimension = 6\nblocks = 2\nnoise = 0.1\n\
    [weights]\nkind = \"es\"\ndirections = 4\n\
    [controller]\nkind = \"regularized-evolution\"\npopulation = 5\n";

fn formats() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats")
}

/// Up to so many iterations, in `dir`.
fn run(study: Study<'_>, iterations: u64) -> Result<(), StudyError> {
    study.run(&RUNNING, |report| {
        if report.record.iteration + 1 < iterations { Control::Continue } else { Control::Stop }
    })?;
    Ok(())
}

fn fresh(dir: &Path, iterations: u64) {
    let spec = Spec::parse("compatibility", STUDY, Path::new(""), &[]).unwrap();
    let study = Study::built_in(spec, None).unwrap();
    run(study.create(dir, Options::default()).unwrap(), iterations).unwrap();
}

fn digest(dir: &Path) -> String {
    let reader = Reader::open(dir).unwrap();
    reader.verify().unwrap();
    reader.content_digest().unwrap().to_string()
}

fn copy(from: &Path, to: &Path) {
    for file in ["esenas.db", "esenas.seal", "study.toml"] {
        fs::copy(from.join(file), to.join(file)).unwrap();
    }
}

/// Red when a change makes directories unreadable that were written before it, or reads other
/// numbers from them.
#[test]
fn what_was_written_is_read() {
    if std::env::var_os("ESENAS_UPDATE").is_some() {
        let (dir, to) = (tempfile::tempdir().unwrap(), formats().join("unreleased"));
        fresh(dir.path(), 6);
        fs::create_dir_all(&to).unwrap();
        copy(dir.path(), &to);
        fs::write(to.join("digest"), digest(dir.path())).unwrap();
    }
    let mut found = 0;
    for entry in fs::read_dir(formats()).unwrap().map(Result::unwrap) {
        let (name, from) = (entry.file_name(), entry.path());
        let dir = tempfile::tempdir().unwrap();
        copy(&from, dir.path());
        if matches!(Reader::open(dir.path()), Err(Error::OlderVersion { .. })) {
            // Brought up to date by whoever writes, also when it goes on no further.
            drop(esenas_store::Writer::open(dir.path(), Options::default()).unwrap());
        }
        let reader = Reader::open(dir.path()).unwrap_or_else(|e| panic!("{name:?}: {e}"));
        assert_eq!(reader.progress().unwrap().iterations, 6, "{name:?}");
        assert_eq!(reader.evaluations(0).map(Result::unwrap).count(), 6, "{name:?}");
        let known = fs::read_to_string(from.join("digest")).unwrap();
        assert_eq!(digest(dir.path()), known, "{name:?}");
        found += 1;
    }
    assert!(0 < found, "no directories in {}", formats().display());
}

/// A study goes on, or the refusal names the program that can.
#[test]
fn what_was_begun_goes_on_or_says_with_what() {
    for entry in fs::read_dir(formats()).unwrap().map(Result::unwrap) {
        let dir = tempfile::tempdir().unwrap();
        copy(&entry.path(), dir.path());
        match Study::open(dir.path(), None, Options::default()) {
            Ok(study) => run(study, 12).unwrap(),
            Err(error) => {
                let name = entry.file_name().into_string().unwrap();
                assert_ne!(name, "unreleased", "{error}");
                let text = error.to_string();
                assert!(text.contains("resume it with") && text.contains(&name), "{text}");
                continue;
            }
        }
        let straight = tempfile::tempdir().unwrap();
        fresh(straight.path(), 12);
        if entry.file_name() == "unreleased" {
            assert_eq!(digest(dir.path()), digest(straight.path()));
        }
    }
}
