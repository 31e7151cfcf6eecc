//! What the peers' runs left behind.

use std::collections::BTreeMap;
use std::path::Path;

use esenas_bbob::Function;
use serde::Deserialize;

use crate::BenchError;
use crate::bbob::Problem;

/// One run of a peer.
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) problem: Problem,
    pub(super) seed: u64,
    /// The least cost after so many evaluations.
    pub(super) costs: BTreeMap<u32, f64>,
    pub(super) evaluations: u32,
    /// CPU time of the optimizer alone.
    pub(super) seconds: f64,
}

#[derive(Deserialize)]
struct Line {
    key: (String, Function, usize, usize, u64),
    costs: BTreeMap<u32, f64>,
    evaluations: u32,
    seconds: f64,
}

/// The runs in `path`; none if there is no such file. A torn last line is one that is being
/// written.
pub(super) fn read(path: &Path) -> Result<Vec<Peer>, BenchError> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.map_err(BenchError::file(path))?,
    };
    let whole = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
    let peer = |(number, line): (usize, &str)| {
        let damaged = |error: serde_json::Error| {
            let (path, reason) = (path.to_path_buf(), error.to_string());
            BenchError::Damaged { path, line: number + 1, reason }
        };
        let Line { key, costs, evaluations, seconds } =
            serde_json::from_str(line).map_err(damaged)?;
        let (name, function, d_cat, d_con, seed) = key;
        let problem = Problem { function, d_cat, d_con, instance: seed + 1 };
        Ok(Peer { name, problem, seed, costs, evaluations, seconds })
    };
    whole.lines().enumerate().map(peer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_read_and_damage_is_named() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("peers.jsonl");
        assert!(read(&path).unwrap().is_empty());
        let line = r#"{"key": ["x", "Sphere", 0, 20, 3], "budget": 9, "costs": {"9": 0.5}, "evaluations": 9, "seconds": 0.1, "failed": null}"#;
        std::fs::write(&path, format!("{line}\n{line}\n{}", &line[..20])).unwrap();
        let runs = read(&path).unwrap();
        assert_eq!((runs.len(), runs[0].problem.instance, runs[0].costs[&9]), (2, 4, 0.5));
        std::fs::write(&path, format!("{line}\n{}\n", &line[..20])).unwrap();
        assert!(matches!(read(&path), Err(BenchError::Damaged { line: 2, .. })));
    }
}
