//! A folder of studies, and the program that shows it.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout};

use crate::harness::Place;

/// `esenas view`, until it is dropped.
pub(crate) struct Served {
    child: Child,
    /// Held open: it still has a line to say.
    _said: BufReader<ChildStdout>,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn start(place: &Place, flags: &str) -> Self {
        std::fs::create_dir_all(place.path("runs")).unwrap();
        let mut child = place.command(&format!("view {flags}")).spawn().unwrap();
        let mut url = String::new();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        said.read_line(&mut url).unwrap();
        Self { child, _said: said, url: url.trim().to_owned() }
    }

    /// The address of a page.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url.trim_end_matches('/'))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// A study that runs until it is dropped.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn start(place: &Place, words: &str) -> Self {
        let mut command = place.command(words);
        command.stdout(std::process::Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&mut self.0);
    }
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
