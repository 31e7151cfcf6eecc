"""Spaces of PyGlove, which nobody needs who does not have it."""

from __future__ import annotations

from typing import Any

import pyglove as pg

from esenas import spaces


def converted(value: Any) -> Any:
    """The value with each of PyGlove's decisions replaced by ours."""
    hyper = pg.hyper
    if isinstance(value, hyper.Float):
        return _real(value)
    if isinstance(value, hyper.OneOf):
        return spaces.oneof(_candidates(value))
    if isinstance(value, hyper.ManyOf):
        k, candidates = value.num_choices, _candidates(value)
        distinct, sorted = value.choices_distinct, value.choices_sorted
        return spaces.manyof(k, candidates, distinct=distinct, sorted=sorted)
    if isinstance(value, hyper.HyperPrimitive):
        raise ValueError(f"{type(value).__name__} of PyGlove has no counterpart here")
    if isinstance(value, dict):
        return {name: converted(part) for name, part in dict.items(value)}
    if isinstance(value, list):
        return [converted(part) for part in list.__iter__(value)]
    return value


def _real(value: Any) -> Any:
    """Its scale says how it is searched: linearly unless given, or by its logarithm."""
    if value.scale not in (None, "linear", "log"):
        raise ValueError(f"a floatv of PyGlove with scale {value.scale!r} has no counterpart here")
    return spaces.real(value.min_value, value.max_value, log=value.scale == "log")


def _candidates(choice: Any) -> list[Any]:
    return [converted(candidate) for candidate in choice.candidates]
