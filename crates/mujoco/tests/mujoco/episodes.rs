//! Episodes: how they begin, that they repeat, that threads do not disturb each other.

use std::thread;

use esenas::{Purpose, Seed};
use esenas_control::Env;

use crate::{names, task};

/// An episode of random actions, as the bits of everything that was seen.
fn episode(name: &str, seed: u64, steps: usize) -> Vec<u64> {
    let mut env = task(name);
    let spec = env.spec().clone();
    let mut stream = Seed(seed).stream(Purpose::Evaluate, 0, 0);
    let mut observation = vec![f64::NAN; spec.observation];
    env.reset(&mut stream, &mut observation);
    let mut seen: Vec<u64> = observation.iter().map(|x| x.to_bits()).collect();
    for _ in 0..steps {
        let within = |i: usize, u: f64| spec.low[i] + (spec.high[i] - spec.low[i]) * u;
        let action: Vec<f64> = (0..spec.action).map(|i| within(i, stream.unit())).collect();
        let step = env.step(&action, &mut observation).unwrap();
        seen.extend([step.reward.to_bits(), step.alive.to_bits(), step.terminated.into()]);
        seen.extend(observation.iter().map(|x| x.to_bits()));
    }
    seen
}

#[test]
fn equal_streams_give_equal_bits_on_any_thread() {
    for name in names() {
        let alone = episode(&name, 3, 40);
        let threads: Vec<_> = (0..4)
            .map(|_| {
                (
                    name.clone(),
                    thread::spawn({
                        let name = name.clone();
                        move || episode(&name, 3, 40)
                    }),
                )
            })
            .collect();
        for (name, thread) in threads {
            assert!(thread.join().unwrap() == alone, "{name}");
        }
        assert!(episode(&name, 4, 40) != alone, "{name}: another seed, another episode");
    }
}

#[test]
fn an_episode_leaves_nothing_to_the_next() {
    for name in names() {
        let mut env = task(&name);
        let mut observation = vec![0.0; env.spec().observation];
        let action = vec![0.4; env.spec().action];
        let mut run = |env: &mut esenas_mujoco::Task| {
            env.reset(&mut Seed(1).stream(Purpose::Evaluate, 0, 0), &mut observation);
            (0..20).map(|_| env.step(&action, &mut observation).unwrap()).collect::<Vec<_>>()
        };
        let first = run(&mut env);
        assert_eq!(run(&mut env), first, "{name}");
    }
}

/// Observations of 400 starts: the least and the greatest of each coordinate.
fn starts(name: &str) -> Vec<(f64, f64)> {
    let mut env = task(name);
    let mut observation = vec![0.0; env.spec().observation];
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); observation.len()];
    for i in 0..400 {
        env.reset(&mut Seed(5).stream(Purpose::Evaluate, i, 0), &mut observation);
        for (range, &x) in ranges.iter_mut().zip(&observation) {
            *range = (range.0.min(x), range.1.max(x));
        }
    }
    ranges
}

/// Whether a range fills `low..high` without leaving it: 400 draws leave the outer 5 % of either
/// side empty with probability 10⁻⁹.
fn fills((least, greatest): (f64, f64), low: f64, high: f64) -> bool {
    let margin = 0.05 * (high - low);
    (low..low + margin).contains(&least) && greatest < high && greatest > high - margin
}

#[test]
fn starts_are_spread_as_the_originals_spread_them() {
    assert!(starts("Swimmer").iter().all(|&range| fills(range, -0.1, 0.1)));
    for name in ["Hopper", "Walker2d"] {
        let ranges = starts(name);
        assert!(fills(ranges[0], 1.245, 1.255), "{name}: the height");
        assert!(ranges[1..].iter().all(|&range| fills(range, -0.005, 0.005)), "{name}");
    }
    let cheetah = starts("HalfCheetah");
    assert!(cheetah[..8].iter().all(|&range| fills(range, -0.1, 0.1)));
    // The greatest of 400 normal numbers is between 2 and 5 standard deviations, but for 10⁻⁴.
    let tail = |x: f64| (0.2..0.5).contains(&x);
    assert!(cheetah[8..].iter().all(|&(low, high)| tail(-low) && tail(high)), "{cheetah:?}");
    let reacher = starts("Reacher");
    assert!(fills(reacher[2], -0.1, 0.1) && fills(reacher[3], -0.1, 0.1), "sines: {reacher:?}");
    assert!(
        reacher[4..6]
            .iter()
            .all(|&(low, high)| low > -0.2 && low < -0.17 && high < 0.2 && high > 0.17)
    );
    assert!(reacher[6..8].iter().all(|&range| fills(range, -0.005, 0.005)));
    let still = |range: &(f64, f64)| range.0 == 0.0 && range.1 == 0.0;
    for (name, noise) in [("Pusher", 0.005), ("Striker", 0.1), ("Thrower", 0.005)] {
        let ranges = starts(name);
        assert!(ranges[..7].iter().all(still), "{name}: the arm is at rest in the middle");
        assert!(ranges[7..14].iter().all(|&range| fills(range, -noise, noise)), "{name}");
    }
    let striker = starts("Striker");
    assert!(striker[17..20].iter().all(|(low, high)| high - low < 1e-9), "its ball lies still");
    let width = |(low, high): (f64, f64)| high - low;
    assert!((0.5..0.55).contains(&width(striker[20])) && (0.83..0.9).contains(&width(striker[21])));
    let thrower = starts("Thrower");
    assert!(thrower[20..22].iter().all(|&range| (0.55..0.6).contains(&width(range))));
    assert!(thrower[17..20].iter().all(|&range| width(range) < 1e-9), "its ball lies still");
    let pusher = starts("Pusher");
    assert!((0.36..0.4).contains(&width(pusher[17])), "{pusher:?}");
    assert!((0.28..0.3).contains(&width(pusher[18])), "{pusher:?}");
}

#[test]
fn only_walkers_are_paid_for_standing_and_only_they_fall() {
    for name in names() {
        let mut env = task(&name);
        let mut observation = vec![0.0; env.spec().observation];
        env.reset(&mut Seed(0).stream(Purpose::Evaluate, 0, 0), &mut observation);
        let zero = vec![0.0; env.spec().action];
        let steps: Vec<_> = (0..250).map(|_| env.step(&zero, &mut observation).unwrap()).collect();
        let walks = name.starts_with("Hopper") || name.starts_with("Walker2d");
        assert_eq!(steps.iter().any(|step| step.terminated), walks, "{name}");
        // Falls after some hundred steps, doing nothing.
        assert!(!steps[50].terminated, "{name}");
        let bonus = |step: &esenas_control::Step| match (walks, name.ends_with("v5")) {
            (false, _) => 0.0,
            (true, strict) => f64::from(!(strict && step.terminated)),
        };
        assert!(steps.iter().all(|step| step.alive == bonus(step)), "{name}");
    }
}

#[test]
fn the_spec_is_that_of_the_model() {
    let listed = esenas_mujoco::list();
    assert_eq!(listed.len(), 8);
    for listed in listed {
        let env = task(listed.name);
        let spec = env.spec();
        assert_eq!((spec.observation, spec.action), (listed.observation, listed.action));
        assert_eq!((env.dt() * 1000.0).round() as u32, listed.milliseconds, "{}", listed.name);
        let limit = match listed.name {
            "Pusher" => vec![2.0; 7],
            "Striker" => vec![3.0; 7],
            "Thrower" => vec![10.0, 10.0, 10.0, 10.0, 15.0, 15.0, 15.0],
            _ => vec![1.0; listed.action],
        };
        assert_eq!(spec.high, limit);
        assert!(spec.low.iter().zip(&limit).all(|(low, high)| *low == -high));
    }
    assert_eq!(task("Reacher-v5").spec().observation, 10);
}
