"""What a study proposes, and the best it has found."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, overload

import numpy as np

from esenas import _native
from esenas._types import FloatArray
from esenas.noise import Address

__all__ = ["Batch", "Best", "Candidate", "FrontDesign"]

Array = TypeVar("Array", bound=np.ndarray[Any, Any])


class Candidate:
    """One proposal, (m, θ). Nothing is written out before it is looked at."""

    def __init__(self, batch: _native.Batch, index: int) -> None:
        self._batch = batch
        self.index = index
        """Its place among those of its iteration."""

    @property
    def iteration(self) -> int:
        """Which iteration it is of, counted from 0."""
        return self._batch.iteration

    @cached_property
    def design(self) -> Any:
        """m, decoded, with its numbers in place where the space has them: its arrays are views of
        :attr:`theta`."""
        if self._batch.has_numbers:
            return self._batch.designs(self.index, self.theta)[0]
        return self._batch.model(self.index)

    @property
    def model(self) -> Any:
        """The same, as a study whose θ stands beside its models calls it."""
        return self.design

    @cached_property
    def dna(self) -> list[int]:
        """m, as decisions."""
        return self._batch.dna(self.index)

    @cached_property
    def theta(self) -> FloatArray:
        """θ. It is yours to write to."""
        return as_array(self._batch.theta(self.index))

    @cached_property
    def seed(self) -> int:
        """Where randomness of the evaluation's own should come from."""
        return self._batch.seed(self.index)

    @property
    def address(self) -> Address | None:
        """Where θ stands beside the batch's centre, for whoever makes it elsewhere; nothing if the search
        has points that are no addresses, or θ has bounds or units. See :mod:`esenas.noise`."""
        found = self._batch.address(self.index)
        return None if found is None else Address(*found)

    @property
    def role(self) -> str:
        """Whether it is a `"probe"`, or only to know how good the `"centre"` is."""
        return "centre" if self._batch.is_centre(self.index) else "probe"

    @property
    def place(self) -> int:
        """Its place among all candidates of the iteration, whoever evaluates the others."""
        return self._batch.place(self.index)

    def __repr__(self) -> str:
        return f"Candidate(index={self.index}, model={self.model!r})"


class Batch(Sequence[Candidate]):
    """The candidates of an iteration, or some of them."""

    def __init__(
        self, native: _native.Batch, places: range | None = None, kept: Kept | None = None
    ) -> None:
        self._native = native
        self._places = range(len(native)) if places is None else places
        self._kept = Kept() if kept is None else kept

    @property
    def iteration(self) -> int:
        """Which iteration it is, counted from 0."""
        return self._native.iteration

    @cached_property
    def thetas(self) -> FloatArray:
        """All θ, one row per candidate: written in one go, and so the fastest way to all of them.

        It is yours to write to. Its memory is used again by a later batch of the study once nothing refers
        to it or to a part of it."""
        matrix = self._kept.matrix((len(self), self._native.dim))
        self._native.write(matrix, self._places.start, len(self))
        return matrix

    def write_thetas(self, out: Array) -> Array:
        """Writes all θ into an array of yours, of float64 or float32, and returns it: of shape
        ``(len(batch), dim)``, contiguous."""
        shape = (len(self), self._native.dim)
        if not isinstance(out, np.ndarray) or out.dtype not in (np.float64, np.float32):
            kind = out.dtype if isinstance(out, np.ndarray) else type(out).__name__
            raise TypeError(f"out must be an array of float64 or float32, got {kind}")
        if out.shape != shape or not out.flags.c_contiguous or not out.flags.writeable:
            found = f"shape {out.shape}, contiguous: {out.flags.c_contiguous}, writable: {out.flags.writeable}"
            raise ValueError(f"out must have shape {shape}, be contiguous and writable; got {found}")
        self._native.write(out, self._places.start, len(self))
        return out

    @cached_property
    def centre(self) -> FloatArray:
        """What all :attr:`addresses <Candidate.address>` stand beside."""
        return as_array(self._native.centre(0)[0])

    @cached_property
    def spread(self) -> FloatArray | None:
        """How far each coordinate spreads; nothing if all spread alike."""
        spread = self._native.centre(0)[1]
        return None if spread is None else as_array(spread)

    @cached_property
    def designs(self) -> list[Any]:
        """All designs, whose arrays are views of :attr:`thetas`."""
        if self._native.has_numbers:
            return self._native.designs(self._places.start, self.thetas.reshape(-1))
        return [self._native.model(at) for at in self._places]

    @property
    def models(self) -> list[Any]:
        """The same, as a study whose θ stands beside its models calls it."""
        return self.designs

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> Candidate: ...
    @overload
    def __getitem__(self, at: slice) -> list[Candidate]: ...
    def __getitem__(self, at: int | slice) -> Candidate | list[Candidate]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        return Candidate(self._native, self._places[at])

    def __iter__(self) -> Iterator[Candidate]:
        return (Candidate(self._native, i) for i in self._places)

    def __repr__(self) -> str:
        return f"Batch(iteration={self.iteration}, candidates={len(self)})"


@dataclass(frozen=True, eq=False)
class Best:
    """The best (m, θ) of a study."""

    value: float
    """What was optimized."""
    score: float | None
    """What is reported, where it differs."""
    design: Any
    """m, decoded, with its numbers in place where the space has them."""
    dna: list[int]
    """m, as decisions."""
    theta: FloatArray
    """θ"""
    iteration: int
    """When it was found."""
    index: int
    """Where in the batch it was."""
    violation: float = 0.0
    """By how much it exceeds limits: 0 unless nothing keeps to all of them yet."""

    @property
    def feasible(self) -> bool:
        """Whether it keeps to all limits."""
        return self.violation == 0.0

    @property
    def reported(self) -> float:
        """The score, or the value if that is the score."""
        return self.value if self.score is None else self.score

    @property
    def model(self) -> Any:
        """The design, as a study whose θ stands beside its models calls it."""
        return self.design

    def __repr__(self) -> str:
        return f"Best(value={self.value!r}, design={self.design!r}, iteration={self.iteration})"


@dataclass(frozen=True, eq=False)
class FrontDesign:
    """A design that nobody dominates, of a study with several objectives."""

    values: list[float]
    """Its value in each objective, as it was given."""
    design: Any
    """m, decoded, with its numbers in place where the space has them."""
    dna: list[int]
    """m, as decisions."""
    theta: FloatArray
    """θ"""
    evaluation: int
    """How many evaluations came back before it."""
    violation: float = 0.0
    """By how much it exceeds limits: 0 unless nothing keeps to all of them yet."""

    @property
    def model(self) -> Any:
        """The design, as a study whose θ stands beside its models calls it."""
        return self.design

    def __repr__(self) -> str:
        return f"FrontDesign(values={self.values!r}, design={self.design!r})"


@dataclass(frozen=True, eq=False)
class Answer:
    """Where a study stands: the likeliest model with the weights at the centre."""

    design: Any
    """m, decoded, with its numbers in place where the space has them."""
    dna: list[int]
    """m, as decisions."""
    theta: FloatArray
    """θ"""
    score: float | None = None
    """The mean of its evaluations, if it was evaluated."""
    deviation: float | None = None
    """Their standard deviation."""
    evaluations: int = 0
    """How many evaluations came back."""
    failures: int = 0
    """How many failed."""

    @property
    def model(self) -> Any:
        """The design, as a study whose θ stands beside its models calls it."""
        return self.design

    def __repr__(self) -> str:
        if self.score is None:
            return f"Answer(design={self.design!r})"
        said = f"{self.score:.6g} ± {self.deviation:.2g} of {self.evaluations}"
        return f"Answer(design={self.design!r}, score={said})"


class Kept:
    """At most two matrices, each written to again once nobody refers to it: fresh memory of that size costs more
    than all that is written into it. Two, since a loop often still has the last one when it asks for the next."""

    def __init__(self) -> None:
        self._matrices: list[FloatArray] = []

    def matrix(self, shape: tuple[int, int]) -> FloatArray:
        """One of this shape that nobody else looks at, with anything in it."""
        for at in range(len(self._matrices)):
            if self._matrices[at].shape == shape and _references(self._matrices, at) == _UNSHARED:
                return self._matrices[at]
        same = [matrix for matrix in self._matrices if matrix.shape == shape]
        self._matrices = [*same[-1:], np.empty(shape)]
        return self._matrices[-1]


def _references(those: list[Any], at: int) -> int:
    return sys.getrefcount(those[at])


#: What :func:`_references` says of what only the list refers to, which differs between versions.
_UNSHARED = _references([object()], 0)


def as_array(numbers: bytearray) -> FloatArray:
    """A buffer of doubles as an array, in place."""
    return np.frombuffer(numbers, dtype=np.float64)
