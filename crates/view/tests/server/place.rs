//! A folder of studies without algorithms, and the server of it.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use esenas_report::Data;
use esenas_store::{
    Best, BestRecord, Centre, Error, EvaluationRecord, Header, Iteration, IterationRecord, Options,
    Outcome, Reader, Role, Timings, Writer,
};
use esenas_view::{Access, Knows, Server};
use tempfile::TempDir;

pub(crate) const TOKEN: &str = "0123456789abcdef";

pub(crate) struct Place {
    dir: TempDir,
    address: SocketAddr,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Said {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// Films everything but `b`.
struct Films(AtomicU32);

impl Knows for Films {
    fn complete(&self, _: &mut Data, _: &Reader) -> Result<(), Error> {
        Ok(())
    }

    fn films(&self, _: &Data) -> bool {
        true
    }

    fn film(&self, dir: &Path) -> Result<Vec<u8>, String> {
        if dir.ends_with("b") {
            return Err("b is not filmed".to_owned());
        }
        let at = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(format!("film {at} of {}", dir.display()).into_bytes())
    }
}

impl Place {
    /// On the loopback.
    pub(crate) fn new() -> Self {
        Self::served(None)
    }

    /// As if bound elsewhere, where a token is asked for.
    pub(crate) fn elsewhere() -> Self {
        Self::served(Some(TOKEN.to_owned()))
    }

    fn served(token: Option<String>) -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("runs");
        std::fs::create_dir(&root).unwrap();
        let loopback = IpAddr::from([127, 0, 0, 1]);
        let access = Access::new(loopback, token).unwrap();
        let films = Box::new(Films(AtomicU32::new(0)));
        let server = Server::bind((loopback, 0), access, root, films).unwrap();
        let url = server.url();
        let address = url.trim_start_matches("http://").split('/').next().unwrap();
        let address = address.parse().unwrap();
        // Until the process ends.
        thread::spawn(|| server.run(&NEVER));
        Self { dir, address }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("runs").join(name)
    }

    /// A study of so many iterations out of ten.
    pub(crate) fn study(&self, name: &str, iterations: u64, finished: bool) {
        let header = Header {
            spec: "seed = 7\n[stop]\niterations = 10\n[problem]\nkind = \"sphere\"\n".into(),
            fingerprint: "0123abcd".into(),
            program: "esenas".into(),
            created: 1_700_000_000,
        };
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        let mut writer = Writer::create(&self.path(name), &header, Options::default()).unwrap();
        (0..iterations).for_each(|at| commit(&mut writer, at));
        if finished {
            writer.finish("because it is a test").unwrap();
        }
    }

    /// One more iteration.
    pub(crate) fn go_on(&self, name: &str) {
        let mut writer = Writer::open(&self.path(name), Options::default()).unwrap();
        let reader = Reader::open(&self.path(name)).unwrap();
        commit(&mut writer, reader.progress().unwrap().iterations);
    }

    /// A directory that looks like a study.
    pub(crate) fn broken(&self, name: &str) {
        std::fs::create_dir(self.path(name)).unwrap();
        std::fs::write(self.path(name).join("esenas.db"), "no database").unwrap();
    }

    pub(crate) fn get(&self, path: &str) -> Said {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: localhost:1\r\n\r\n"))
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    pub(crate) fn ask(&self, head: &str) -> Said {
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        // A server that has heard enough may close before all is read.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Said { status: status.unwrap(), head: format!("{head}\r\n"), body: body.to_owned() }
    }
}

fn commit(writer: &mut Writer, at: u64) {
    let record = IterationRecord {
        iteration: at,
        evaluations: 2,
        total_evaluations: 2 * (at + 1),
        failures: 1,
        total_failures: at + 1,
        centre: Some(Centre { mean: at as f64, std: 1.0 }),
        best: Some(at as f64),
        ..IterationRecord::default()
    };
    let failed = Outcome::Failed { reason: "it broke <b>".into() };
    let done = Outcome::Done { value: at as f64, score: None, metrics: None };
    let row = |(index, outcome)| {
        let (dna, numbers) = (vec![], vec![]);
        EvaluationRecord { index, role: Role::Probe, dna, numbers, outcome }
    };
    let evaluations: Vec<_> = [(0, failed), (1, done)].into_iter().map(row).collect();
    let best = Best {
        record: BestRecord {
            iteration: at,
            index: 1,
            value: at as f64,
            score: None,
            violation: None,
            dna: vec![],
            model: format!("\"{at} left\""),
            dimension: 1,
        },
        theta: vec![at as f64],
    };
    let iteration = Iteration {
        record: &record,
        timings: Timings { evaluate: 1.0, ..Timings::default() },
        evaluations: &evaluations,
        checkpoint: b"state",
        best: Some(&best),
        belief: None,
    };
    writer.commit(&iteration).unwrap();
}
