"""Who evaluates on a node: threads with a native worker each, or processes (:mod:`esenas._slot`).

Either takes leases in order as its members become free, and says what became of each on the event loop that
it was made on. Only threads need threads: the loop looks after all processes by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, Self

from esenas._slot import Process, ProcessLost
from esenas.errors import StudyError
from esenas.executors import Task

__all__ = ["Answer", "Crew", "Processes", "Threads"]

#: A lease, what became of it ("done", "lost", "dropped" or "failed"), and the answer or the reason.
Answer = tuple[int, str, bytes | str]


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
        except Exception as error:
            answer = _said(lease, error)
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


class Processes:
    """For functions of Python's. One that dies is replaced."""

    def __init__(self, task: bytes, say: Callable[[Answer], None]) -> None:
        self._task, self._say = task, say
        self._waiting: asyncio.Queue[tuple[int, bytes, bytes]] = asyncio.Queue()
        self._busy: dict[int, Process] = {}
        self._serving: list[asyncio.Task[None]] = []

    @classmethod
    async def start(cls, task: bytes, workers: int, say: Callable[[Answer], None]) -> Self:
        """So many processes for a pickled task, all of which have it when this returns."""
        crew = cls(task, say)
        processes = await asyncio.gather(*(Process.start(task) for _ in range(workers)))
        crew._serving = [asyncio.create_task(crew._serve(process)) for process in processes]
        return crew

    def begin(self, lease: int, shared: bytes, chunk: bytes) -> None:
        """Takes a lease."""
        self._waiting.put_nowait((lease, shared, chunk))

    async def _serve(self, process: Process | None) -> None:
        """What one process does, and those that replace it."""
        try:
            while True:
                lease, shared, chunk = await self._waiting.get()
                try:
                    process = process or await Process.start(self._task)
                    self._busy[lease] = process
                    answer: Answer = (lease, "done", await process.evaluate(shared, chunk))
                except Exception as error:
                    answer = _said(lease, error)
                    if isinstance(error, ProcessLost):
                        process = await self._anew()
                self._busy.pop(lease, None)
                self._say(answer)
        finally:
            if process is not None:
                process.end()

    async def _anew(self) -> Process | None:
        """The slot is as good as before when it says so. What fails here is tried with the next lease."""
        try:
            return await Process.start(self._task)
        except (ProcessLost, StudyError, OSError):
            return None

    def forget(self) -> list[int]:
        """Drops the leases that nobody has begun with."""
        return [self._waiting.get_nowait()[0] for _ in range(self._waiting.qsize())]

    def end(self, lease: int) -> None:
        """Stops the process that evaluates a lease."""
        if lease in self._busy:
            self._busy[lease].end()

    def close(self) -> None:
        """No more is to come."""
        for each in self._serving:
            each.cancel()


def _said(lease: int, error: Exception) -> Answer:
    if isinstance(error, StudyError):
        return lease, "failed", str(error)
    if isinstance(error, ProcessLost):
        return lease, "lost", str(error)
    return lease, "lost", f"{type(error).__name__}: {error}"
