"""The sampler for Optuna, in Optuna's own hands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import esenas

optuna = pytest.importorskip("optuna")

import esenas.optuna  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.WARNING)


def mixed(trial: Any) -> float:
    """0 at x = 0.3, rate = 10⁻³, depth = 7, wide = 64 and "b"."""
    x = trial.suggest_float("x", -5.0, 5.0)
    grid = trial.suggest_float("grid", 0.0, 1.0, step=0.25)
    rate = trial.suggest_float("rate", 1e-6, 1.0, log=True)
    depth = trial.suggest_int("depth", 1, 12)
    wide = trial.suggest_int("wide", 1, 1024, log=True)
    even = trial.suggest_int("even", 0, 20, step=4)
    kind = trial.suggest_categorical("kind", ["a", "b", None])
    assert grid in (0.0, 0.25, 0.5, 0.75, 1.0) and even in range(0, 21, 4)
    assert 1e-6 <= rate <= 1.0 and 1 <= wide <= 1024
    import math

    value = (x - 0.3) ** 2 + (math.log10(rate) + 3) ** 2 + abs(depth - 7) + (grid - 0.5) ** 2
    return value + abs(math.log2(wide / 64)) + (even - 8) ** 2 / 16 + (kind != "b")


def run(seed: int, trials: int, **more: Any) -> Any:
    sampler = esenas.optuna.Sampler(evaluations=trials, seed=seed, **more)
    study = optuna.create_study(sampler=sampler, direction="minimize")
    study.optimize(mixed, n_trials=trials)
    return study


def test_mixed_spaces_are_searched_and_trials_repeat() -> None:
    """Red when a distribution is turned around, or the direction is."""
    one, two = run(1, 600), run(1, 600)
    assert one.best_value < 0.2, one.best_params
    assert [it.params for it in one.trials] == [it.params for it in two.trials]


def test_a_study_goes_on_from_its_storage(tmp_path: Path) -> None:
    """Red when a sampler that is made again proposes something else."""
    straight, place = run(3, 90), f"sqlite:///{tmp_path}/study.db"
    for trials in (25, 0, 40, 25):
        sampler = esenas.optuna.Sampler(evaluations=90, seed=3)
        study = optuna.create_study(
            study_name="s", storage=place, sampler=sampler, direction="minimize", load_if_exists=True
        )
        study.optimize(mixed, n_trials=trials)
    drawn = [name for name in study.trials[0].params]
    for mine, theirs in zip(study.trials[1:], straight.trials[1:], strict=True):
        assert {it: mine.params[it] for it in drawn} == {it: theirs.params[it] for it in drawn}


def test_trials_that_nobody_finished_are_given_again() -> None:
    sampler = esenas.optuna.Sampler(evaluations=200, seed=1)
    study = optuna.create_study(sampler=sampler, direction="minimize")
    study.optimize(mixed, n_trials=2)
    asked = [study.ask() for _ in range(3)]
    lost = [mixed(it) for it in asked][0]
    again = optuna.create_study(
        sampler=esenas.optuna.Sampler(evaluations=200, seed=1), direction="minimize"
    )
    for trial in study.trials:
        again.add_trial(trial)
    values = [mixed(again.ask()) for _ in range(3)]
    assert lost in values


def test_several_at_a_time_pruned_and_failed_ones() -> None:
    def some(trial: Any) -> float:
        value = mixed(trial)
        if trial.number % 7 == 3:
            raise optuna.TrialPruned
        if trial.number % 7 == 5:
            raise ValueError("no mesh")
        return value

    sampler = esenas.optuna.Sampler(evaluations=400, seed=2)
    study = optuna.create_study(sampler=sampler, direction="minimize")
    study.optimize(some, n_trials=400, n_jobs=3, catch=(ValueError,))
    assert len(study.trials) == 400 and study.best_value < 3.0


def test_constraints_are_kept_to() -> None:
    """The best of x + y within x² + y² ≤ ½ is 1."""

    def total(trial: Any) -> float:
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        trial.set_user_attr("limit", x * x + y * y - 0.5)
        return float(x + y)

    sampler = esenas.optuna.Sampler(
        evaluations=300, seed=1, constraints_func=lambda it: (it.user_attrs["limit"],)
    )
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.optimize(total, n_trials=300)
    kept = [it.value for it in study.trials if it.user_attrs["limit"] <= 0]
    assert 0.99 < max(kept) <= 1.0 and len(kept) > 100
    assert study.best_trial.user_attrs["limit"] <= 0


def test_what_it_cannot_do_is_said() -> None:
    with pytest.raises(ValueError, match="evaluations must be at least 1"):
        esenas.optuna.Sampler(evaluations=0)
    two = optuna.create_study(directions=["minimize"] * 2, sampler=esenas.optuna.Sampler())
    with pytest.raises(ValueError, match="one objective"):
        two.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 0.0), n_trials=1)
