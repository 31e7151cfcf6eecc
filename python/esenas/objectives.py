"""Your function, as the engine calls it: arrays in, numbers out, exceptions as recorded failures."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from esenas._content import packed, unpacked
from esenas._types import FloatArray
from esenas.candidates import Batch
from esenas.factory import Factory

__all__ = ["Adapter", "described", "said"]

#: What an objective that learns from all of an iteration has.
_LEARNS = ("state", "load", "absorb")


class Adapter:
    """Calls `function(design)`, or `function(model, theta)` if θ stands `beside` the models.

    If it is `vectorized`, it is called with all of an iteration, as `function(designs)` or
    `function(models, thetas)`, the latter one row per candidate; if it is so of ``"candidates"``, as
    `function(batch)`, with nothing written out. It may be what ``"module:factory"`` names. A parameter named `seed` (`seeds`) gets what randomness of its own
    should come from.

    An object that also has `state()`, `load(state)` and `absorb(contributions)` learns from all of
    an iteration: results bring a `contribution` each, `absorb` gets them in the order of the candidates
    where the study runs, and everybody who evaluates the next iteration loads the state it then has.

    It is pickled wherever an executor pickles: so the function must be one that can be.
    """

    def __init__(
        self,
        function: Callable[..., Any] | str,
        *,
        vectorized: bool | str = False,
        beside: bool = True,
    ) -> None:
        if isinstance(function, str):
            function = Factory(function)
        if not callable(function):
            raise ValueError(f"the objective must be a function, got {function!r}")
        if vectorized not in (False, True, "candidates"):
            raise ValueError(f'vectorized must be True, False or "candidates", got {vectorized!r}')
        self.function = function
        self.vectorized = vectorized
        self.beside = beside
        #: What it knew to begin with, once it has absorbed something.
        self._first: Any = None
        self.seeded = _takes(function, "seeds" if vectorized else "seed")

    @property
    def given(self) -> str:
        """What the native half calls it with."""
        return "candidates" if self.vectorized == "candidates" else "all" if self.vectorized else "one"

    def __call__(self, *given: Any) -> list[Any]:
        """Says something of each candidate, as the native half takes it."""
        if len(given) == 1:
            batch = Batch(given[0])
            return self._whole((batch,), [0] * len(batch))
        return self._written_out(*given)

    def _written_out(
        self, designs: list[Any], thetas: bytearray, seeds: list[int]
    ) -> list[Any]:
        size = len(thetas) // (8 * len(designs))
        array = np.frombuffer(thetas, dtype=np.float64).reshape(len(designs), size)
        if self.vectorized:
            return self._whole((designs, array) if self.beside else (designs,), seeds)
        rows = zip(designs, array, strict=True) if self.beside else zip(designs, strict=True)
        return [self._one(given, seed) for given, seed in zip(rows, seeds, strict=True)]

    def absorb(self, contributions: list[bytes]) -> bytes:
        """Has the function learn; what it then knows."""
        learner = self._learner()
        if self._first is None:
            self._first = packed(learner.state())
        learner.absorb([unpacked(it) for it in contributions])
        return packed(learner.state())

    def load(self, state: bytes) -> None:
        """Has the function know this; nothing is what it knew to begin with."""
        if state or self._first is not None:
            self._learner().load(unpacked(state or self._first))

    def _learner(self) -> Any:
        function: Any = self.function
        learner = function.make() if isinstance(function, Factory) else function
        missing = [name for name in _LEARNS if not callable(getattr(learner, name, None))]
        if missing:
            raise TypeError(
                f"results have a contribution, and the objective has no {missing[0]}(): to learn from "
                "them it needs state(), load(state) and absorb(contributions)"
            )
        return learner

    def _one(self, given: tuple[Any, ...], seed: int) -> Any:
        try:
            more = {"seed": seed} if self.seeded else {}
            return said(self.function(*given, **more))
        except Exception:
            return _trace()

    def _whole(self, given: tuple[Any, ...], seeds: list[int]) -> list[Any]:
        count = len(seeds)
        try:
            more = {"seeds": seeds} if self.seeded else {}
            results = _in_order(self.function(*given, **more))
            if len(results) != count:
                raise ValueError(f"{len(results)} results came back for {count} candidates")
            return [_guarded(result) for result in results]
        except Exception:
            return [_trace()] * count


def said(result: Any) -> Any:
    """What a function returned or a user tells, as the native half takes it: a number, a tuple of
    values, score, metrics, constraints and cost, or text that says why there is none."""
    if isinstance(result, BaseException):
        return described(result)
    if result is None:
        return "there is no value"
    if isinstance(result, Mapping):
        if "contribution" in result:
            rest = {name: it for name, it in result.items() if name != "contribution"}
            return (said(rest), packed(result["contribution"]))
        unknown = set(result) - {"value", "score", "metrics", "constraints", "cost"}
        if unknown or "value" not in result:
            raise ValueError(
                "a result with names has value, and maybe score, metrics, constraints, cost and a contribution; "
                f"got {list(result)}"
            )
        score, cost = (None if (x := result.get(name)) is None else _real(x) for name in ("score", "cost"))
        metrics, constraints = (_reals(result, name) for name in ("metrics", "constraints"))
        return (_values(result["value"]), score, metrics, constraints, cost)
    if _is_listed(result):
        return (_values(result), None, {}, {}, None)
    return _real(result)


def _is_listed(value: Any) -> bool:
    return isinstance(value, list | tuple) or getattr(value, "ndim", 0) == 1


def _values(value: Any) -> list[float]:
    """The value, or those of several objectives in their order."""
    return [_real(x) for x in value] if _is_listed(value) else [_real(value)]


def _reals(result: Mapping[Any, Any], name: str) -> dict[str, float]:
    """Numbers by name."""
    numbers = result.get(name)
    if numbers is None:
        return {}
    if not isinstance(numbers, Mapping):
        raise TypeError(f"{name} are numbers by name, as a dict; got {numbers!r}")
    return {str(key): _real(x) for key, x in numbers.items()}


def _real(value: Any) -> float:
    """A real number, also where it is one of NumPy's or of another library's. Text is none, even where
    `float` reads it, and of a complex number it would take a part."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if isinstance(value, str | bytes | bytearray | complex) or kind in ("c", "S", "U"):
        raise TypeError(f"a value is a real number, got {value!r}, a {type(value).__name__}")
    return float(value)


def _in_order(results: Any) -> list[Any]:
    """Results in the order of their candidates."""
    if isinstance(results, Mapping | Set | str | bytes):
        raise TypeError(
            "results come in the order of the candidates, as a list or an array; "
            f"got a {type(results).__name__}"
        )
    return list(results)


def told(results: Sequence[Any] | FloatArray, expected: int) -> list[Any]:
    """What a user tells of the candidates of an iteration."""
    if not isinstance(results, np.ndarray):
        results = _in_order(results)
    if len(results) != expected:
        raise ValueError(f"{len(results)} results are told of {expected} candidates")
    if isinstance(results, np.ndarray) and results.ndim == 1 and results.dtype.kind in "fiu":
        values: list[Any] = results.astype(np.float64).tolist()
        return values
    if any(isinstance(result, Mapping) and "contribution" in result for result in results):
        raise ValueError("a contribution is for an objective that optimize() calls: to tell, learn yourself")
    return [said(result) for result in results]


def _guarded(result: Any) -> Any:
    try:
        return said(result)
    except Exception:
        return _trace()


def _trace() -> str:
    """The exception that is being handled."""
    error = sys.exception()
    return "" if error is None else described(error)


def described(error: BaseException) -> str:
    """What it says, which is what failures are counted by, and then where it came from, without the
    frames of this file."""
    frames = [it for it in traceback.extract_tb(error.__traceback__) if it.filename != __file__]
    said = "".join(traceback.format_exception_only(error))
    if isinstance(error, MemoryError) and (most := memory_limit()) is not None:
        said = f"{said.rstrip()} (this process is limited to {most} bytes)\n"
    return f"{said}{''.join(traceback.format_list(frames))}".rstrip()


def memory_limit() -> int | None:
    """How many bytes of data this process may hold, if anybody said so."""
    try:
        import resource
    except ImportError:  # On Windows.
        return None
    most = resource.getrlimit(resource.RLIMIT_DATA)[0]
    return None if most == resource.RLIM_INFINITY else most


def _takes(function: Callable[..., Any], name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):  # some builtins have none
        return False
