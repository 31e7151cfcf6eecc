//! Environment steps, for `bench/envs.sh`: `steps ENV` reads a number of threads from each line of
//! its input, plays the course on so many, and answers how many steps that took. `steps ENV FILE`
//! writes the course to a file instead.
//!
//! The loop is that of training: observation filter, a policy with 32 hidden units, the
//! environment. The course is a few episodes, the same on every thread and in every round. Its
//! actions are uniform, and what the policy says is added to them a billion times smaller: whoever
//! replays the file simulates the same to the last bit, without the policy.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use esenas::{Purpose, Seed, Stream};
use esenas_control::policy::Initial;
use esenas_control::{
    Actions, Env, EnvFault, EnvSpec, Moments, Network, Normalizer, Policy, PolicyConfig, Stage,
    Step,
};
use esenas_mujoco::{Engine, Places, Task};

/// The course has as many episodes as it takes for so many steps.
const STEPS: usize = 4000;

/// Threads that have not come to the end of the course yet. The others go on until all have: all
/// are busy for as long as it is measured.
static LEFT: AtomicUsize = AtomicUsize::new(0);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("steps ENV [FILE]")?;
    let engine = Engine::find(Places::from_env(), &mut |line| eprintln!("{line}"))?;
    let player = |tape| Player::new(engine.task(&name, &mut |line| eprintln!("{line}"))?, tape);
    if let Some(file) = arguments.next() {
        LEFT.store(1, Ordering::Relaxed);
        player(Some(BufWriter::new(File::create(file)?)))?.play();
        return Ok(());
    }
    // What cannot be made is an error here, not in a thread that nobody hears of.
    player(None)?;
    let (answer, answers) = channel();
    thread::scope(|scope| {
        let (player, mut workers) = (&player, Vec::new());
        for line in io::stdin().lines() {
            let threads: usize = line?.trim().parse()?;
            // Each makes what it needs, as a worker of a study does, and keeps it.
            while workers.len() < threads {
                let (go, wait) = channel::<()>();
                let answer = answer.clone();
                scope.spawn(move || {
                    let mut player = player(None).expect("an environment");
                    wait.iter().for_each(|()| answer.send(player.play()).expect("a listener"));
                });
                workers.push(go);
            }
            LEFT.store(threads, Ordering::Relaxed);
            workers[..threads].iter().try_for_each(|go| go.send(()))?;
            println!("{}", answers.iter().take(threads).sum::<usize>());
        }
        Ok(())
    })
}

/// A worker of a study, with one policy.
struct Player {
    stage: Stage,
    network: Network,
    normalizer: Normalizer,
    moments: Moments,
    horizon: usize,
}

impl Player {
    fn new(task: Task, tape: Option<BufWriter<File>>) -> Result<Self, Box<dyn Error>> {
        let EnvSpec { observation, action, horizon, .. } = *task.spec();
        let mut stream = Seed(1).stream(Purpose::Start, 0, 0);
        let config: PolicyConfig =
            serde_json::from_str(r#"{"kind": "unstructured", "hidden": [32]}"#)?;
        let policy = Policy::new(&config, observation, action)?;
        let (mut network, theta) = (
            policy.network(),
            policy.start(Initial::Uniform, policy.scale(Initial::Uniform), &mut stream),
        );
        policy.decode(&policy.space().sample(&mut stream), &theta, &mut network);
        let mut draw = || (0..action).map(|_| 2.0 * stream.unit() - 1.0).collect();
        let noise = (0..STEPS).map(|_| draw()).collect();
        let course = Course { task, noise, at: 0, length: 0, action: vec![0.0; action], tape };
        let stage = Stage::new(Box::new(course), Actions::Unit);
        let (normalizer, moments) = (Normalizer::identity(observation), Moments::new(observation));
        Ok(Self { stage, network, normalizer, moments, horizon })
    }

    /// Plays until all threads have come to the end of the course; returns the steps.
    fn play(&mut self) -> usize {
        let Self { stage, network, normalizer, moments, horizon } = self;
        let mut steps = 0;
        loop {
            let (mut episode, mut course) = (0, 0);
            while course < STEPS && (steps == 0 || LEFT.load(Ordering::Relaxed) > 0) {
                let mut stream = Seed(1).stream(Purpose::Evaluate, 0, episode);
                let played = stage.play(network, normalizer, *horizon, &mut stream, Some(moments));
                course += played.expect("uniform actions blow nothing up").steps;
                episode += 1;
            }
            if steps == 0 {
                LEFT.fetch_sub(1, Ordering::Relaxed);
            }
            steps += course;
            if LEFT.load(Ordering::Relaxed) == 0 {
                return steps;
            }
        }
    }
}

/// An environment in which uniform actions are taken, whatever the policy says.
struct Course {
    task: Task,
    noise: Vec<Vec<f64>>,
    at: usize,
    length: usize,
    action: Vec<f64>,
    tape: Option<BufWriter<File>>,
}

/// Writes a line of the course: `s` seconds per action, positions and velocities at the start of an
/// episode, `p` positions and velocities after every twenty steps, `a` an action, `e` the positions
/// at the end.
fn note(tape: &mut Option<BufWriter<File>>, kind: char, numbers: &[&[f64]]) {
    let Some(tape) = tape else { return };
    let text: String = numbers.concat().iter().map(|x| format!(" {x:?}")).collect();
    writeln!(tape, "{kind}{text}").expect("room for the course");
}

impl Env for Course {
    fn spec(&self) -> &EnvSpec {
        self.task.spec()
    }

    fn reset(&mut self, stream: &mut Stream, observation: &mut [f64]) {
        (self.at, self.length) = (stream.bits() as usize % STEPS, 0);
        self.task.reset(stream, observation);
        let (qpos, qvel) = self.task.state();
        note(&mut self.tape, 's', &[&[self.task.dt()], qpos, qvel]);
    }

    fn step(&mut self, action: &[f64], observation: &mut [f64]) -> Result<Step, EnvFault> {
        if self.length.is_multiple_of(20) {
            let (qpos, qvel) = self.task.state();
            note(&mut self.tape, 'p', &[qpos, qvel]);
        }
        let parts = self.action.iter_mut().zip(action).zip(&self.noise[self.at]);
        parts.for_each(|((to, policy), noise)| *to = noise + 1e-9 * policy);
        (self.at, self.length) = ((self.at + 1) % STEPS, self.length + 1);
        let mut step = self.task.step(&self.action, observation)?;
        note(&mut self.tape, 'a', &[&self.action]);
        if step.terminated || self.length == self.task.spec().horizon {
            note(&mut self.tape, 'e', &[self.task.state().0]);
        }
        step.terminated |= LEFT.load(Ordering::Relaxed) == 0;
        Ok(step)
    }
}
