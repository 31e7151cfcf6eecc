"""Studies whose space has the numbers: designs in, units out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esenas

SPACE = esenas.Dict(
    material=esenas.oneof(
        ["steel", esenas.Dict(layers=esenas.integer(2, 12), angle=esenas.real(0, 90))]
    ),
    flow=esenas.real(1e-5, 10.0, log=True),
    tubes=esenas.real(10, 200, step=2),
    cell=esenas.oneof(
        [esenas.Dict(op="conv", w=esenas.weights((3, 2), name="shared")), esenas.Dict(op="pool")]
    ),
    head=esenas.weights((2, 2), scale=0.1, first=[[0.1, 0.2], [0.3, 0.4]]),
    tied=esenas.weights((3, 2), name="shared"),
)


def score(design: Any) -> float:
    """Best at composite of 12 layers at 30°, a flow of 0.01, 42 tubes, pool, weights of 0.05."""
    value = -((math.log10(design["flow"]) + 2) ** 2) - ((design["tubes"] - 42) / 5) ** 2
    value -= float(((design["head"] - 0.05) ** 2).sum() + ((design["tied"] - 1) ** 2).sum())
    if design["material"] != "steel":
        value += design["material"]["layers"] - (design["material"]["angle"] / 30 - 1) ** 2
    return value + (design["cell"]["op"] == "pool")


def test_designs_have_numbers_in_place_and_in_units() -> None:
    seen = []

    def f(design: Any) -> float:
        seen.append(design)
        assert 1e-5 <= design["flow"] <= 10 and design["tubes"] % 2 == 0
        assert design["head"].shape == (2, 2) and design["tied"].shape == (3, 2)
        if design["cell"]["op"] == "conv":
            assert np.shares_memory(design["cell"]["w"], design["tied"]), "one block, one name"
        return score(design)

    study = esenas.Study(SPACE, seed=0)
    best = study.optimize(f, evaluations=8000)
    assert best.design["material"]["layers"] == 12 and best.value > 12.9
    assert best.design["flow"] == pytest.approx(0.01, rel=0.1)
    assert best.design["tubes"] == 42.0 and best.design["cell"] == {"op": "pool"}
    assert score(best.design) == best.value == max(map(score, seen))
    assert best.theta.shape == (SPACE.numbers,) == (13,)
    answer = study.answer
    assert answer is not None and answer.design["head"].shape == (2, 2)


def test_asked_designs_are_those_that_are_evaluated() -> None:
    told, evaluated = esenas.Study(SPACE, seed=3), esenas.Study(SPACE, seed=3)
    for _ in range(3):
        batch = told.ask()
        assert [score(candidate.design) for candidate in batch] == [score(it) for it in batch.designs]
        assert np.shares_memory(batch.designs[0]["head"], batch.thetas)
        told.tell([score(design) for design in batch.designs])
    evaluated.optimize(score, iterations=3)
    assert told.best is not None and evaluated.best is not None
    assert told.best.value == evaluated.best.value
    assert np.array_equal(told.best.theta, evaluated.best.theta)


def test_all_ways_to_evaluate_give_the_same_bits(tmp_path: Path) -> None:
    def vectorized(designs: list[Any]) -> list[float]:
        return [score(design) for design in designs]

    values = []
    for how in ({}, {"processes": 2}, {"vectorized": True}):
        study = esenas.Study(SPACE, seed=5)
        function = vectorized if "vectorized" in how else score
        values.append(study.optimize(function, iterations=6, **how).value)
    kept = esenas.Study(SPACE, seed=5)
    kept.optimize(score, iterations=3, directory=tmp_path / "run")
    again = esenas.Study.open(tmp_path / "run")
    values.append(again.optimize(score, iterations=6).value)
    assert len(set(values)) == 1


def test_designs_are_encoded_and_come_back() -> None:
    candidate = esenas.Study(SPACE, seed=4).ask()[0]
    design = SPACE.decode(candidate.dna, candidate.theta)
    assert design["flow"] == candidate.design["flow"]
    dna, theta = SPACE.encode(design)
    again = SPACE.decode(dna, theta)
    assert again["material"] == design["material"] and np.array_equal(again["head"], design["head"])
    with pytest.raises(ValueError, match="tubes"):
        SPACE.encode({**design, "tubes": 9})
    with pytest.raises(ValueError, match="needs theta"):
        SPACE.decode(dna)


def test_what_cannot_be_is_refused_before_anything_runs() -> None:
    refused: list[tuple[Any, str]] = [
        (lambda: esenas.real(3, 1), r"`real` is \[3, 1\]"),
        (lambda: esenas.real(0, 1, log=True), "low above 0"),
        (lambda: esenas.real(0, 1, step=0.3), "step"),
        (lambda: esenas.real("0", 1), "must be a number"),  # type: ignore[arg-type]
        (lambda: esenas.weights((0, 3)), "shape"),
        (lambda: esenas.weights((2,), first=[1.0]), "first"),
        (lambda: esenas.Study(SPACE, dim=3), "the space has numbers itself"),
        (lambda: esenas.Study(SPACE, bounds=(0, 1)), "problem.bounds"),
        (lambda: esenas.Study({"a": 1}), "nothing to search"),
        (lambda: esenas.Study({"x": {"float": [0, 1]}}), "real"),
        (lambda: esenas.List([esenas.weights(2, name="a"), esenas.weights(3, name="a")]), "a"),
    ]
    for make, said in refused:
        with pytest.raises(ValueError, match=said):
            esenas.Study(made, iterations=1) if isinstance(made := make(), esenas.Space) else None


def test_units_do_not_matter() -> None:
    """Red when a side's width changes what is searched: multiplied by powers of two, to the bit."""
    best = []
    for unit in (1.0, 1024.0, 2.0**-20):
        space = esenas.Dict(x=esenas.real(-5 * unit, 5 * unit), y=esenas.real(-5, 5), c=esenas.boolean())
        study = esenas.Study(space, seed=2)
        found = study.optimize(
            lambda d, unit=unit: -((d["x"] / unit - 1) ** 2) - d["y"] ** 2 - d["c"], evaluations=800
        )
        best.append(found.value)
    assert best[0] == best[1] == best[2] and best[0] > -1e-6


def test_pyglove_brings_its_numbers() -> None:
    pg = pytest.importorskip("pyglove")
    space = esenas.from_pyglove(pg.Dict(x=pg.floatv(0.5, 2.0, scale="log"), y=pg.oneof([1, 2])))
    assert space == esenas.Dict(x=esenas.real(0.5, 2.0, log=True), y=esenas.oneof([1, 2]))
