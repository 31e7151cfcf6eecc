"""Settings of one kind: what the classes of algorithms and problems have in common."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from esenas import _native
from esenas._environments import named
from esenas.spaces import Space


class Settings(Mapping[str, Any]):
    """A section of a study file: what was given, and the kind. Anything that cannot be is refused at
    once, with what is accepted."""

    section: ClassVar[str]
    kind: ClassVar[str]
    #: What only a space can judge: left to the study.
    _later: ClassVar[tuple[str, ...]] = ("cost",)

    def __init__(self, **given: Any) -> None:
        chosen = {name: value for name, value in given.items() if value is not None}
        text = to_json(chosen, self.section)
        self._values: dict[str, Any] = {"kind": self.kind, **json.loads(text)}
        judged = {name: value for name, value in self._values.items() if name not in self._later}
        _native.check(self.section, json.dumps(judged))

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self._values.items() if name != "kind")
        return f"{type(self).__name__}({', '.join(given)})"


def to_json(settings: Mapping[str, Any], section: str = "") -> str:
    """Settings as the native half reads them; what is not finite is refused by its place."""
    try:
        return json.dumps(settings, default=plain, allow_nan=False)
    except ValueError:
        for place, number in _numbers(settings, section):
            if not math.isfinite(number):
                raise ValueError(f"`{place}` = {number}: must be a finite number") from None
        raise


def _numbers(value: Any, place: str) -> Iterator[tuple[str, float]]:
    """The numbers within a setting, each with its place."""
    if isinstance(value, float):
        yield place, value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _numbers(part, f"{place}.{name}" if place else name)
    elif isinstance(value, list | tuple):
        for at, part in enumerate(value):
            yield from _numbers(part, f"{place}[{at}]")
    elif not isinstance(value, str | bool | int | None):
        yield from _numbers(plain(value), place)


def plain(value: Any) -> Any:
    """What JSON does not know: settings, spaces, arrays and their scalars."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Space):
        return json.loads(value.to_json())
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, range):
        return list(value)
    if callable(value):
        return named(value)
    if hasattr(value, "action_space"):
        raise ValueError(f"{value!r} is one environment: give a function that makes it, once for each who plays")
    raise ValueError(f"{value!r} cannot be a setting")
