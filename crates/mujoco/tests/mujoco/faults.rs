//! What goes wrong is said, and harms nobody else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use esenas::{Purpose, Seed};
use esenas_control::{Diverged, Env};
use esenas_mujoco::{Engine, Error, Places, Replay, ReplayError, replay};

use crate::{ENGINE, task};

fn quietly(_: &str) {}

fn explicit(path: &Path) -> Places {
    Places { library: Some((path.to_owned(), "--mujoco")), ..Places::from_env() }
}

/// A library that says it is MuJoCo of some version.
fn pretender(folder: &Path, source: &str) -> PathBuf {
    let (code, library) = (folder.join("fake.c"), folder.join("libmujoco.so.2.3.7"));
    fs::write(&code, source).unwrap();
    let mut command = Command::new("cc");
    let done = command.args(["-shared", "-fPIC", "-o"]).args([&library, &code]).status();
    assert!(done.expect("a C compiler").success());
    library
}

#[test]
fn another_version_is_refused_by_name_whatever_its_file_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let source = "int mj_version(void) { return 312; }\n\
                  const char* mj_versionString(void) { return \"3.1.2\"; }\n";
    let library = pretender(folder.path(), source);
    for path in [library.as_path(), folder.path()] {
        let error = Engine::find(explicit(path), &mut quietly).err().unwrap();
        assert!(matches!(&error, Error::WrongVersion { found, .. } if found == "3.1.2"), "{error}");
        assert!(error.to_string().contains("this is MuJoCo 3.1.2, and only 2.3.7 will do"));
    }
}

#[test]
fn a_file_that_is_no_library_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("libmujoco.so.2.3.7");
    fs::write(&text, "not a library").unwrap();
    let error = Engine::find(explicit(&text), &mut quietly).err().unwrap();
    assert!(matches!(error, Error::Library { .. }), "{error}");
    let half = tempfile::tempdir().unwrap();
    let half = pretender(half.path(), "int mj_version(void) { return 237; }\n");
    let error = Engine::find(explicit(&half), &mut quietly).err().unwrap();
    assert!(error.to_string().contains("mj_loadXML"), "it names what is missing: {error}");
    let error = Engine::find(explicit(Path::new("/no/such/place")), &mut quietly).err().unwrap();
    assert!(matches!(error, Error::NotThere { .. }), "{error}");
}

/// An engine whose models are in a folder of ours.
fn with_models(folder: &Path) -> Engine {
    let models = Some((folder.to_owned(), "ESENAS_MUJOCO_MODELS"));
    Engine::find(Places { models, ..explicit(ENGINE.path()) }, &mut quietly).unwrap()
}

#[test]
fn a_model_that_does_not_parse_or_is_another_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        let env = if name == "hopper.xml" { "Hopper" } else { "Reacher" };
        let error = with_models(folder.path()).task(env, &mut quietly).err().unwrap();
        assert!(matches!(error, Error::Model { .. }), "{error}");
        error.to_string()
    };
    let said = refused("hopper.xml", "<mujoco><worldbody><body></mujoco>");
    assert!(
        said.contains("hopper.xml: not the model of Hopper: ") && said.contains("XML"),
        "{said}"
    );
    let said = refused("hopper.xml", "<mujoco><worldbody/></mujoco>");
    assert!(said.contains("nq: 0") && said.contains("nq: 6"), "{said}");
    let joint = "<joint type='slide' axis='1 0 0'/><geom size='0.1'/></body>";
    let four = ["a", "b", "c", "fingertip"].map(|name| format!("<body name='{name}'>{joint}"));
    let motors = "<actuator><motor joint='j'/><motor joint='j'/></actuator>";
    let bodies = four.concat().replacen("<joint ", "<joint name='j' ", 1);
    let said = refused(
        "reacher.xml",
        &format!("<mujoco><worldbody>{bodies}</worldbody>{motors}</mujoco>"),
    );
    assert!(said.contains("no body called `target`"), "{said}");
    let error = with_models(folder.path()).task("Swimmer", &mut quietly).err().unwrap();
    assert!(error.to_string().contains("ESENAS_MUJOCO_MODELS"), "{error}");
}

#[test]
fn unknown_environments_are_answered_with_the_nearest() {
    let error = esenas_mujoco::make("HalfCheeta").err().unwrap();
    assert!(error.to_string().contains("`HalfCheetah`"), "{error}");
}

#[test]
fn actions_that_are_no_numbers_end_the_episode_and_the_next_is_fine() {
    let mut env = task("HalfCheetah");
    let mut observation = vec![0.0; 17];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        env.reset(&mut Seed(0).stream(Purpose::Evaluate, 0, 0), &mut observation);
        let mut action = [0.1; 6];
        action[3] = bad;
        assert_eq!(env.step(&action, &mut observation), Err(Diverged));
        env.reset(&mut Seed(0).stream(Purpose::Evaluate, 0, 0), &mut observation);
        assert!(env.step(&[0.1; 6], &mut observation).is_ok());
    }
}

/// A blow-up: MuJoCo resets the simulation by itself, which must not pass for an episode that goes
/// on.
#[test]
fn a_blow_up_is_an_end_and_disturbs_no_other_worker() {
    let mut calm = task("Hopper");
    let mut observation = vec![0.0; 11];
    let expected: Vec<_> = {
        calm.reset(&mut Seed(2).stream(Purpose::Evaluate, 0, 0), &mut observation);
        (0..30).map(|_| calm.step(&[0.1; 3], &mut observation)).collect()
    };
    calm.reset(&mut Seed(2).stream(Purpose::Evaluate, 0, 0), &mut observation);
    let mut wild = task("Hopper");
    let mut seen = vec![0.0; 11];
    for expected in expected {
        wild.set_state(&[0.0, 1.25, 0.0, 0.0, 0.0, 0.0], &[1e9; 6], &mut seen).unwrap();
        let blown = (0..50).find_map(|_| wild.step(&[0.0; 3], &mut seen).err());
        assert_eq!(blown, Some(Diverged));
        assert_eq!(calm.step(&[0.1; 3], &mut observation), expected);
    }
    wild.reset(&mut Seed(2).stream(Purpose::Evaluate, 0, 0), &mut seen);
    assert!(wild.step(&[0.1; 3], &mut seen).is_ok(), "it can be used again");
    let log = Path::new("MUJOCO_LOG.TXT");
    assert!(!log.exists(), "MuJoCo wrote a log into the current directory");
}

#[test]
#[should_panic(expected = "numbers in an action")]
fn an_action_of_the_wrong_size_is_the_callers_mistake() {
    let mut env = task("Swimmer");
    let mut observation = vec![0.0; 8];
    let _ = env.step(&[0.0; 3], &mut observation);
}

#[test]
fn a_replay_names_the_list_that_is_wrong() {
    let ask = |qpos: usize, action: usize| Replay {
        env: "Swimmer-v4".to_owned(),
        qpos: vec![0.0; qpos],
        qvel: vec![0.0; 5],
        actions: vec![vec![0.0; 2], vec![0.0; action]],
    };
    let said = |asked: &Replay| replay(&ENGINE, asked, &mut quietly).unwrap_err().to_string();
    assert_eq!(said(&ask(4, 2)), "`qpos` has 4 numbers; Swimmer-v4 has 5");
    assert_eq!(said(&ask(5, 3)), "`actions[1]` has 3 numbers; Swimmer-v4 has 2");
    let wild = Replay { qvel: vec![1e9; 5], ..ask(5, 2) };
    let error = replay(&ENGINE, &wild, &mut quietly).unwrap_err();
    assert!(matches!(error, ReplayError::Diverged { .. }), "{error}");
}
