//! A directory, the program in it, and what it said.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A study of a few milliseconds per hundred iterations.
pub(crate) const STUDY: &str = r#"seed = 7

[stop]
iterations = 30

[problem]
kind = "synthetic"
dimension = 20

[weights]
kind = "es"
directions = 8

[controller]
kind = "regularized-evolution"
"#;

/// A place to run the program in.
pub(crate) struct Place {
    dir: TempDir,
}

impl Place {
    /// An empty place.
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// A place with `study.toml`.
    pub(crate) fn with_study() -> Self {
        let place = Self::new();
        place.write("study.toml", STUDY);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The program with these words, not started yet.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_esenas"));
        command.args(words.split_whitespace()).current_dir(self.dir.path());
        // Cargo's tells the program how it was started, COLUMNS how wide its help is.
        command.env_remove("CARGO_MANIFEST_DIR").env("COLUMNS", "100");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program with these words.
    pub(crate) fn run(&self, words: &str) -> Said {
        Said::from(self.command(words).output().unwrap())
    }

    /// Runs it, and it must end well. What it printed.
    pub(crate) fn ok(&self, words: &str) -> String {
        let said = self.run(words);
        assert_eq!((said.code, &*said.err), (0, ""), "esenas {words}\n{}", said.out);
        said.out
    }
}

/// How the program ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap_or(-1);
        Self { code, out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Said {
    /// Refused with this code, with one paragraph that holds all of `words`, and nothing printed.
    pub(crate) fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.err.starts_with("esenas: "), "{self:?}");
        assert!(!self.err.trim_end().contains("\n\n"), "not one paragraph: {self:?}");
        for word in words {
            assert!(self.err.contains(word), "no `{word}` in: {}", self.err);
        }
    }
}

/// Compares a text with the file that is to hold it, by its path from the root of the repository.
pub(crate) fn expect_file(path: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if std::env::var_os("ESENAS_UPDATE").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    let line = known.lines().zip(text.lines()).position(|(a, b)| a != b);
    let line = line.unwrap_or_else(|| known.lines().count().min(text.lines().count()));
    let at = |text: &str| text.lines().nth(line).unwrap_or("(the end)").to_owned();
    assert!(
        known == text,
        "{path}, line {}, differs; if that is meant, run the test with ESENAS_UPDATE=1\n\
         file: {}\n now: {}",
        line + 1,
        at(&known),
        at(text)
    );
}
