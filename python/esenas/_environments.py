"""Environments of Gymnasium, as the engine plays them: numbers in, numbers out.

The native half calls :func:`look` when a study is read, to know what its environment is, and :func:`make` in
every thread and process that evaluates. Everything that an environment may be and this cannot play is
refused there, by name, with what to wrap it in."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from esenas._types import FloatArray

__all__ = ["Player", "look", "make", "named"]

#: Functions that make environments, by the name that stands for them in a study. Processes that
#: are copies of this one have them too.
_factories: dict[str, Callable[..., Any]] = {}


class Refused(Exception):
    """A setting will not do: which, and why."""

    def __init__(self, key: str, what: str) -> None:
        super().__init__(what)
        self.key = key


def named(factory: Callable[..., Any]) -> str:
    """The name of a function that makes environments."""
    name = f"{factory.__module__}:{getattr(factory, '__qualname__', type(factory).__qualname__)}"
    _factories[name] = factory
    return name


def look(text: str) -> tuple[bool, str, str]:
    """The settings of a problem, which are JSON, with what its environment says of itself; or which
    key is wrong, and how."""
    settings = json.loads(text)
    try:
        env = _made(settings["env"], settings.get("kwargs") or {})
        try:
            return True, "", json.dumps(settings | _found(env, settings))
        finally:
            env.close()
    except Refused as refused:
        return False, refused.key, str(refused)


def make(text: str) -> Player:
    """An environment to play: the settings are those that :func:`look` returned."""
    return Player(json.loads(text))


def _found(env: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What is looked up of an environment."""
    space = env.action_space
    actions = _actions(space, settings.get("actions"))
    horizon = settings.get("horizon") or getattr(env.spec, "max_episode_steps", None)
    if horizon is None:
        raise Refused("horizon", "must be given: the environment itself never ends an episode")
    return {
        "observation": _size(env.observation_space),
        "action": int(space.n) if hasattr(space, "n") else math.prod(space.shape),
        "actions": actions,
        "horizon": horizon,
    }


def _made(name: str, kwargs: Mapping[str, Any]) -> Any:
    """The environment of this name."""
    try:
        import gymnasium
    except ImportError as error:
        raise Refused(
            "env", f"needs Gymnasium, which is not installed: pip install 'esenas[gymnasium]' ({error})"
        ) from error
    try:
        factory = _factories.get(name) or _imported(name)
        env = gymnasium.make(name, **kwargs) if factory is None else factory(**kwargs)
    except Exception as error:
        raise Refused("env", f"cannot be made: {type(error).__name__}: {error}") from error
    missing = [it for it in ("reset", "step", "action_space", "observation_space") if not hasattr(env, it)]
    if missing:
        kind = type(env).__name__
        raise Refused("env", f"makes a {kind}, which is no environment of Gymnasium: it has no {missing[0]}")
    return env


def _imported(name: str) -> Callable[..., Any] | None:
    """The function that `"module:function"` names; an id may have a colon as well."""
    module, colon, function = name.partition(":")
    if not colon or "/" in function:
        return None
    found: Any = importlib.import_module(module)
    for part in function.split("."):
        found = getattr(found, part, None)
    return found if callable(found) else None


def _size(space: Any, place: str = "observations") -> int:
    """How many numbers an observation is."""
    kind = type(space).__name__
    if kind == "Dict":
        return sum(_size(part, f"observations[{key!r}]") for key, part in space.spaces.items())
    if kind == "Box" and space.dtype.kind in "fiub":
        return math.prod(space.shape)
    wrapper = "an ObservationWrapper of your own that makes a Box"
    if kind in ("Discrete", "MultiDiscrete", "MultiBinary", "Tuple"):
        wrapper = "gymnasium.wrappers.FlattenObservation"
    raise Refused("env", f"has {place} that are {kind}, not a Box or a Dict of them: wrap it in {wrapper}")


def _actions(space: Any, given: str | None) -> str:
    """What the outputs of a policy mean there."""
    kind = type(space).__name__
    fits = {"Box": ("limits", "unit"), "Discrete": ("greedy", "sampled")}.get(kind)
    if fits is None or (kind == "Box" and space.dtype.kind != "f"):
        words = f"a {kind} of {space.dtype}" if kind == "Box" else kind
        raise Refused(
            "env",
            f"has actions that are {words}, not a Box of floats or Discrete: wrap it in an ActionWrapper of "
            "your own that has one of these",
        )
    chosen = given or fits[0]
    if chosen not in fits:
        raise Refused("actions", f"must be one of {fits}, since its actions are {kind}, got {given!r}")
    if chosen == "limits" and not np.isfinite([space.low, space.high]).all():
        raise Refused("actions", 'must be "unit": the limits of its actions are infinite')
    return chosen


class Player:
    """An environment, its spaces taken off."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._env = _made(settings["env"], settings.get("kwargs") or {})
        found = _found(self._env, settings)
        space = self._env.action_space
        self.sizes = (found["observation"], found["action"])
        is_box = found["actions"] in ("limits", "unit")
        low, high = (space.low, space.high) if is_box else (np.full(self.sizes[1], s) for s in (-1.0, 1.0))
        self.limits = (np.ravel(low).tolist(), np.ravel(high).tolist())
        self._space, self._is_box = space, is_box
        self._bonus, self._score = settings.get("bonus"), settings.get("score")
        self._seen: set[str] = set()

    def reset(self, seed: int) -> FloatArray:
        """Begins an episode."""
        self._seen.clear()
        observation, _ = self._env.reset(seed=seed)
        return self._flat(observation)

    def step(self, outputs: bytearray, unit: float | None) -> tuple[FloatArray, float, float, bool]:
        """One step: observation, what counts in the value, what the score has beside it, and whether the
        episode is over. `unit`, from [0, 1), is what a discrete action is drawn with."""
        numbers = np.frombuffer(outputs)
        action: Any
        if self._is_box:
            action = numbers.reshape(self._space.shape).astype(self._space.dtype)
        else:
            action = self._space.start + chosen(numbers, unit)
        observation, reward, terminated, truncated, info = self._env.step(action)
        over = bool(terminated) or bool(truncated)
        value = float(reward)
        beside = 0.0
        if self._bonus is not None:
            beside = self._measured(info, self._bonus, "bonus", over)
            value -= beside
        if self._score is not None:
            beside = self._measured(info, self._score, "score", over) - value
        return self._flat(observation), value, beside, over

    def _measured(self, info: Mapping[str, Any], key: str, setting: str, over: bool) -> float:
        if key in info:
            self._seen.add(key)
            return float(info[key])
        if over and key not in self._seen:
            raise KeyError(f"{setting} = {key!r}: info never had it in this episode; it has {sorted(info)}")
        return 0.0

    def _flat(self, observation: Any) -> FloatArray:
        flat = flattened(observation, self._env.observation_space)
        if flat.size != self.sizes[0]:
            raise ValueError(f"an observation has {flat.size} entries, its space has {self.sizes[0]}")
        return flat

    def __del__(self) -> None:
        with suppress(Exception):
            self._env.close()


def flattened(observation: Any, space: Any) -> FloatArray:
    """The numbers of an observation; those of a dictionary in the order of its space, which Gymnasium
    sorts by key."""
    if isinstance(observation, Mapping):
        parts = [flattened(observation[key], part) for key, part in space.spaces.items()]
        return np.concatenate(parts)
    return np.ascontiguousarray(observation, dtype=np.float64).reshape(-1)


def chosen(outputs: FloatArray, unit: float | None) -> int:
    """The discrete action: the greatest output's, or drawn with `unit` by the softmax of what their tanh
    is of."""
    if unit is None:
        return int(np.argmax(outputs))
    weights = np.sqrt((1.0 + outputs) / np.maximum(1.0 - outputs, 1e-12))
    return int(min(np.searchsorted(np.cumsum(weights), unit * weights.sum(), "right"), outputs.size - 1))
