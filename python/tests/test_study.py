"""Studies: ask and tell, optimize, failures, interruption, resumption."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import esenas
from objectives import SPACE, bits, noisy, picky, shifted, study, whole
from test_cli import run


def test_optimize_climbs() -> None:
    def hill(model: Any, theta: np.ndarray) -> float:
        return float(model["shift"] - np.sum((theta - 0.5) ** 2))

    found = study().optimize(hill, iterations=60)
    assert found.model["shift"] == 2.0
    assert found.value > 1.5
    assert found.value == hill(found.model, found.theta)


def test_ask_and_tell_are_optimize() -> None:
    """Red when asking and telling goes another way than the driver."""
    one, other, third = study(), study(iterations=5), study()
    for _ in range(5):
        batch = one.ask()
        assert [c.dna for c in batch] == [c.dna for c in one.ask()], "the same until they are told"
        one.tell([shifted(c.model, c.theta) for c in batch])
        batch = third.ask()
        third.tell(np.array([shifted(m, t) for m, t in zip(batch.models, batch.thetas)]))
    other.optimize(shifted)
    assert bits(one) == bits(other) == bits(third)


def test_candidates_show_model_dna_theta() -> None:
    batch = study().ask()
    assert len(batch) == 6 * 2 + 8
    rows = batch.thetas
    assert rows.shape == (20, 5) and rows.dtype == np.float64
    for index, candidate in enumerate(batch):
        assert candidate.model == SPACE.decode(candidate.dna)
        assert (candidate.theta == rows[index]).all()
        assert candidate.theta.flags.writeable
    assert batch[-1].index == 19 and [c.index for c in batch[2:4]] == [2, 3]
    with pytest.raises(IndexError):
        batch[20]
    centre, pairs = rows[-1], rows[:12].reshape(6, 2, 5)
    assert np.allclose(pairs.mean(axis=1), centre)


def test_batches_are_the_same_as_one_by_one() -> None:
    one, other = study(), study()
    one.optimize(shifted, iterations=4)
    other.optimize(whole, iterations=4, vectorized=True)
    assert bits(one) == bits(other)
    with pytest.raises(ValueError, match="vectorized=True"):
        other.optimize(whole, iterations=8, batch=True)  # type: ignore[arg-type]


def test_a_seed_is_passed_to_whoever_takes_one() -> None:
    one, other = study(), study()
    one.optimize(noisy, iterations=3)
    batch = other.ask()
    other.tell([noisy(c.model, c.theta, c.seed) for c in batch])
    other.optimize(noisy, iterations=3)
    assert bits(one) == bits(other)
    assert len({c.seed for c in batch}) == len(batch)


def test_failures_are_recorded_with_their_traceback(tmp_path: Path) -> None:
    one = study(failures={"share": 0.9})
    one.optimize(picky, iterations=3, directory=tmp_path / "run")
    assert one.history["failures"].sum() > 3
    shown = run("show", str(tmp_path / "run")).stdout
    assert "KeyError" in shown and "no value for" in shown


def test_tell_takes_values_none_exceptions_and_names() -> None:
    one = study()
    batch = one.ask()
    results: list[Any] = [shifted(c.model, c.theta) for c in batch]
    results[0], results[1] = None, ValueError("broke")
    results[2] = {"value": 1.0, "score": 2.0, "metrics": {"loss": 0.5}}
    one.tell(results)
    assert one.history["failures"].tolist() == [2]
    one.ask()
    with pytest.raises(ValueError, match="3 results are told of 20"):
        one.tell([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="value, and maybe score, metrics"):
        one.tell([{"valeu": 1.0}] * 20)


def test_a_study_of_failures_stops_with_reasons() -> None:
    def broken(model: Any, theta: Any) -> float:
        raise RuntimeError("no licence")

    one = study()
    with pytest.raises(esenas.StudyError, match="all 20 evaluations failed(.|\n)*no licence"):
        one.optimize(broken, iterations=3)
    assert one.iterations == 0
    one.optimize(shifted, iterations=3)
    other = study()
    other.optimize(shifted, iterations=3)
    assert bits(one) == bits(other), "what failed leaves no trace"


def test_an_interruption_loses_only_its_iteration(tmp_path: Path) -> None:
    calls = 0

    def interrupted(model: Any, theta: np.ndarray) -> float:
        nonlocal calls
        calls += 1
        if calls == 50:
            raise KeyboardInterrupt
        return shifted(model, theta)

    whole_run, one = study(), study()
    whole_run.optimize(shifted, iterations=6)
    with pytest.raises(KeyboardInterrupt):
        one.optimize(interrupted, iterations=6, directory=tmp_path / "run")
    assert one.iterations == 2
    one.optimize(shifted)
    assert bits(one) == bits(whole_run)


NATIVE = """
import signal, esenas
signal.signal(signal.SIGINT, signal.default_int_handler)
study = esenas.Study(problem=esenas.Synthetic(dimension=50), weights=esenas.ES(directions=8))
try:
    study.optimize(iterations=10**9, callbacks=[lambda it: print(flush=True) if it.iterations == 1 else None])
except KeyboardInterrupt:
    batch = study.ask()
    print("stopped after", study.iterations, "at", batch.iteration)
"""


def test_ctrl_c_stops_native_work() -> None:
    """Red when a signal waits until native code has nothing more to do."""
    command = [sys.executable, "-c", NATIVE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        said = process.communicate()[0].split()
    assert process.returncode == 0 and said[:2] == ["stopped", "after"]
    assert int(said[2]) == int(said[4]) >= 1


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """Red when a resumed study differs from one that never stopped."""
    straight, kept = study(), tmp_path / "run"
    straight.optimize(shifted, iterations=6)
    first = study()
    first.optimize(
        shifted, iterations=6, directory=kept, callbacks=[lambda it: it.iterations == 4]
    )
    assert first.iterations == 4 and first.ended is None
    del first
    second = study()
    second.optimize(shifted, iterations=6, directory=kept)
    assert bits(second) == bits(straight)
    assert esenas.Study.open(kept).ended is not None
    assert bits(esenas.Study.open(kept)) == bits(straight)
    with pytest.raises(ValueError, match="weights.sigma"):
        study(weights=esenas.ES(sigma=0.25)).optimize(shifted, iterations=6, directory=kept)


def test_callbacks_see_the_study_and_may_end_it() -> None:
    seen: list[float] = []

    def watch(it: esenas.Study) -> None:
        assert it.best is not None
        seen.append(it.best.value)
        if len(seen) == 3:
            raise StopIteration

    one = study()
    one.optimize(shifted, iterations=10, callbacks=[watch])
    assert one.iterations == 3 and seen == one.history["best"].tolist()


def test_the_objective_cannot_look_at_a_study_that_evaluates() -> None:
    one = study()
    with pytest.raises(esenas.StudyError, match="the study is evaluating"):
        one.optimize(lambda m, t: one.best.value, iterations=1)


def test_coordinates_on_a_grid() -> None:
    seen: list[list[float]] = []

    def objective(model: Any, theta: Any) -> float:
        seen.append(theta.tolist())
        return -float(((theta - 3) ** 2).sum())

    study = esenas.Study(SPACE, dim=3, bounds=(0, 10), steps=[1.0, 2.5, 0.0])
    study.optimize(objective, iterations=40)
    assert all(x.is_integer() and (y / 2.5).is_integer() for x, y, _ in seen)
    assert any(not z.is_integer() for _, _, z in seen)
    assert study.best.theta.tolist()[:2] == [3.0, 2.5]
    for steps in (-1.0, 11.0, [1.0, 1.0]):
        with pytest.raises(ValueError, match="problem.steps"):
            esenas.Study(SPACE, dim=3, bounds=(0, 10), steps=steps)
    with pytest.raises(ValueError, match="problem.steps"):
        esenas.Study(SPACE, dim=3, steps=1.0)


def test_rules_are_told_of_noise_and_batches() -> None:
    """Red when what the rules are told does not reach them, or is lost where they choose nothing."""
    box = {"dim": 20, "bounds": (-5, 5), "evaluations": 2000}
    assert len(esenas.Study(SPACE, **box, batch=64).ask()) == 64
    noisy = esenas.Study(SPACE, **box, noise=True)
    assert noisy.settings["weights"]["kind"] == "sep-cma-es"
    assert len(noisy.ask()) == 47
    with pytest.raises(ValueError, match="`auto.batch` = 0: must be from 1"):
        esenas.Study(SPACE, **box, batch=0)
    with pytest.raises(ValueError, match="`auto`.*choose nothing here"):
        esenas.Study(SPACE, dim=20, noise=True, preset="paper")


def test_rules_choose_once_the_budget_is_known(tmp_path: Path) -> None:
    """Red when limits given to `optimize` come too late for the rules, or are asked for twice."""
    box = {"dim": 20, "bounds": (-5, 5), "noise": True}
    told = esenas.Study(SPACE, **box, evaluations=300)
    late = esenas.Study(SPACE, **box, directory=tmp_path / "run")
    assert late.settings["weights"]["kind"] == "growing"
    assert not (tmp_path / "run").exists()
    told.optimize(shifted)
    late.optimize(shifted, evaluations=300)
    assert late.choice == told.choice and "300 noisy evaluations" in str(late.choice)
    assert late.settings["weights"] == told.settings["weights"]
    assert bits(late) == bits(told)
    # What was chosen stays, however long it goes on.
    late.optimize(shifted, evaluations=100_000, iterations=late.iterations + 1)
    again = esenas.Study(SPACE, **box, directory=tmp_path / "run")
    assert again.iterations == late.iterations and again.choice is None
    assert again.settings == late.settings


def test_a_study_can_always_go_on(tmp_path: Path) -> None:
    """Red when limits are taken for a part of what a study is."""
    kept, straight = tmp_path / "run", study()
    straight.optimize(shifted, iterations=6)
    study(directory=kept).optimize(shifted, iterations=2)
    one = study(directory=kept)
    assert one.iterations == 2 and one.limits == {"iterations": 2}
    one.optimize(shifted, iterations=4)
    one.optimize(shifted, iterations=5)
    del one
    opened = esenas.Study.open(kept)
    opened.optimize(shifted, iterations=6)
    assert bits(opened) == bits(straight)
    assert esenas.Study.open(kept).limits == {"iterations": 6}


def test_what_is_minimized_is_shown_as_given() -> None:
    """Red when a minus sign gets lost, or gets out."""
    given, negated = study(direction="minimize"), study()
    best = given.optimize(lambda m, t: -shifted(m, t), iterations=6)
    other = negated.optimize(shifted, iterations=6)
    assert best.value == -other.value and best.dna == other.dna
    assert given.history["best"].tolist() == (-negated.history["best"]).tolist()
    assert given.history["value_min"].tolist() == (-negated.history["value_max"]).tolist()
    with pytest.raises(ValueError, match="maximize"):
        esenas.Study(problem=esenas.RL("Pendulum", {"kind": "toeplitz"}), direction="minimize")


def test_the_answer_is_where_a_study_stands() -> None:
    one = study(controller=esenas.ASNG())
    one.optimize(shifted, iterations=5)
    before = bits(one)
    answer = one.evaluate_answer(shifted, evaluations=7)
    assert answer.score == shifted(answer.model, answer.theta)
    assert (answer.deviation, answer.evaluations, answer.failures) == (0.0, 7, 0)
    plain = one.answer
    assert plain is not None and plain.score is None and plain.dna == answer.dna
    assert one.theta is not None and plain.theta.tolist() == one.theta.tolist()
    assert bits(one) == before
    with pytest.raises(esenas.StudyError, match="nothing came back"):
        one.evaluate_answer(lambda m, t: None, evaluations=2)


def test_choices_alone_are_a_study() -> None:
    """Red when there must be weights."""
    study = esenas.Study(SPACE, dim=0, seed=1)
    best = study.optimize(lambda model, theta: model["shift"] + len(theta), iterations=8)
    assert best.value == 2.0 and best.theta.shape == (0,)
    with pytest.raises(ValueError, match="one model, and there are no weights"):
        esenas.Study(esenas.Space(7), dim=0)


def test_start_and_bounds() -> None:
    given = esenas.Study(SPACE, dim=3, start=[1.0, 2.0, 3.0], bounds=(-4, 4))
    assert given.theta is not None and given.theta.tolist() == [1.0, 2.0, 3.0]
    each = esenas.Study(SPACE, dim=2, start="uniform", bounds=[(0, 1), (5, 6)])
    assert each.theta is not None
    assert 0 <= each.theta[0] <= 1 and 5 <= each.theta[1] <= 6
    with pytest.raises(ValueError, match="problem.start"):
        esenas.Study(SPACE, dim=2, start=[1.0])


def test_what_cannot_be_is_refused() -> None:
    for given, said in [
        ({"dim": -1}, "problem.dimension"),
        ({"dim": 3, "centre": {"evry": 2}}, "did you mean `every`"),
        ({"dim": 3, "seed": -1}, "seed"),
        ({}, "needs a space"),
        ({"dim": 3, "problem": {"kind": "bbob"}}, "leave them out"),
    ]:
        with pytest.raises(ValueError, match=said):
            esenas.Study(None if not given else SPACE, **given)
    with pytest.raises(TypeError, match="weigths"):
        esenas.Study(SPACE, dim=3, weigths={})  # type: ignore[call-arg]
    nan, inf = float("nan"), float("inf")
    for given, said in [
        ({"bounds": (0, nan)}, r"`problem.bounds\[1\]` = nan: must be a finite number"),
        ({"bounds": [(0, 1), (-inf, 1)]}, r"`problem.bounds\[1\]\[0\]` = -inf"),
        ({"start": np.array([0, nan])}, r"`problem.start.values\[1\]` = nan"),
        ({"target": nan}, r"`stop.target` = nan"),
    ]:
        with pytest.raises(ValueError, match=said):
            esenas.Study(SPACE, dim=2, **given)
    with pytest.raises(ValueError, match=r"`weights.sigma` = nan: must be a finite number"):
        esenas.ES(sigma=nan)
    with pytest.raises(ValueError, match="`stop.target` = inf"):
        study().optimize(shifted, target=inf)
    with pytest.raises(ValueError, match="must be a function"):
        study().optimize(3, iterations=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs a function"):
        study().optimize(iterations=1)
    with pytest.raises(ValueError, match="submit"):
        study().optimize(shifted, iterations=1, executor=4)


def test_history_is_a_table_and_shows() -> None:
    one = study()
    one.optimize(shifted, iterations=5)
    history = one.history
    assert {len(column) for column in history.values()} == {5}
    assert history["iteration"].tolist() == [0, 1, 2, 3, 4]
    assert (np.diff(history["best"]) >= 0).all()
    assert history["sigma"].tolist() == [0.5] * 5
    page = one._repr_html_()
    assert "<svg" in page and "regularized-evolution" in page
    assert f"to {history['best'][-1]:.6g} in 5 iterations" in page
    assert repr(one).startswith("Study(dim=5, iterations=5, best=")
    assert json.loads(json.dumps(one.settings))["weights"]["sigma"] == 0.5


def test_large_models_are_cut_short_where_they_are_shown() -> None:
    one = esenas.Study(esenas.manyof(300, range(1000), sorted=True), dim=2)
    one.optimize(lambda m, t: float(t[0]), iterations=1)
    assert len(json.dumps(one.best.model)) > 1000 > len(one._repr_html_())


def test_progress_is_shown_where_it_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    study().optimize(shifted, iterations=2, progress=True)
    said = capsys.readouterr().err
    assert "2/2" in said and "best" in said and said.endswith("\n")
    study().optimize(shifted, iterations=2)
    assert capsys.readouterr().err == ""


class Axes:
    """Notes what is drawn."""

    def __init__(self) -> None:
        self.drawn: dict[str, tuple[Any, Any]] = {}

    def plot(self, x: Any, y: Any, label: str, **style: Any) -> None:
        self.drawn[label] = (x, y)

    def __getattr__(self, name: str) -> Any:
        return lambda *given: None


def test_plot_draws_best_and_centre(monkeypatch: pytest.MonkeyPatch) -> None:
    one = study(centre={"every": 2})
    one.optimize(shifted, iterations=4)
    axes = one.plot(Axes())
    x, y = axes.drawn["best"]
    assert x.tolist() == [20, 32, 52, 64] and y.tolist() == one.history["best"].tolist()
    x, y = axes.drawn["centre"]
    assert x.tolist() == [20, 52] and np.isfinite(y).all()
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        one.plot()


def test_progress_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython is not needed for this: a shell and a display of its shape will do."""
    shown: list[str] = []
    handle = SimpleNamespace(update=lambda data, raw: shown.append(data["text/plain"]))
    shell = type("ZMQInteractiveShell", (), {})()
    ipython = SimpleNamespace(get_ipython=lambda: shell)
    display = SimpleNamespace(display=lambda data, raw, display_id=None: handle)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    study().optimize(shifted, iterations=3)
    assert "3/3" in shown[-1] and "best" in shown[-1]
