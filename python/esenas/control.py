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

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from esenas import _native
from esenas._settings import to_json
from esenas._types import FloatArray
from esenas.candidates import as_array
from esenas.spaces import Space

__all__ = ["Environment", "Policies", "Policy", "PolicyClass", "names", "policy"]


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

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Where Gymnasium is installed, it is one of Gymnasium's."""
        its: Any = cls
        made: Self = object.__new__(_gymnasiums(its))
        return made

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
        if hasattr(super(), "reset"):
            super().reset(seed=seed)  # type: ignore[misc]
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
        self._entries = native.sizes[:2]

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
    def decode(cls, problem: Mapping[str, Any], dna: Sequence[int], theta: ArrayLike) -> Policy:
        """What a model and weights of a problem, an `RL` or a `Gymnasium`, mean. Observations are not
        normalized: what a study has learned of them is in its directory."""
        weights = np.asarray(theta, float).tolist()
        return cls(_native.Policy.decode(to_json(dict(problem)), list(dna), weights))

    def to_json(self) -> str:
        """Everything it takes to act, as text."""
        return self._native.to_json()

    def export(self, path: str | os.PathLike[str], *, precision: str | None = None) -> None:
        """Writes it for elsewhere, with the normalizer inside. The end of the name says in which form:
        ``.json``, ``.onnx``, ``.safetensors``, or ``.h`` for one header of C in `"single"` or `"double"`
        `precision`, or in 8-bit `"fixed"` point, which says how far off it is."""
        content = self._native.export(os.fspath(path), precision)
        with open(path, "wb") as file:
            file.write(content)

    @property
    def env(self) -> str | None:
        """The environment it is for, if it is for one."""
        return self._native.env

    @property
    def discrete(self) -> bool:
        """Whether its outputs are one for each discrete action, of which the greatest is taken."""
        return self._native.is_discrete

    def act(self, observation: ArrayLike) -> FloatArray:
        """The action it takes there; of a batch of observations, one in each row, an action in each row.
        Where actions are :attr:`discrete`, ``act(x).argmax(-1)`` is the one to take.

        >>> import esenas
        >>> kind = esenas.policy("unstructured", observation=3, action=2, hidden=[4])
        >>> policy = kind.decode(kind.start(seed=1))
        >>> policy.act([1.0, 0.0, 0.5]).shape, policy.act(np.zeros((64, 3))).shape
        ((2,), (64, 2))
        """
        entries, outputs = self._entries
        seen: Any = np.asarray(observation, np.float64)
        if not seen.ndim or seen.shape[-1] != entries:
            if seen.size != entries:
                raise ValueError(f"an observation has {entries} entries, got an array of {seen.shape}")
            seen = seen.reshape(entries)
        actions: Any = np.empty((*seen.shape[:-1], outputs))
        self._native.act(seen, actions)
        acted: FloatArray = actions
        return acted

    def __repr__(self) -> str:
        observation, action, hidden, edges = self._native.sizes
        sizes = f"observation={observation}, action={action}, hidden={hidden}, edges={edges}"
        env = "" if self.env is None else f"env={self.env!r}, "
        return f"Policy({env}{sizes})"


class Policies:
    """Many policies of one class: what each does, in one call."""

    def __init__(self, native: _native.Policies) -> None:
        """Made by :meth:`PolicyClass.decode_all`."""
        self._native = native

    def act(self, observations: ArrayLike) -> FloatArray:
        """What each does of its own: M observations of M policies, or a batch of as many for each of
        them, in an array of (M, N, entries)."""
        entries, outputs = self._native.sizes
        seen: Any = np.asarray(observations, np.float64)
        if seen.ndim not in (2, 3) or seen.shape[0] != len(self) or seen.shape[-1] != entries:
            raise ValueError(
                f"observations of {len(self)} policies are an array of ({len(self)}, {entries}) or "
                f"({len(self)}, N, {entries}), got {seen.shape}"
            )
        actions: Any = np.empty((*seen.shape[:-1], outputs))
        self._native.act(seen, actions)
        acted: FloatArray = actions
        return acted

    def __len__(self) -> int:
        return len(self._native)


class PolicyClass:
    """A class of policies for observations and actions of a size: its models, its weights, and what
    both mean. Made by :func:`policy`."""

    def __init__(self, settings: Mapping[str, Any], observation: int, action: int) -> None:
        self.settings = dict(settings)
        """Its kind, and what was set."""
        self.observation, self.action = observation, action
        self._native = _native.PolicyClass(to_json(self.settings), observation, action)

    @property
    def space(self) -> Space:
        """Its models."""
        return Space.from_json(self._native.space())

    @property
    def dim(self) -> int:
        """How many weights it has."""
        return self._native.dimension

    @property
    def layout(self) -> dict[str, slice]:
        """Which weights are on edges, which are a mask, and which are biases."""
        ends = np.cumsum([0, *self._native.parts]).tolist()
        names = ("weights", "mask", "biases")
        parts = zip(names, ends[:-1], ends[1:], strict=True)
        return {name: slice(low, high) for name, low, high in parts if low < high}

    def start(
        self, *, seed: int = 0, initial: str = "uniform", scale: float | None = None
    ) -> FloatArray:
        """Weights to begin with, as a study of this seed has them: `"uniform"` in ±scale, or
        `"normal"` with that deviation. From zero nothing is learned."""
        if initial not in ("uniform", "normal"):
            raise ValueError(f'initial must be "uniform" or "normal", got {initial!r}')
        return as_array(self._native.start(seed, initial == "normal", scale))

    def decode(
        self, theta: ArrayLike, *, model: Any = None, dna: Sequence[int] | None = None
    ) -> Policy:
        """The policy of these weights and this model, which is given decoded or as decisions."""
        weights: Any = np.ascontiguousarray(theta, np.float64).reshape(-1)
        return Policy(self._native.decode(self._decisions(model, dna), weights))

    def decode_all(
        self,
        thetas: ArrayLike,
        *,
        models: Sequence[Any] | None = None,
        dnas: Sequence[Sequence[int]] | None = None,
    ) -> Policies:
        """The policies of these weights, one in each row, and these models: one each."""
        weights: Any = np.ascontiguousarray(thetas, np.float64)
        rows = len(weights)
        given_models: Sequence[Any] = models or [None] * rows
        given_dnas: Sequence[Any] = dnas or [None] * rows
        if not len(given_models) == len(given_dnas) == rows:
            raise ValueError(f"there are {rows} rows of weights, and another number of models")
        pairs = zip(given_models, given_dnas, strict=True)
        decisions = [self._decisions(model, dna) for model, dna in pairs]
        return Policies(self._native.decode_all(decisions, weights))

    def _decisions(self, model: Any, dna: Sequence[int] | None) -> list[int]:
        if dna is not None:
            return list(dna)
        space = self.space
        if model is None and space.decisions:
            raise ValueError("a policy of this class has a model: give it as model= or dna=")
        return [] if model is None else space.encode(model)[0]

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items() if name != "kind")
        sizes = f"observation={self.observation}, action={self.action}"
        return f"policy({self.settings.get('kind')!r}, {', '.join(filter(None, [sizes, settings]))})"


def policy(
    kind: str | Mapping[str, Any], *, observation: int, action: int, **settings: Any
) -> PolicyClass:
    """The class of policies of this kind, or of these settings, from `observation` numbers to `action` ones.

    >>> import esenas
    >>> kind = esenas.policy("edge-pruning", observation=8, action=2, hidden=[32], edges=64)
    >>> kind.dim, kind.space.decisions, kind.layout
    (352, 64, {'weights': slice(0, 320, None), 'biases': slice(320, 352, None)})
    >>> kind.decode(kind.start(), model=list(range(64))).act(np.ones(8)).shape
    (2,)
    """
    chosen = {"kind": kind} if isinstance(kind, str) else dict(kind)
    return PolicyClass(chosen | settings, observation, action)


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


@cache
def _gymnasiums(cls: type[Any]) -> type[Any]:
    """The same class, and Gymnasium's, if that is there."""
    try:
        from gymnasium import Env
    except ImportError:
        return cls
    return type(cls.__name__, (cls, Env), {"__module__": cls.__module__, "__doc__": cls.__doc__})


def _box(low: FloatArray, high: FloatArray) -> Any:
    try:
        from gymnasium.spaces import Box as Theirs
    except ImportError:
        return Box(low, high)
    return Theirs(low, high, dtype=np.float64)
