//! What is left to do when this process dies, however it dies, is done by one that outlives it.
//!
//! A second Ctrl-C, `kill -9` and a lack of memory end a process without its destructors. A shell
//! reads a pipe that only we can write to. When it ends, we have, and the shell kills the process
//! groups it was told of last and removes the files of θ. Should there be no shell, nothing else is
//! amiss.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::Pid;

/// Signals to our process group, as from a terminal, are not meant for it: it has one of its own.
const SCRIPT: &str = r#"trap '' HUP INT QUIT TERM
while read -r line; do groups=$line; done
for group in $groups; do kill -s KILL -- "-$group"; done
rm -rf -- "$1""#;

/// The shell. Dropped, it has nothing to do.
#[derive(Debug)]
pub(super) struct Watchdog(Option<Child>);

impl Watchdog {
    /// Has `scratch` removed.
    pub(super) fn start(scratch: &Path) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "esenas-watchdog"]).arg(scratch).current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(shell.process_group(0).spawn().ok())
    }

    /// From now on has these groups killed and no others.
    pub(super) fn guard(&mut self, groups: impl Iterator<Item = Pid>) {
        let Some(pipe) = self.0.as_mut().and_then(|shell| shell.stdin.as_mut()) else { return };
        let groups: Vec<String> = groups.map(|group| group.to_string()).collect();
        // It may have been killed.
        let _ = pipe.write_all(format!("{}\n", groups.join(" ")).as_bytes());
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some(mut shell) = self.0.take() {
            let _ = shell.kill().and_then(|()| shell.wait());
        }
    }
}
