"""Processes that evaluate with a function of Python's: here, or on a node of a cluster.

Leases wait here for whoever is free first. While there are plenty, each process has one more than
it is at, so that it need not wait for us. One that dies is replaced; what it was at is lost, what
it was sent besides goes to others.

Nothing here waits. Whoever owns this calls back when there is something to read, or room to write:
an event loop of asyncio's does, and so does :class:`Events`. """

from __future__ import annotations

import selectors
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol, Self

from esenas._keeper import Keeper, KeeperLost
from esenas._slot import ANSWER, CHUNK, ERROR, HEAD, SHARED, born, command, frame, greeting
from esenas.errors import StudyError
from esenas.executors import Task

__all__ = ["Answer", "Events", "Processes"]

#: A lease, what became of it ("done", "lost", "dropped" or "failed"), and the answer or the
#: reason.
Answer = tuple[int, str, bytes | str]

#: So many processes in a row that died before they were ready are enough.
_STILLBORN = 10


class Watch(Protocol):
    """Calls back."""

    def add_reader(self, fd: Any, callback: Callable[[], None]) -> Any: ...
    def remove_reader(self, fd: Any) -> Any: ...
    def add_writer(self, fd: Any, callback: Callable[[], None]) -> Any: ...
    def remove_writer(self, fd: Any) -> Any: ...


class Events:
    """Calls back while somebody waits in :meth:`wait`."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def wait(self, seconds: float | None) -> None:
        """Until something has happened, or for so long."""
        for key, ready in self._selector.select(seconds):
            for event, callback in list(key.data.items()):
                # The one before may have ended what the next is about.
                if ready & event and key.data.get(event) is callback:
                    callback()

    def add_reader(self, fd: Any, callback: Callable[[], None]) -> None:
        """Calls back when there is something to read."""
        self._set(fd, selectors.EVENT_READ, callback)

    def remove_reader(self, fd: Any) -> None:
        """Not any more."""
        self._set(fd, selectors.EVENT_READ, None)

    def add_writer(self, fd: Any, callback: Callable[[], None]) -> None:
        """Calls back when there is room to write."""
        self._set(fd, selectors.EVENT_WRITE, callback)

    def remove_writer(self, fd: Any) -> None:
        """Not any more."""
        self._set(fd, selectors.EVENT_WRITE, None)

    def close(self) -> None:
        """Nobody waits any more."""
        self._selector.close()

    def _set(self, fd: Any, event: int, callback: Callable[[], None] | None) -> None:
        key = self._selector.get_map().get(fd)
        calls = {} if key is None else key.data
        calls.pop(event, None)
        if callback is not None:
            calls[event] = callback
        events = sum(calls)
        if key is None:
            if events:
                self._selector.register(fd, events, calls)
        elif events:
            self._selector.modify(fd, events, calls)
        else:
            self._selector.unregister(fd)


class _Lease(NamedTuple):
    number: int
    shared: bytes
    chunk: bytes


class _Slot:
    """A process, with the leases it was given, and what is under way between it and us."""

    def __init__(self, number: int, connection: socket.socket, watch: Watch) -> None:
        connection.setblocking(False)
        self.number, self.connection, self._watch = number, connection, watch
        self.ready = False
        #: It is at the first: what can be sent is begun with at once.
        self.leases: deque[_Lease] = deque()
        #: Since when it is at the first.
        self.since = 0.0
        #: The lease that it is killed for.
        self.ended: int | None = None
        self._read = bytearray()
        self._unsent: deque[memoryview] = deque()
        self._blocked = False
        self._shared: bytes | None = None

    def give(self, lease: _Lease) -> None:
        """Sends a lease, after those that were sent before; what an iteration shares is sent
        once."""
        if not self.leases:
            self.since = time.monotonic()
        self.leases.append(lease)
        if self._shared is not lease.shared:
            self._shared = lease.shared
            self.send(frame(SHARED, lease.shared))
        self.send(frame(CHUNK, lease.chunk))

    def send(self, content: bytes) -> None:
        """At once, or when there is room."""
        self._unsent.append(memoryview(content))
        if not self._blocked:
            self._write()

    def _write(self) -> None:
        try:
            while self._unsent:
                sent = self.connection.send(self._unsent[0])
                self._unsent[0] = self._unsent[0][sent:]
                if not self._unsent[0]:
                    self._unsent.popleft()
        except BlockingIOError:
            if not self._blocked:
                self._watch.add_writer(self.connection, self._write)
                self._blocked = True
            return
        except OSError:
            self._unsent.clear()  # It is dead, or about to be; the keeper says so.
        if self._blocked:
            self._watch.remove_writer(self.connection)
            self._blocked = False

    def frames(self) -> Iterable[tuple[bytes, bytes]]:
        """What it said, as far as it came."""
        try:
            while content := self.connection.recv(1 << 18):
                self._read += content
            self._watch.remove_reader(self.connection)
        except BlockingIOError:
            pass
        except OSError:
            self._watch.remove_reader(self.connection)
        while len(self._read) >= HEAD.size:
            letter, length = HEAD.unpack_from(self._read)
            end = HEAD.size + length
            if len(self._read) < end:
                return
            content = bytes(self._read[HEAD.size : end])
            del self._read[:end]
            yield letter, content

    def next(self) -> _Lease:
        """It is done with the first."""
        self.since = time.monotonic()
        return self.leases.popleft()

    def close(self) -> None:
        """It is dead."""
        self._watch.remove_reader(self.connection)
        self._watch.remove_writer(self.connection)
        self.connection.close()


class Processes:
    """So many of them. `say` is told what becomes of every lease, and `news` is called when they
    are ready or cannot be."""

    def __init__(
        self,
        keeper: Keeper,
        greeting: bytes | None,
        workers: int,
        say: Callable[[Answer], None],
        news: Callable[[], None],
        watch: Watch,
    ) -> None:
        self._keeper, self._greeting, self._watch = keeper, greeting, watch
        self._say, self._news = say, news
        self._waiting: deque[_Lease] = deque()
        self._stillborn = 0
        self._failure: str | None = None
        self._slots: list[_Slot] = []
        watch.add_reader(keeper, self._bury)
        try:
            for _ in range(workers):
                self._slots.append(self._start())
        except BaseException:
            self.close()
            raise

    @classmethod
    def copies(cls, task: Task, memory: int | None, workers: int, *more: Any) -> Self:
        """Copies of this process, as it is now."""
        return cls(
            Keeper.fork(lambda connection: born(connection, task, memory)), None, workers, *more
        )

    @classmethod
    def new(
        cls,
        task: bytes,
        memory: int | None,
        program: dict[str, Any] | None,
        workers: int,
        *more: Any,
    ) -> Self:
        """New processes, for a pickled task."""
        return cls(Keeper.launch(*command()), greeting(task, memory, program), workers, *more)

    @property
    def ready(self) -> bool:
        """Whether every one of them has the objective. A `StudyError` says that this cannot be."""
        if self._failure is not None:
            raise StudyError(self._failure)
        return all(slot.ready for slot in self._slots)

    def begin(self, lease: int, shared: bytes, chunk: bytes) -> None:
        """Takes a lease."""
        self._waiting.append(_Lease(lease, shared, chunk))
        self._hand_out()

    def forget(self) -> list[int]:
        """Drops the leases that nobody has begun with: which these are."""
        dropped = [lease.number for lease in self._waiting]
        self._waiting.clear()
        return dropped

    def end(self, lease: int) -> None:
        """Stops the process that evaluates a lease."""
        for slot in self._slots:
            if slot.leases and slot.leases[0].number == lease:
                slot.ended = lease
                self._keeper.kill(slot.number)

    def begun(self) -> list[tuple[int, float]]:
        """The leases that are evaluated, and since when."""
        return [(slot.leases[0].number, slot.since) for slot in self._slots if slot.leases]

    def close(self) -> None:
        """No more is to come. All are gone when this returns."""
        self._watch.remove_reader(self._keeper)
        for slot in self._slots:
            slot.close()
        self._slots = []
        self._keeper.close()

    # -- what happens

    def _start(self) -> _Slot:
        slot = _Slot(*self._keeper.start(), self._watch)
        self._watch.add_reader(slot.connection, lambda: self._listen(slot))
        if self._greeting is not None:
            slot.send(self._greeting)
        return slot

    def _hand_out(self) -> None:
        if self._failure is not None:
            while self._waiting:
                self._say((self._waiting.popleft().number, "failed", self._failure))
            return
        ready = [slot for slot in self._slots if slot.ready]
        held = len(self._waiting) + sum(len(slot.leases) for slot in self._slots)
        most = 2 if held > 2 * len(self._slots) else 1
        while self._waiting and ready:
            slot = min(ready, key=lambda slot: len(slot.leases))
            if len(slot.leases) >= most:
                return
            slot.give(self._waiting.popleft())

    def _listen(self, slot: _Slot) -> None:
        """What a process says."""
        for letter, content in slot.frames():
            if not slot.ready and letter == ANSWER:
                slot.ready, self._stillborn = True, 0
                self._hand_out()
                self._news()
            elif not slot.ready and letter == ERROR:
                self._fail(content.decode(errors="replace"))
            elif slot.leases and letter in (ANSWER, ERROR):
                lease = slot.next().number
                self._hand_out()
                answered = letter == ANSWER
                self._say(
                    (lease, "done", content)
                    if answered
                    else (lease, "failed", content.decode(errors="replace"))
                )
            else:
                # Somebody else writes to its socket: nothing it says can be believed any more.
                self._keeper.kill(slot.number)
                return

    def _bury(self) -> None:
        """Replaces those who died."""
        try:
            for number, code in self._keeper.deaths():
                slot = next((it for it in self._slots if it.number == number), None)
                if slot is not None:
                    self._replace(slot, code)
        except KeeperLost:
            self._watch.remove_reader(self._keeper)
            self._fail("the process that looks after those of the objective was killed")

    def _replace(self, slot: _Slot, code: int) -> None:
        self._listen(slot)  # What it said before it died.
        slot.close()
        # Whoever was killed for a lease that it answered in the meantime has done nothing to the
        # next.
        guilty = slot.leases and slot.ended in (None, slot.leases[0].number)
        lost = slot.leases.popleft() if guilty else None
        self._waiting.extendleft(reversed(slot.leases))
        slot.leases.clear()
        if not slot.ready:
            self._stillborn += 1
        if self._stillborn >= _STILLBORN:
            self._fail(
                f"{self._stillborn} processes of the objective in a row ended before they were "
                f"ready, the last {_how(code)}"
            )
        self._slots.remove(slot)
        if lost is not None:
            self._say((lost.number, "lost", f"the process of the objective ended {_how(code)}"))
        if self._failure is None:
            self._slots.append(self._start())
        self._hand_out()

    def _fail(self, reason: str) -> None:
        """There is no use in going on."""
        if self._failure is None:
            self._failure = reason
            for slot in self._slots:
                self._waiting.extend(slot.leases)
                slot.leases.clear()
            self._hand_out()
            self._news()


def _how(code: int) -> str:
    """How a process ended."""
    if code >= 0:
        return f"with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = ", as the system does when memory is short" if -code == signal.SIGKILL else ""
    return f"by {name}{hint}"
