//! `policy` and `bench rl`: what a study of policies found, in use.

use esenas::{Purpose, Seed};
use esenas_control::classic;
use serde_json::Value;

use crate::harness::{Place, STUDY};

const PENDULUM: &str = r#"
seed = 4
[stop]
iterations = 4
[problem]
kind = "rl"
env = "Pendulum"
policy = { kind = "nonlinearity", hidden = [4, 3], edges = 12, residual = true, biases = "all" }
actions = "limits"
[weights]
kind = "es"
directions = 4
[centre]
evaluations = 2
"#;

fn trained() -> Place {
    let place = Place::new();
    place.write("pendulum.toml", PENDULUM);
    place.ok("run pendulum.toml --quiet");
    place
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// The action of an exported policy, by nothing but the JSON.
fn act(policy: &Value, observation: &[f64]) -> f64 {
    let normalizer = &policy["normalizer"];
    let (mean, scale) = (numbers(&normalizer["mean"]), numbers(&normalizer["scale"]));
    let parts = observation.iter().zip(mean).zip(scale);
    let mut v: Vec<f64> = parts.map(|((x, mean), scale)| (x - mean) * scale).collect();
    let states = v.len();
    let hidden = policy["hidden"].as_u64().unwrap() as usize;
    for (at, bias) in numbers(&policy["biases"]).into_iter().enumerate() {
        let into = |edge: &&Value| edge[1].as_u64() == Some((states + at) as u64);
        let edges = policy["edges"].as_array().unwrap().iter().filter(into);
        let sum: f64 = edges
            .map(|edge| v[edge[0].as_u64().unwrap() as usize] * edge[2].as_f64().unwrap())
            .sum();
        let x = bias + sum;
        let name =
            if at < hidden { policy["nonlinearities"][at].as_str().unwrap() } else { "tanh" };
        v.push(match name {
            "tanh" => x.tanh(),
            "relu" => x.max(0.0),
            "exp" => x.exp(),
            "identity" => x,
            "sin" => x.sin(),
            "sigmoid" => 1.0 / (1.0 + (-x).exp()),
            "absolute" => x.abs(),
            "cosine" => x.cos(),
            "square" => x * x,
            "reciprocal" => x.signum() / x.abs().max(0.1),
            "step" => f64::from(u8::from(x >= 0.0)),
            other => panic!("{other}"),
        });
    }
    v[v.len() - 1]
}

/// Red when anything that acting needs is missing from the file, or is another policy's.
#[test]
fn an_exported_policy_earns_what_eval_says() {
    let place = trained();
    for which in ["best", "centre"] {
        let words = format!("policy eval runs/pendulum --which {which} -n 2 --seed 9 --json");
        let eval: Value = serde_json::from_str(&place.ok(&words)).unwrap();
        place.ok(&format!("policy export runs/pendulum --which {which} --out {which}.json"));
        let policy: Value = serde_json::from_slice(&place.bytes(&format!("{which}.json"))).unwrap();
        assert_eq!((&policy["env"], &policy["actions"]), (&"Pendulum".into(), &"limits".into()));
        assert_eq!(policy["edges"].as_array().unwrap().len(), 12);
        for episode in 0..2 {
            let mut env = classic::make("Pendulum").unwrap();
            let mut observation = [0.0; 3];
            let mut stream = Seed(9).stream(Purpose::Problem, episode, u32::MAX);
            env.reset(&mut stream, &mut observation);
            let mut sum = 0.0;
            for _ in 0..200 {
                let action = 2.0 * act(&policy, &observation);
                sum += env.step(&[action], &mut observation).unwrap().reward;
            }
            let said = eval["episodes"][episode as usize]["reward"].as_f64().unwrap();
            assert!((sum - said).abs() < 1e-6 * said.abs(), "{sum} and {said}");
        }
    }
}

#[test]
fn eval_prints_mean_deviation_and_size() {
    let place = trained();
    let text = place.ok("policy eval runs/pendulum -n 3");
    for word in ["return ", " ± ", "3 of 200 steps", "Pendulum", "12 weights, 8 biases, 640 bits"]
    {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
    assert_eq!(text, place.ok("policy eval runs/pendulum -n 3"), "equal seeds, equal episodes");
}

#[test]
fn what_has_no_policy_is_refused() {
    let place = Place::new();
    place.write("study.toml", STUDY);
    place.ok("run study.toml --quiet");
    place.run("policy eval runs/study").refused(2, &["runs/study", "\"rl\""]);
    place.run("policy export nowhere").refused(2, &["nowhere"]);
}

#[test]
fn bench_rl_lists_the_papers_cells_and_refuses_others() {
    let place = Place::new();
    let text = place.ok("bench rl --list --envs swimmer --groups edge-pruning");
    assert!(
        text.contains("edge-pruning/swimmer-regularized-evolution.toml  paper 343 ± 2"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 3);
    place.run("bench rl --list --envs Ant").refused(2, &["`Ant`", "Swimmer"]);
}
