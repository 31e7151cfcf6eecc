"""Limits on what a function measures."""

from __future__ import annotations

from typing import Any

import pytest

import esenas

SPACE = esenas.Dict(x=esenas.real(0, 1), y=esenas.real(0, 1))
SQUARE: dict[str, Any] = {"square": {"at_most": 0.5}}


def answer(design: dict[str, float]) -> dict[str, Any]:
    """x + y, of which x² + y² has a limit: best is 1 at (½, ½)."""
    square = design["x"] ** 2 + design["y"] ** 2
    return {"value": design["x"] + design["y"], "constraints": {"square": square}}


@pytest.mark.parametrize("how", ["here", "processes", "vectorized"])
def test_the_best_keeps_to_the_limits_wherever_it_is_evaluated(how: str) -> None:
    """Red when a limit is lost on the way from a process."""
    study = esenas.Study(SPACE, constraints=SQUARE, seed=2, evaluations=400)
    if how == "vectorized":
        best = study.optimize(lambda designs: [answer(it) for it in designs], vectorized=True)
    else:
        best = study.optimize(answer, processes=2 if how == "processes" else None)
    assert best.feasible and 0.999 < best.value <= 1.0
    assert best.design["x"] ** 2 + best.design["y"] ** 2 <= 0.5
    feasible = study.history["feasible"]
    assert feasible.sum() == study.last["total_feasible"] < study.last["total_evaluations"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"value": 9.0}, "lacks the constraint \"square\""),
        ({"value": 9.0, "constraints": {"mass": 1.0, "square": 0.1}}, "\"mass\" that the study does not declare"),
        ({"value": 9.0, "constraints": {"square": float("nan")}}, "\"square\" is NaN"),
        ({"value": 9.0, "constraints": {"square": "low"}}, "a value is a real number"),
        ({"value": 9.0, "constraints": [0.1]}, "constraints are numbers by name"),
        ({"value": 9.0, "limits": {"square": 0.1}}, "a result with names has value"),
        ({"value": 9.0, "cost": -1.0, "constraints": {"square": 0.1}}, "the cost is -1"),
    ],
)
def test_answers_that_do_not_fit_are_never_believed(said: Any, why: str) -> None:
    study = esenas.Study(SPACE, constraints=SQUARE, evaluations=400)
    with pytest.raises(esenas.StudyError, match=why):
        study.optimize(lambda design: said)
    assert study.best is None


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ({"a": {}}, "must have at_most or at_least"),
        ({"a": {"at_most": "5 kg"}}, "must be a number"),
        ({"a": {"at_most": float("inf")}}, "must be a finite number"),
        ({"a": {"atmost": 5}}, "did you mean `at_most`"),
        ({"a": 5.0}, "must be a table"),
        ([5.0], "constraints"),
    ],
)
def test_limits_that_are_none_are_refused(limits: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        esenas.Study(SPACE, constraints=limits)


def test_nothing_feasible_is_said() -> None:
    study = esenas.Study(SPACE, constraints={"square": {"at_least": 3.0}}, evaluations=300)
    best = study.optimize(answer)
    assert not best.feasible and best.violation > 0 and best.value > 1.99
    assert "best" not in study.last


def test_announced_failures_stop_nothing_and_teach() -> None:
    """Half of the box cannot be evaluated, and the best is at its border."""

    def half(design: dict[str, float]) -> float | None:
        return None if design["x"] < 0.5 else -design["x"] - (design["y"] - 0.25) ** 2

    announced = esenas.Study(SPACE, failures={"infeasible": True}, seed=1, evaluations=500)
    best = announced.optimize(half)
    assert announced.last["total_failures"] > 50 and -0.5 - best.value < 1e-3


def trade(design: dict[str, float]) -> list[float]:
    """x is worth x² + y; the front is y = 0."""
    return [design["x"], design["x"] ** 2 + design["y"]]


@pytest.mark.parametrize("vectorized", [False, True])
def test_a_front_is_found_and_kept(tmp_path: Any, vectorized: bool) -> None:
    """Red when a sign is lost, or the front of a directory is another."""
    kept = tmp_path / "run"
    study = esenas.Study(SPACE, objectives=["speed", "-mass"], seed=1, directory=kept)
    f = (lambda designs: [trade(it) for it in designs]) if vectorized else trade
    study.optimize(f, evaluations=600, vectorized=vectorized)
    front = study.front
    assert len(front) > 30 and all(it.design["y"] < 0.1 for it in front)
    assert all(it.values == trade(it.design) and it.violation == 0 for it in front)
    assert all(a.values[0] > b.values[0] and a.values[1] > b.values[1] for a, b in zip(front, front[1:]))
    again = esenas.Study.open(kept).front
    assert [it.theta.tolist() for it in again] == [it.theta.tolist() for it in front]
    volume = study.history["hypervolume"]
    assert volume[-1] > volume[0] > 0


def test_goals_that_do_not_fit_are_refused() -> None:
    study = esenas.Study(SPACE, objectives=["a", "-b"], evaluations=300)
    for said in (1.0, [1.0, 2.0, 3.0], [1.0, float("nan")], [], {"value": []}):
        with pytest.raises(esenas.StudyError, match="values, not 2|is NaN|no value in the list"):
            study.optimize(lambda design, said=said: said)
    with pytest.raises(ValueError, match="a list of names"):
        esenas.Study(SPACE, objectives="ab")
    with pytest.raises(ValueError, match="from 2 to 4 names"):
        esenas.Study(SPACE, objectives=["a"])
    with pytest.raises(ValueError, match="beside objectives"):
        esenas.Study(SPACE, objectives=["a", "b"], weights=esenas.CMAES())
    one = esenas.Study(SPACE)
    with pytest.raises(ValueError, match="the study has one objective"):
        _ = one.front
    with pytest.raises(esenas.StudyError, match="the answer has 2 values, not 1"):
        one.optimize(lambda design: [1.0, 2.0], evaluations=100)
