"""Designs that are known, runs that others go on from, and the table of evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esenas

SPACE = esenas.Dict(
    op=esenas.oneof(["a", esenas.Dict(b=esenas.real(0, 10))]),
    flow=esenas.real(1e-4, 1.0, log=True),
    w=esenas.weights((2, 2), first="zeros"),
)
BEST = {"op": {"b": 7.0}, "flow": 0.01, "w": np.full((2, 2), 0.5)}


def score(design: Any) -> float:
    value = 3 - abs(np.log10(design["flow"]) + 2) - float(((design["w"] - 0.5) ** 2).sum())
    return value - (abs(design["op"]["b"] - 7) if design["op"] != "a" else 7)


def test_encode_and_decode_are_inverse() -> None:
    dna, theta = SPACE.encode(BEST)
    again = SPACE.decode(dna, theta)
    assert again["op"] == BEST["op"] and again["flow"] == 0.01
    assert (again["w"] == BEST["w"]).all()
    for dna in SPACE.sample(20, seed=1):
        theta = np.linspace(0.01, 0.9, SPACE.numbers)
        found, numbers = SPACE.encode(SPACE.decode(dna, theta))
        assert found == dna
        # What the branch that is not taken has is not in the design.
        assert all(a in (b, 0.0) for a, b in zip(numbers, theta, strict=True))


def test_a_design_is_evaluated_or_learned_from() -> None:
    study = esenas.Study(SPACE, seed=0)
    study.enqueue(BEST)
    study.optimize(score, evaluations=60)
    table = study.evaluations()
    rows = np.flatnonzero(table["role"] == "given")
    assert [table["value"][row] for row in rows] == [pytest.approx(3.0)] and study.best
    assert study.best.value == pytest.approx(3.0) and (study.best.design["w"] == 0.5).all()

    study = esenas.Study(SPACE, seed=0)
    study.enqueue(BEST, value=2.75)
    seen: list[Any] = []
    study.optimize(lambda design: seen.append(design) or 0.0, evaluations=60)
    assert study.best is not None and study.best.value == 2.75
    assert study.history["total_evaluations"][-1] == len(seen)


def test_a_program_that_is_run_again_gives_nothing_twice(tmp_path: Path) -> None:
    for evaluations in (40, 120):
        study = esenas.Study(SPACE, seed=0, directory=tmp_path / "run")
        study.enqueue(BEST)
        study.optimize(score, evaluations=evaluations)
    table = esenas.Study.open(tmp_path / "run").evaluations()
    assert (table["role"] == "given").sum() == 1


def test_beside_a_flat_theta_a_design_is_a_pair() -> None:
    study = esenas.Study(esenas.oneof(["a", "b"]), dim=3, bounds=(-5, 5), seed=0)
    study.enqueue(("b", np.ones(3)))
    study.enqueue("a")
    study.optimize(lambda model, theta: float(model == "b") - float(theta @ theta), evaluations=30)
    table = study.evaluations()
    given = table["role"] == "given"
    assert given.sum() == 2 and table["value"][given][0] == -2.0
    with pytest.raises(ValueError, match=r"enqueue\.theta.*9.*coordinate 0"):
        study.enqueue(("a", [9.0, 0, 0]))


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({**BEST, "flow": 7.0}, "a number from 0.0001 to 1"),
        ({**BEST, "more": 1}, "more"),
        ({**BEST, "w": np.full((2, 2), np.nan)}, "finite"),
        ({"op": "a"}, "flow"),
    ],
)
def test_what_is_no_design_is_refused(design: Any, said: str) -> None:
    study = esenas.Study(SPACE)
    with pytest.raises(ValueError, match=said):
        study.enqueue(design)
    with pytest.raises(ValueError, match=said):
        esenas.Study(SPACE, start=design)


def test_a_start_is_a_design_or_another_run(tmp_path: Path) -> None:
    first = esenas.Study(SPACE, seed=0, start=BEST, directory=tmp_path / "first")
    assert first.theta is not None and first.theta[0] == pytest.approx(0.01)
    first.optimize(score, evaluations=400)
    for start in (first, tmp_path / "first"):
        again = esenas.Study(SPACE, seed=1, start=start)
        assert first.answer is not None and again.theta is not None
        assert np.allclose(again.theta, first.answer.theta)
    with pytest.raises(ValueError, match="in a directory"):
        esenas.Study(SPACE, start=esenas.Study(SPACE))
    with pytest.raises(ValueError, match="warm_start"):
        esenas.Study(esenas.boolean(), 3, start=tmp_path / "first")


def test_the_table_has_a_column_for_whatever_designs_have(tmp_path: Path) -> None:
    tables = []
    for directory in (None, tmp_path / "run"):
        study = esenas.Study(SPACE, seed=4, directory=directory)
        seen: list[Any] = []

        def f(design: Any, seen: list[Any] = seen) -> dict[str, Any]:
            seen.append(design)
            return {"value": score(design), "metrics": {"x": 1.5}}

        study.optimize(f, evaluations=100)
        table = study.evaluations()
        assert list(table["flow"]) == [design["flow"] for design in seen]
        taken = [design["op"]["b"] if design["op"] != "a" else None for design in seen]
        assert [None if np.isnan(b) else b for b in table["op.b"]] == taken
        assert set(table["op"]) == {"a", None} and (table["metrics.x"] == 1.5).all()
        assert "w" not in table and table["value"].dtype == np.float64
        tables.append(table)
    for name, column in tables[0].items():
        assert [str(a) for a in column] == [str(b) for b in tables[1][name]]


@pytest.mark.parametrize(
    "raw", [{"op": {"oneof": ["a", "b"]}}, {"x": {"int": [0, 3]}}, [{"real": [0, 1]}], {"const": 1}]
)
def test_words_of_the_written_form_are_refused_in_plain_dicts(raw: Any) -> None:
    with pytest.raises(ValueError, match=r"write esenas\..*constant"):
        esenas.Study(raw, dim=5)


def test_a_space_of_one_model_that_looks_misspelt_warns(recwarn: pytest.WarningsRecorder) -> None:
    with pytest.warns(UserWarning, match=r"one model.*'hi': 3"):
        esenas.Study({"size": {"lo": 1, "hi": 3}}, dim=3)
    esenas.Study({"kind": "mlp", "layers": {"first": 3, "step": 4}}, dim=3)
    esenas.Study(esenas.Dict(limits={"lo": 1, "hi": 3}, x=esenas.boolean()), dim=3)
    assert not recwarn.list
