"""The processes of a node, without a cluster: who has which lease when one of them dies."""

from __future__ import annotations

import asyncio
import pickle
import time
from pathlib import Path
from typing import Any

import pytest

import esenas
from esenas._crew import Answer, Crew, Threads
from esenas._native import Lease, Work
from esenas._processes import Processes
from esenas.executors import Task
from objectives import bits, shifted, study
from troubled import hangs_somewhere, kills_itself


class Crewed:
    """An executor that gives all leases to one crew of two, at once."""

    def __init__(self, threads: bool = False, workers: int = 2) -> None:
        self.pool = esenas.Pool(attempts=2, speculation=False)
        self.threads, self.workers = threads, workers
        self.said: list[tuple[str, int]] = []
        self.task: Task | None = None

    def start(self, task: Task) -> None:
        self.task = task

    def stop(self) -> None:
        pass

    def evaluate(self, work: Work) -> None:
        asyncio.run(self._evaluate(work))

    async def _evaluate(self, work: Work) -> None:
        answers: asyncio.Queue[Answer] = asyncio.Queue()
        crew = await self.crew(answers)
        workers = [work.join() for _ in range(len(work))]
        held: dict[int, Lease] = {}
        shared = work.shared()
        while not work.complete:
            for worker in workers:
                lease = work.lease(worker, 1)
                if lease is not None:
                    held[lease.id] = lease
                    crew.begin(lease.id, shared, lease.chunk)
            await self.meanwhile(crew, list(held))
            id, status, said = await answers.get()
            self.said.append((status, id))
            if isinstance(said, bytes):
                work.done(held.pop(id).worker, id, said)
            else:
                work.lost(id, said)
                work.answered(held.pop(id).worker)
        crew.close()

    async def crew(self, answers: asyncio.Queue[Answer]) -> Crew:
        assert self.task is not None
        if self.threads:
            return Threads(self.task, self.workers, answers.put_nowait)
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        task = pickle.dumps(self.task)
        crew = Processes.new(task, None, None, self.workers, answers.put_nowait, ready.set, loop)
        while not crew.ready:
            await ready.wait()
            ready.clear()
        return crew

    async def meanwhile(self, crew: Crew, leases: list[int]) -> None:
        """For those who have something in mind."""


@pytest.fixture(autouse=True)
def marks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where objectives leave word of what happened to them."""
    monkeypatch.setenv("TROUBLE", str(tmp_path))
    return tmp_path


def same(executor: Crewed, objective: Any) -> None:
    """The bits of one process, of an objective that is `shifted` in the end."""
    here, there = study(), study()
    here.optimize(shifted, iterations=2)
    there.optimize(objective, iterations=2, executor=executor)
    assert bits(here) == bits(there)


@pytest.mark.parametrize("threads", [True, False])
def test_a_crew_computes_the_same_bits(threads: bool) -> None:
    """Red when a lease that was sent ahead is answered with another's answer."""
    same(Crewed(threads), shifted)


def test_a_death_costs_the_lease_that_was_begun_and_no_other(marks: Path) -> None:
    """Red when a lease that was sent ahead dies with the process, or is forgotten."""
    executor = Crewed()
    same(executor, kills_itself)
    assert (marks / "killed").exists()
    assert [status for status, _ in executor.said].count("lost") == 1


class Ending(Crewed):
    """Stops whoever has the first lease, once it hangs."""

    async def meanwhile(self, crew: Crew, leases: list[int]) -> None:
        # Without a turn for the crew: whoever was given a lease can be stopped from then on.
        while not (self.marks / "bad").exists():
            time.sleep(0.01)
        if not self.said:
            crew.end(leases[0])

    def __init__(self, marks: Path) -> None:
        super().__init__(workers=1)
        self.marks = marks


def test_who_hangs_is_stopped_and_the_rest_goes_on(marks: Path) -> None:
    """Red when what was sent to a process that is stopped does not go to the next."""
    executor = Ending(marks)
    same(executor, hangs_somewhere)
    assert [status for status, _ in executor.said].count("lost") == 1


class Forgetful(Crewed):
    """Drops what was not begun with, once."""

    dropped: list[int] | None = None

    async def meanwhile(self, crew: Crew, leases: list[int]) -> None:
        if self.dropped is None:
            self.dropped = crew.forget()
            assert self.dropped == leases[2 * self.workers :]
            for lease in self.dropped:
                assert self.answers is not None
                self.answers.put_nowait((lease, "dropped", ""))

    answers: asyncio.Queue[Answer] | None = None

    async def crew(self, answers: asyncio.Queue[Answer]) -> Crew:
        self.answers = answers
        return await super().crew(answers)


def test_what_waits_can_be_dropped() -> None:
    """Red when a dropped lease is evaluated after all, or one that was sent is taken for dropped."""
    executor = Forgetful()
    same(executor, shifted)
    assert executor.dropped
    done = {id for status, id in executor.said if status == "done"}
    assert done.isdisjoint(executor.dropped)
