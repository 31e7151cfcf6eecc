"""Where a candidate is, for whoever makes θ where it is used: on a GPU, or on another machine.

A candidate of an evolution strategy is a centre that all of an iteration share, and an *address*: the row of
a matrix of directions that nobody stores, and a signed scale. :func:`direction` is the generator of those
directions, number by number: integers of 32 and 64 bits, and +, −, ×, ÷ and √ in single precision, nothing
fused. Whatever computes so gives the same bits. This is version 1 of it; another one would be another name.

    θ = centre + scale · (spread · direction), in double precision

For key, row and block (of 1024 numbers), all modulo 2⁶⁴:

1. ``state = mix(key ^ mix(G ^ (row << 32 | block)))`` with G = 0x9e3779b97f4a7c15 and SplitMix64's `mix`.
2. Sixteen generators xoshiro128+, side by side: 32 times, ``state += G`` and ``mix(state)`` is the words
   (low, high) of generator 0 … 15, first those numbered 0 and 1, then 2 and 3.
3. 32 times, two steps of all: u from the upper 31 bits of the first, an angle from the second; Box and Muller's
   transform of these gives 16 numbers and 16 more. What is behind the last number asked for is not used.

>>> from esenas.noise import direction
>>> direction(42, 3, 2000).view("u4")[[0, 1, 16, 999, 1024, 1999]]
array([3213704242, 3185671082, 1034702650, 1066281870, 3210063676,
       1058522045], dtype=uint32)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Address", "VERSION", "direction"]

#: Of the generator.
VERSION = 1

_GOLDEN = 0x9E3779B97F4A7C15
_BLOCK, _LANES = 1024, 16
_Words = npt.NDArray[np.uint32]
_Singles = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Address:
    """Where a candidate stands beside its centre."""

    key: int
    """Of the matrix of directions."""
    row: int
    """Which direction."""
    scale: float
    """How far, and which way."""
    version: int = VERSION
    """Of the generator."""

    @property
    def sign(self) -> int:
        """Which way: the other of an antithetic pair has the other sign."""
        return -1 if self.scale < 0 else 1

    def theta(self, centre: npt.NDArray[np.float64], spread: Any = None) -> npt.NDArray[np.float64]:
        """θ, as the engine writes it."""
        step = direction(self.key, self.row, len(centre)).astype(np.float64)
        return centre + self.scale * (step if spread is None else spread * step)


def direction(key: int, row: int, dim: int) -> _Singles:
    """Row `row` of the matrix of this key: `dim` standard Gaussians."""
    blocks = -(-dim // _BLOCK)
    with np.errstate(over="ignore"):
        at = np.uint64(row << 32) | np.arange(blocks, dtype=np.uint64)
        state = _mix(np.uint64(key) ^ _mix(np.uint64(_GOLDEN) ^ at))
        words = np.arange(1, 2 * _LANES + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
        bits = _mix(state[:, None] + words)
        low, high = bits.astype(np.uint32), (bits >> np.uint64(32)).astype(np.uint32)
        lanes = [low[:, :_LANES], high[:, :_LANES], low[:, _LANES:], high[:, _LANES:]]
        parts = []
        for _ in range(_BLOCK // (2 * _LANES)):
            first, second = _step(lanes), _step(lanes)
            parts += _gaussians(first, second)
    return np.concatenate(parts, axis=1).reshape(-1)[:dim]


def _mix(z: Any) -> Any:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _step(s: list[_Words]) -> _Words:
    """One step of xoshiro128+."""
    a, b, c, d = s
    out = a + d
    c, d = c ^ a, d ^ b
    s[:] = [a ^ d, b ^ c, c ^ (b << np.uint32(9)), d << np.uint32(11) | d >> np.uint32(21)]
    return out


def _gaussians(first: _Words, second: _Words) -> list[_Singles]:
    """√(−2 ln u) · (cos 2πv, sin 2πv)"""
    radius = np.sqrt(_minus_two_ln(first >> np.uint32(1)))
    angle = (second << np.uint32(2)).view(np.int32).astype(np.float32)
    cos, sin = _cos_sin(angle * (np.float32(np.pi / 4) / np.float32(2**31)))
    mirrored = (second << np.uint32(1)) & np.uint32(1 << 31)
    x = ((radius * cos).view(np.uint32) ^ mirrored).view(np.float32)
    y = radius * sin
    swap = second.view(np.int32) < 0
    return [np.where(swap, y, x), np.where(swap, x, y)]


def _cos_sin(angle: Any) -> tuple[Any, Any]:
    """Within ±π/4."""
    f = np.float32
    z = angle * angle
    cos = f(1) - f(0.5) * z + z * z * (f(0.04166128) - f(0.00136524) * z)
    sin = angle + angle * z * (f(-0.16666655) + z * (f(0.00833218) - f(0.00019517) * z))
    return cos, sin


def _minus_two_ln(x: _Words) -> Any:
    """−2 ln u for u = (x + ½)/2³¹ = 2ᵉ m, with m in [√½, √2)"""
    f, root = np.float32, 0x3F3504F3
    number = x.view(np.int32).astype(np.float32) + f(0.5)
    shifted = number.view(np.uint32) - np.uint32(root + (31 << 23))
    exponent = (shifted.view(np.int32) >> np.int32(23)).astype(np.float32)
    m = ((shifted & np.uint32(0x007FFFFF)) + np.uint32(root)).view(np.float32)
    s = (m - f(1)) / (m + f(1))
    z = s * s
    return s * (f(-4) + z * (f(-1.333112) - f(0.8240583) * z)) - exponent * (f(2) * f(np.log(2)))
