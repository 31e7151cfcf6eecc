//! Which sections cannot stand beside each other.

use serde_json::Value;

use super::blame::lookup;
use super::fault::Fault;

/// The sections that only ES-ENAS has.
const ES_ENAS: [&str; 8] =
    ["weights", "controller", "centre", "pairing", "next", "baseline", "subsample", "constraint"];

/// Refuses sections that contradict each other.
pub(super) fn combinations(file: &Value) -> Result<(), Fault> {
    if file.get("pairing").is_some_and(|pairing| pairing == "held") {
        without_effect(file)?;
    } else if let (Some(_), Some(_)) = (file.get("next"), file.get("pairing")) {
        let what = "takes over where models are held, with pairing \"held\"";
        return Err(Fault::new("next", what));
    }
    of_fronts(file)?;
    if file.get("hybrid").is_none() {
        return Ok(());
    }
    match ES_ENAS.into_iter().find(|key| file.get(*key).is_some()) {
        None => Ok(()),
        Some(key) => {
            let what = "cannot stand beside [hybrid], which evolves models and weights together";
            let help = "remove one of the two: either [hybrid], or [weights] and [controller]";
            Err(Fault::new(key, what).help(help))
        }
    }
}

/// Refuses what does not go with several objectives, and what goes with them alone.
fn of_fronts(file: &Value) -> Result<(), Fault> {
    let objectives = file.get("objectives").and_then(Value::as_array);
    let Some(first) = objectives.and_then(|all| all.first()) else {
        return match file.get("front") {
            Some(_) => {
                let help = "name two or more objectives, as in objectives = [\"speed\", \"-mass\"]";
                Err(Fault::new("front", "is for several objectives").help(help))
            }
            None => Ok(()),
        };
    };
    let named = ES_ENAS.into_iter().chain(["hybrid"]);
    if let Some(key) = named.into_iter().find(|key| file.get(*key).is_some()) {
        let help = "leave it out: [front] says how several objectives are searched";
        let what = "cannot stand beside objectives";
        return Err(Fault::new(key, what).help(help));
    }
    let falls = first.as_str().is_some_and(|first| first.starts_with('-'));
    let said = if falls { "minimize" } else { "maximize" };
    match file.get("direction") {
        Some(direction) if direction != said => {
            let what = "cannot stand beside objectives: a minus before a name minimizes it";
            Err(Fault::new("direction", what).help("leave it out"))
        }
        _ => Ok(()),
    }
}

/// Refuses what makes no difference where all probes have one model, and the centre is for others.
fn without_effect(file: &Value) -> Result<(), Fault> {
    for (key, only) in [
        ("baseline", Value::from("off")),
        ("centre.models", Value::from("drawn")),
        ("centre.teaches", Value::from(true)),
    ] {
        if lookup(file, key).is_some_and(|value| *value != only) {
            let what = format!("must be {only} with pairing \"held\", or left out");
            return Err(Fault::new(key, what));
        }
    }
    Ok(())
}
