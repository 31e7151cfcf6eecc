"""Objectives that worker processes can import."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import esenas

SPACE = esenas.Dict(shift=esenas.oneof([-1.0, 0.0, 2.0]), on=esenas.boolean())


def shifted(model: Any, theta: np.ndarray) -> float:
    """Best at θ = 2 for shift 2."""
    return float(model["shift"] - np.sum((theta - model["shift"]) ** 2))


def whole(models: list[Any], thetas: np.ndarray) -> list[float]:
    """The same, all at once."""
    return [shifted(model, theta) for model, theta in zip(models, thetas, strict=True)]


def picky(model: Any, theta: np.ndarray) -> float | None:
    """Raises, says nothing or says nonsense of some models."""
    if theta[0] > 0.3:
        raise KeyError(f"no value for {model['shift']}")
    if theta[1] > 0.5:
        return None
    if theta[2] > 0.5:
        return float("nan")
    return shifted(model, theta)


def deadly(model: Any, theta: np.ndarray) -> float:
    """Ends the process for some candidates."""
    if theta[0] > 0.4:
        os._exit(3)
    return shifted(model, theta)


def noisy(model: Any, theta: np.ndarray, seed: int) -> float:
    """Noise from the evaluation's own seed."""
    return shifted(model, theta) + float(np.random.default_rng(seed).normal())


def study(**more: Any) -> esenas.Study:
    """A small study, the same each time."""
    weights = more.pop("weights", esenas.ES(sigma=0.5, step_size=0.1, directions=6))
    more.setdefault("preset", "paper")
    return esenas.Study(SPACE, dim=5, weights=weights, seed=3, **more)


def bits(study: esenas.Study) -> tuple[Any, ...]:
    """All that a study computed, to the last bit; not how long it took."""
    history = study.history
    columns = {name: column.tobytes() for name, column in history.items() if "seconds" not in name}
    best, theta = study.best, study.theta
    found = None if best is None else (best.value, best.dna, best.theta.tobytes(), best.iteration)
    return columns, found, None if theta is None else theta.tobytes()
