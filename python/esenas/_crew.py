"""Who evaluates on a node: threads with a native worker each, or processes
(:mod:`esenas._processes`).

Either takes leases in order as its members become free, and says what became of each on the event
loop that it was made on. """

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from esenas._processes import Answer
from esenas.errors import StudyError
from esenas.executors import Task

__all__ = ["Answer", "Crew", "Threads"]


class Crew(Protocol):
    """So many evaluations at a time."""

    def begin(self, lease: int, shared: bytes, chunk: bytes) -> None:
        """Takes a lease."""

    def forget(self) -> list[int]:
        """Drops the leases that nobody has begun with: which these are."""

    def end(self, lease: int) -> None:
        """Stops whoever evaluates a lease, if that is possible."""

    def close(self) -> None:
        """No more is to come, and nothing more is said."""


class Threads:
    """For native work and for functions that wait or release the interpreter's lock."""

    def __init__(self, task: Task, workers: int, say: Callable[[Answer], None]) -> None:
        self._task, self._say = task, say
        self._loop = asyncio.get_running_loop()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="slot")
        self._leases: dict[int, Future[None]] = {}

    def begin(self, lease: int, shared: bytes, chunk: bytes) -> None:
        """Takes a lease."""
        self._leases[lease] = self._threads.submit(self._evaluate, lease, shared, chunk)

    def _evaluate(self, lease: int, shared: bytes, chunk: bytes) -> None:
        try:
            answer: Answer = (lease, "done", self._task.evaluate(shared, chunk))
        except StudyError as error:
            answer = (lease, "failed", str(error))
        except Exception as error:
            answer = (lease, "lost", f"{type(error).__name__}: {error}")
        self._loop.call_soon_threadsafe(self._tell, answer)

    def _tell(self, answer: Answer) -> None:
        if self._leases.pop(answer[0], None) is not None:
            self._say(answer)

    def forget(self) -> list[int]:
        """Drops the leases that nobody has begun with."""
        dropped = [lease for lease, future in self._leases.items() if future.cancel()]
        for lease in dropped:
            del self._leases[lease]
        return dropped

    def end(self, lease: int) -> None:
        """A thread cannot be stopped."""

    def close(self) -> None:
        """No more is to come."""
        self._leases = {}
        self._threads.shutdown(wait=False, cancel_futures=True)
