"""Evaluations on a Ray cluster: one actor per node, which owns the node's cores.

The executor moves bytes; retry, speculation, suspicion and order are the native dispatcher's. So the
result is the one that a single machine computes, to the last bit, whatever happens to the nodes.

- A node gets work once its actor has answered: a node that Ray still believes in may be gone.
- What an iteration shares goes out once per node through the object store, candidates as addresses,
  and all slots of a node travel in one message (:mod:`esenas._node`).
- An actor is never restarted by Ray, which would wait for resources and hide who is there. A node whose
  actor is gone gets a new one for as long as Ray lists the node; nodes that join are found.
"""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Self

import numpy as np

from esenas._access import admit, admit_connected, check_reachable
from esenas._native import Lease, Pool, Work, version
from esenas._pace import Pace
from esenas._processes import Answer
from esenas.errors import StudyError
from esenas.executors import Task

__all__ = ["RayExecutor"]

#: Up to so many bytes travel quicker within a message than through the object store; it is Ray's
# own limit.
_INLINE = 100_000
#: How often the list of nodes is looked at, in seconds.
_LOOK = 1.0


@dataclass
class _Member:
    """A node of the cluster, as the driver knows it."""

    id: str
    name: str
    workers: int
    actor: Any
    founder: bool
    ready: bool = False
    #: By the dispatcher's number, with the lease of each that has one.
    slots: dict[int, Lease | None] = field(default_factory=dict)
    #: The last iteration whose shared state it was sent.
    told: int = -1
    #: How many exchanges are under way.
    calls: int = 0
    #: Leases that ran out of time.
    late: set[int] = field(default_factory=set)

    @property
    def busy(self) -> int:
        return sum(lease is not None for lease in self.slots.values())


class RayExecutor:
    """Evaluates on all nodes of a Ray cluster, each with one evaluation per core or so many `workers`.

    `address` is that of the cluster, as Ray takes it: ``"10.0.0.1:6379"`` or ``"auto"``. Without one, what
    this program is connected to is used, or a cluster of this machine alone is started, with usage
    statistics and dashboard off. A cluster of other machines must have a token (``RAY_AUTH_MODE=token``),
    unless `insecure`: whoever reaches it can run anything on it.

    Problems that bring their objective are evaluated natively; functions of Python's in processes, one per
    worker, or without `processes` in threads, which is for functions that wait or release the interpreter's
    lock. They should be importable on the nodes, or be named ``"module:factory"``; `runtime_env` is Ray's, and
    one way to bring files there. `patience` is how long there may be no node at all, in seconds.
    The rest is :class:`~esenas.Pool`'s: `timeout`, `attempts`, `retry_failed`, `speculation` …

    It is kept for as many studies as you like, and shut down by :meth:`close` or at the end of a `with`.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        workers: int | None = None,
        processes: bool = True,
        insecure: bool = False,
        runtime_env: dict[str, Any] | None = None,
        patience: float = 60.0,
        attempts: int = 5,
        **more: Any,
    ) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1, got {workers}")
        if address is not None and address.startswith("ray://"):
            raise ValueError(
                f"address {address!r} is that of a Ray client; run the program on the cluster instead, "
                "with `ray job submit`, and give no address or \"auto\""
            )
        admit(address, insecure)
        self.pool = Pool(attempts=attempts, **more)
        self._address, self._insecure = address, insecure
        self._in_processes, self._processes, self._timed = False, processes, more.get("timeout") is not None
        self._pace = Pace()
        self._workers, self._runtime_env, self._patience = workers, runtime_env, patience
        self._task: bytes | None = None
        self._members: dict[str, _Member] = {}
        self._refs: dict[Any, tuple[_Member, str]] = {}
        self._lost_slots: list[int] = []
        self._refused: dict[str, str] = {}
        self._unanswered: dict[str, str] = {}
        self._retry_at: dict[str, tuple[float, float]] = {}
        self._iteration, self._last_look, self._connected = 0, -_LOOK, False
        self._started = self._quiet = False

    # -- what a study calls

    def start(self, task: Task) -> None:
        """A study begins: connects, and gives every node there is its actor."""
        self._connect()
        self._task = _ray().cloudpickle.dumps(task)
        self._in_processes = self._processes and task.objective is not None
        for member in self._members.values():
            self._prepare(member)
        self._find_nodes()

    def stop(self) -> None:
        """The study is over; the nodes stay as they are, for the next."""

    def evaluate(self, work: Work) -> None:
        """Gets all of an iteration done."""
        self._iteration += 1
        shared: Any = work.shared()
        if len(shared) > _INLINE:
            shared = _ray().put(np.frombuffer(shared, dtype=np.uint8))
        self._pace.begin(len(work))
        alone_since = time.monotonic()
        for slot in self._lost_slots:
            work.worker_lost(slot, "its node was lost")
        self._lost_slots.clear()
        while not work.complete:
            self._find_nodes()
            self._hand_out(work, shared)
            if any(member.ready for member in self._members.values()):
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since > self._patience:
                raise StudyError(self._nobody())
            self._listen(work)
            for what, slot, lease in work.tick():
                if what == "expired":
                    self._expire(work, slot, lease)
        self._pace.end(sum(member.workers for member in self._members.values()))

    def close(self) -> None:
        """Lets go of the nodes, and of Ray if it was started here."""
        if not self._connected:
            return
        for member in self._members.values():
            self._lost_slots += member.slots
            _kill(member.actor)
        self._members, self._refs = {}, {}
        if self._started and _ray().is_initialized():
            _ray().shutdown()
        self._started = self._connected = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- who is there

    def _connect(self) -> None:
        ray = _ray()
        self._connected = True
        if ray.is_initialized():
            if self._address is None and not self._insecure:
                admit_connected(ray)
            return
        given: dict[str, Any] = {}
        if self._runtime_env is not None:
            given["runtime_env"] = self._runtime_env
        if self._quiet:
            given |= {"logging_level": logging.ERROR, "log_to_driver": False}
        if self._address is not None and self._address != "local":
            check_reachable(self._address)
            ray.init(address=self._address, **given)
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # By name: else a file that some other cluster left behind is believed.
        ray.init(address="local", num_cpus=self._workers, include_dashboard=False, **given)
        self._started = True

    def _find_nodes(self) -> None:
        """Looks who came, now and then. Who is gone says so by not answering."""
        now = time.monotonic()
        if now - self._last_look < _LOOK:
            return
        founding, self._last_look = self._last_look < 0, now
        for node in _ray().nodes():
            id, cores = node["NodeID"], int(node.get("Resources", {}).get("CPU", 0))
            waits = now < self._retry_at.get(id, (0.0, 0.0))[0]
            if not node["Alive"] or cores < 1 or id in self._members or id in self._refused or waits:
                continue
            self._admit_node(id, node["NodeManagerAddress"], cores, founding)

    def _admit_node(self, id: str, address: str, cores: int, founder: bool) -> None:
        ray = _ray()
        workers = self._workers or cores
        there = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(id, soft=False)
        options = {"max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": there}
        # What it needs takes as long to import as all else: only those pay who have a cluster.
        from esenas._node import Node

        actor = ray.remote(Node).options(num_cpus=min(workers, cores), **options).remote()
        member = _Member(id, f"{address} ({id[:8]})", workers, actor, founder)
        self._members[id] = member
        self._refs[actor.hello.remote()] = (member, "hello")

    def _prepare(self, member: _Member) -> None:
        """The study's task goes out; there is no work before it arrived."""
        member.ready = False
        self._lost_slots += member.slots
        member.slots = {}
        call = member.actor.prepare.remote(self._task, member.workers, self._processes)
        self._refs[call] = (member, "prepare")

    @property
    def _leases(self) -> int:
        """How many a worker has at once. One that waits takes time, which is not the evaluation's fault."""
        return 1 if self._timed else self._pace.leases

    def _hand_out(self, work: Work, shared: Any) -> None:
        """Gives everyone who is idle something to do."""
        ready = [member for member in self._members.values() if member.ready]
        leases = self._leases
        for member in ready:
            while len(member.slots) < leases * member.workers:
                member.slots[work.join()] = None
        workers = sum(member.workers for member in ready)
        chunks: dict[str, list[tuple[int, bytes]]] = {member.id: [] for member in ready}
        suspected = set(work.suspected)
        for member, slot in _in_turn(ready, leases):
            lease = work.lease(slot, self._pace.size(workers))
            if lease is not None:
                self._pace.handed(lease.size)
                member.slots[slot] = lease
                chunks[member.id].append((lease.id, lease.chunk))
            elif slot not in suspected:
                break  # Nor is there anything for others who are trusted and idle.
        for member in ready:
            if chunks[member.id] or (member.busy and member.calls == 0):
                self._send(member, shared, chunks[member.id])

    def _send(self, member: _Member, shared: Any, chunks: list[tuple[int, bytes]]) -> None:
        common = shared if member.told < self._iteration else None
        member.told = self._iteration
        member.calls += 1
        # While there is more to do, it should be on its way when what waits there is begun with.
        least = max(self._leases - 1, 1) * member.workers if self._pace.fresh > 0 else 0
        call = member.actor.exchange.remote(self._iteration, common, chunks, least)
        self._refs[call] = (member, "exchange")

    # -- what comes back

    def _listen(self, work: Work) -> None:
        """Waits for whatever happens next."""
        ray = _ray()
        wake = work.wake()
        limit = _LOOK if wake is None else min(_LOOK, wake)
        if not self._refs:
            time.sleep(min(limit, 0.1))
            return
        done, _ = ray.wait(list(self._refs), num_returns=1, timeout=limit)
        for ref in done:
            member, what = self._refs.pop(ref)
            try:
                said = ray.get(ref)
            except ray.exceptions.RayTaskError as error:
                # Not the cluster's doing: the task cannot be had there, or we are wrong.
                self._refuse(work, member, f"{what}: {_last_line(error)}")
            except ray.exceptions.RayError as error:
                self._lose(work, member, f"{type(error).__name__} on {member.name}: {_last_line(error)}")
            else:
                self._take(work, member, what, said)

    def _take(self, work: Work, member: _Member, what: str, said: Any) -> None:
        if what == "hello":
            if said["version"] == version():
                self._prepare(member)
            else:
                there, here = said["version"], version()
                self._refuse(work, member, f"it has {there}, and the driver {here}")
        elif what == "prepare":
            # Not when another study began in the meantime: its task is on the way.
            member.ready = (member, "prepare") not in self._refs.values()
            member.calls = 0
        else:
            member.calls = max(0, member.calls - 1)
            self._retry_at.pop(member.id, None)
            self._settle(work, member, said)

    def _settle(self, work: Work, member: _Member, answers: Iterable[Answer]) -> None:
        slots = {lease.id: slot for slot, lease in member.slots.items() if lease is not None}
        for id, status, said in answers:
            if id not in slots:
                continue
            slot = slots[id]
            member.slots[slot] = None
            if isinstance(said, bytes):
                work.done(slot, id, said)
            elif status == "failed":
                raise StudyError(f"on node {member.name}: {said}")
            else:  # The slot is as good as before.
                work.lost(id, f"on node {member.name}: {said}")
                work.answered(slot)

    def _expire(self, work: Work, slot: int, lease: int) -> None:
        """Takes too long: its process is stopped. A thread cannot be, but the node's actor can, once none
        of its threads is of any use."""
        work.timed_out(lease, "no answer in time")
        member = next((it for it in self._members.values() if slot in it.slots), None)
        if member is None:
            return
        if self._in_processes:
            member.actor.end.remote(lease)
            return
        member.late.add(lease)
        if all(it is not None and it.id in member.late for it in member.slots.values()):
            self._lose(work, member, f"every worker of {member.name} hangs")

    def _lose(self, work: Work, member: _Member, reason: str) -> None:
        """The actor is gone, or cannot be reached: whatever it had goes to others."""
        if self._members.get(member.id) is not member:
            return
        for slot in member.slots:
            work.worker_lost(slot, reason)
        del self._members[member.id]
        self._refs = {ref: it for ref, it in self._refs.items() if it[0] is not member}
        _kill(member.actor)
        if not member.ready:
            self._unanswered[member.id] = reason
        pause = min(30.0, 2 * self._retry_at.get(member.id, (0.0, 0.25))[1])
        self._retry_at[member.id] = (time.monotonic() + pause, pause)

    def _refuse(self, work: Work, member: _Member, reason: str) -> None:
        """A node that cannot take part. One that was there from the start should have been able to."""
        said = (
            f"node {member.name} cannot take part: {reason}; "
            "every node needs the same esenas as the driver, and what the objective imports"
        )
        self._lose(work, member, said)
        self._refused[member.id] = said
        if member.founder:
            raise StudyError(said)
        warnings.warn(said, RuntimeWarning, stacklevel=2)

    def _nobody(self) -> str:
        waited = f"no node of the cluster took work for {self._patience:g} s"
        pending = ", ".join(member.name for member in self._members.values())
        if pending:
            waited += f"; waiting for {pending}: are their cores taken by something else?"
        return "; ".join([waited, *self._refused.values(), *self._unanswered.values()])


def _ray() -> Any:
    """Ray, when it is needed and not before."""
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise ImportError("RayExecutor needs Ray: pip install 'esenas[ray]'") from error
    return ray


def _in_turn(members: list[_Member], leases: int) -> Iterator[tuple[_Member, int]]:
    """Slots that are to get something, one of each node after the other."""
    idle = []
    for member in members:
        slots = [slot for slot, lease in member.slots.items() if lease is None]
        room = max(0, leases * member.workers - member.busy)
        idle.append([(member, slot) for slot in slots[:room]])
    for turn in zip_longest(*idle):
        yield from (each for each in turn if each is not None)


def for_command(
    text: str, address: str | None, insecure: bool, workers: int | None, quiet: bool
) -> RayExecutor:
    """What `esenas run --executor ray` evaluates with; Ray's own messages are left out of `-q`."""
    executor = RayExecutor(address, insecure=insecure, workers=workers)
    executor._quiet = quiet
    executor.start(Task(text))
    return executor


def _kill(actor: Any) -> None:
    try:
        _ray().kill(actor)
    except Exception:  # It is gone, or Ray is.
        pass


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
