//! The Python on this machine: it knows where packages are installed and how to reach the registry.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How a command ended.
pub(crate) struct Ended {
    /// `Some(true)` well, `Some(false)` not, `None` it took too long and was stopped.
    pub(crate) well: Option<bool>,
    /// The standard output.
    pub(crate) out: String,
    /// The standard error.
    pub(crate) err: String,
}

impl Ended {
    /// The last thing it complained about, in one line.
    pub(crate) fn complaint(&self) -> String {
        let lines = self.err.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = lines.filter(|line| !line.starts_with("[notice]")).collect();
        let error = lines.iter().rev().find(|line| line.starts_with("ERROR"));
        error.or(lines.last()).map_or_else(|| "no reason given".to_owned(), |s| (*s).to_owned())
    }
}

/// Runs Python with these arguments, for at most `limit`. An error says that there is no Python.
pub(crate) fn run(arguments: &[&str], limit: Duration) -> Result<Ended, String> {
    let mut said = String::new();
    for program in ["python3", "python"] {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own, so that pip's children can be stopped with it.
        match command.process_group(0).spawn() {
            Ok(child) => return wait(child, limit).map_err(|e| format!("{program}: {e}")),
            Err(e) if said.is_empty() => said = format!("{program} does not start: {e}"),
            Err(_) => {}
        }
    }
    Err(said)
}

fn wait(mut child: Child, limit: Duration) -> std::io::Result<Ended> {
    let out = drain(child.stdout.take());
    let err = drain(child.stderr.take());
    let begun = Instant::now();
    let well = loop {
        match child.try_wait()? {
            Some(status) => break Some(status.success()),
            None if begun.elapsed() > limit => break None,
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    if well.is_none() {
        if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        child.wait()?;
    }
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    Ok(Ended { well, out: text(out), err: text(err) })
}

fn drain(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // What was read until an error is as much as can be told.
            let _ = stream.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Where these packages are installed, if they are. None is imported.
pub(crate) fn installed<const N: usize>(packages: [&str; N]) -> [Option<PathBuf>; N] {
    const SCRIPT: &str = "
import sys, importlib.util
sys.path[:] = [path for path in sys.path if path]
for name in sys.argv[1:]:
    try: found = importlib.util.find_spec(name).submodule_search_locations[0]
    except Exception: found = ''
    print(found)
";
    let arguments: Vec<&str> = ["-c", SCRIPT].into_iter().chain(packages).collect();
    let ended = run(&arguments, Duration::from_secs(20)).ok().filter(|e| e.well == Some(true));
    let out = ended.map(|ended| ended.out).unwrap_or_default();
    let mut lines = out.lines();
    packages.map(|_| lines.next().filter(|line| !line.is_empty()).map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_stopped_with_its_children() {
        let script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(100)'])";
        let begun = Instant::now();
        let ended = run(&["-c", script], Duration::from_millis(300)).unwrap();
        assert_eq!(ended.well, None);
        // Its children held the pipes open: they would have been waited for.
        assert!(begun.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn the_last_error_is_the_complaint() {
        let err = "WARNING: slow\nERROR: No matching distribution\n[notice] A new release\n".into();
        let ended = Ended { well: Some(false), out: String::new(), err };
        assert_eq!(ended.complaint(), "ERROR: No matching distribution");
    }

    #[test]
    fn packages_that_are_not_installed_are_not_found() {
        let [json, none] = installed(["json", "no_such_package_anywhere"]);
        assert!(json.is_some_and(|path| path.ends_with("json")));
        assert_eq!(none, None);
    }
}
