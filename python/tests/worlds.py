"""Environments and objectives for tests, by name."""

from __future__ import annotations

import os
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class World(gymnasium.Env[Any, Any]):
    """Moves a point by its action; whatever a test wants of its spaces and its behaviour."""

    def __init__(
        self,
        observation: spaces.Space[Any] | None = None,
        action: spaces.Space[Any] | None = None,
        vice: str = "",
    ) -> None:
        self.observation_space = observation or spaces.Box(-np.inf, np.inf, (2,))
        self.action_space = action or spaces.Box(-2.0, 2.0, (1,), np.float32)
        self.vice = vice
        self.steps = 0
        self.place = np.zeros(2)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if self.vice == "reset":
            raise OSError("no display")
        self.steps, self.place = 0, self.np_random.normal(size=2)
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        if self.vice == "raise" and self.steps == 3:
            raise RuntimeError("the motor burned")
        if self.vice == "die":
            os._exit(3)
        self.place = 0.9 * self.place + 0.1 * np.ravel(action)[0]
        reward = float("nan") if self.vice == "nan" else 1.0 - float(self.place @ self.place)
        return self._seen(), reward, False, self.steps == 20, {"alive": 1.0, "told": 7.0}

    def _seen(self) -> Any:
        if self.vice == "grow" and self.steps == 2:
            return np.zeros(5)
        if isinstance(self.observation_space, spaces.Dict):
            return {"b": self.place[:1], "a": self.place.reshape(2, 1)}
        return self.place


def plain(**kwargs: Any) -> World:
    """Twenty steps of two numbers."""
    return World(**kwargs)


def parts() -> World:
    """Observations in parts."""
    box = spaces.Box(-np.inf, np.inf, (1,))
    return World(spaces.Dict({"b": box, "a": spaces.Box(-np.inf, np.inf, (2, 1))}))


def discrete() -> World:
    """Actions 3, 4 and 5."""
    return World(action=spaces.Discrete(3, start=3))


def tuples() -> World:
    """Observations that are no box."""
    return World(spaces.Tuple([spaces.Discrete(2)]))


def many() -> World:
    """Actions that are no box."""
    return World(action=spaces.MultiDiscrete([2, 2]))


def endless() -> World:
    """Infinite limits."""
    return World(action=spaces.Box(-np.inf, np.inf, (1,)))


def nothing() -> int:
    """No environment."""
    return 3


class Running:
    """Learns the mean of what candidates drew, and values depend on it: a shared state."""

    def __init__(self) -> None:
        self.mean, self.count = np.zeros(2), 0

    def __call__(self, model: Any, theta: Any, seed: int = 0) -> dict[str, Any]:
        drawn = np.random.default_rng(seed).normal(size=2)
        value = -float(theta @ theta) + float(self.mean.sum()) + float(model)
        return {"value": value, "contribution": {"drawn": drawn, "of": int(model)}}

    def state(self) -> dict[str, Any]:
        return {"mean": self.mean, "count": self.count}

    def load(self, state: dict[str, Any]) -> None:
        self.mean, self.count = state["mean"], state["count"]

    def absorb(self, contributions: list[dict[str, Any]]) -> None:
        for it in contributions:
            self.count += 1
            self.mean = self.mean + (it["drawn"] - self.mean) / self.count


def running() -> Running:
    """Another one."""
    return Running()


def spoken() -> World:
    """Says that it was called."""
    print("called", flush=True)
    return World()
