"""Executors: whoever evaluates, the bits are the same."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import esenas
from objectives import bits, deadly, picky, shifted, study, whole

#: Every sort of θ: addresses, spread addresses, orthogonal rows, and points that are none.
WEIGHTS = [
    esenas.ES(sigma=0.5, step_size=0.1, directions=6),
    esenas.ES(sampling="orthogonal", directions=4),
    esenas.ES(sampling="hadamard", directions=4),
    esenas.SepCMAES(),
    esenas.CMAES(),
    esenas.SNES(),
    esenas.LMMAES(),
    esenas.LineES(),
]


def forked() -> ProcessPoolExecutor:
    """Processes that start quickly; and not as copies of this one, whose threads may hold locks."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["objectives"])
    return ProcessPoolExecutor(2, mp_context=context)


@contextmanager
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(3) as executor:
        yield executor


@contextmanager
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


@contextmanager
def loky() -> Iterator[Executor]:
    module = pytest.importorskip("loky")
    executor = module.get_reusable_executor(max_workers=2, timeout=600)
    yield executor
    executor.shutdown(wait=True)


@contextmanager
def dask() -> Iterator[Executor]:
    distributed = pytest.importorskip("distributed")
    options = {"host": "127.0.0.1", "dashboard_address": None, "threads_per_worker": 1}
    timeouts = {f"distributed.comm.timeouts.{what}": "300s" for what in ("connect", "tcp")}
    with (
        pytest.importorskip("dask").config.set(timeouts),
        distributed.LocalCluster(n_workers=2, processes=True, **options) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        yield executor


@contextmanager
def releasing(event: threading.Event) -> Iterator[None]:
    """Lets those who wait go on, whatever happened: a pool waits for its threads."""
    try:
        yield
    finally:
        event.set()


@pytest.mark.parametrize("weights", WEIGHTS, ids=lambda it: it.kind)
def test_threads_compute_the_same_bits(weights: Any) -> None:
    """Red when θ is rebuilt from its address otherwise than it was asked."""
    here, there = study(weights=weights), study(weights=weights)
    here.optimize(shifted, iterations=4)
    with threads() as executor:
        there.optimize(shifted, iterations=4, executor=executor)
    assert bits(here) == bits(there)


@pytest.mark.parametrize("engine", [threads, processes, loky, dask])
def test_every_engine_computes_the_same_bits(engine: Any) -> None:
    here, there = study(failures={"share": 0.9}), study(failures={"share": 0.9})
    here.optimize(picky, iterations=3)
    with engine() as executor:
        there.optimize(picky, iterations=3, executor=executor)
    assert bits(here) == bits(there)


def test_batches_go_elsewhere_too() -> None:
    here, there = study(), study()
    here.optimize(shifted, iterations=3)
    with threads() as executor:
        there.optimize(whole, iterations=3, vectorized=True, executor=executor)
    assert bits(here) == bits(there)


@pytest.mark.parametrize("chunk", [1, 3, 1000])
def test_the_size_of_chunks_changes_nothing(chunk: int) -> None:
    here, there = study(), study()
    here.optimize(shifted, iterations=3)
    with threads() as executor:
        moved = esenas.FuturesExecutor(executor, workers=5, chunk=chunk)
        there.optimize(shifted, iterations=2, executor=moved)
        there.optimize(shifted, iterations=3, executor=moved)
    assert bits(here) == bits(there)


def test_what_the_evaluations_learn_together_comes_back() -> None:
    """Red when the observation filter is not sent out or its moments do not come back."""
    policy = {"kind": "toeplitz", "hidden": [4]}
    problem = esenas.RL("Pendulum", policy, horizon=20)
    made = {"problem": problem, "weights": esenas.ES(directions=4), "centre": {"evaluations": 2}}
    here, there = esenas.Study(**made, seed=5), esenas.Study(**made, seed=5)
    here.optimize(iterations=4)
    there.optimize(iterations=4, executor=forked)
    assert bits(here) == bits(there)


def test_a_death_costs_one_evaluation() -> None:
    """Red when a pool that broke is not made anew, or the innocent are failed with the guilty."""
    one = study(failures={"share": 0.9})
    one.optimize(deadly, iterations=2, executor=esenas.FuturesExecutor(forked))
    batch = study().ask()
    guilty = sum(c.theta[0] > 0.4 for c in batch)
    assert guilty > 0
    assert one.history["failures"][0] == guilty


class Torn(ThreadPoolExecutor):
    """The first of them fails to start what it is asked for, as a pool does that is about to break."""

    made = 0

    def __init__(self) -> None:
        super().__init__(2)
        Torn.made += 1
        self.torn = Torn.made == 1

    def submit(self, *args: Any, **named: Any) -> Any:
        if self.torn:
            raise OSError(9, "Bad file descriptor")
        return super().submit(*args, **named)


def test_a_pool_that_is_about_to_break_is_made_anew() -> None:
    """Red when what the system says of a dying pool ends the study."""
    one, other = study(), study()
    one.optimize(shifted, iterations=2, executor=esenas.FuturesExecutor(Torn))
    other.optimize(shifted, iterations=2)
    assert Torn.made == 2
    assert bits(one) == bits(other)


def test_a_pool_of_yours_that_broke_is_an_error() -> None:
    one = study()
    with forked() as executor, pytest.raises(esenas.StudyError, match="a function that makes one"):
        one.optimize(deadly, iterations=3, executor=executor)
    one.optimize(shifted, iterations=3)
    other = study()
    other.optimize(shifted, iterations=3)
    assert bits(one) == bits(other)


def test_a_function_that_cannot_be_sent_is_said_so() -> None:
    with (
        forked() as executor,
        pytest.raises(esenas.StudyError, match="[Pp]ickle"),
    ):
        study().optimize(lambda m, t: 1.0, iterations=1, executor=executor)


class Forger(Executor):
    """Answers with bytes of its own."""

    def __init__(self, forge: Any) -> None:
        self.forge, self.sent = forge, []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        task, shared, chunk = args
        self.sent.append((shared, chunk))
        future: Future[Any] = Future()
        future.set_result(self.forge(len(self.sent), fn(*args)))
        return future


def test_answers_are_not_trusted() -> None:
    """Red when bytes from outside are taken as they come."""
    here, there = study(), study()
    here.optimize(shifted, iterations=2)

    def forge(n: int, answer: bytes) -> Any:
        flipped = bytes([*answer[:-1], answer[-1] ^ 1])
        return {0: b"", 1: flipped, 2: answer[:40], 3: answer + b"x", 4: answer}[n % 5]

    there.optimize(
        shifted, iterations=2, executor=esenas.FuturesExecutor(Forger(forge), workers=1, attempts=9)
    )
    assert bits(here) == bits(there)
    with pytest.raises(esenas.StudyError, match="malformed answer(.|\n)*they are cut off"):
        study().optimize(shifted, iterations=1, executor=Forger(lambda n, answer: b"no"))


def test_candidates_cross_as_addresses() -> None:
    """Red when θ goes out with every candidate."""
    forger = Forger(lambda n, answer: answer)
    space, weights = esenas.oneof(range(9)), esenas.ES(directions=50)
    one = esenas.Study(space, dim=20_000, weights=weights)
    one.optimize(lambda m, t: float(t[0]), iterations=1, executor=forger)
    assert all(len(shared) < 8 * 20_000 + 500 for shared, _ in forger.sent)
    assert sum(len(chunk) for _, chunk in forger.sent) < 108 * 40


def test_workers_refuse_what_is_not_theirs() -> None:
    forger = Forger(lambda n, answer: answer)
    study().optimize(shifted, iterations=1, executor=forger)
    shared, chunk = forger.sent[0]
    text = study(iterations=1).to_toml()
    from esenas.objectives import Adapter

    good = esenas.Worker(text, Adapter(shifted))
    assert isinstance(good.evaluate(shared, chunk), bytes)
    other = esenas.Worker(study(weights=esenas.SNES(), iterations=1).to_toml(), Adapter(shifted))
    with pytest.raises(esenas.StudyError, match="made for another study"):
        other.evaluate(shared, chunk)
    with pytest.raises(esenas.StudyError, match="not a chunk of candidates"):
        good.evaluate(shared, shared)
    newer = bytes([*shared[:3], 99, *shared[4:]])
    with pytest.raises(esenas.StudyError, match="different versions(.|\n)*same esenas"):
        good.evaluate(newer, chunk)
    with pytest.raises(ValueError, match="run it from there"):
        esenas.Worker(text)


def test_pools_refuse_what_makes_no_sense() -> None:
    for given, said in [
        ({"attempts": 0}, "attempts"),
        ({"timeout": -1.0}, "timeout"),
        ({"factor": 0.0}, "factor"),
    ]:
        with pytest.raises(ValueError, match=said):
            esenas.Pool(**given)
    with pytest.raises(ValueError, match="workers"):
        esenas.FuturesExecutor(ThreadPoolExecutor, workers=0)


def test_work_is_over_when_it_is() -> None:
    kept: list[Any] = []

    class Keeper(esenas.FuturesExecutor):
        def evaluate(self, work: esenas.Work) -> None:
            kept.append(work)
            with pytest.raises(ValueError, match="did not join"):
                work.lease(77, 1)
            super().evaluate(work)

    study().optimize(shifted, iterations=1, executor=Keeper(ThreadPoolExecutor))
    with pytest.raises(RuntimeError, match="this iteration is over"):
        kept[0].shared()


def test_a_straggler_is_copied() -> None:
    """Red when an iteration waits for a worker that does not come back."""
    here, there = study(), study()
    here.optimize(shifted, iterations=2)
    first, release = threading.Lock(), threading.Event()

    def hangs_once(model: Any, theta: Any) -> float:
        if first.acquire(blocking=False):
            release.wait()
        return shifted(model, theta)

    with ThreadPoolExecutor(3) as executor, releasing(release):
        patience = {"unknown": 0.2, "floor": 0.2, "chunk": 2}
        moved = esenas.FuturesExecutor(executor, **patience)
        there.optimize(hangs_once, iterations=2, executor=moved)
        assert not release.is_set()
    assert bits(here) == bits(there)


def test_what_never_answers_is_given_up() -> None:
    """Whoever is innocent may be late now and then, and is tried again; not so often as to be given up."""
    release = threading.Event()

    def hangs(model: Any, theta: Any) -> float:
        if theta[0] > 0.4:
            release.wait()
        return shifted(model, theta)

    one = study(failures={"share": 0.9})
    with ThreadPoolExecutor(40) as executor, releasing(release):
        patience = {"timeout": 1.0, "attempts": 4, "speculation": False, "chunk": 1}
        moved = esenas.FuturesExecutor(executor, **patience)
        one.optimize(hangs, iterations=1, executor=moved)
    guilty = sum(c.theta[0] > 0.4 for c in study().ask())
    assert one.history["failures"].tolist() == [guilty]


def test_a_pool_that_hangs_for_good_is_not_waited_for() -> None:
    """Red when those who never answer keep everyone else from being tried."""
    release = threading.Event()
    one = study(
        weights=esenas.ES(directions=1),
        centre={"evaluations": 0},
        failures={"share": 1.0, "retries": 0},
    )
    with ThreadPoolExecutor(1) as executor, releasing(release):
        moved = esenas.FuturesExecutor(executor, timeout=0.3, attempts=1, chunk=1)
        with pytest.raises(esenas.StudyError, match="no answer in time"):
            one.optimize(lambda m, t: float(release.wait()), iterations=1, executor=moved)


HANGS = """
import time, esenas
from concurrent.futures import ProcessPoolExecutor

def hangs(model, theta):
    time.sleep(3600)

if __name__ == "__main__":
    pool = esenas.FuturesExecutor(lambda: ProcessPoolExecutor(2), timeout=0.5, attempts=2)
    esenas.Study(esenas.boolean(), dim=2).optimize(hangs, iterations=1, executor=pool)
"""


def test_a_pool_that_hangs_as_a_whole_is_an_error(tmp_path: Path) -> None:
    """Red when the study waits for it silently, or the program cannot end."""
    program = tmp_path / "program.py"
    program.write_text(HANGS)
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    assert "from any of the 2 workers" in done.stderr and "processes=" in done.stderr, done.stderr
