//! `env`: environments by themselves.

use std::io::Read;

use anyhow::Result;
use esenas_control::classic;
use esenas_mujoco::{Engine, Places, Replay, ReplayError, replay};

use crate::Console;
use crate::args::{Env, Library};
use crate::draw::Table;
use crate::exit::bad_input;

pub(super) fn env(args: Env, console: &mut Console<'_>) -> Result<()> {
    match args {
        Env::Replay(library) => replay_input(library, console),
        Env::List => list(console),
    }
}

/// Numbers are printed in the shortest form that reads back to the same bits.
fn replay_input(library: Library, console: &mut Console<'_>) -> Result<()> {
    let mut text = Vec::new();
    std::io::stdin().lock().read_to_end(&mut text)?;
    let asked: Replay = serde_json::from_slice(&text)
        .map_err(|error| bad_input(format!("standard input: not a replay: {error}")))?;
    if classic::NAMES.contains(&asked.env.as_str()) {
        let only = "only MuJoCo's environments can be replayed";
        return Err(bad_input(format!("standard input: `env` is `{}`; {only}", asked.env)));
    }
    let refused = |error| match error {
        ReplayError::Env(error) => error.into(),
        wrong @ ReplayError::Length { .. } => bad_input(format!("standard input: {wrong}")),
        other => anyhow::Error::new(other),
    };
    // Before anything is fetched.
    asked.check().map_err(refused)?;
    let err = &mut console.err;
    // A line that cannot be written is no reason to stop.
    let mut say = |line: &str| drop(writeln!(err, "{line}"));
    let places = Places::from_env().with_library(library.mujoco);
    let engine = Engine::find(places, &mut say)?;
    let replayed = replay(&engine, &asked, &mut say).map_err(refused)?;
    writeln!(console.out, "{}", serde_json::to_string(&replayed)?)?;
    Ok(())
}

fn list(console: &mut Console<'_>) -> Result<()> {
    let mut table = Table::new(&["environment", ">|S|", ">|A|", ">step", "versions", "what it is"]);
    for listed in esenas_mujoco::list() {
        table.row([
            listed.name.to_owned(),
            listed.observation.to_string(),
            listed.action.to_string(),
            format!("{} ms", listed.milliseconds),
            listed.versions.join(", "),
            listed.about.to_owned(),
        ]);
    }
    for env in classic::NAMES.into_iter().filter_map(classic::make) {
        let spec = env.spec();
        let [observation, action] = [spec.observation, spec.action].map(|n| n.to_string());
        let rest = ["", "", "needs no MuJoCo"].map(str::to_owned);
        table.row([spec.name.clone(), observation, action].into_iter().chain(rest));
    }
    write!(console.out, "{table}")?;
    Ok(())
}
