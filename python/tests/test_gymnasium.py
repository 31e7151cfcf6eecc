"""The problem kind `gymnasium`, with environments of Gymnasium's and of one's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import esenas
import worlds
from esenas._environments import Player, chosen, look

SMALL = esenas.EdgePruning(hidden=[4], edges=8)


def problem(env: Any = "worlds:plain", **more: Any) -> esenas.Gymnasium:
    return esenas.Gymnasium(env, SMALL, **more)


def trained(env: Any = "worlds:plain", iterations: int = 2, how: Any = None, **more: Any) -> esenas.Study:
    it = esenas.Study(problem=problem(env, **more), seed=3)
    it.optimize(iterations=iterations, **(how or {}))
    return it


def trace(it: esenas.Study) -> list[float]:
    return [*map(float, it.history["best"]), *it.theta.tolist()]  # type: ignore[union-attr]


# -- what is looked up, and what is refused


def test_what_an_environment_is_becomes_part_of_the_study() -> None:
    settings = esenas.Study(problem=problem(horizon=7), seed=1).settings["problem"]
    assert settings | {"observation": 2, "action": 1, "actions": "limits", "horizon": 7} == settings
    cart = esenas.Study(problem=problem("CartPole-v1")).settings["problem"]
    assert cart | {"observation": 4, "action": 2, "actions": "greedy", "horizon": 500} == cart


@pytest.mark.parametrize(
    ("env", "more", "said"),
    [
        ("NoSuch-v0", {}, "NoSuch"),
        ("worlds:nothing", {}, "int, which is no environment"),
        ("worlds:absent", {}, "cannot be made"),
        ("worlds:tuples", {"horizon": 5}, "Tuple.*FlattenObservation"),
        ("worlds:many", {"horizon": 5}, "MultiDiscrete.*ActionWrapper"),
        ("worlds:endless", {"horizon": 5}, "infinite"),
        ("worlds:plain", {}, "horizon.*must be given"),
        ("worlds:discrete", {"horizon": 5, "actions": "unit"}, "greedy.*sampled"),
        ("worlds:plain", {"horizon": 5, "actions": "greedy"}, "limits.*unit"),
        ("worlds:plain", {"horizon": 5, "kwargs": {"wings": 2}}, "wings"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_runs(env: str, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"(?s){said}"):
        esenas.Study(problem=problem(env, **more))


def test_an_environment_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="a function that makes it"):
        problem(worlds.World())


@pytest.mark.parametrize(
    ("vice", "said"),
    [
        ("raise", "the motor burned"),
        ("reset", "no display"),
        ("nan", "no longer finite"),
        ("grow", "an observation has 5 entries, its space has 2"),
    ],
)
def test_an_environment_that_fails_is_a_recorded_failure(vice: str, said: str) -> None:
    it = esenas.Study(problem=problem(horizon=20, kwargs={"vice": vice}), seed=1)
    with pytest.raises(esenas.StudyError, match=said):
        it.optimize(iterations=1)
    assert it.iterations == 0


def test_an_environment_that_dies_costs_its_process_alone() -> None:
    it = esenas.Study(problem=problem(horizon=20, kwargs={"vice": "die"}), seed=1)
    with pytest.raises(esenas.StudyError, match="exit"):
        it.optimize(iterations=1, processes=1, attempts=1)


# -- what it computes


def test_a_return_is_the_one_that_a_loop_of_ones_own_gives() -> None:
    """Red when observations, actions, limits or seeds differ from what Gymnasium has."""
    more = {"horizon": 20, "starts": "fixed", "normalize": False}
    it = esenas.Study(problem=problem(**more), seed=4)
    best = it.optimize(iterations=1)
    policy = esenas.Policy.decode(problem(**more), best.dna, best.theta)
    seeds: list[int] = []

    class Recorded(worlds.World):
        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            seeds.append(seed or 0)
            return super().reset(seed=seed)

    once = esenas.Study(problem=problem(Recorded, **more), seed=4)
    once.optimize(iterations=1)
    assert len(set(seeds)) == 1 and len(seeds) > 3
    env = worlds.World()
    seen, _ = env.reset(seed=seeds[0])
    total = 0.0
    for _ in range(20):
        seen, reward, *_ = env.step(policy.act(seen).astype(np.float32))
        total += reward
    assert total == pytest.approx(best.value, rel=1e-12)


def test_bits_do_not_depend_on_who_evaluates() -> None:
    """The observation filter is shared: red when a process has one of its own."""
    expected = trace(trained(horizon=20))
    assert trace(trained(horizon=20, how={"processes": 2})) == expected
    spawned = esenas.ProcessExecutor(1, start="spawn")
    assert trace(trained(horizon=20, how={"executor": spawned})) == expected
    assert trace(trained(lambda: worlds.World(), horizon=20, how={"processes": 2})) == expected
    assert trace(trained(horizon=20, how={"threads": 2})) == expected


def test_a_study_is_resumed_and_its_policy_used(tmp_path: Path) -> None:
    first = esenas.Study(problem=problem(horizon=20), seed=3, directory=tmp_path)
    first.optimize(iterations=1)
    second = esenas.Study.open(tmp_path)
    second.optimize(iterations=2)
    assert trace(second) == trace(trained(horizon=20))
    policy = esenas.Policy.load(tmp_path)
    action = policy.act(np.zeros((3, 2)))
    assert action.shape == (3, 1) and (np.abs(action) <= 2).all()


def test_bonus_and_score_come_from_info() -> None:
    plain = trained(horizon=20).best
    less = trained(horizon=20, bonus="alive").best
    assert plain is not None and less is not None
    assert less.score == pytest.approx(less.value + 20)
    told = trained(horizon=20, score="told").best
    assert told is not None and told.score == pytest.approx(140)
    with pytest.raises(esenas.StudyError, match="info never had it.*alive.*told"):
        trained(horizon=20, bonus="survive")


@pytest.mark.parametrize("actions", [None, "sampled"])
def test_discrete_actions_are_the_greatest_or_drawn(actions: str | None) -> None:
    it = trained("worlds:discrete", horizon=20, actions=actions)
    assert it.settings["problem"]["action"] == 3
    assert trace(trained("worlds:discrete", horizon=20, actions=actions, how={"processes": 2})) == trace(it)


def test_drawn_actions_have_the_softmax_of_what_tanh_is_of() -> None:
    logits = np.array([0.3, -1.0, 1.2])
    drawn = [chosen(np.tanh(logits), unit) for unit in (np.arange(30_000) + 0.5) / 30_000]
    shares = np.bincount(drawn, minlength=3) / 30_000
    np.testing.assert_allclose(shares, np.exp(logits) / np.exp(logits).sum(), atol=1e-4)
    assert chosen(np.array([1.0, 1.0, -1.0]), 0.999999) in (0, 1)


def test_dictionaries_are_flattened_in_the_order_of_their_space() -> None:
    found, _, text = look(json.dumps({"env": "worlds:parts", "policy": {}, "horizon": 5}))
    assert found and json.loads(text)["observation"] == 3
    player = Player(json.loads(text))
    seen = player.reset(1)
    place = player._env.place
    assert seen.tolist() == [*place, place[0]]  # a, then b


def test_a_study_file_runs_by_the_command_of_the_wheel(tmp_path: Path, root: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(
        'seed = 3\nstop.iterations = 1\n[problem]\nkind = "gymnasium"\nenv = "CartPole-v1"\n'
        'policy = { kind = "edge-pruning", hidden = [4], edges = 8 }\n'
    )
    command = [str(Path(sys.executable).parent / "esenas")]
    done = subprocess.run(
        [*command, "run", str(file), "--out", str(tmp_path / "run"), "--quiet"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    shown = subprocess.run([*command, "policy", "eval", str(tmp_path / "run")], capture_output=True, text=True)
    assert shown.returncode == 0 and "CartPole-v1" in shown.stdout, shown.stderr
    refused = subprocess.run([*command, "check", str(file), "--set", "problem.env=Nope-v1"], capture_output=True, text=True)
    assert refused.returncode == 2 and "problem.env" in refused.stderr


def test_environments_of_gymnasiums_are_played() -> None:
    it = esenas.Study(problem=esenas.Gymnasium("Pendulum-v1", SMALL, horizon=50), seed=0)
    it.optimize(iterations=1, processes=2)
    mujoco = esenas.Study(problem=esenas.Gymnasium("Ant-v5", SMALL, horizon=20, bonus="reward_survive"), seed=0)
    best = mujoco.optimize(evaluations=20, processes=2)
    assert it.best is not None and best.score is not None and best.score > best.value


def test_our_environments_are_gymnasiums() -> None:
    from gymnasium.utils.env_checker import check_env

    for name in ("Pendulum", "CartPole", "MountainCar"):
        env: Any = esenas.Environment(name)
        assert isinstance(env, gymnasium.Env)
        check_env(env, skip_render_check=True)


def test_reading_a_stored_study_runs_nothing_that_it_names(capfd: pytest.CaptureFixture[str]) -> None:
    """Red when somebody else's directory can have a function called by being looked at."""
    text = 'seed = 1\n[problem]\nkind = "gymnasium"\nenv = "worlds:spoken"\npolicy = { kind = "unstructured" }\n'
    with pytest.raises(ValueError, match="its spaces are not known"):
        esenas.Worker(text)
    assert "called" not in capfd.readouterr().out
