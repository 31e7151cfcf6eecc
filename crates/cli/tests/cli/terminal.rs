//! A terminal that a test holds the other end of, and a program in it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?1049l";

/// A program in a terminal.
pub(crate) struct Session {
    pub(crate) child: Child,
    keys: File,
    terminal: File,
    shown: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Session {
    pub(crate) fn start(mut command: Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let size = Winsize { ws_row: 36, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).unwrap();
        assert!(cooked(&terminal));
        let end = || Stdio::from(terminal.try_clone().unwrap());
        command.stdin(end()).stdout(end()).stderr(end()).env("TERM", "xterm-256color");
        let child = command.spawn().unwrap();
        let keys = File::from(ours);
        let (shown, mut screen) = (Arc::new(Mutex::new(String::new())), keys.try_clone().unwrap());
        let kept = shown.clone();
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Self { child, keys, terminal, shown, reader: Some(reader) }
    }

    fn shown(&self) -> String {
        self.shown.lock().unwrap().clone()
    }

    /// Waits until something is shown.
    pub(crate) fn until(&self, word: &str) {
        let start = Instant::now();
        while !self.shown().contains(word) {
            assert!(start.elapsed() < Duration::from_secs(60), "no {word} in {:?}", self.shown());
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn press(&mut self, key: &[u8]) {
        self.keys.write_all(key).unwrap();
    }

    /// Waits for the end: the code, and what was shown after the screen was given back.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        assert!(cooked(&self.terminal), "the terminal echoes and reads lines again");
        drop(self.terminal);
        // The other end is closed now.
        self.reader.take().unwrap().join().unwrap();
        let shown = self.shown.lock().unwrap().clone();
        let (before, after) = shown.rsplit_once(LEAVE).expect("the screen is given back");
        assert!(before.contains(ENTER), "{shown:?}");
        assert!(
            shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l"),
            "the cursor is back: {shown:?}"
        );
        (status.code(), after.to_owned())
    }
}

fn cooked(terminal: &impl AsFd) -> bool {
    let modes = tcgetattr(terminal).unwrap().local_modes;
    modes.contains(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG)
}
