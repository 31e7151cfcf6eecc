"""Who evaluates: any `concurrent.futures` executor, or one of your own.

An executor moves bytes and decides nothing. Whom to give what, when to try again, whom to suspect and
in which order results count is the native dispatcher's business, so that every executor gives the
same bits. One of your own is a class with a :class:`~esenas.Pool` and three methods:

=====================  =====================================================================
`start(task)`          a study begins: `task.evaluate(shared, chunk)` is what a worker calls
`evaluate(work)`       one iteration: lease, carry, `work.done` … until `work.complete`
`stop()`               no more is to come
=====================  =====================================================================
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any, Protocol

from esenas._native import Lease, Pool, Work, Worker
from esenas.errors import StudyError
from esenas.objectives import Adapter

__all__ = ["Executor", "FuturesExecutor", "Task"]


@dataclass(frozen=True)
class Task:
    """What a worker has to know, once: the study and the objective. It can be pickled if the
    objective can."""

    text: str
    """The resolved study."""
    objective: Adapter | None = None
    """A function of Python's; without one it is the problem's own."""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)

    def worker(self, threads: int | None = 1) -> Worker:
        """A new worker, with so many native threads, or as many as there are cores."""
        given = "one" if self.objective is None else self.objective.given
        return Worker(self.text, self.objective, given=given, threads=threads)

    def evaluate(self, shared: bytes, chunk: bytes) -> bytes:
        """Evaluates a chunk on this thread, with a worker that is kept for the next."""
        if getattr(_kept, "key", None) != self.key:
            _kept.key, _kept.worker = self.key, self.worker()
        answer: bytes = _kept.worker.evaluate(shared, chunk)
        return answer


_kept = threading.local()


def _evaluate(task: Task, shared: bytes, chunk: bytes) -> bytes:
    return task.evaluate(shared, chunk)


class Executor(Protocol):
    """Whoever evaluates elsewhere."""

    @property
    def pool(self) -> Pool:
        """The workers there are."""

    def start(self, task: Task) -> None:
        """A study begins."""

    def evaluate(self, work: Work) -> None:
        """Gets all of an iteration done."""

    def stop(self) -> None:
        """No more is to come."""


class FuturesExecutor:
    """Evaluates through anything with `submit(function, *args) -> Future`: threads, processes, loky,
    Dask's `Client.get_executor()`, mpi4py's pools.

    `executor` is one, which stays yours to shut down, or a function that makes one: then a pool that
    broke because a process died is made anew. Nobody says which evaluation broke it; so that the innocent
    are not failed with the guilty, the rest of that iteration is given out one chunk at a time.

    `workers` is how many chunks are given out at once, and `chunk` how many evaluations each has. The rest
    is :class:`~esenas.Pool`'s.

    What it cannot do: stop an evaluation. After `timeout` seconds nobody waits for it any more, but it keeps its
    thread or process. Once all of them are kept so, the study ends with an error. Functions that hang
    belong into :class:`~esenas.ProcessExecutor`, which kills their processes.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> import esenas
    >>> study = esenas.Study(esenas.oneof([1, 2]), dim=3, seed=1)
    >>> with ThreadPoolExecutor(2) as threads:
    ...     best = study.optimize(lambda m, x: -float(x @ x), iterations=2, executor=threads)
    >>> study.iterations
    2
    """

    def __init__(
        self,
        executor: futures.Executor | Callable[[], futures.Executor],
        *,
        workers: int | None = None,
        chunk: int | None = None,
        restarts: int = 30,
        **patience: Any,
    ) -> None:
        self.pool = Pool(**patience)
        given: Any = executor
        is_maker = isinstance(given, type) or not hasattr(given, "submit")
        self._make: Callable[[], futures.Executor] | None = given if is_maker else None
        self._executor: futures.Executor | None = None if is_maker else given
        self._timeout: float | None = patience.get("timeout")
        self._heard = time.monotonic()
        self._wanted = at_least_one("workers", workers)
        self._chunk = at_least_one("chunk", chunk)
        self._restarts = restarts
        self._broken = 0
        #: Whether a pool broke in this iteration.
        self._careful = False
        self._slots: list[int] = []
        self._pending: dict[futures.Future[bytes], Lease] = {}
        #: Leases that ran out of time. Should they be answered after all, that is a sign of life.
        self._late: set[int] = set()
        self._task: Task | None = None

    def start(self, task: Task) -> None:
        """A study begins."""
        self._task = task

    def stop(self) -> None:
        """Lets go of what it made itself, and forgets what is still under way."""
        for future in self._pending:
            future.cancel()
        self._task = None
        if self._make is not None and self._executor is not None:
            hung = _processes_of(self._executor) if self._late else []
            self._executor.shutdown(wait=False, cancel_futures=True)
            for process in hung:
                process.kill()
            self._executor = None

    def evaluate(self, work: Work) -> None:
        """Gets all of an iteration done."""
        if self._task is None:
            raise StudyError("start(task) comes before evaluate(work)")
        shared = work.shared()
        self._careful = False
        self._heard = time.monotonic()
        while not work.complete:
            if not self._submit(work, self._task, shared):
                continue
            if not self._pending:
                raise StudyError("no worker takes any work")
            wake = work.wake()
            done, _ = futures.wait(self._pending, wake, futures.FIRST_COMPLETED)
            for future in done:
                self._take(work, future, self._pending.pop(future))
            for what, _, lease in work.tick():
                if what == "expired":
                    work.timed_out(lease, "no answer in time")
                    self._late.add(lease)
            self._need_somebody()

    def _need_somebody(self) -> None:
        """Ends the study if everybody hangs: nothing would ever be answered again."""
        if self._timeout is None or time.monotonic() - self._heard < 2 * self._timeout:
            return
        hung = {lease.worker for lease in self._pending.values() if lease.id in self._late}
        if self._slots and hung.issuperset(self._slots):
            raise StudyError(
                f"there was no answer in time from any of the {len(self._slots)} workers of the "
                f"executor, nor within {2 * self._timeout:g} s since, and nobody can stop what they "
                "do, so the program may not end by itself; optimize(processes=…, timeout=…) has "
                "processes that are killed when they hang"
            )

    def _submit(self, work: Work, task: Task, shared: bytes) -> bool:
        """Gives everyone who is idle something to do; whether the pool held."""
        executor = self._ready(work)
        size = self._chunk or _share(len(work), len(self._slots))
        busy = {it.worker for it in self._pending.values() if it.id not in self._late}
        for worker in self._slots[:1] if self._careful else self._slots:
            lease = None if worker in busy else work.lease(worker, size)
            if lease is None:
                continue
            try:
                future = executor.submit(_evaluate, task, shared, lease.chunk)
            except (futures.BrokenExecutor, OSError) as error:
                # One that is just breaking may fail to start another process before it knows.
                self._mourn(work, error)
                return False
            self._pending[future] = lease
        return True

    def _ready(self, work: Work) -> futures.Executor:
        if self._executor is None:
            if self._make is None:
                raise StudyError("the pool is broken")
            self._executor = self._make()
        if not self._slots:
            count = self._wanted or _workers_of(self._executor)
            self._slots = [work.join() for _ in range(count)]
        return self._executor

    def _take(self, work: Work, future: futures.Future[bytes], lease: Lease) -> None:
        """What became of a lease."""
        self._heard = time.monotonic()
        self._late.discard(lease.id)
        error = None if future.cancelled() else future.exception()
        if future.cancelled():
            work.lost(lease.id, "cancelled")
        elif error is None:
            self._broken = 0
            work.done(lease.worker, lease.id, future.result())
        elif isinstance(error, futures.BrokenExecutor):
            if lease.worker in self._slots:
                self._mourn(work, error)
        elif isinstance(error, StudyError) or not isinstance(error, Exception):
            raise error  # nothing that trying again would mend
        else:
            work.lost(lease.id, f"{type(error).__name__}: {error}")
            work.answered(lease.worker)

    def _mourn(self, work: Work, error: BaseException) -> None:
        """The pool is broken, and everyone in it lost."""
        said = f"{type(error).__name__}: {error}"
        for worker in self._slots:
            work.worker_lost(worker, said)
        self._slots, self._executor = [], None
        self._careful = True
        self._broken += 1
        if self._make is None:
            raise StudyError(
                f"the pool broke ({said}); give FuturesExecutor a function that makes one, "
                "as in FuturesExecutor(ProcessPoolExecutor), and it is made anew"
            ) from error
        if self._broken > self._restarts:
            raise StudyError(f"the pool broke {self._broken} times in a row: {said}") from error


def _processes_of(executor: Any) -> list[Any]:
    """Those of a pool of ours that hangs: the program would wait for them when it ends."""
    return list((getattr(executor, "_processes", None) or {}).values())


def _share(jobs: int, workers: int) -> int:
    """Two chunks for everyone, of an even size: a pair ±g is then evaluated together."""
    return max(1, 2 * -(-jobs // (4 * workers)))


def _workers_of(executor: Any) -> int:
    for name in ("_max_workers", "max_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    client = getattr(executor, "_client", None)  # Dask's
    if client is not None:
        return max(1, sum(map(int, client.nthreads().values())))
    return os.cpu_count() or 1


def at_least_one(name: str, value: int | None) -> int | None:
    if value is not None and value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")
    return value


def as_executor(given: Any) -> Executor:
    """An executor of ours, from whatever was given."""
    if hasattr(given, "evaluate") and hasattr(given, "pool"):
        executor: Executor = given
        return executor
    if hasattr(given, "submit") or callable(given):
        return FuturesExecutor(given)
    raise ValueError(
        f"executor must have submit(), as those of concurrent.futures do, or be an esenas.Executor; "
        f"got {given!r}"
    )
