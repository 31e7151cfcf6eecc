"""Who evaluates on a node: threads with a native worker each, or processes (:mod:`esenas._slot`).

Either takes leases in order as its members become free, and says what became of each on the event loop that
it was made on. Only threads need threads: the loop looks after all processes by itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
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

    async def close(self) -> None:
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
            answer = _failure(lease, error)
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

    async def close(self) -> None:
        """No more is to come."""
        self._leases = {}
        self._threads.shutdown(wait=False, cancel_futures=True)


#: Its number, what the iteration shares, and the candidates.
_Lease = tuple[int, bytes, bytes]


class _Slot:
    """A process, with the leases it was given. It has none while it is replaced, or could not be."""

    def __init__(self, process: Process | None) -> None:
        self.process = process
        #: It is at the first, from the moment it is given: what can be sent is begun with at once.
        self.leases: deque[_Lease] = deque()
        self._given = asyncio.Event()

    def __len__(self) -> int:
        return len(self.leases)

    def give(self, lease: _Lease) -> None:
        """Sends a lease, after those that were sent before."""
        if self.process is not None:
            self.process.send(*lease[1:])
        self.leases.append(lease)
        self._given.set()

    async def first(self) -> _Lease:
        """The lease it is at, once there is one."""
        while not self.leases:
            self._given.clear()
            await self._given.wait()
        return self.leases[0]

    def is_at(self, lease: int) -> bool:
        """Whether this is the lease it is at."""
        return bool(self.leases) and self.leases[0][0] == lease

    def take_back(self) -> list[_Lease]:
        """The leases that it did not begin with, the last one first."""
        return [self.leases.pop() for _ in range(len(self.leases) - 1)]


class Processes:
    """For functions of Python's. One that dies is replaced.

    Leases wait here for whoever is free first. While there are plenty, each process has one more than it
    is at, so that it need not wait for us.
    """

    def __init__(self, task: bytes, processes: list[Process], say: Callable[[Answer], None]) -> None:
        self._task, self._say = task, say
        self._waiting: deque[_Lease] = deque()
        self._slots = [_Slot(process) for process in processes]
        self._serving = [asyncio.create_task(self._serve(slot)) for slot in self._slots]

    @classmethod
    async def start(cls, task: bytes, workers: int, say: Callable[[Answer], None]) -> Self:
        """So many processes for a pickled task, all of which have it when this returns."""
        return cls(task, await asyncio.gather(*(Process.start(task) for _ in range(workers))), say)

    def begin(self, lease: int, shared: bytes, chunk: bytes) -> None:
        """Takes a lease."""
        self._waiting.append((lease, shared, chunk))
        self._hand_out()

    def _hand_out(self) -> None:
        held = len(self._waiting) + sum(map(len, self._slots))
        most = 2 if held > 2 * len(self._slots) else 1
        while self._waiting:
            slot = min(self._slots, key=len)
            if len(slot) >= (1 if slot.process is None else most):
                return
            slot.give(self._waiting.popleft())

    async def _serve(self, slot: _Slot) -> None:
        """What one process does, and those that replace it."""
        try:
            while True:
                answer = await self._evaluate(slot, await slot.first())
                slot.leases.popleft()
                self._hand_out()
                self._say(answer)
        finally:
            if slot.process is not None:
                await slot.process.close()

    async def _evaluate(self, slot: _Slot, lease: _Lease) -> Answer:
        try:
            if slot.process is None:
                slot.process = await Process.start(self._task)
                slot.process.send(*lease[1:])
            return lease[0], "done", await slot.process.answer()
        except ProcessLost as error:
            slot.process = None
            self._waiting.extendleft(slot.take_back())
            # The slot is as good as before when it says so. What fails here is tried with the next
            # lease.
            with suppress(ProcessLost, StudyError, OSError):
                slot.process = await Process.start(self._task)
            return _failure(lease[0], error)
        except Exception as error:
            return _failure(lease[0], error)

    def forget(self) -> list[int]:
        """Drops the leases that nobody has begun with."""
        dropped = [lease for lease, _, _ in self._waiting]
        self._waiting.clear()
        return dropped

    def end(self, lease: int) -> None:
        """Stops the process that evaluates a lease."""
        for slot in self._slots:
            if slot.is_at(lease) and slot.process is not None:
                slot.process.end()

    async def close(self) -> None:
        """No more is to come."""
        for each in self._serving:
            each.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)


def _failure(lease: int, error: Exception) -> Answer:
    if isinstance(error, StudyError):
        return lease, "failed", str(error)
    if isinstance(error, ProcessLost):
        return lease, "lost", str(error)
    return lease, "lost", f"{type(error).__name__}: {error}"
