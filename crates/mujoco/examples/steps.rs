//! Environment steps per second, for `bench/envs.sh`: `steps ENV THREADS SECONDS`.
//!
//! The loop is that of a rollout: observation filter, a policy with 32 hidden units, the environment, a new
//! episode when one ends. The actions are uniform, as those of the peers are, and what the policy says is added to them
//! a billion times smaller: what is simulated is the same, and the policy is paid for.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use esenas::{Purpose, Seed};
use esenas_control::{Env, Moments, Normalizer, Policy, PolicyConfig};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, threads, seconds] = arguments.as_slice() else {
        return Err("steps ENV THREADS SECONDS".into());
    };
    let (threads, seconds): (u32, f64) = (threads.parse()?, seconds.parse()?);
    let stop = AtomicBool::new(false);
    let workers: Vec<_> = (0..threads)
        .map(|i| esenas_mujoco::make(name).map(|env| (i, env)))
        .collect::<Result<_, _>>()?;
    let rate: f64 = thread::scope(|scope| {
        let running: Vec<_> = workers
            .into_iter()
            .map(|(i, env)| {
                scope.spawn({
                    let stop = &stop;
                    move || work(env, i, stop)
                })
            })
            .collect();
        thread::sleep(Duration::from_secs_f64(seconds));
        stop.store(true, Ordering::Relaxed);
        running.into_iter().map(|worker| worker.join().unwrap_or(f64::NAN)).sum()
    });
    println!("{rate:.0}");
    Ok(())
}

/// Steps until it is told to stop; returns steps per second.
fn work(mut env: Box<dyn Env>, worker: u32, stop: &AtomicBool) -> f64 {
    let spec = env.spec().clone();
    let mut stream = Seed(1).stream(Purpose::Evaluate, 0, worker);
    let config: PolicyConfig =
        serde_json::from_str(r#"{"kind": "unstructured", "hidden": [32]}"#).expect("a policy");
    let policy = Policy::new(&config, spec.observation, spec.action).expect("it fits");
    let (mut network, space) = (policy.network(), policy.space());
    let theta = policy.start(policy.scale(), &mut stream);
    policy.decode(&space.sample(&mut stream), &theta, &mut network);
    let mut moments = Moments::new(spec.observation);
    let noise: Vec<Vec<f64>> =
        (0..4096).map(|_| (0..spec.action).map(|_| 2.0 * stream.unit() - 1.0).collect()).collect();
    let (mut observation, mut action) = (vec![0.0; spec.observation], vec![0.0; spec.action]);
    env.reset(&mut stream, &mut observation);
    moments.add(&observation);
    let normalizer = Normalizer::new(&moments);
    let (mut steps, mut length, begun) = (0_usize, 0, Instant::now());
    while !stop.load(Ordering::Relaxed) {
        normalizer.apply(&observation, network.input());
        network.forward(&mut action);
        let drawn = &noise[steps % noise.len()];
        action.iter_mut().zip(drawn).for_each(|(a, noise)| *a = noise + 1e-9 * *a);
        let ended = !matches!(env.step(&action, &mut observation), Ok(step) if !step.terminated);
        moments.add(&observation);
        (steps, length) = (steps + 1, length + 1);
        if ended || length == spec.horizon {
            env.reset(&mut stream, &mut observation);
            length = 0;
        }
    }
    steps as f64 / begun.elapsed().as_secs_f64()
}
