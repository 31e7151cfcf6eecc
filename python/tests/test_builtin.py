"""Problems, environments and policies that are built in."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esenas
from esenas import bbob, control
from test_cli import run


def test_functions_are_those_of_a_study() -> None:
    settings = {"function": "Rastrigin", "d_cat": 3, "d_con": 4, "mode": "instance", "seed": 2}
    f = bbob.Function(**settings)
    study = esenas.Study(problem=esenas.BBOB(**settings), seed=1)
    best = study.optimize(iterations=3)
    assert f(best.model, best.theta) == f.value_of(best.dna, best.theta) == best.value
    rows = f.values([best.dna, [0, 5, 10]], [best.theta, best.theta])
    assert rows.tolist() == [best.value, f.value_of([0, 5, 10], best.theta)]
    assert f.space == study.space and f.dim == study.dim == 4
    found = f.best
    if found is not None:
        assert f.value_of(*found) >= best.value
    with pytest.raises(ValueError, match="4 coordinates"):
        f.value_of(best.dna, [0.0])
    with pytest.raises(ValueError, match="did you mean `Rastrigin`"):
        bbob.Function("Rastrign")


def test_every_function_has_its_optimum_at_zero() -> None:
    """Red when names and functions are mixed up: cocoex's are compared in Rust, these must be those."""
    for name in bbob.names():
        f = bbob.Function(name, d_cat=2, d_con=2)
        assert f.best is not None
        assert f.value_of(*f.best) == pytest.approx(0.0, abs=1e-6), name
        assert f([4, -3], [1.0, 2.0]) < -1e-3, name


def test_environments_have_gymnasiums_interface() -> None:
    assert {"Pendulum", "CartPole", "MountainCar", "HalfCheetah"} <= set(control.names())
    env = esenas.Environment("Pendulum", horizon=3)
    first, _ = env.reset(seed=4)
    steps = [env.step([2.0]) for _ in range(3)]
    assert [step[3] for step in steps] == [False, False, True], "truncated at the horizon"
    second, _ = env.reset()
    assert not np.array_equal(first, second)
    assert np.array_equal(env.reset(seed=4)[0], first)
    assert env.action_space.low.tolist() == [-2.0] and env.observation_space.shape == (3,)
    with pytest.raises(ValueError, match="1 finite"):
        env.step([0.0, 1.0])
    with pytest.raises(ValueError, match='nearest is "Pendulum"'):
        esenas.Environment("Pendulumm")


def test_pendulum_is_gymnasiums() -> None:
    """The equations of Pendulum-v1, written down here from its documentation."""
    env = esenas.Environment("Pendulum")
    (cos, sin, speed), _ = env.reset(seed=1)
    angle = np.arctan2(sin, cos)
    for torque in (1.5, -0.5, 2.0):
        cost = angle**2 + 0.1 * speed**2 + 0.001 * torque**2
        speed = np.clip(speed + (15.0 * np.sin(angle) + 3.0 * torque) * 0.05, -8.0, 8.0)
        angle += speed * 0.05
        seen, reward, *_ = env.step([torque])
        assert reward == pytest.approx(-cost)
        assert seen == pytest.approx([np.cos(angle), np.sin(angle), speed])
        angle = (angle + np.pi) % (2 * np.pi) - np.pi


REFERENCES = json.loads((Path(__file__).parent / "reference/mujoco.json").read_text())


@pytest.mark.parametrize("theirs", REFERENCES, ids=lambda it: it["env"])
def test_mujoco_is_gymnasiums(theirs: dict[str, Any]) -> None:
    """What Gymnasium's own classes did from the same start (`reference/make.py`)."""
    env = esenas.Environment(theirs["env"])
    first, _ = env.reset(seed=theirs["seed"])
    assert first.tolist() == theirs["first"], "a seed begins where it always did"
    steps = [env.step(action) for action in theirs["actions"]]
    assert [step[1] for step in steps] == pytest.approx(theirs["reward"], abs=1e-9)
    assert [step[2] for step in steps] == theirs["terminated"]
    assert steps[-1][0] == pytest.approx(theirs["last"], abs=1e-9)


def test_a_policy_for_mujoco_acts_as_in_the_command(tmp_path: Path) -> None:
    """Red when a policy that the command trained and exported, or the environment, is another one here."""
    study = tmp_path / "study.toml"
    study.write_text(
        "seed = 2\nstop = { iterations = 2 }\nweights = { kind = \"es\", directions = 4 }\n"
        'problem = { kind = "rl", env = "HalfCheetah", horizon = 60, policy = { kind = "toeplitz", hidden = [6] } }\n'
    )
    where, exported = str(tmp_path / "run"), tmp_path / "policy.json"
    for words in (["run", str(study), "--out", where], ["policy", "export", where, "--out", str(exported)]):
        done = run(*words)
        assert done.returncode == 0, done.stderr
    said = run("policy", "eval", where, "--episodes", "1", "--seed", "5", "--json")
    policy, env = esenas.Policy.load(exported), esenas.Environment("HalfCheetah", horizon=60)
    seen, _ = env.reset(seed=5)
    total, over = 0.0, False
    while not over:
        seen, reward, terminated, truncated, _ = env.step(policy.act(seen))
        total, over = total + reward, terminated or truncated
    assert total == json.loads(said.stdout)["episodes"][0]["reward"], "to the last bit"


WITH_EDGES = ("edge-pruning", "nonlinearity")


@pytest.mark.parametrize("kind", ["unstructured", "edge-pruning", "nonlinearity", "masked"])
def test_an_exported_policy_acts_as_the_engine_does(kind: str, tmp_path: Path) -> None:
    """Red when a policy that is loaded does anything else than the one that was trained."""
    policy = {"kind": kind, "hidden": [5, 3]} | ({"edges": 12} if kind in WITH_EDGES else {})
    problem = esenas.RL("Pendulum", policy, horizon=40, actions="limits")
    weights = esenas.ES(directions=4)
    study = esenas.Study(problem=problem, weights=weights, centre={"evaluations": 2}, seed=8)
    study.optimize(iterations=3, directory=tmp_path / "run")
    exported = tmp_path / "policy.json"
    done = run("policy", "export", str(tmp_path / "run"), "--out", str(exported))
    assert done.returncode == 0, done.stderr
    loaded, direct = esenas.Policy.load(exported), esenas.Policy.load(tmp_path / "run")
    assert loaded.to_json() == direct.to_json()

    said = run("policy", "eval", str(tmp_path / "run"), "--episodes", "1", "--seed", "3", "--json")
    engine = json.loads(said.stdout)["episodes"][0]
    formula = by_formula(json.loads(exported.read_text()))
    env = esenas.Environment("Pendulum", horizon=40)
    seen, _ = env.reset(seed=3)
    total = 0.0
    for _ in range(40):
        action = loaded.act(seen)
        assert action == pytest.approx(2.0 * formula(seen), rel=1e-12, abs=1e-12)
        seen, reward, *_ = env.step(action)
        total += reward
    assert total == engine["reward"], "to the last bit"


def by_formula(document: dict[str, object]):
    """The policy by the formula in the document itself, in NumPy."""
    n, hidden = document["observation"], document["hidden"]
    functions = {"tanh": np.tanh, "relu": lambda x: max(x, 0.0), "identity": lambda x: x}
    functions |= {"sin": np.sin, "cosine": np.cos, "exp": np.exp, "absolute": abs}
    functions |= {"sigmoid": lambda x: 1 / (1 + np.exp(-x)), "square": lambda x: x * x}
    functions |= {"step": lambda x: float(x >= 0), "reciprocal": lambda x: 1 / x}
    names = document["nonlinearities"]

    def act(observation: np.ndarray) -> np.ndarray:
        scaled = (observation - document["normalizer"]["mean"]) * document["normalizer"]["scale"]
        v = [*scaled, *document["biases"]]
        for j in range(n, len(v)):
            v[j] += sum(v[i] * w for i, k, w in document["edges"] if k == j)
            if j < n + hidden:
                v[j] = functions[names[j - n]](v[j])
        return np.tanh(v[n + hidden :])

    return act


def test_policies_are_decoded_and_strangers_refused() -> None:
    problem = esenas.RL("Pendulum", {"kind": "toeplitz", "hidden": [4]})
    candidate = esenas.Study(problem=problem).ask()[0]
    policy = esenas.Policy.decode(problem, candidate.dna, candidate.theta)
    assert policy.act([1.0, 0.0, 0.0]).shape == (1,)
    with pytest.raises(ValueError, match="weights, got 1"):
        esenas.Policy.decode(problem, candidate.dna, [1.0])
    good = json.loads(policy.to_json())
    for change in [
        {"format": "other"},
        {"edges": [[0, 99, 1.0]]},
        {"edges": [[5, 4, 1.0]]},
        {"biases": [1.0]},
        {"observation": 10**12},
        {"nonlinearities": ["__import__('os')"] * 4},
        {"normalizer": None},
    ]:
        with pytest.raises(ValueError, match="this is no policy"):
            esenas.Policy.from_json(json.dumps({**good, **change}))


def test_the_lock_is_released_in_native_work(tmp_path: Path) -> None:
    """Red when a thread of Python's stands still while a study computes: the program that evaluates
    waits for what that thread does."""
    sign = tmp_path / "sign"
    program = """
import json, os, sys, time
for line in sys.stdin:
    end = time.monotonic() + 500
    while not os.path.exists(sys.argv[1]) and time.monotonic() < end:
        time.sleep(0.01)
    value = float(os.path.exists(sys.argv[1])) or None
    print(json.dumps({"id": json.loads(line)["id"], "value": value}), flush=True)
"""
    problem = esenas.Command([sys.executable, "-c", program, str(sign)], esenas.boolean(), dimension=3)
    study = esenas.Study(problem=problem, weights=esenas.ES(directions=2), iterations=1)
    thread = threading.Timer(0.5, sign.touch)
    thread.start()
    assert study.optimize(threads=2).value == 1.0
    thread.join()
