//! The environments on the real library, which is found or fetched by the tests themselves: the
//! first that needs it fetches it into the cache, as the first command of a user would.

mod episodes;
mod faults;
mod fetching;
mod film;
mod layout;
mod trajectories;

use std::sync::LazyLock;

use esenas_mujoco::{Engine, Places, Task};

/// The library, or a panic that says why there is none.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let engine = Engine::find(Places::from_env(), &mut |line| eprintln!("{line}"));
    engine.unwrap_or_else(|error| panic!("these tests need MuJoCo: {error}"))
});

fn task(name: &str) -> Task {
    let task = ENGINE.task(name, &mut |line| eprintln!("{line}"));
    task.unwrap_or_else(|error| panic!("{error}"))
}

/// All environments in all versions.
fn names() -> Vec<String> {
    let versions = |listed: esenas_mujoco::Listed| {
        listed.versions.iter().map(move |version| format!("{}-{version}", listed.name))
    };
    esenas_mujoco::list().into_iter().flat_map(versions).collect()
}
