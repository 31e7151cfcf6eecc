//! An environment: a simulation and the rules of its task.

use esenas::Stream;
use esenas_control::{Diverged, Env, EnvFault, EnvSpec, Step};

use crate::catalog::{Definition, Family};
use crate::ffi::{Data, Fault};
use crate::rules::{Rules, View};

/// T of the paper (appendix A.4.1), for all eight. Gym would cut the arms' episodes at 100 steps
/// and Reacher's at 50; the paper's scores are those of 1000.
const HORIZON: usize = 1000;

/// One environment, owned by one worker.
pub struct Task {
    spec: EnvSpec,
    family: Family,
    data: Data,
    rules: Box<dyn Rules>,
    bodies: Vec<usize>,
    frame_skip: usize,
    dt: f64,
}

impl Task {
    /// The environment of `definition`, whose model `data` simulates; all its bodies are there.
    pub(crate) fn new(name: &str, definition: Definition, data: Data, bodies: Vec<usize>) -> Self {
        let range = data.model().control_range();
        let spec = EnvSpec {
            name: name.to_owned(),
            observation: definition.observation(),
            action: range.len(),
            low: range.iter().map(|range| range[0]).collect(),
            high: range.iter().map(|range| range[1]).collect(),
            horizon: HORIZON,
        };
        let frame_skip = definition.frame_skip();
        let dt = data.model().timestep() * frame_skip as f64;
        let (family, rules) = (definition.family, definition.rules());
        Self { spec, family, rules, data, bodies, frame_skip, dt }
    }

    /// Positions and velocities of the simulation.
    pub fn state(&self) -> (&[f64], &[f64]) {
        (self.data.qpos(), self.data.qvel())
    }

    /// Seconds per action.
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// Begins an episode in a given state, of the sizes that [`state`](Self::state) has.
    pub fn set_state(
        &mut self,
        qpos: &[f64],
        qvel: &[f64],
        observation: &mut [f64],
    ) -> Result<(), EnvFault> {
        let begun = self.begin(|_, to_qpos, to_qvel| {
            to_qpos.copy_from_slice(qpos);
            to_qvel.copy_from_slice(qvel);
        });
        begun.map_err(|_| Diverged)?;
        self.observe(observation);
        Ok(())
    }

    /// Which of the eight it is.
    pub(crate) fn family(&self) -> Family {
        self.family
    }

    /// The simulation, to look at.
    pub(crate) fn data(&self) -> &Data {
        &self.data
    }

    /// The order matters: the solver's warm start is what the reset leaves.
    fn begin(
        &mut self,
        start: impl FnOnce(&dyn Rules, &mut [f64], &mut [f64]),
    ) -> Result<(), Fault> {
        self.rules.forget();
        self.data.reset()?;
        let (mut qpos, mut qvel) = ([0.0; 16], [0.0; 16]);
        let (nq, nv) = (self.data.qpos().len(), self.data.qvel().len());
        let (qpos, qvel) = (&mut qpos[..nq], &mut qvel[..nv]);
        qpos.copy_from_slice(self.data.qpos());
        start(&*self.rules, qpos, qvel);
        self.data.qpos_mut().copy_from_slice(qpos);
        self.data.qvel_mut().copy_from_slice(qvel);
        self.data.forward()
    }

    fn view(&self) -> View<'_> {
        View { data: &self.data, bodies: &self.bodies, dt: self.dt }
    }

    fn observe(&self, observation: &mut [f64]) {
        self.rules.observe(&self.view(), observation);
    }
}

impl Env for Task {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    /// An engine error here leaves a simulation whose first step is [`Diverged`].
    fn reset(&mut self, stream: &mut Stream, observation: &mut [f64]) {
        let _ = self.begin(|rules, qpos, qvel| rules.start(stream, qpos, qvel));
        self.observe(observation);
    }

    /// # Panics
    ///
    /// If `action` or `observation` does not have the length that the spec tells.
    fn step(&mut self, action: &[f64], observation: &mut [f64]) -> Result<Step, EnvFault> {
        assert_eq!(action.len(), self.spec.action, "{}: numbers in an action", self.spec.name);
        if !action.iter().all(|a| a.is_finite()) {
            return Err(Diverged);
        }
        let view = View { data: &self.data, bodies: &self.bodies, dt: self.dt };
        self.rules.before(&view);
        self.data.ctrl_mut().copy_from_slice(action);
        self.data.step(self.frame_skip).map_err(|_| Diverged)?;
        let view = View { data: &self.data, bodies: &self.bodies, dt: self.dt };
        let step = self.rules.after(&view, action);
        self.observe(observation);
        match self.data.gave_up() || !step.reward.is_finite() {
            true => Err(Diverged),
            false => Ok(step),
        }
    }
}
