//! The classic environments against trajectories of Gymnasium 1.2.0 (`tests/data/make.py`).

use esenas::{Purpose, Seed};
use esenas_control::classic::{self, CartPole, MountainCar, Pendulum};
use esenas_control::{Env, Step};
use serde_json::Value;

fn cases(name: &str) -> Vec<Value> {
    let all: Vec<Value> = serde_json::from_str(include_str!("data/classic.json")).unwrap();
    let cases: Vec<_> = all.into_iter().filter(|case| case["env"] == name).collect();
    assert!(!cases.is_empty());
    cases
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Steps through a case; `state` reads the state, and `check` sees each step beside Gymnasium's.
fn replay<E: Env>(
    case: &Value,
    mut env: E,
    tolerance: f64,
    state: impl Fn(&E) -> Vec<f64>,
    check: impl Fn(Step, f64, bool),
) {
    let mut observation = vec![0.0; env.spec().observation];
    for (at, action) in numbers(&case["actions"]).into_iter().enumerate() {
        let step = env.step(&[action], &mut observation).unwrap();
        for (ours, theirs) in state(&env).iter().zip(numbers(&case["states"][at])) {
            assert!((ours - theirs).abs() < tolerance, "step {at}: {ours} and {theirs}");
        }
        check(step, case["rewards"][at].as_f64().unwrap(), case["terminated"][at] == true);
    }
}

#[test]
fn the_pendulum_is_gymnasiums() {
    for case in cases("Pendulum-v1") {
        let start = numbers(&case["state"]);
        let mut env = Pendulum::new();
        (env.angle, env.velocity) = (start[0], start[1]);
        replay(
            &case,
            env,
            1e-9,
            |env| vec![env.angle, env.velocity],
            |step, reward, ended| {
                assert!((step.reward - reward).abs() < 1e-9, "{} and {reward}", step.reward);
                assert_eq!((step.terminated, ended, step.alive), (false, false, 0.0));
            },
        );
    }
}

/// Gymnasium rounds this one's state to single precision.
#[test]
fn the_mountain_car_is_gymnasiums() {
    let mut ends = 0;
    for case in cases("MountainCarContinuous-v0") {
        let start = numbers(&case["state"]);
        let mut env = MountainCar::new();
        (env.position, env.velocity) = (start[0], start[1]);
        replay(
            &case,
            env,
            1e-5,
            |env| vec![env.position, env.velocity],
            |step, reward, ended| {
                assert!((step.reward - reward).abs() < 1e-9, "{} and {reward}", step.reward);
                assert_eq!(step.terminated, ended);
            },
        );
        ends += case["terminated"].as_array().unwrap().iter().filter(|t| **t == true).count();
    }
    assert!(ends > 0, "no case reaches the goal");
}

#[test]
fn the_cart_pole_moves_as_gymnasiums() {
    for case in cases("CartPole-v1") {
        let start = numbers(&case["state"]);
        let mut env = CartPole::new();
        env.state.copy_from_slice(&start);
        replay(
            &case,
            env,
            1e-9,
            |env| env.state.to_vec(),
            |step, _, _| {
                assert!((-0.01..=2.0).contains(&step.reward));
            },
        );
    }
}

#[test]
fn the_cart_pole_pays_for_being_upright_and_ends_off_the_track() {
    let mut env = CartPole::new();
    let mut observation = [0.0; 5];
    env.state = [0.0; 4];
    let upright = env.step(&[0.0], &mut observation).unwrap();
    assert_eq!((upright.reward, upright.terminated), (2.0, false));
    env.state = [0.0, 0.0, std::f64::consts::PI, 0.0];
    let hanging = env.step(&[0.5], &mut observation).unwrap();
    assert!((hanging.reward + 0.0025).abs() < 1e-12, "{}", hanging.reward);
    env.state = [2.39, 1.0, 0.0, 0.0];
    assert!(env.step(&[0.0], &mut observation).unwrap().terminated);
}

#[test]
fn starts_depend_on_the_stream_alone_and_vary_with_it() {
    for name in classic::NAMES {
        let start = |seed| {
            let mut env = classic::make(name).unwrap();
            let mut observation = vec![f64::NAN; env.spec().observation];
            env.reset(&mut Seed(seed).stream(Purpose::Evaluate, 0, 0), &mut observation);
            assert!(observation.iter().all(|x| x.is_finite()), "{name}: {observation:?}");
            observation
        };
        assert_eq!(start(1), start(1));
        assert_ne!(start(1), start(2));
        let spec = classic::make(name).unwrap().spec().clone();
        assert_eq!((spec.name.as_str(), spec.low.len(), spec.high.len()), (name, 1, 1));
    }
    assert!(classic::make("Acrobot").is_none());
}
