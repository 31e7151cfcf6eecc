"""Sections of a study file from the arguments of :class:`esenas.Study`."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from esenas._settings import to_json
from esenas.spaces import Space, design_json

__all__ = ["callable_problem", "known", "limits_of", "run_of"]


def callable_problem(
    space: Any, dim: int | None, bounds: Any, steps: Any, start: Any, name: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The problem of a function of Python's, and designs to begin with."""
    space = space if isinstance(space, Space) else Space(space)
    form = json.loads(space.to_json())
    if space.decisions == 0 and (suspect := _suspect(form)) is not None:
        warnings.warn(
            f"the space has one model, and {suspect!r} in it is a constant: for choices and numbers "
            "write esenas.oneof([…]), esenas.integer(low, high), esenas.real(low, high)",
            stacklevel=3,
        )
    problem = {"kind": "callable", "space": form, "name": name}
    if dim is not None:
        problem["dimension"] = dim
    if bounds is not None:
        problem["bounds"] = np.asarray(bounds, dtype=np.float64).tolist()
    if steps is not None:
        problem["steps"] = np.asarray(steps, dtype=np.float64).tolist()
    designs: list[dict[str, Any]] = []
    if start is None:
        pass
    elif dim is None:
        problem["start"] = {"design": json.loads(design_json(start))}
    elif isinstance(start, str | Mapping):
        problem["start"] = start
    elif _is_pair(start):
        designs = [json.loads(known(start, None, flat=True))]
        problem["start"] = {"values": designs[0]["theta"]}
    else:
        problem["start"] = {"values": np.asarray(start, float).tolist()}
    return problem, designs


def run_of(start: Any) -> tuple[str | None, Any]:
    """The run that a study goes on from, if `start` is one, and `start` if it is something else."""
    if isinstance(start, os.PathLike):
        return os.fspath(start), None
    if hasattr(start, "directory") and hasattr(start, "optimize"):
        if start.directory is None:
            raise ValueError("start: a study to go on from is kept in a directory, this one is not")
        return os.fspath(start.directory), None
    return None, start


def known(design: Any, value: float | None, *, flat: bool) -> str:
    """A design that is known, with its value if that is; as JSON. `flat` where θ stands beside it."""
    theta = None
    if flat and _is_pair(design):
        design, theta = design[0], np.asarray(design[1], float).tolist()
    text = design_json(design)
    more = {"theta": theta, "value": None if value is None else float(value)}
    given = {name: it for name, it in more.items() if it is not None}
    return to_json({"design": json.loads(text), **given}, "enqueue")


#: What a dictionary says that is meant as a choice or a number.
_LIMITS = {"low", "high", "lo", "hi", "min", "max", "lower", "upper", "bounds", "values", "choices", "log", "step", "type"}


def _suspect(form: Any) -> Any:
    """A constant that looks like a choice or a number in words that are not ours."""
    if isinstance(form, list):
        return next((found for part in form if (found := _suspect(part)) is not None), None)
    if not isinstance(form, dict) or "const" in form:
        return None
    if len(form) > 1 and all(name.lower() in _LIMITS for name in form):
        return form
    return _suspect(list(form.values()))


def _is_pair(start: Any) -> bool:
    """Whether it is a model and its θ, and not the two numbers of a θ."""
    return isinstance(start, tuple) and len(start) == 2 and np.ndim(start[1]) == 1


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
