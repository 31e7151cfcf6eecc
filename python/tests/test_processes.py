"""Processes of our own: whatever happens in them, the study goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esenas
from esenas._keeper import Keeper
from objectives import bits, deadly, noisy, picky, shifted, study, whole
from test_executors import WEIGHTS
from troubled import ends

#: Few evaluations, which are given up without ado.
FEW = {"weights": esenas.ES(sigma=0.5, directions=2), "centre": {"evaluations": 0}}
LOSSES = {**FEW, "failures": {"share": 1.0, "retries": 0}}


def reasons(directory: Path) -> list[str]:
    """Why evaluations failed, as they are recorded."""
    import csv
    import io

    from test_cli import run

    words = ["export", str(directory), "--rows", "evaluations", "--format", "csv"]
    rows = run(*words).stdout
    return [row["failure"] for row in csv.DictReader(io.StringIO(rows)) if row["failure"]]


@pytest.mark.parametrize("weights", WEIGHTS, ids=lambda it: it.kind)
def test_processes_compute_the_same_bits(weights: Any) -> None:
    """Red when a lease that was sent ahead is answered with another's answer."""
    here, there = study(weights=weights), study(weights=weights)
    here.optimize(shifted, iterations=4)
    there.optimize(shifted, iterations=4, processes=2)
    assert bits(here) == bits(there)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_either_start_computes_the_same_bits(start: str) -> None:
    for objective in (picky, noisy):
        here, there = study(failures={"share": 0.9}), study(failures={"share": 0.9})
        here.optimize(objective, iterations=3)
        there.optimize(objective, iterations=3, executor=esenas.ProcessExecutor(2, start=start))
        assert bits(here) == bits(there)


def test_batches_go_to_processes_too() -> None:
    here, there = study(), study()
    here.optimize(shifted, iterations=3)
    there.optimize(whole, iterations=3, vectorized=True, processes=2)
    assert bits(here) == bits(there)


def test_any_function_will_do_in_a_copy() -> None:
    """Red when it must be pickled."""
    shift = 1.0
    here, there = study(), study()
    here.optimize(lambda m, x: shift - float(x @ x), iterations=3)
    there.optimize(lambda m, x: shift - float(x @ x), iterations=3, processes=2)
    assert bits(here) == bits(there)


def test_a_large_theta_fits_through() -> None:
    """Red when what does not fit into a socket at once is cut off, or sent twice."""

    def made() -> esenas.Study:
        return esenas.Study(esenas.boolean(), dim=200_000, weights=esenas.ES(directions=3), seed=1)

    here, there = made(), made()
    here.optimize(lambda m, x: -float(x @ x), iterations=2)
    there.optimize(lambda m, x: -float(x @ x), iterations=2, processes=2)
    assert bits(here) == bits(there)


def test_who_hangs_is_stopped_and_it_is_recorded(tmp_path: Path) -> None:
    """Red when `timeout` waits for who hangs, or fails others."""

    def hangs(model: Any, theta: np.ndarray) -> float:
        if theta[0] > 0.4:
            time.sleep(3600)
        return shifted(model, theta)

    one = study(failures={"share": 0.9})
    # On a busy machine the innocent may be late, too, though hardly twice.
    limits = {"processes": 2, "timeout": 2.0, "attempts": 2}
    one.optimize(hangs, iterations=1, **limits, directory=tmp_path / "run")
    guilty = sum(c.theta[0] > 0.4 for c in study().ask())
    assert guilty > 0 and one.history["failures"].tolist() == [guilty]
    found = reasons(tmp_path / "run")
    assert len(found) == guilty
    assert all("no answer within 2 s" in it and "2 attempts:" in it for it in found)


def test_what_a_process_started_is_killed_with_it(tmp_path: Path) -> None:
    """Red when only the process is killed, and not what it waits for."""
    mark = tmp_path / "pid"

    def waits(model: Any, theta: np.ndarray) -> float:
        child = subprocess.Popen(["sleep", "3600"])
        mark.write_text(str(child.pid))
        return float(child.wait())

    one = study(**LOSSES)
    with pytest.raises(esenas.StudyError, match="no answer within 1 s"):
        one.optimize(waits, iterations=1, processes=1, timeout=1.0, attempts=1)
    assert ends(int(mark.read_text()))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (lambda: os._exit(3), "with exit code 3"),
        (lambda: sys.exit(4), "with exit code 4"),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), "by SIGTERM"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "by SIGKILL"),
        (lambda: os.closerange(3, 4096), "by SIGKILL|with exit code"),
    ],
)
def test_a_death_costs_one_evaluation(how: Any, said: str, tmp_path: Path) -> None:
    """Red when it is not noticed, is held against others, or nobody says how it ended."""

    def dies(model: Any, theta: np.ndarray) -> float:
        if theta[0] > 0.4:
            how()
        return shifted(model, theta)

    one = study(failures={"share": 0.9})
    one.optimize(dies, iterations=1, processes=2, attempts=2, directory=tmp_path / "run")
    guilty = sum(c.theta[0] > 0.4 for c in study().ask())
    assert one.history["failures"].tolist() == [guilty]
    import re

    found = reasons(tmp_path / "run")
    assert len(found) == guilty
    for reason in found:
        assert "2 attempts: the process of the objective ended" in reason and re.search(
            said, reason
        )


def test_deaths_among_quick_evaluations_cost_no_others() -> None:
    """Red when whoever shares a lease with one that kills its process fails with it."""
    one, other = study(failures={"share": 0.9}), study(failures={"share": 0.9})
    one.optimize(deadly, iterations=4, processes=2, attempts=1)

    def fails(model: Any, theta: np.ndarray) -> float:
        if theta[0] > 0.4:
            raise ValueError
        return shifted(model, theta)

    other.optimize(fails, iterations=4)
    assert bits(one) == bits(other)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_who_wants_too_much_memory_has_failed(tmp_path: Path) -> None:
    """Red when there is no limit, or nobody says that it was one."""

    def greedy(model: Any, theta: np.ndarray) -> float:
        if theta[0] > 0.4:
            np.ones(10**9)
        return shifted(model, theta)

    one = study(failures={"share": 0.9})
    one.optimize(greedy, iterations=1, processes=2, memory="2 GB", directory=tmp_path / "run")
    guilty = sum(c.theta[0] > 0.4 for c in study().ask())
    assert one.history["failures"].tolist() == [guilty]
    found = reasons(tmp_path / "run")
    assert len(found) == guilty
    assert all("MemoryError" in it and "limited to 2000000000 bytes" in it for it in found)
    with pytest.raises(esenas.StudyError, match="memory = 4096 bytes: a process begins with"):
        study().optimize(shifted, iterations=1, processes=1, memory=4096)


def test_copies_draw_apart() -> None:
    """Red when every process draws the same numbers."""

    def drawn(model: Any, theta: np.ndarray) -> float:
        first = np.random.rand()
        time.sleep(0.1)  # So that each process gets one.
        return first

    np.random.seed(0)
    one = esenas.Study(esenas.boolean(), dim=1, **FEW, seed=1)
    one.optimize(drawn, iterations=1, processes=4)
    assert one.history["evaluations"].tolist() == [4]
    assert one.history["value_std"][0] > 1e-3


def test_studies_one_after_the_other_and_at_once() -> None:
    """Red when processes of one study are taken for those of another, or wait for each other's
    end."""
    here = study()
    here.optimize(shifted, iterations=4)
    kept = esenas.ProcessExecutor(2)
    for _ in range(3):
        there = study()
        there.optimize(shifted, iterations=2, executor=kept)
        there.optimize(shifted, iterations=4, executor=kept)
        assert bits(here) == bits(there)
    many = [study() for _ in range(4)]
    threads = [
        threading.Thread(target=lambda it=it: it.optimize(shifted, iterations=4, processes=2))
        for it in many
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(bits(here) == bits(it) for it in many)


def test_what_cannot_be_is_refused() -> None:
    def refused(said: str, **given: Any) -> None:
        with pytest.raises(ValueError, match=said):
            study().optimize(shifted, iterations=1, **given)

    refused("processes must be at least 1, got 0", processes=0)
    refused("timeout must be seconds, more than 0, got 0", processes=1, timeout=0)
    refused("timeout must be seconds, more than 0, got nan", processes=1, timeout=float("nan"))
    refused("attempts must be at least 1", processes=1, attempts=0)
    refused("memory must be a number of bytes", processes=1, memory="much")
    refused("memory must be a number of bytes", processes=1, memory=-1)
    refused("timeout and attempts cannot hold", timeout=1.0, attempts=2)
    refused("exclude each other", processes=2, threads=2)
    with pytest.raises(ValueError, match='start must be "fork" or "spawn"'):
        esenas.ProcessExecutor(start="vfork")
    with pytest.raises(ValueError, match="takes no function"):
        esenas.Study(problem=esenas.Synthetic(dimension=12)).optimize(
            shifted, iterations=1, processes=1
        )
    with pytest.raises(ValueError, match="evaluated by threads"):
        esenas.Study(problem=esenas.Synthetic(dimension=12)).optimize(iterations=1, processes=1)
    with pytest.raises(esenas.StudyError, match="cannot be sent to a new process"):
        study().optimize(
            lambda m, x: 0.0, iterations=1, executor=esenas.ProcessExecutor(1, start="spawn")
        )
    with pytest.raises(esenas.StudyError, match="No module named 'nowhere'"):
        study().optimize("nowhere:make", iterations=1, processes=1)


def test_processes_that_die_before_they_are_ready_end_the_study(
    tmp_path: Path, monkeypatch: Any
) -> None:
    """Red when they are replaced for ever."""
    (tmp_path / "deadborn.py").write_text("import os\ndef make():\n    os._exit(7)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        esenas.StudyError, match="in a row ended before they were ready(.|\n)*exit code 7"
    ):
        study().optimize("deadborn:make", iterations=1, processes=2)


def test_a_keeper_that_is_killed_is_an_error(tmp_path: Path) -> None:
    """Red when the study waits for processes that nobody can start any more."""

    def kills(model: Any, theta: np.ndarray) -> float:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(3600)
        return 0.0

    with pytest.raises(esenas.StudyError, match="looks after"):
        study().optimize(kills, iterations=1, processes=2)


def test_a_keeper_ends_when_nobody_can_tell_it_anything() -> None:
    """Red where a parent's death sends no signal, and only the closed socket tells."""
    keeper = Keeper.fork(lambda connection: time.sleep(3600))
    number, connection = keeper.start()
    assert number == 1
    keeper._control.close()
    keeper._wait()
    assert connection.recv(1) == b"", "and the process that it started has ended"
    connection.close()


def test_a_program_that_is_killed_leaves_nobody_and_says_nothing(tmp_path: Path) -> None:
    """Red when its processes live on, or complain that nobody asks them any more."""
    program = tmp_path / "program.py"
    program.write_text(
        "import os, time, esenas\n"
        "def f(m, x):\n"
        "    open(f'pid-{os.getpid()}', 'w').close()\n"
        "    return 0.0\n"
        "esenas.Study(esenas.boolean(), dim=1).optimize(f, iterations=10**6, processes=2)\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(program)], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("pid-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    said = process.communicate(timeout=30)[1]
    pids = [int(mark.name.partition("-")[2]) for mark in tmp_path.glob("pid-*")]
    assert len(pids) == 2 and all(ends(pid) for pid in pids)
    assert said == ""
