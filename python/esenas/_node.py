"""What runs on a node of a cluster: one of these per node, with as many slots as the node has cores.

A slot is a thread with a native worker of its own (the interpreter's lock is released while it works) or,
for functions of Python's, a process (:mod:`esenas._slot`). Work and answers are exchanged in one message
for all slots together: it says what there is to do, and returns with whatever is done by then.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import platform
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from esenas._native import version
from esenas._slot import Process, ProcessLost
from esenas.errors import StudyError
from esenas.executors import Task
from esenas.factory import ready

__all__ = ["Answer", "Node"]

#: A lease, what became of it ("done", "lost", "dropped" or "failed"), and the answer or the reason.
Answer = tuple[int, str, bytes | str]

#: How long an answer waits for others to travel with it, at most, while there is no lack of work; in seconds.
_TOGETHER = 0.02


class Node:
    """The node's end of :class:`esenas.RayExecutor`. It never blocks, so that it always answers."""

    def __init__(self) -> None:
        self._task: Task | None = None
        self._apart, self._workers = False, 1
        self._slots = ThreadPoolExecutor(1)
        self._idle: deque[Process] = deque()
        self._busy: dict[int, Process] = {}
        self._iteration = -1
        self._shared: dict[int, asyncio.Future[bytes]] = {}
        self._flying: dict[int, tuple[int, Future[Answer]]] = {}
        self._done: list[Answer] = []
        self._news: asyncio.Condition | None = None

    async def hello(self) -> dict[str, Any]:
        """Who this is."""
        return {"version": version(), "host": platform.node(), "pid": os.getpid()}

    async def prepare(self, task: bytes, workers: int, processes: bool) -> None:
        """A study begins, with so many evaluations at a time; functions of Python's in processes, or not."""
        for process in [*self._idle, *self._busy.values()]:
            process.end()
        self._idle = deque()
        self._slots.shutdown(wait=False, cancel_futures=True)
        self._flying, self._done, self._shared = {}, [], {}
        before, self._news = self._news, asyncio.Condition()
        if before is not None:
            async with before:
                before.notify_all()
        self._iteration = -1
        self._workers = workers
        self._slots = ThreadPoolExecutor(workers, thread_name_prefix="slot")
        self._task = pickle.loads(task)
        self._apart = processes and self._task.objective is not None
        # What cannot be made here is said before there is work.
        await asyncio.to_thread(self._task.worker)
        if self._apart:
            starting = (asyncio.to_thread(Process, self._task) for _ in range(workers))
            self._idle.extend(await asyncio.gather(*starting))
        elif self._task.objective is not None:
            ready(self._task.objective.function)

    async def exchange(
        self, iteration: int, shared: Any, work: list[tuple[int, bytes]], more: bool
    ) -> list[Answer]:
        """Takes work, and returns with what is done: at the latest when some slot would go idle although
        there is `more`. `shared` comes once per iteration."""
        assert self._news is not None, "prepare() comes first"
        if iteration > self._iteration:
            self._iteration = iteration
            self._forget()
        said = self._shared.setdefault(iteration, asyncio.get_running_loop().create_future())
        if shared is not None and not said.done():
            said.set_result(bytes(shared))
        common = await said
        for lease, chunk in work:
            self._begin(iteration, lease, common, chunk)
        async with self._news:
            await self._news.wait_for(lambda: self._done or not self._flying)
            least = self._workers * 3 // 2 if more else 0
            with suppress(TimeoutError):
                awaited = self._news.wait_for(lambda: len(self._flying) <= least)
                await asyncio.wait_for(awaited, _TOGETHER)
        if len(self._flying) > self._workers:
            await asyncio.sleep(_TOGETHER / 10)
        done, self._done = self._done, []
        return done

    async def end(self, lease: int) -> None:
        """Stops the process that evaluates a lease; a thread cannot be stopped."""
        process = self._busy.get(lease)
        if process is not None:
            process.end()

    def _forget(self) -> None:
        """Others have answered what an earlier iteration left in the queue."""
        self._shared = {n: it for n, it in self._shared.items() if n >= self._iteration}
        for lease, (iteration, future) in list(self._flying.items()):
            if iteration < self._iteration and future.cancel():
                del self._flying[lease]
                self._done.append((lease, "dropped", ""))

    def _begin(self, iteration: int, lease: int, shared: bytes, chunk: bytes) -> None:
        loop = asyncio.get_running_loop()
        future = self._slots.submit(self._evaluate, lease, shared, chunk)
        self._flying[lease] = (iteration, future)
        news = self._news

        async def tell() -> None:
            if news is not None and news is self._news and self._flying.pop(lease, None) is not None:
                self._done.append(future.result())
                async with news:
                    news.notify_all()

        def ended(_: Future[Answer]) -> None:
            if not future.cancelled():
                asyncio.run_coroutine_threadsafe(tell(), loop)

        future.add_done_callback(ended)

    def _evaluate(self, lease: int, shared: bytes, chunk: bytes) -> Answer:
        """In a slot's thread."""
        task, idle = self._task, self._idle
        assert task is not None
        try:
            if not self._apart:
                return lease, "done", task.evaluate(shared, chunk)
            process = idle.pop() if idle else Process(task)
            self._busy[lease] = process
            answer = process.evaluate(shared, chunk)
            idle.append(process)
            return lease, "done", answer
        except ProcessLost as error:
            # The slot is as good as before when it says so. What fails here is tried with the next lease.
            with suppress(ProcessLost, StudyError):
                idle.append(Process(task))
            return lease, "lost", str(error)
        except StudyError as error:
            return lease, "failed", str(error)
        except Exception as error:
            return lease, "lost", f"{type(error).__name__}: {error}"
        finally:
            self._busy.pop(lease, None)
