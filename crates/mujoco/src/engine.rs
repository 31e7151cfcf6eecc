//! The loaded library and the models that were asked for, each compiled once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use esenas_control::Env;

use crate::catalog::{Definition, Sizes};
use crate::error::Error;
use crate::ffi::{Data, Fault, Library, Model, Refused};
use crate::places::Places;
use crate::task::Task;

/// MuJoCo 2.3.7, loaded, and its models.
pub struct Engine {
    library: &'static Library,
    path: PathBuf,
    places: Places,
    models: Mutex<BTreeMap<&'static str, Arc<Model>>>,
}

impl Engine {
    /// Finds the library in these places, or fetches it; `say` gets a line before anything is
    /// fetched.
    pub fn find(places: Places, say: &mut dyn FnMut(&str)) -> Result<Self, Error> {
        let path = places.library(say)?;
        let library = open(&path)?;
        Ok(Self { library, path, places, models: Mutex::default() })
    }

    /// The library's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes an environment; `say` gets a line before its model is fetched.
    pub fn task(&self, name: &str, say: &mut dyn FnMut(&str)) -> Result<Task, Error> {
        let definition = Definition::parse(name)?;
        let (model, path) = self.model(definition, say)?;
        let wrong = |said| Error::Model { path: path.clone(), env: definition.family.name(), said };
        let sizes = Sizes { nq: model.nq(), nv: model.nv(), nu: model.nu() };
        if sizes != definition.sizes() {
            return Err(wrong(format!("it has {sizes:?} instead of {:?}", definition.sizes())));
        }
        let body = |name: &&str| {
            model.body(name).ok_or_else(|| wrong(format!("it has no body called `{name}`")))
        };
        let bodies = definition.bodies().iter().map(body).collect::<Result<_, _>>()?;
        let data = Data::new(&model).map_err(|Fault(said)| wrong(said))?;
        Ok(Task::new(name, definition, data, bodies))
    }

    fn model(
        &self,
        definition: Definition,
        say: &mut dyn FnMut(&str),
    ) -> Result<(Arc<Model>, PathBuf), Error> {
        // Held while loading: whoever wants the same model next finds it.
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let name = definition.model();
        if let Some(model) = models.get(name) {
            return Ok((model.clone(), PathBuf::from(name)));
        }
        let path = self.places.model(name, say)?;
        let env = definition.family.name();
        let model = Model::load(self.library, &path).map_err(|Fault(said)| Error::Model {
            path: path.clone(),
            env,
            said,
        })?;
        models.insert(name, model.clone());
        Ok((model, path))
    }

    /// Raises an engine error and returns its message: an error must never end the process.
    pub(crate) fn raise(&self, message: &std::ffi::CStr) -> String {
        self.library.raise(message).0
    }
}

/// Loads a library.
pub(crate) fn open(path: &Path) -> Result<&'static Library, Error> {
    Library::open(path).map_err(|refused| match refused {
        Refused::Version(found) => Error::WrongVersion { path: path.to_owned(), found },
        Refused::Load(said) => Error::Library { path: path.to_owned(), said },
    })
}

/// Makes an environment by its name: `HalfCheetah`, `Hopper-v5`, ….
///
/// MuJoCo and the model are looked for where the environment variables say and in the usual places,
/// once per process; what is missing is fetched, and a line on the standard error says so. Call it
/// once for each worker: the compiled model is shared.
pub fn make(name: &str) -> Result<Box<dyn Env>, Error> {
    // A name that means nothing needs no engine.
    Definition::parse(name)?;
    let mut say = |line: &str| eprintln!("{line}");
    let engine = shared(&mut say)?;
    Ok(Box::new(engine.task(name, &mut say)?))
}

/// The process's own engine; a failure is not remembered.
fn shared(say: &mut dyn FnMut(&str)) -> Result<&'static Engine, Error> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let engine = Engine::find(Places::from_env(), say)?;
    Ok(ENGINE.get_or_init(|| engine))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_error_comes_back_and_the_engine_goes_on() {
        let mut say = |_: &str| {};
        let engine = Engine::find(Places::from_env(), &mut say).unwrap();
        let mut task = engine.task("HalfCheetah", &mut say).unwrap();
        assert!(engine.raise(c"nothing fits any more").contains("nothing fits any more"));
        let mut observation = [0.0; 17];
        task.set_state(&[0.0; 9], &[0.0; 9], &mut observation).unwrap();
        assert!(task.step(&[0.1; 6], &mut observation).is_ok());
    }
}
