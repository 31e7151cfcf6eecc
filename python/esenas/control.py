"""Environments with Gymnasium's interface, and policies that act in them.

>>> from esenas import control
>>> env = control.Environment("Pendulum")
>>> observation, info = env.reset(seed=1)
>>> observation.shape, env.action_space.shape
((3,), (1,))
>>> observation, reward, terminated, truncated, info = env.step([0.5])
>>> terminated, truncated
(False, False)
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from esenas import _native
from esenas._types import FloatArray
from esenas.candidates import as_array
from esenas.problems import RL

__all__ = ["Environment", "Policy", "names"]


def names() -> list[str]:
    """The environments there are. MuJoCo's need MuJoCo: see `esenas mujoco doctor`."""
    return _native.environment_names()


class Environment:
    """An environment, by name: `reset` and `step` as in Gymnasium.

    The reward that `step` returns includes the alive bonus, which is also in `info["alive"]`: a study
    optimizes without it. An episode is truncated after `horizon` steps.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(self, name: str, *, horizon: int | None = None) -> None:
        if horizon is not None and horizon < 1:
            raise ValueError(f"horizon must be at least 1, got {horizon}")
        self._native = _native.Environment(name)
        self.name = name
        self.horizon = horizon or self._native.horizon
        unlimited = np.full(self._native.observation, np.inf)
        self.observation_space = _box(-unlimited, unlimited)
        self.action_space = _box(np.array(self._native.low), np.array(self._native.high))
        self._seed, self._episode, self._steps = 0, 0, 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[FloatArray, dict[str, Any]]:
        """Begins an episode. The same seed begins the same sequence of episodes."""
        if seed is not None:
            self._seed, self._episode = seed, 0
        observation = as_array(self._native.reset(self._seed, self._episode))
        self._episode, self._steps = self._episode + 1, 0
        return observation, {}

    def step(
        self, action: ArrayLike
    ) -> tuple[FloatArray, float, bool, bool, dict[str, Any]]:
        """One step: observation, reward, terminated, truncated, info."""
        wanted = np.asarray(action, float).reshape(-1).tolist()
        observation, reward, alive, terminated = self._native.step(wanted)
        self._steps += 1
        truncated = self._steps >= self.horizon
        return as_array(observation), reward + alive, terminated, truncated, {"alive": alive}

    @property
    def unwrapped(self) -> Environment:
        """This environment."""
        return self

    def close(self) -> None:
        """Nothing is open."""

    def __repr__(self) -> str:
        return f"Environment({self.name!r})"


class Policy:
    """A policy, decoded: observations in, actions out. The bits are those of the engine.

    >>> import esenas
    >>> problem = esenas.RL("Pendulum", {"kind": "unstructured", "hidden": [4]})
    >>> study = esenas.Study(problem=problem, seed=1)
    >>> candidate = study.ask()[0]
    >>> policy = esenas.Policy.decode(problem, candidate.dna, candidate.theta)
    >>> policy
    Policy(env='Pendulum', observation=3, action=1, hidden=4, edges=16)
    >>> esenas.Policy.from_json(policy.to_json()).act([1.0, 0.0, 0.5]) == policy.act([1.0, 0.0, 0.5])
    array([ True])
    """

    def __init__(self, native: _native.Policy) -> None:
        """Policies are loaded, read or decoded."""
        self._native = native
        self._limits: tuple[FloatArray, FloatArray] | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str], which: str = "best") -> Policy:
        """From a file that `esenas policy export` wrote, or from a run directory: there it is the
        `"best"` that was evaluated, or where the search stands, its `"centre"`."""
        if os.path.isdir(path):
            return cls(_native.Policy.from_run(os.fspath(path), which))
        with open(path, encoding="utf-8") as file:
            return cls.from_json(file.read())

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """From the text that :meth:`to_json` and `esenas policy export` write."""
        return cls(_native.Policy.from_json(text))

    @classmethod
    def decode(cls, problem: RL, dna: Sequence[int], theta: ArrayLike) -> Policy:
        """What a model and weights of a problem mean. Observations are not normalized: what a study has
        learned of them is in its directory."""
        weights = np.asarray(theta, float).tolist()
        return cls(_native.Policy.decode(json.dumps(dict(problem)), list(dna), weights))

    def to_json(self) -> str:
        """Everything it takes to act, as text."""
        return self._native.to_json()

    @property
    def env(self) -> str:
        """The environment it is for."""
        return self._native.env

    def act(self, observation: ArrayLike) -> FloatArray:
        """The action it takes there."""
        seen = np.asarray(observation, float).reshape(-1).tolist()
        action = np.array(self._native.forward_pass(seen))
        if not self._native.stretched:
            return action
        if self._limits is None:
            space = Environment(self.env).action_space
            self._limits = (np.asarray(space.low, float), np.asarray(space.high, float))
        low, high = self._limits
        stretched: FloatArray = 0.5 * (low + high) + 0.5 * (high - low) * action
        return stretched

    def __repr__(self) -> str:
        observation, action, hidden, edges = self._native.sizes
        sizes = f"observation={observation}, action={action}, hidden={hidden}, edges={edges}"
        return f"Policy(env={self.env!r}, {sizes})"


@dataclass(frozen=True, eq=False)
class Box:
    """The box of an observation or an action, where Gymnasium is not installed."""

    low: FloatArray
    high: FloatArray
    dtype: Any = np.float64

    @property
    def shape(self) -> tuple[int, ...]:
        """Its entries."""
        return self.low.shape

    def contains(self, x: ArrayLike) -> bool:
        """Whether `x` lies in it."""
        point = np.asarray(x, float)
        inside = (self.low <= point) & (point <= self.high)
        return point.shape == self.shape and bool(inside.all())


def _box(low: FloatArray, high: FloatArray) -> Any:
    try:
        from gymnasium.spaces import Box as Theirs
    except ImportError:
        return Box(low, high)
    return Theirs(low, high, dtype=np.float64)
