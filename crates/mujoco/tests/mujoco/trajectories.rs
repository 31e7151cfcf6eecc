//! Trajectories against those of Gymnasium's and gym's own classes (`tests/reference/make.py`).

use std::path::{Path, PathBuf};

use esenas_mujoco::{Replay, Replayed, replay};
use serde::Deserialize;

use crate::ENGINE;

const TOLERANCE: f64 = 1e-9;

/// A file of `tests/reference`: some of the observations, all of the rewards.
#[derive(Deserialize)]
struct Reference {
    env: String,
    init_qpos: Vec<f64>,
    init_qvel: Vec<f64>,
    actions: Vec<Vec<f64>>,
    obs: Vec<Vec<f64>>,
    /// The steps that `obs` is of; all, if it does not say.
    at: Option<Vec<usize>>,
    reward: Vec<f64>,
    terminated: Vec<bool>,
}

impl Reference {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    fn replayed(&self, env: &str) -> Replayed {
        let asked = Replay {
            env: env.to_owned(),
            qpos: self.init_qpos.clone(),
            qvel: self.init_qvel.clone(),
            actions: self.actions.clone(),
        };
        replay(&ENGINE, &asked, &mut |line| eprintln!("{line}")).unwrap()
    }

    fn agrees_with(&self, ours: &Replayed) {
        let env = &self.env;
        let steps = self.actions.len();
        assert_eq!((ours.obs.len(), ours.reward.len()), (steps, steps));
        assert_eq!(ours.terminated, self.terminated, "{env}: terminated");
        for (i, (ours, theirs)) in ours.reward.iter().zip(&self.reward).enumerate() {
            assert!((ours - theirs).abs() < TOLERANCE, "{env}, reward {i}: {ours}, {theirs}");
        }
        let at = self.at.clone().unwrap_or_else(|| (0..steps).collect());
        assert_eq!(at.len(), self.obs.len());
        for (&i, theirs) in at.iter().zip(&self.obs) {
            assert_eq!(ours.obs[i].len(), theirs.len(), "{env}: observations");
            for (ours, theirs) in ours.obs[i].iter().zip(theirs) {
                let near = (ours - theirs).abs() < TOLERANCE;
                assert!(near, "{env}, observation of step {i}: {ours}, {theirs}");
            }
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

fn here() -> Vec<Reference> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let references: Vec<_> = files(&folder).iter().map(|path| Reference::read(path)).collect();
    assert!(references.len() >= 20, "{} files in {}", references.len(), folder.display());
    references
}

/// Further references may lie in a folder that `ESENAS_REFERENCES` names.
#[test]
fn every_trajectory_is_that_of_the_original() {
    let further = std::env::var_os("ESENAS_REFERENCES").map(|folder| files(Path::new(&folder)));
    assert!(further.as_ref().is_none_or(|files| !files.is_empty()), "ESENAS_REFERENCES is empty");
    let further = further.iter().flatten().map(|path| Reference::read(path));
    for reference in here().into_iter().chain(further) {
        reference.agrees_with(&reference.replayed(&reference.env));
    }
}

#[test]
fn every_environment_and_version_has_a_reference() {
    let known: Vec<String> = here().into_iter().map(|reference| reference.env).collect();
    for name in crate::names() {
        // What gym called v2 is v4 in Gymnasium, where that has it.
        let same = name.replace("-v2", "-v4");
        assert!(known.contains(&name) || known.contains(&same), "{name}");
    }
}

#[test]
fn without_a_version_and_as_v2_it_is_v4() {
    for reference in here().iter().filter(|reference| reference.env.ends_with("-v4")) {
        let v4 = reference.replayed(&reference.env);
        assert_eq!(reference.replayed(&reference.env.replace("-v4", "-v2")), v4);
        assert_eq!(reference.replayed(&reference.env.replace("-v4", "")), v4);
    }
}
