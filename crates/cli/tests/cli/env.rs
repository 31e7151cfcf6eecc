//! `env` and `mujoco`: replays, names, and what is found of MuJoCo.

use std::fs::File;

use crate::harness::{Place, Said};

fn replay(words: &str, input: &str) -> Said {
    let place = Place::new();
    place.write("input", input);
    let input = File::open(place.path("input")).unwrap();
    Said::from(place.command(&format!("env replay {words}")).stdin(input).output().unwrap())
}

/// A start and actions of the repository's references.
fn reference() -> serde_json::Value {
    let text = include_str!("../../../mujoco/tests/reference/HalfCheetah-v4-plain.json");
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_replay_prints_one_entry_per_action() {
    let known = reference();
    let asked = serde_json::json!({
        "env": "HalfCheetah-v4",
        "qpos": known["init_qpos"],
        "qvel": known["init_qvel"],
        "actions": known["actions"],
    });
    let said = replay("", &asked.to_string());
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(said.out.lines().count(), 1);
    let printed: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    for key in ["obs", "reward", "terminated"] {
        assert_eq!(printed[key].as_array().unwrap().len(), 30, "{key}");
    }
    for (ours, theirs) in
        printed["reward"].as_array().unwrap().iter().zip(known["reward"].as_array().unwrap())
    {
        assert!((ours.as_f64().unwrap() - theirs.as_f64().unwrap()).abs() < 1e-9);
    }
    assert_eq!(printed["obs"][29].as_array().unwrap().len(), 17);
}

#[test]
fn a_replay_that_cannot_be_is_refused_by_key() {
    let start = r#""qpos":[0,0,0,0,0],"qvel":[0,0,0,0,0]"#;
    let asked =
        |env: &str, actions: &str| format!(r#"{{"env":"{env}",{start},"actions":{actions}}}"#);
    replay("", "{}").refused(2, &["standard input", "missing field `env`"]);
    replay("", &asked("Swimer", "[]")).refused(2, &["`Swimer`", "`Swimmer`"]);
    replay("", &asked("Swimmer", "[[0,0],[0]]"))
        .refused(2, &["actions[1]", "has 1 numbers", "has 2"]);
    replay("", &asked("Hopper", "[]")).refused(2, &["`qpos` has 5 numbers", "Hopper has 6"]);
    replay("", &asked("Swimmer", "[[0,null]]")).refused(2, &["standard input", "null"]);
    replay("", &asked("Swimmer", "[[0,1e999]]")).refused(2, &["out of range"]);
    replay("--mujoco /nowhere", &asked("Swimmer", "[]")).refused(2, &["/nowhere", "--mujoco"]);
    replay("--mujoco /nowhere", &asked("Swimmer-v9", "[]"))
        .refused(2, &["`Swimmer-v9`", "v2, v4, v5"]);
    replay("", &asked("Pendulum", "[]")).refused(2, &["`Pendulum`", "only MuJoCo's"]);
}

#[test]
fn all_environments_are_listed_without_mujoco() {
    let place = Place::new();
    let mut command = place.command("env list");
    command.env("ESENAS_MUJOCO", "/nowhere").env("HOME", place.path("empty"));
    let said = Said::from(command.output().unwrap());
    assert_eq!((said.code, &*said.err), (0, ""));
    for name in ["HalfCheetah", "Walker2d", "Striker", "Pendulum", "v2, v4, v5"] {
        assert!(said.out.contains(name), "{}", said.out);
    }
}

#[test]
fn install_names_the_library_and_the_doctor_is_content() {
    let place = Place::new();
    let said = place.run("mujoco install");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.starts_with("MuJoCo 2.3.7: ") && said.out.contains("libmujoco.so.2.3.7"));
    let said = place.run("mujoco doctor");
    assert_eq!((said.code, &*said.err), (0, ""), "{}", said.out);
    assert!(said.out.contains("all 20 work"), "{}", said.out);
    let said = place.run("mujoco doctor --mujoco /nowhere");
    assert_eq!(said.code, 1);
    assert!(
        said.out.contains("wrong  library in use") && said.out.contains("/nowhere"),
        "{}",
        said.out
    );
}

/// A registry that does not answer is an error within seconds, never a wait without end.
#[test]
fn without_a_network_the_error_says_so() {
    let place = Place::new();
    let mut command = place.command("mujoco install");
    command.env("XDG_CACHE_HOME", place.path("cache"));
    command.env("PIP_INDEX_URL", "http://127.0.0.1:9/simple").env_remove("PIP_EXTRA_INDEX_URL");
    command.env("PIP_CONFIG_FILE", "/dev/null").env_remove("PIP_FIND_LINKS");
    command.env("PIP_NO_CACHE_DIR", "1");
    let said = Said::from(command.output().unwrap());
    assert_eq!((said.code, &*said.out), (1, ""), "{said:?}");
    let lines: Vec<&str> = said.err.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("fetching gymnasium 1.4.0 into"), "{said:?}");
    assert!(lines[1].starts_with("esenas: cannot fetch gymnasium 1.4.0: "), "{said:?}");
    assert!(!place.path("cache/esenas/gymnasium-1.4.0").exists());
}
