//! Episodes: what is paid, what is counted, and what ends them.

use esenas::{Purpose, Seed, Stream};
use esenas_control::{
    Actions, Diverged, Env, EnvFault, EnvSpec, Episode, Moments, Normalizer, Policy, PolicyConfig,
    RolloutError, Stage, Step,
};
use serde_json::json;

/// Counts its steps, pays its action, and has an end of one's choosing.
struct Counter {
    spec: EnvSpec,
    at: usize,
    end: End,
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Never,
    Terminated(usize),
    Diverged(usize),
    Infinite(usize),
}

impl Env for Counter {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(&mut self, _: &mut Stream, observation: &mut [f64]) {
        self.at = 0;
        observation[0] = 0.0;
    }

    fn step(&mut self, action: &[f64], observation: &mut [f64]) -> Result<Step, EnvFault> {
        self.at += 1;
        observation[0] = self.at as f64;
        if self.end == End::Diverged(self.at) {
            return Err(Diverged);
        }
        if self.end == End::Infinite(self.at) {
            observation[0] = f64::INFINITY;
        }
        let terminated = self.end == End::Terminated(self.at);
        Ok(Step { reward: action[0], alive: 1.0, terminated })
    }
}

fn play(end: End, actions: Actions, weight: f64) -> (Result<Episode, RolloutError>, Moments) {
    let name = "Counter".to_owned();
    let (low, high) = (vec![-1.0], vec![5.0]);
    let spec = EnvSpec { name, observation: 1, action: 1, low, high, horizon: 10 };
    let mut stage = Stage::new(Box::new(Counter { spec, at: 0, end }), actions);
    let config: PolicyConfig =
        serde_json::from_value(json!({ "kind": "unstructured", "hidden": [] })).unwrap();
    let policy = Policy::new(&config, 1, 1).unwrap();
    let mut network = policy.network();
    policy.decode(&[].into(), &[weight], &mut network);
    let mut moments = Moments::new(1);
    let mut stream = Seed(0).stream(Purpose::Evaluate, 0, 0);
    let normalizer = Normalizer::identity(1);
    let played = stage.play(&mut network, &normalizer, 10, &mut stream, Some(&mut moments));
    (played, moments)
}

/// The policy sees the observations 0 … 9 and not the one after the last step.
#[test]
fn reward_and_bonus_are_summed_apart_and_what_was_seen_is_counted() {
    let (episode, moments) = play(End::Never, Actions::Unit, 0.5);
    let episode = episode.unwrap();
    let expected: f64 = (0..10).map(|t| (0.5 * f64::from(t)).tanh()).sum();
    assert!((episode.reward - expected).abs() < 1e-12);
    assert_eq!((episode.alive, episode.steps), (10.0, 10));
    assert_eq!((moments.count(), moments.mean()), (10, &[4.5][..]));
    assert_eq!(moments.variance().next(), Some(8.25));
}

#[test]
fn limits_are_reached_by_outputs_of_one() {
    let (episode, _) = play(End::Terminated(3), Actions::Limits, 0.0);
    assert_eq!(episode.unwrap(), Episode { reward: 6.0, alive: 3.0, steps: 3 });
    let (unit, _) = play(End::Terminated(3), Actions::Unit, 0.0);
    assert_eq!(unit.unwrap().reward, 0.0);
}

#[test]
fn termination_ends_an_episode_and_its_step_is_paid() {
    let (episode, moments) = play(End::Terminated(4), Actions::Unit, 0.0);
    assert_eq!(episode.unwrap(), Episode { reward: 0.0, alive: 4.0, steps: 4 });
    assert_eq!(moments.count(), 4);
}

#[test]
fn what_leaves_the_numbers_is_a_failure_that_says_when() {
    for end in [End::Diverged(6), End::Infinite(6)] {
        let error = play(end, Actions::Unit, 0.0).0.unwrap_err();
        assert_eq!(
            error.to_string(),
            "step 5: the physics diverged: the state is no longer finite"
        );
    }
    let error = play(End::Never, Actions::Unit, f64::NAN).0.unwrap_err();
    assert_eq!(error, RolloutError::Action { step: 0 });
}
