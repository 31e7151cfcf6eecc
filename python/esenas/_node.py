"""What runs on a node of a cluster: one of these per node, with as many slots as the node has cores.

Work and answers are exchanged in one message for all slots together: it says what there is to do, and
returns with whatever is done by then. Who does it is :mod:`esenas._crew`'s.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import platform
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from esenas._crew import Answer, Crew, Processes, Threads
from esenas._native import version
from esenas.executors import Task
from esenas.factory import ready

__all__ = ["Node"]

#: How long an answer waits for others to travel with it, at most, in seconds.
_TOGETHER = 0.03


class Node:
    """The node's end of :class:`esenas.RayExecutor`. It never blocks, so that it always answers."""

    def __init__(self) -> None:
        self._crew: Crew | None = None
        self._preparing = asyncio.Lock()
        self._iteration = -1
        self._shared: dict[int, asyncio.Future[bytes]] = {}
        self._flying: set[int] = set()
        self._done: list[Answer] = []
        self._news = asyncio.Event()

    async def hello(self) -> dict[str, Any]:
        """Who this is."""
        return {"version": version(), "host": platform.node(), "pid": os.getpid()}

    async def prepare(self, task: bytes, workers: int, processes: bool) -> None:
        """A study begins, with so many evaluations at a time; functions of Python's in processes, or not."""
        async with self._preparing:
            await self._prepare(task, workers, processes)

    async def _prepare(self, task: bytes, workers: int, processes: bool) -> None:
        if self._crew is not None:
            await self._crew.close()
        self._iteration, self._shared = -1, {}
        self._flying, self._done = set(), []
        self._tell()
        made: Task = pickle.loads(task)
        # What cannot be made here is said before there is work.
        await asyncio.to_thread(made.worker)
        if processes and made.objective is not None:
            self._crew = await Processes.start(task, workers, self._answered)
        else:
            if made.objective is not None:
                ready(made.objective.function)
            self._crew = Threads(made, workers, self._answered)

    async def exchange(
        self, iteration: int, shared: Any, work: list[tuple[int, bytes]], least: int
    ) -> list[Answer]:
        """Takes work, and returns with what is done: at once when there is something and no more than the
        `least` number of leases left. `shared` comes once per iteration."""
        assert self._crew is not None, "prepare() comes first"
        if iteration > self._iteration:
            self._iteration = iteration
            self._forget(self._crew)
        said = self._shared.setdefault(iteration, asyncio.get_running_loop().create_future())
        if shared is not None and not said.done():
            said.set_result(bytes(shared))
        common = await said
        for lease, chunk in work:
            self._flying.add(lease)
            self._crew.begin(lease, common, chunk)
        await self._until(lambda: bool(self._done) or not self._flying)
        with suppress(TimeoutError):
            async with asyncio.timeout(_TOGETHER):
                await self._until(lambda: len(self._flying) <= least)
        done, self._done = self._done, []
        return done

    async def end(self, lease: int) -> None:
        """Stops the process that evaluates a lease; a thread cannot be stopped."""
        if self._crew is not None:
            self._crew.end(lease)

    def _forget(self, crew: Crew) -> None:
        """Others have answered what an earlier iteration left in the queue."""
        self._shared = {n: it for n, it in self._shared.items() if n >= self._iteration}
        for lease in crew.forget():
            self._answered((lease, "dropped", ""))

    def _answered(self, answer: Answer) -> None:
        self._flying.discard(answer[0])
        self._done.append(answer)
        self._tell()

    def _tell(self) -> None:
        """Wakes whoever waits."""
        self._news.set()
        self._news = asyncio.Event()

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self._news.wait()
