"""Sections of a study file from the arguments of :class:`esenas.Study`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from esenas.spaces import Space

__all__ = ["callable_problem", "limits_of"]


def callable_problem(
    space: Any, dim: int | None, bounds: Any, steps: Any, start: Any, name: str
) -> dict[str, Any]:
    """The problem of a function of Python's."""
    form = json.loads((space if isinstance(space, Space) else Space(space)).to_json())
    problem = {"kind": "callable", "space": form, "name": name}
    if dim is not None:
        problem["dimension"] = dim
    if bounds is not None:
        problem["bounds"] = np.asarray(bounds, dtype=np.float64).tolist()
    if steps is not None:
        problem["steps"] = np.asarray(steps, dtype=np.float64).tolist()
    if start is not None:
        named = isinstance(start, str | Mapping)
        problem["start"] = start if named else {"values": np.asarray(start, float).tolist()}
    return problem


def limits_of(
    iterations: int | None,
    evaluations: int | None,
    wall_time: float | str | None,
    target: float | None,
    stagnation: int | None,
) -> dict[str, Any]:
    """What ends a study, as far as it was given."""
    limits = {
        "iterations": iterations,
        "evaluations": evaluations,
        "wall_time": wall_time,
        "target": target,
        "stagnation": stagnation,
    }
    return {name: limit for name, limit in limits.items() if limit is not None}
