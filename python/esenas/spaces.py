"""Search spaces from plain Python values, in PyGlove's words.

>>> import esenas
>>> space = esenas.Dict(
...     op=esenas.oneof(["tanh", "relu"]),
...     edges=esenas.manyof(2, range(5), sorted=True),
... )
>>> space
Dict(edges=manyof(2, range(0, 5), sorted=True), op=oneof(['tanh', 'relu']))
>>> space.size
20
>>> space.decode([1, 3, 0])
{'edges': [1, 3], 'op': 'tanh'}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from esenas import _native
from esenas._types import FloatArray

__all__ = [
    "Dict",
    "List",
    "Space",
    "boolean",
    "constant",
    "from_pyglove",
    "integer",
    "manyof",
    "oneof",
    "permutation",
    "real",
    "weights",
]

_WORDS = ("oneof", "manyof", "permutation", "int", "bool", "real", "weights", "const")

#: What makes what the words of the written form stand for.
_MADE_BY = {
    "oneof": "oneof([…])",
    "manyof": "manyof(k, […])",
    "permutation": "permutation([…])",
    "int": "integer(low, high)",
    "bool": "boolean()",
    "real": "real(low, high)",
    "weights": "weights(shape)",
    "const": "constant(…)",
}


class Space:
    """All designs there are: built with :func:`oneof`, :func:`manyof`, :func:`permutation`,
    :func:`integer`, :func:`boolean`, :func:`real`, :func:`weights`, :func:`Dict` and :func:`List`,
    nested at will.

    >>> import esenas
    >>> space = esenas.oneof([1, esenas.Dict(a=esenas.boolean())])
    >>> esenas.Space.from_json(space.to_json()) == space
    True
    """

    __slots__ = ("_native",)

    def __init__(self, value: Any) -> None:
        """The space that `value` stands for: dicts and lists are searched part by part, anything
        else is a constant."""
        self._native = _native.Space(_text(_form(value)))

    @classmethod
    def from_json(cls, text: str) -> Space:
        """Reads what :meth:`to_json` writes; `docs/spaces.md` describes the form."""
        space = cls.__new__(cls)
        space._native = _native.Space(text)
        return space

    def to_json(self) -> str:
        """The space as JSON."""
        return self._native.to_json()

    @property
    def size(self) -> int | float:
        """How many models there are; as a float, perhaps infinite, beyond 2¹²⁸."""
        exact, log10 = self._native.size()
        if exact is not None:
            return exact
        return float(10.0**log10) if log10 < 308 else float("inf")

    @property
    def log10_size(self) -> float:
        """The decimal logarithm of the number of models."""
        return self._native.size()[1]

    @property
    def decisions(self) -> int:
        """How many decisions a model can have."""
        return self._native.decisions

    @property
    def numbers(self) -> int:
        """How many coordinates of θ its reals and weights are, blocks that are shared counted once."""
        return self._native.numbers

    def decode(self, dna: Sequence[int], theta: FloatArray | None = None) -> Any:
        """The design that these decisions and numbers make; `ValueError` if they are none of this space.

        `theta` has the numbers in the order of their blocks, in the user's units; arrays of the
        design are views of it. A space without numbers needs none.

        >>> import esenas
        >>> space = esenas.Dict(size=esenas.integer(1, 4), gain=esenas.real(0, 10))
        >>> space.decode([2], np.array([2.5]))
        {'gain': 2.5, 'size': 3}
        """
        if theta is None and self.numbers == 0:
            return self._native.decode(list(dna))
        if theta is None:
            raise ValueError(f"decode() needs theta: this space has {self.numbers} numbers")
        return self._native.design(list(dna), np.ascontiguousarray(theta, dtype=np.float64))

    def encode(self, design: Any) -> tuple[list[int], FloatArray]:
        """The decisions and numbers of a design; `ValueError` says what of it is not in the space.
        Numbers that it does not have, those of branches not taken, are 0.

        >>> import esenas
        >>> space = esenas.Dict(size=esenas.integer(1, 4), gain=esenas.real(0, 10))
        >>> space.encode({"size": 3, "gain": 2.5})
        ([2], array([2.5]))
        """
        dna, numbers = self._native.encode(design_json(design))
        return dna, np.frombuffer(numbers, dtype=np.float64)

    def __contains__(self, dna: object) -> bool:
        if not isinstance(dna, Sequence) or isinstance(dna, str | bytes):
            return False
        try:
            self._native.check(list(dna))
        except (ValueError, TypeError, OverflowError):
            return False
        return True

    def sample(self, n: int, *, seed: int = 0) -> list[list[int]]:
        """`n` random models, as decisions.

        >>> import esenas
        >>> space = esenas.oneof("abc")
        >>> all(dna in space for dna in space.sample(10, seed=1))
        True
        """
        return self._native.sample(n, seed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (Space.from_json, (self.to_json(),))

    def __repr__(self) -> str:
        text = _written(json.loads(self.to_json()))
        return text if text.endswith(")") and text[0].isalpha() else f"Space({text})"


def oneof(candidates: Iterable[Any]) -> Space:
    """One of several; each may be a space.

    >>> import esenas
    >>> esenas.oneof([1, 2, 3]).size
    3
    """
    return _made({"oneof": _candidates(candidates)})


def manyof(
    k: int, candidates: Iterable[Any], *, distinct: bool = True, sorted: bool = False
) -> Space:
    """`k` of several, as a list; `sorted` where their order means nothing.

    >>> import esenas
    >>> esenas.manyof(64, range(736), sorted=True).decisions
    64
    """
    form = {"manyof": _candidates(candidates), "k": k, "distinct": distinct, "sorted": sorted}
    return _made(form)


def permutation(candidates: Iterable[Any]) -> Space:
    """All of them, in any order.

    >>> import esenas
    >>> esenas.permutation("abc").decode([2, 0, 1])
    ['c', 'a', 'b']
    """
    return _made({"permutation": _candidates(candidates)})


def integer(low: int, high: int, step: int = 1) -> Space:
    """An integer from `low` to `high`, both included.

    >>> import esenas
    >>> esenas.integer(16, 128, 16).decode([7])
    128
    """
    return _made({"int": [low, high], "step": step})


def boolean() -> Space:
    """True or False.

    >>> import esenas
    >>> [esenas.boolean().decode([i]) for i in (0, 1)]
    [False, True]
    """
    return _made({"bool": {}})


def real(low: float, high: float, *, log: bool = False, step: float | None = None) -> Space:
    """A number from `low` to `high`: its logarithm is searched with `log`, and with `step` it is
    `low`, `low + step`, … only. It is no decision but a coordinate of θ, whatever its unit.

    >>> import esenas
    >>> esenas.real(1e-5, 10.0, log=True).numbers
    1
    """
    form: dict[str, Any] = {"real": [_number("low", low), _number("high", high)]}
    if log:
        form["log"] = True
    if step is not None:
        form["step"] = _number("step", step)
    return _made(form)


def weights(
    shape: int | Sequence[int],
    *,
    scale: float | None = None,
    first: str | Any | None = None,
    bounds: tuple[float, float] | None = None,
    name: str | None = None,
) -> Space:
    """An array of numbers, say the weights of a layer.

    `scale` is how large a weight is, about: steps are shares of it. `first` is what they begin with:
    ``"gaussian"`` of that scale unless given, ``"zeros"``, ``"uniform"``, or an array. Blocks of
    one `name` are one block wherever it appears; without a name each place owns its own.

    >>> import esenas
    >>> esenas.weights((64, 10), scale=0.1, name="head").numbers
    640
    """
    axes = [shape] if isinstance(shape, int) else shape
    form: dict[str, Any] = {"weights": [int(axis) for axis in axes]}
    if scale is not None:
        form["scale"] = _number("scale", scale)
    if first is not None:
        form["first"] = first if isinstance(first, str) else np.asarray(first, float).tolist()
    if bounds is not None:
        low, high = bounds
        form["bounds"] = [_number("bounds", low), _number("bounds", high)]
    if name is not None:
        form["name"] = name
    return _made(form)


def constant(value: Any) -> Space:
    """Always `value`, whatever it looks like."""
    return _made({"const": value})


def Dict(parts: Mapping[str, Any] | None = None, /, **more: Any) -> Space:
    """A decision for every name.

    >>> import esenas
    >>> esenas.Dict(layers=esenas.integer(1, 8), kind="conv").decode([2])
    {'kind': 'conv', 'layers': 3}
    """
    return Space({**(parts or {}), **more})


def List(parts: Iterable[Any]) -> Space:
    """A decision for every place.

    >>> import esenas
    >>> esenas.List([esenas.boolean()] * 3).size
    8
    """
    return Space(list(parts))


def from_pyglove(value: Any) -> Space:
    """The space of a PyGlove value: `pg.oneof`, `pg.manyof`, `pg.permutate`, `pg.floatv`, dicts and
    lists of them.

    Candidates must be numbers, text, booleans, None, or dicts and lists of these.
    """
    from esenas._pyglove import converted

    return Space(converted(value))


def _made(form: dict[str, Any]) -> Space:
    return Space.from_json(_text(form))


def _text(form: Any) -> str:
    try:
        return json.dumps(form, allow_nan=False)
    except (TypeError, ValueError) as error:  # The latter of numbers that are not finite.
        raise _unknown(error) from None


def design_json(design: Any) -> str:
    """A design as JSON."""
    try:
        return json.dumps(design, default=_plain, allow_nan=False)
    except ValueError as error:
        raise ValueError(f"{error}; a design has finite numbers") from None


def _plain(part: Any) -> Any:
    """A part of a design that JSON does not know."""
    if isinstance(part, np.ndarray | np.generic):
        return part.tolist()
    raise ValueError(f"{part!r} is no part of a design")


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool | str | bytes | complex):
        raise ValueError(f"{name} must be a number, got {value!r}")
    return float(value)


def _unknown(what: object) -> ValueError:
    return ValueError(
        f"{what}; a space is made of finite numbers, text, booleans, None, dicts, lists and spaces"
    )


def _candidates(candidates: Iterable[Any]) -> Any:
    if isinstance(candidates, range) and candidates.step > 0 and len(candidates) > 0:
        return {"int": [candidates[0], candidates[-1]], "step": candidates.step}
    if isinstance(candidates, Space | Mapping | Set):
        # A set's order may differ from one run to the next, and with it what a decision means.
        raise _unknown(f"candidates must be a list, got {candidates!r}")
    return [_form(candidate) for candidate in candidates]


def _form(value: Any) -> Any:
    """A value as the written form has it."""
    if isinstance(value, Space):
        return json.loads(value.to_json())
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise _unknown(f"names must be text, got {name!r}")
        if word := next((word for word in _WORDS if word in value), None):
            raise ValueError(
                f"{dict(value)!r}: {word!r} is a word of the language and cannot be a name here; "
                f"write esenas.{_MADE_BY[word]}, or where it is a constant esenas.constant(…)"
            )
        return {name: _form(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_form(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()  # a scalar of NumPy
    raise _unknown(f"{value!r} is a {type(value).__name__}")


def _written(form: Any) -> str:
    """The written form as Python that makes it."""
    if isinstance(form, list):
        return f"List([{', '.join(map(_written, form))}])" if _decides(form) else repr(form)
    if not isinstance(form, dict):
        return repr(form)
    if "const" in form:
        return f"constant({form['const']!r})"
    if "bool" in form:
        return "boolean()"
    if "int" in form:
        step = form.get("step", 1)
        return f"integer({form['int'][0]}, {form['int'][1]}{'' if step == 1 else f', {step}'})"
    if "real" in form:
        (low, high), log, step = form["real"], form.get("log", False), form.get("step")
        more = f"{', log=True' if log else ''}{'' if step is None else f', step={step!r}'}"
        return f"real({low!r}, {high!r}{more})"
    if "weights" in form:
        more = "".join(f", {key}={value!r}" for key, value in form.items() if key != "weights")
        return f"weights({form['weights']!r}{more})"
    for word in ("oneof", "permutation"):
        if word in form:
            return f"{word}({_listed(form[word])})"
    if "manyof" in form:
        flags = "" if form.get("distinct", True) else ", distinct=False"
        flags += ", sorted=True" if form.get("sorted", False) else ""
        return f"manyof({form['k']}, {_listed(form['manyof'])}{flags})"
    if all(name.isidentifier() for name in form):
        return f"Dict({', '.join(f'{name}={_written(part)}' for name, part in form.items())})"
    return f"Dict({{{', '.join(f'{name!r}: {_written(part)}' for name, part in form.items())}}})"


def _listed(candidates: Any) -> str:
    if isinstance(candidates, dict):
        low, high = candidates["int"]
        step = candidates.get("step", 1)
        return f"range({low}, {high + 1}{'' if step == 1 else f', {step}'})"
    return f"[{', '.join(map(_written, candidates))}]"


def _decides(form: Any) -> bool:
    if isinstance(form, list):
        return any(map(_decides, form))
    if not isinstance(form, dict):
        return False
    words = set(form) & set(_WORDS)
    return bool(words - {"const"}) or (not words and any(map(_decides, form.values())))
