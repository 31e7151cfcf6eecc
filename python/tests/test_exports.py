"""Policies taken elsewhere, run there, and compared with the engine."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import esenas

KINDS = [
    esenas.Unstructured(hidden=[6, 5]),
    esenas.EdgePruning(hidden=[8], edges=20, residual=True),
    esenas.Nonlinearity(hidden=[12, 8], edges="any", biases="all", residual=True),
    esenas.Toeplitz(hidden=[]),
]


def policy(settings: Any, actions: str = "limits", seed: int = 1) -> esenas.Policy:
    """With a normalizer and limits, as a study has them."""
    kind = esenas.policy(settings, observation=5, action=2)
    (dna,) = kind.space.sample(1, seed=seed)
    it = json.loads(kind.decode(kind.start(seed=seed), dna=dna).to_json())
    it |= {"actions": actions, "env": "some */ env", "low": [-3.0, 0.0], "high": [1.0, 8.0]}
    it["normalizer"] = {"mean": [0.5, -1.0, 0.0, 2.0, 0.1], "scale": [2.0, 0.3, 1.0, 0.0, 1.7]}
    return esenas.Policy.from_json(json.dumps(it))


def observations(n: int = 200) -> np.ndarray[Any, Any]:
    return np.random.default_rng(3).normal(size=(n, 5)) * 2


MAIN = """
#include <stdio.h>
#include "policy.h"
int main(void)
{
    REAL observation[ESENAS_OBSERVATIONS], action[ESENAS_ACTIONS];
    double x;
    for (;;) {
        for (int i = 0; i < ESENAS_OBSERVATIONS; i++) {
            if (scanf("%lf", &x) != 1)
                return 0;
            observation[i] = (REAL)x;
        }
        esenas_act(observation, action);
        for (int i = 0; i < ESENAS_ACTIONS; i++)
            printf("%.17g ", (double)action[i]);
    }
}
"""


def compiled(it: esenas.Policy, precision: str, folder: Path) -> Any:
    """A program of the exported header; what it says of observations."""
    it.export(folder / "policy.h", precision=precision)
    real = "double" if precision == "double" else "float"
    (folder / "main.c").write_text(MAIN.replace("REAL", real))
    warn = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-O2"]
    command = ["cc", *warn, "-o", str(folder / "main"), str(folder / "main.c"), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    def act(seen: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        text = " ".join(repr(float(x)) for x in seen.ravel())
        said = subprocess.run([str(folder / "main")], input=text, capture_output=True, text=True).stdout
        return np.array(said.split(), float).reshape(len(seen), -1)

    return act


@pytest.mark.parametrize("settings", KINDS, ids=lambda it: it.kind)
def test_c_acts_as_the_engine_does(settings: Any, tmp_path: Path) -> None:
    it, seen = policy(settings), observations()
    exact = it.act(seen)
    double = compiled(it, "double", tmp_path)(seen)
    if settings.kind == "nonlinearity":  # whose exp, sin and cos are the platform's
        np.testing.assert_allclose(double, exact, rtol=1e-12, atol=1e-12)
    else:
        assert (double == exact).all()
    np.testing.assert_allclose(compiled(it, "single", tmp_path)(seen), exact, atol=2e-4)


@pytest.mark.parametrize("settings", KINDS[:2], ids=lambda it: it.kind)
def test_fixed_point_is_as_far_off_as_it_says(settings: Any, tmp_path: Path) -> None:
    """Red when the integers of C are not those that the error was measured with."""
    it = policy(settings)
    act = compiled(it, "fixed", tmp_path)
    text = (tmp_path / "policy.h").read_text()
    greatest, deviation = map(float, re.findall(r"(?:within|deviation of) ([0-9.]+)", text))
    mean, scale = np.array([0.5, -1.0, 0.0, 2.0, 0.1]), np.array([2.0, 0.3, 1.0, 0.0, 1.7])
    seen = mean + np.random.default_rng(1).normal(size=(2000, 5)) / np.where(scale == 0, 1, scale)
    gaps = np.abs(act(seen) - it.act(seen)) / [2.0, 4.0]
    assert 0 < greatest < 0.3 and deviation < 0.05
    assert gaps.max() < 1.5 * greatest and 0.7 * deviation < np.sqrt((gaps**2).mean()) < 1.4 * deviation


def test_fixed_point_refuses_what_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="8-bit fixed point needs functions within"):
        policy(KINDS[2]).export(tmp_path / "policy.h", precision="fixed")


@pytest.mark.parametrize("settings", KINDS, ids=lambda it: it.kind)
@pytest.mark.parametrize("actions", ["limits", "greedy"])
def test_onnx_acts_as_the_engine_does(settings: Any, actions: str, tmp_path: Path) -> None:
    it, seen = policy(settings, actions), observations()
    it.export(tmp_path / "policy.onnx")
    onnx.checker.check_model(onnx.load(tmp_path / "policy.onnx"), full_check=True)
    session = onnxruntime.InferenceSession(tmp_path / "policy.onnx", providers=["CPUExecutionProvider"])
    found = session.run(None, {"observation": seen.astype(np.float32)})
    np.testing.assert_allclose(found[0], it.act(seen), atol=5e-4, rtol=1e-3)
    if actions == "greedy":
        assert (found[1] == found[0].argmax(1)).all()


def test_safetensors_has_all_of_it(tmp_path: Path) -> None:
    it = policy(KINDS[1])
    it.export(tmp_path / "policy.safetensors")
    content = (tmp_path / "policy.safetensors").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    document = json.loads(it.to_json())

    def tensor(name: str) -> list[float]:
        start, end = header[name]["data_offsets"]
        found = np.frombuffer(content[8 + length + start : 8 + length + end], "<f8")
        assert header[name] | {"dtype": "F64", "shape": [len(found)]} == header[name]
        numbers: list[float] = found.tolist()
        return numbers

    columns = [tensor(f"edge.{name}") for name in ("source", "target", "weight")]
    assert [list(edge) for edge in zip(*columns, strict=True)] == document["edges"]
    assert tensor("biases") == document["biases"] and tensor("normalizer.mean") == document["normalizer"]["mean"]


def test_other_forms_are_refused(tmp_path: Path) -> None:
    it = policy(KINDS[0])
    for name, precision, said in [("policy.pkl", None, "unknown format"), ("a.onnx", "double", "for C"),
                                  ("a.h", "half", "precision")]:
        with pytest.raises(ValueError, match=said):
            it.export(tmp_path / name, precision=precision)
        assert not (tmp_path / name).exists()


def test_a_policy_in_c_plays_the_episode_of_the_engine(tmp_path: Path) -> None:
    """Trained, exported and compiled: every action of an episode has the same bits."""
    study = esenas.Study(problem=esenas.RL("Pendulum", esenas.EdgePruning(hidden=[8], edges=16), actions="limits"),
                         seed=2, directory=tmp_path / "run")
    study.optimize(iterations=2)
    it = esenas.Policy.load(tmp_path / "run")
    env: Any = esenas.Environment("Pendulum")
    seen, _ = env.reset(seed=1)
    path = []
    for _ in range(env.horizon):
        path.append(seen)
        seen, *_ = env.step(it.act(seen))
    steps = np.array(path)
    assert (compiled(it, "double", tmp_path)(steps) == it.act(steps)).all()
