"""Values as bytes and back, for what is kept and sent: JSON, bytes and arrays of numbers. Nothing in
them is ever executed.

Eight bytes say how long the JSON is, and the arrays' bytes follow it in their order."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

__all__ = ["packed", "unpacked"]

#: How an array, and how bytes, are written in JSON: what kind of numbers, and of which shape.
_ARRAY = "array\0"
#: Kinds of numbers that an array may have.
_KINDS = "biufc"


def packed(value: Any) -> bytes:
    """As bytes: equal values give equal ones."""
    blocks: list[bytes] = []
    return _joined(_written(value, blocks, "it"), blocks)


def unpacked(content: bytes) -> Any:
    """The value. Arrays are yours to write to."""
    length = int.from_bytes(content[:8], "little")
    form = json.loads(content[8 : 8 + length])
    value, end = _read(form, content, 8 + length)
    if end != len(content):
        raise ValueError(f"{len(content) - end} bytes follow what belongs to the value")
    return value


def _joined(form: Any, blocks: list[bytes]) -> bytes:
    text = json.dumps(form, separators=(",", ":"), allow_nan=True).encode()
    return b"".join([len(text).to_bytes(8, "little"), text, *blocks])


def _written(value: Any, blocks: list[bytes], place: str) -> Any:
    if isinstance(value, np.generic) or getattr(value, "__array__", None) is not None:
        array = np.asarray(value)
        if array.dtype.kind not in _KINDS:
            raise TypeError(f"{place} is an array of {array.dtype}: only numbers can be kept")
        array = array.astype(array.dtype.newbyteorder("<"))
        blocks.append(array.tobytes())
        return {_ARRAY: [array.dtype.str, list(array.shape)]}
    if isinstance(value, bytes):
        blocks.append(value)
        return {_ARRAY: ["bytes", [len(value)]]}
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError(f"{place} has keys that are not text: {list(value)}")
        return {key: _written(part, blocks, f"{place}[{key!r}]") for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_written(part, blocks, f"{place}[{at}]") for at, part in enumerate(value)]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(
        f"{place} is a {type(value).__name__}; what is kept is made of dicts, lists, text, numbers, bytes and arrays"
    )


def _read(form: Any, content: bytes, at: int) -> tuple[Any, int]:
    if isinstance(form, list):
        parts = []
        for part in form:
            value, at = _read(part, content, at)
            parts.append(value)
        return parts, at
    if not isinstance(form, dict):
        return form, at
    if set(form) != {_ARRAY}:
        whole = {}
        for key, part in form.items():
            whole[key], at = _read(part, content, at)
        return whole, at
    kind, shape = form[_ARRAY]
    if kind == "bytes":
        (length,) = shape
        block = content[at : at + length]
        if len(block) != length:
            raise ValueError("it is cut off")
        return block, at + length
    dtype = np.dtype(kind)
    if dtype.kind not in _KINDS:
        raise ValueError(f"an array of {dtype} is none of ours")
    count = int(np.prod(shape, dtype=np.int64))
    if at + count * dtype.itemsize > len(content):
        raise ValueError("it is cut off")
    array = np.frombuffer(content, dtype, count, at).reshape(shape).copy()
    return array, at + count * dtype.itemsize
