"""Processes of our own: for functions of Python's that compute, hang or die."""

from __future__ import annotations

import os
import pickle
import sys
import time
import tomllib
from typing import Any

from esenas._native import Lease, Pool, Work
from esenas._processes import Answer, Events, Processes
from esenas._slot import is_starting
from esenas.errors import StudyError
from esenas.executors import Task, at_least_one

__all__ = ["ProcessExecutor", "in_processes"]

#: Evaluations quicker than this, in seconds, get a lease that waits for its turn in the process.
_QUICK = 0.1
#: How much work a lease of quick evaluations should be, in seconds.
_WORTH = 0.02
_UNITS = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class ProcessExecutor:
    """Evaluates in so many `processes` of this machine, by default one per core.

    An evaluation that takes longer than `timeout` seconds is stopped: its process is killed, with
    whatever that started, and replaced. Such an evaluation, and one whose process dies, is tried
    again; after `attempts` in all it is a recorded failure with its reason. `memory` limits the
    data that one process holds, in bytes or as text such as ``"2 GB"``, on Linux: a function that
    asks for more gets a `MemoryError`.

    With `start="fork"`, the default on Linux, processes are copies of this one: any function will
    do, also a lambda or one of the program itself. With `start="spawn"` they are new processes: the
    function is pickled, or named ``"module:factory"``. Choose that if the function uses a library
    that has started threads or a GPU here, since a copy has neither.

    The processes end with the program, even if that is killed.

    >>> import esenas
    >>> study = esenas.Study(esenas.oneof([1, 2]), dim=3, seed=1)
    >>> processes = esenas.ProcessExecutor(2, timeout=60)
    >>> best = study.optimize(lambda m, x: -float(x @ x), iterations=2, executor=processes)
    >>> study.iterations
    2
    """

    def __init__(
        self,
        processes: int | None = None,
        *,
        timeout: float | None = None,
        attempts: int = 3,
        memory: int | str | None = None,
        start: str | None = None,
    ) -> None:
        at_least_one("processes", processes)
        if timeout is not None and not 0 < timeout < float("inf"):
            raise ValueError(f"timeout must be seconds, more than 0, got {timeout}")
        start = start or ("fork" if sys.platform == "linux" else "spawn")
        if start not in ("fork", "spawn"):
            raise ValueError(f'start must be "fork" or "spawn", got {start!r}')
        # No copies of slow evaluations: in another process they take as long.
        self.pool = Pool(attempts=attempts, speculation=False)
        self._workers = processes or _cores()
        self._timeout, self._memory, self._start = timeout, _bytes(memory), start
        self._answers: list[Answer] = []
        self._idle: list[int] = []
        self._leases: dict[int, Lease] = {}
        #: How long an evaluation took in the iteration before, in seconds.
        self._each: float | None = None
        self._events: Events | None = None
        self._crew: Processes | None = None

    def start(self, task: Task) -> None:
        """A study begins, with new processes."""
        if task.objective is None and not _plays(task.text):
            raise ValueError(
                "processes are for functions of Python's; a problem that has its own objective "
                "is evaluated by threads"
            )
        if is_starting():
            raise StudyError(
                "this process is being started to evaluate for another one, and must not begin a "
                'study of its own: put what the program does below `if __name__ == "__main__":`'
            )
        self.stop()
        self._events = Events()
        more = (self._workers, self._answers.append, lambda: None, self._events)
        if self._start == "fork":
            self._crew = Processes.copies(task, self._memory, *more)
        else:
            self._crew = Processes.new(_pickled(task), self._memory, _program(), *more)

    def stop(self) -> None:
        """The study is over, and its processes with it."""
        if self._crew is not None:
            self._crew.close()
        if self._events is not None:
            self._events.close()
        self._crew = self._events = None
        self._idle += [lease.worker for lease in self._leases.values()]
        self._leases, self._each = {}, None
        self._answers.clear()

    def evaluate(self, work: Work) -> None:
        """Gets all of an iteration done."""
        crew, events = self._crew, self._events
        if crew is None or events is None:
            raise StudyError("start(task) comes before evaluate(work)")
        began, evaluations = time.monotonic(), len(work)
        shared, size, ahead = work.shared(), self._size(evaluations), self._ahead()
        while len(self._idle) + len(self._leases) < ahead * self._workers:
            self._idle.append(work.join())
        while not work.complete:
            while self._idle and len(self._leases) < ahead * self._workers:
                lease = work.lease(self._idle[-1], min(size, self._share(work)))
                if lease is None:
                    break
                self._leases[lease.id] = lease
                self._idle.pop()
                crew.begin(lease.id, shared, lease.chunk)
            events.wait(self._patience(crew))
            self._expire(work, crew)
            for answer in self._answers:
                self._settle(work, answer)
            self._answers.clear()
        self._each = (time.monotonic() - began) * self._workers / evaluations

    # -- how much at a time

    def _ahead(self) -> int:
        """How many leases there are for each process."""
        return 2 if self._each is not None and self._each < _QUICK else 1

    def _size(self, evaluations: int) -> int:
        """How many evaluations a lease has: what is not quick goes out alone, so that a death
        costs nobody else."""
        if self._each is None or self._each > _WORTH / 2:
            return 1
        return min(int(_WORTH / max(self._each, 1e-6)) & ~1, evaluations)

    def _share(self, work: Work) -> int:
        """Less towards the end, so that all are done at about the same time."""
        return max(1, work.open // (4 * self._workers))

    # -- what comes back

    def _settle(self, work: Work, answer: Answer) -> None:
        number, status, said = answer
        if status == "failed":
            raise StudyError(str(said))
        lease = self._leases.pop(number, None)
        if lease is None:
            return  # It was late, and its process was killed.
        self._idle.append(lease.worker)
        if isinstance(said, bytes):
            work.done(lease.worker, number, said)
        else:
            work.lost(number, said)
            work.answered(lease.worker)

    def _patience(self, crew: Processes) -> float | None:
        """How long nobody is late."""
        begun = crew.begun() if self._timeout is not None else []
        if self._timeout is None or not begun:
            return None
        return max(0.0, min(since for _, since in begun) + self._timeout - time.monotonic())

    def _expire(self, work: Work, crew: Processes) -> None:
        """Stops who takes too long."""
        if self._timeout is None:
            return
        latest = time.monotonic() - self._timeout
        for number, since in crew.begun():
            lease = self._leases.get(number)
            if since > latest or lease is None:
                continue
            crew.end(number)
            del self._leases[number]
            self._idle.append(lease.worker)
            work.timed_out(
                number, f"no answer within {self._timeout:g} s, so its process was killed"
            )
            work.answered(lease.worker)


def _plays(text: str) -> bool:
    """Whether the problem of the study in `text` is evaluated in Python, function or not."""
    problem = tomllib.loads(text)["problem"]
    return bool(problem["kind"] == "gymnasium")


def _cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _bytes(memory: int | str | None) -> int | None:
    """A number of bytes, from one or from text."""
    if memory is None:
        return None
    if sys.platform != "linux":
        raise ValueError("memory can be limited on Linux only")
    try:
        if isinstance(memory, str):
            number = memory.rstrip("kKMGiB")
            unit = memory[len(number) :]
            most = int(float(number) * _UNITS[unit]) if unit else int(number)
        else:
            most = int(memory)
        if most > 0:
            return most
    except (ValueError, KeyError, OverflowError):
        pass
    raise ValueError(
        'memory must be a number of bytes, or text such as "500 MB" '
        f"(with {', '.join(_UNITS)}), got {memory!r}"
    )


def _pickled(task: Task) -> bytes:
    try:
        return pickle.dumps(task)
    except Exception as error:
        raise StudyError(
            f"the function cannot be sent to a new process ({type(error).__name__}: {error}); "
            'define it in a module, name it "module:factory", or let processes be copies of this one: start="fork"'
        ) from error


def _program() -> dict[str, Any]:
    """Where a new process finds what is defined in the program's own file."""
    from multiprocessing import spawn

    program: dict[str, Any] = spawn.get_preparation_data("objective")
    wanted = ("sys_argv", "sys_path", "dir", "init_main_from_name", "init_main_from_path")
    return {key: value for key, value in program.items() if key in wanted}


def in_processes(
    executor: Any, processes: int | None, threads: int | None, limits: dict[str, Any]
) -> Any:
    """The executor that was given, or processes with these limits."""
    given = {name: limit for name, limit in limits.items() if limit is not None}
    if processes is None:
        if given:
            raise ValueError(
                f"{' and '.join(given)} cannot hold for calls in this process: say processes as well, "
                "or give an executor that has them"
            )
        return executor
    if executor is not None or threads is not None:
        raise ValueError("processes, threads and executor exclude each other: give one of them")
    return ProcessExecutor(processes, **given)
