//! Environments of Gymnasium, for the problem kind `gymnasium`: made and stepped in Python.
//!
//! What an environment's spaces mean is `python/esenas/_environments.py`'s business. Here numbers
//! go in and come out, and an exception is a fault of the episode.

use esenas::{Purpose, Seed, Stream};
use esenas_control::{Env, EnvFault, EnvSpec, Outputs, Step};
use esenas_run::problem::{GymnasiumConfig, Host, set_host};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use serde_json::Value;

use crate::values::buffer;

/// Makes environments with the package's Python half.
pub(crate) struct Package;

const MODULE: &str = "esenas._environments";

/// Lets studies have environments of Gymnasium. The package calls it when it is imported.
#[pyfunction]
pub(crate) fn play_environments() {
    set_host(Box::new(Package));
}

impl Host for Package {
    fn look(&self, settings: Value) -> Result<Value, (String, String)> {
        Python::attach(|py| {
            let found = py.import(MODULE)?.call_method1("look", (settings.to_string(),))?;
            found.extract::<(bool, String, String)>()
        })
        .map_err(|error| ("env".to_owned(), error.to_string()))
        .and_then(|(is_found, key, said)| match is_found {
            true => serde_json::from_str(&said).map_err(|error| (key, error.to_string())),
            false => Err((key, said)),
        })
    }

    fn make(&self, config: &GymnasiumConfig) -> Result<Box<dyn Env>, String> {
        let text = serde_json::to_string(config).map_err(|error| error.to_string())?;
        Python::attach(|py| {
            let player = py.import(MODULE)?.call_method1("make", (text,))?;
            let sizes: (usize, usize) = player.getattr("sizes")?.extract()?;
            let limits: (Vec<f64>, Vec<f64>) = player.getattr("limits")?.extract()?;
            let spec = EnvSpec {
                name: config.env.clone(),
                observation: sizes.0,
                action: sizes.1,
                low: limits.0,
                high: limits.1,
                horizon: config.horizon.unwrap_or(1) as usize,
            };
            let draws = (config.actions == Some(Outputs::Sampled)).then_some(Seed(0));
            let env = Played { player: player.unbind(), spec, draws, at: 0, refused: None };
            Ok(Box::new(env) as Box<dyn Env>)
        })
        .map_err(|error: PyErr| Python::attach(|py| said(py, &error)))
    }
}

/// An environment that Python plays.
struct Played {
    player: Py<PyAny>,
    spec: EnvSpec,
    /// Where actions are drawn from, if they are.
    draws: Option<Seed>,
    at: u32,
    /// Why the episode could not begin.
    refused: Option<String>,
}

impl Played {
    fn begin(&self, py: Python<'_>, seed: u64, observation: &mut [f64]) -> PyResult<()> {
        // Gymnasium's seeds have as many bits as one likes; others take 32.
        let seen = self.player.call_method1(py, "reset", (seed >> 32,))?;
        PyBuffer::<f64>::get(seen.bind(py))?.copy_to_slice(py, observation)
    }

    fn next(&mut self, py: Python<'_>, action: &[f64], observation: &mut [f64]) -> PyResult<Step> {
        let unit = self.draws.map(|seed| {
            self.at += 1;
            seed.stream(Purpose::Problem, self.at, 0).unit()
        });
        let action = buffer(py, action)?;
        let said = self.player.call_method1(py, "step", (action, unit))?;
        let (seen, reward, alive, terminated): (Bound<'_, PyAny>, f64, f64, bool) =
            said.extract(py)?;
        PyBuffer::<f64>::get(&seen)?.copy_to_slice(py, observation)?;
        Ok(Step { reward, alive, terminated })
    }
}

impl Env for Played {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    /// What goes wrong here is said by the first step.
    fn reset(&mut self, stream: &mut Stream, observation: &mut [f64]) {
        let seed = stream.bits();
        (self.draws, self.at) = (self.draws.map(|_| Seed(seed)), 0);
        let begun = Python::attach(|py| {
            self.begin(py, seed, observation).map_err(|error| said(py, &error))
        });
        self.refused = begun.err();
        if self.refused.is_some() {
            observation.fill(0.0);
        }
    }

    fn step(&mut self, action: &[f64], observation: &mut [f64]) -> Result<Step, EnvFault> {
        if let Some(refused) = &self.refused {
            return Err(EnvFault::Raised(format!("reset: {refused}")));
        }
        Python::attach(|py| {
            self.next(py, action, observation).map_err(|error| EnvFault::Raised(said(py, &error)))
        })
    }
}

/// What an exception says, with its place.
fn said(py: Python<'_>, error: &PyErr) -> String {
    let described = py.import("esenas.objectives").and_then(|objectives| {
        objectives.call_method1("described", (error.value(py),))?.extract::<String>()
    });
    described.unwrap_or_else(|_| error.to_string())
}
