"""The functions of the BBOB benchmark, some of their coordinates being categories (§3.1).

To optimize one, natively, give :class:`esenas.BBOB` to a study. Here they are functions, to be called.

>>> from esenas import bbob
>>> f = bbob.Function("Rastrigin", d_cat=2, d_con=3)
>>> f.space.size, f.dim
(121, 3)
>>> f([0, 0], [0.0, 0.0, 0.0]) == 0.0  # the optimum
True
>>> f([3, 0], [0.0, 0.0, 0.0]) < 0.0
True
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from esenas import _native
from esenas._types import FloatArray
from esenas.candidates import as_array
from esenas.spaces import Space

__all__ = ["Function", "names"]


def names() -> dict[str, str]:
    """What there is, with a description.

    >>> from esenas import bbob
    >>> len(bbob.names())
    19
    """
    return dict(_native.bbob_functions())


class Function:
    """A function f(m, θ), to be maximized: the benchmark's with a minus sign.

    The settings are those of :class:`esenas.BBOB`. A model is a list of `d_cat` integers from −5 to 5, and
    θ has `d_con` coordinates in [−5, 5].
    """

    bounds = (-5.0, 5.0)

    def __init__(
        self,
        function: str = "Sphere",
        *,
        d_cat: int = 10,
        d_con: int = 50,
        mode: str = "centered",
        seed: int = 0,
    ) -> None:
        settings = {"function": function, "d_cat": d_cat, "d_con": d_con, "mode": mode, "seed": seed}
        self._native = _native.Bbob(json.dumps(settings))
        self.space = Space.from_json(self._native.space())
        self.dim = self._native.dimension
        self._settings = settings
        choices = json.loads(self._native.space())
        self._labels = [{label: gene for gene, label in enumerate(_labels(it))} for it in choices]

    def __call__(self, model: Sequence[int], theta: ArrayLike) -> float:
        """The value of a decoded model and weights."""
        try:
            dna = [labels[label] for labels, label in zip(self._labels, model, strict=True)]
        except (KeyError, ValueError):
            wanted = f"{len(self._labels)} integers from -5 to 5"
            raise ValueError(f"a model is {wanted}, got {model!r}") from None
        return self.value_of(dna, theta)

    def values(self, dnas: ArrayLike, thetas: ArrayLike) -> FloatArray:
        """The values of many decisions and weights, one row for each: faster than one by one."""
        points = np.concatenate([np.asarray(dnas, float), np.asarray(thetas, float)], axis=1)
        return as_array(self._native.values(points.tolist()))

    def value_of(self, dna: Sequence[int], theta: ArrayLike) -> float:
        """The value of decisions and weights."""
        return self._native.value(list(dna), np.asarray(theta, float).tolist())

    @property
    def best(self) -> tuple[list[int], FloatArray] | None:
        """The best decisions and weights, where they are known."""
        best = self._native.best()
        return None if best is None else (best[0], as_array(best[1]))

    def __reduce__(self) -> tuple[Any, tuple[dict[str, Any]]]:
        return (_function, (self._settings,))

    def __repr__(self) -> str:
        given = ", ".join(f"{k}={v!r}" for k, v in self._settings.items())
        return f"Function({given})"


def _labels(choice: dict[str, Any]) -> list[int]:
    if "int" in choice:
        low, high = choice["int"]
        return list(range(low, high + 1))
    return list(choice["oneof"])


def _function(settings: dict[str, Any]) -> Function:
    return Function(**settings)
