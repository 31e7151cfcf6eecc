"""A process that evaluates with a function of Python's: what it does, and what it is sent.

It is spoken to in frames on a socket: a letter, a length, and so many bytes. Who starts it and
ends it is :mod:`esenas._keeper`. """

from __future__ import annotations

import os
import pickle
import socket
import struct
import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, NoReturn

import numpy as np

from esenas.errors import StudyError
from esenas.factory import ready

if TYPE_CHECKING:
    from esenas.executors import Task

__all__ = [
    "ANSWER",
    "CHUNK",
    "ERROR",
    "HEAD",
    "SHARED",
    "born",
    "command",
    "frame",
    "greeting",
    "is_starting",
]

HEAD = struct.Struct("<cQ")
#: What a process is to know; what an iteration shares; what to evaluate; what came of it; why
#: nothing did.
_TASK, SHARED, CHUNK, ANSWER, ERROR = b"t", b"s", b"c", b"a", b"e"

#: Whether this is a process that runs the program's own file, to find the function in it.
_starting = False


def is_starting() -> bool:
    """Whether this process only exists to evaluate, and is not yet ready for it."""
    return _starting


def frame(letter: bytes, content: bytes) -> bytes:
    """What is sent."""
    return HEAD.pack(letter, len(content)) + content


def command() -> tuple[list[str], dict[str, str]]:
    """How to start a new process of this kind, and with which environment."""
    paths = os.pathsep.join(path for path in sys.path if path)
    words = [sys.executable, "-c", "from esenas._slot import main; main()"]
    return words, {**os.environ, "PYTHONPATH": paths}


def greeting(
    task: bytes, memory: int | None = None, program: dict[str, Any] | None = None
) -> bytes:
    """The first thing to send to a new process: a pickled task, and where this program's own file
    is."""
    return frame(_TASK, pickle.dumps((program, memory, task)))


def main() -> NoReturn:
    """A new process."""
    global _starting
    connection = socket.socket(fileno=int(sys.argv[-1]))
    connection.set_inheritable(False)
    sys.argv = sys.argv[:-1]

    def made() -> Task:
        global _starting
        letter, content = _read(stream) or (b"", b"")
        if letter != _TASK:
            os._exit(0)  # Nobody wants it any more.
        program, memory, task = pickle.loads(content)
        if program is not None:
            from multiprocessing import spawn

            _starting = True
            spawn.prepare(program)
            _starting = False
        limit_memory(memory)
        unpickled: Task = pickle.loads(task)
        return unpickled

    stream = connection.makefile("rb")
    _live(connection, stream, made)


def born(connection: socket.socket, task: Task, memory: int | None) -> NoReturn:
    """A copy of the process that has the function."""

    def made() -> Task:
        # Else all copies would draw the same numbers.
        np.random.seed()
        limit_memory(memory)
        return task

    _live(connection, connection.makefile("rb"), made)


def limit_memory(most: int | None) -> None:
    """Has whatever asks for more fail."""
    if most is None:
        return
    import resource

    with open("/proc/self/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    begins = 1024 * int(lines["VmData"].split()[0])
    if begins > most:
        raise StudyError(
            f"memory = {most} bytes: a process begins with {begins}, before the function is called"
        )
    resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _live(connection: socket.socket, stream: IO[bytes], made: Callable[[], Task]) -> NoReturn:
    """Evaluates until nobody asks any more."""
    try:
        try:
            task = made()
            if task.objective is not None:
                ready(task.objective.function)
            worker = task.worker()
        except Exception as error:
            connection.sendall(_failed(error))
            raise SystemExit(1) from None
        connection.sendall(frame(ANSWER, b""))
        _serve(connection, stream, worker)
    except ConnectionError:
        _leave(0)  # Whoever asked is gone.
    except BaseException as error:
        # As the interpreter does: by what an objective says that ends the process.
        if not isinstance(error, SystemExit):
            sys.excepthook(type(error), error, error.__traceback__)
        _leave(error.code if isinstance(error, SystemExit) else 1)
    _leave(0)


def _serve(connection: socket.socket, stream: IO[bytes], worker: Any) -> None:
    shared = b""
    while (read := _read(stream)) is not None:
        letter, content = read
        if letter == SHARED:
            shared = content
            continue
        try:
            answer = frame(ANSWER, worker.evaluate(shared, content))
        except Exception as error:
            answer = _failed(error)
        # What the function printed may be all that is known of it, should it be killed next.
        _flush()
        connection.sendall(answer)


def _leave(code: Any) -> NoReturn:
    """Without what other threads or the program would still do at its end: that is not for a copy
    to do."""
    _flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _failed(error: Exception) -> bytes:
    said = str(error) if isinstance(error, StudyError) else f"{type(error).__name__}: {error}"
    return frame(ERROR, said.encode(errors="replace"))


def _read(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next frame, or nothing where they end."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    letter, length = HEAD.unpack(head)
    content = stream.read(length)
    return None if len(content) < length else (letter, content)
