"""Settings of one kind: what the classes of algorithms and problems have in common."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from esenas import _native
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
        text = json.dumps(chosen, default=plain)
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
    raise ValueError(f"{value!r} cannot be a setting")
