"""Objectives in Python that share a state."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esenas
import worlds
from esenas._content import packed, unpacked


def study(**more: Any) -> esenas.Study:
    return esenas.Study(esenas.oneof([0, 1, 2]), dim=4, seed=5, preset="paper", **more)


def trace(it: esenas.Study) -> list[float]:
    return list(map(float, it.history["best"])) + it.theta.tolist()  # type: ignore[union-attr]


def expected() -> list[float]:
    it = study()
    it.optimize(worlds.Running(), iterations=6)
    return trace(it)


@pytest.mark.parametrize("where", ["named", "processes", "threads", "spawned"])
def test_what_is_learned_together_does_not_depend_on_who_evaluates(where: str) -> None:
    """Red when a worker evaluates with a state of its own, or contributions come in another order."""
    it = study()
    if where == "named":
        it.optimize("worlds:running", iterations=6)
    elif where == "processes":
        it.optimize(worlds.Running(), iterations=6, processes=2)
    elif where == "spawned":
        executor = esenas.ProcessExecutor(2, start="spawn")
        it.optimize("worlds:running", iterations=6, executor=executor)
    else:
        with ThreadPoolExecutor(1) as threads:
            it.optimize(worlds.Running(), iterations=6, executor=threads)
    assert trace(it) == expected()


def test_it_is_kept_and_taken_up_again(tmp_path: Path) -> None:
    first = study(directory=tmp_path)
    first.optimize(worlds.Running(), iterations=3)
    second = esenas.Study.open(tmp_path)
    learner = worlds.Running()
    second.optimize(learner, iterations=6)
    assert trace(second) == expected() and learner.count > 0


class Refuses(worlds.Running):
    """Learns nothing the third time, and says so."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0

    def absorb(self, contributions: list[dict[str, Any]]) -> None:
        super().absorb(contributions)
        self.times += 1
        if self.times == 3:
            raise OSError("no more room")


def test_who_refuses_to_learn_poisons_nothing(tmp_path: Path) -> None:
    """Red when half of an iteration was learned."""
    it, learner = study(directory=tmp_path), Refuses()
    with pytest.raises(OSError, match="no more room"):
        it.optimize(learner, iterations=6)
    assert it.iterations == 2
    it.optimize(learner, iterations=6)
    assert trace(it) == expected()


def test_who_cannot_learn_is_told_so() -> None:
    with pytest.raises(TypeError, match=r"no state\(\)"):
        study().optimize(lambda m, x: {"value": 1.0, "contribution": 3}, iterations=1)
    it = study()
    count = len(it.ask())
    with pytest.raises(ValueError, match="contribution"):
        it.tell([{"value": 1.0, "contribution": 3}] * count)


VALUES = [
    None, True, 3, -2.5, "text", b"", b"bytes", [], {}, [1, [2, {"a": b"x"}]],
    np.arange(6).reshape(2, 3), np.array(2.5), np.zeros((0, 3), np.float32), {"m": np.ones(2, np.complex64)},
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_what_is_packed_is_unpacked(value: Any) -> None:
    content = packed(value)
    found = unpacked(content)
    assert packed(found) == content
    if isinstance(value, np.ndarray):
        assert found.dtype == value.dtype and found.shape == value.shape and (found == value).all()
    for cut in range(len(content)):
        with pytest.raises(ValueError):
            unpacked(content[:cut])


@pytest.mark.parametrize("value", [object(), {1: 2}, np.array([object()]), np.array(["a"]), {1, 2}])
def test_code_and_what_is_not_numbers_is_not_packed(value: Any) -> None:
    with pytest.raises(TypeError):
        packed(value)


def test_an_array_of_objects_is_not_unpacked() -> None:
    form = b'{"array\\u0000":["|O",[1]]}'
    with pytest.raises(ValueError, match="none of ours"):
        unpacked(len(form).to_bytes(8, "little") + form + bytes(8))


def test_candidates_are_given_as_they_are() -> None:
    """Nothing is written out before it is looked at, and the results are the same."""

    def whole(batch: esenas.Batch) -> list[float]:
        return [-float(it.theta @ it.theta) + it.model for it in batch]

    one, two = study(), study()
    one.optimize(lambda m, x: -float(x @ x) + m, iterations=4)
    two.optimize(whole, vectorized="candidates", iterations=4, processes=2)
    assert trace(one) == trace(two)
