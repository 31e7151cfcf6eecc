"""Spaces from plain Python values."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import esenas
from esenas import Dict, List, Space, boolean, constant, integer, manyof, oneof, permutation

BLOCK = oneof([Dict(kind="conv", size=oneof([3, 5])), Dict(kind="skip")])
SPACES: list[tuple[Any, int, str]] = [
    (oneof(["tanh", "relu"]), 2, "oneof(['tanh', 'relu'])"),
    (oneof(range(4)), 4, "integer(0, 3)"),
    (manyof(2, range(5), sorted=True), 10, "manyof(2, range(0, 5), sorted=True)"),
    (manyof(2, "ab", distinct=False), 4, "manyof(2, ['a', 'b'], distinct=False)"),
    (permutation([1, 2.5, None]), 6, "permutation([1, 2.5, None])"),
    (integer(16, 128, 16), 8, "integer(16, 128, 16)"),
    (boolean(), 2, "boolean()"),
    (BLOCK, 3, "oneof([Dict(kind='conv', size=oneof([3, 5])), Dict(kind='skip')])"),
    (List([boolean(), 7]), 2, "List([boolean(), 7])"),
    (Dict({"not a name": boolean()}), 2, "Dict({'not a name': boolean()})"),
    (constant({"oneof": 1}), 1, "constant({'oneof': 1})"),
    (Space([1, 2]), 1, "Space([1, 2])"),
    (oneof([np.float64(0.5), np.int64(3)]), 2, "oneof([0.5, 3])"),
]


@pytest.mark.parametrize(("space", "size", "text"), SPACES, ids=[it[2] for it in SPACES])
def test_spaces_are_built_written_and_read(space: Space, size: int, text: str) -> None:
    assert space.size == size
    assert repr(space) == text
    words = {name: getattr(esenas, name) for name in esenas.__all__}
    assert eval(text, words) == space, "what is shown makes the same space"
    assert Space.from_json(space.to_json()) == space
    assert pickle.loads(pickle.dumps(space)) == space
    samples = space.sample(50, seed=2)
    assert all(dna in space for dna in samples)
    assert len({str(space.decode(dna)) for dna in space.sample(200)}) == size


def test_the_space_of_the_readme() -> None:
    space = Dict(
        op=oneof(["tanh", "relu", "sin"]), edges=manyof(64, range(736), sorted=True), block=BLOCK
    )
    assert space.size == float("inf") or space.size > 1e90
    assert 90 < space.log10_size < 120
    model = space.decode(space.sample(1)[0])
    assert sorted(model) == ["block", "edges", "op"] and len(set(model["edges"])) == 64


def test_plain_values_are_spaces() -> None:
    study = esenas.Study({"a": oneof([1, 2]), "b": [boolean(), 3]}, dim=1)
    assert study.space == Dict(a=oneof([1, 2]), b=List([boolean(), 3]))


def test_what_is_no_space_is_refused() -> None:
    for make, said in [
        (lambda: oneof([]), "at least one candidate"),
        (lambda: oneof([print]), "builtin_function_or_method; a space is made of"),
        (lambda: Dict({1: 2}), "names must be text"),
        (lambda: manyof(3, [1, 2]), "3"),
        (lambda: oneof({"a": 1}), "must be a list"),
        (lambda: Dict(oneof=boolean(), b=1), "a word of the language"),
        (lambda: integer(3, 1), "low"),
        (lambda: Space.from_json("{"), "space"),
        (lambda: oneof("ab").decode([2]), "2"),
        (lambda: oneof("ab").decode([0, 0]), "superfluous"),
    ]:
        with pytest.raises(ValueError, match=said):
            make()
    assert "x" not in oneof("ab") and [-1] not in oneof("ab") and 3 not in oneof("ab")


def test_pyglove_spaces_are_converted() -> None:
    pg = pytest.importorskip("pyglove")
    theirs = pg.Dict(
        op=pg.oneof(["tanh", "relu", pg.Dict(kind="conv", size=pg.oneof([3, 5]))]),
        edges=pg.manyof(3, list(range(6)), sorted=True),
        order=pg.permutate(["a", "b", "c"]),
        many=pg.manyof(2, [1, 2, 3], distinct=False),
        fixed=[1, {"x": None}],
    )
    ours = esenas.from_pyglove(theirs)
    assert ours == Dict(
        op=oneof(["tanh", "relu", Dict(kind="conv", size=oneof([3, 5]))]),
        edges=manyof(3, list(range(6)), sorted=True),
        order=manyof(3, ["a", "b", "c"]),
        many=manyof(2, [1, 2, 3], distinct=False),
        fixed=[1, {"x": None}],
    )
    assert ours.size == pg.dna_spec(theirs).space_size
    with pytest.raises(ValueError, match="rlog"):
        esenas.from_pyglove(pg.Dict(x=pg.floatv(0.1, 1.0, scale="rlog")))


def test_candidates_have_an_order() -> None:
    """Red when a set is taken, whose order of text is another in every run."""
    for made in (esenas.oneof, esenas.permutation, lambda it: esenas.manyof(1, it)):
        for candidates in ({"a", "b"}, frozenset("ab"), {"a": 1}.keys()):
            with pytest.raises(ValueError, match="candidates must be a list"):
                made(candidates)
    with pytest.raises(ValueError, match="finite numbers"):
        esenas.oneof([1.0, float("nan")])
