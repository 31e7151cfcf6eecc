"""A process that evaluates with a function of Python's, and the handle on it.

It is spoken to in frames on its standard input: a letter, a length, and so many bytes. What the function
prints goes to the standard error. It ends with whoever started it, even if that was killed.
"""

from __future__ import annotations

import importlib
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from typing import IO, Any

from esenas.errors import StudyError
from esenas.executors import Task
from esenas.factory import ready

__all__ = ["Process", "ProcessLost"]

_HEAD = struct.Struct("<cQ")


class ProcessLost(Exception):
    """The process ended before it answered."""


class Process:
    """A process of its own, for one evaluation at a time. It is there when this returns."""

    def __init__(self, task: Task) -> None:
        paths = os.pathsep.join(path for path in sys.path if path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from esenas._slot import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
        )
        self._said: bytes | None = None
        self._send(b"t", _pickled(task))
        self._answer()

    def evaluate(self, shared: bytes, chunk: bytes) -> bytes:
        """Evaluates a chunk; what an iteration shares is sent once."""
        if self._said is not shared:
            self._send(b"s", shared)
            self._said = shared
        self._send(b"c", chunk)
        return self._answer()

    def _answer(self) -> bytes:
        assert self._process.stdout is not None
        frame = _read(self._process.stdout)
        if frame is None:
            code = self._process.wait()
            raise ProcessLost(f"the process of the objective ended with code {code}")
        letter, content = frame
        if letter != b"a":
            raise StudyError(content.decode(errors="replace"))
        return content

    def end(self) -> None:
        """Kills it."""
        self._process.kill()

    def _send(self, letter: bytes, content: bytes) -> None:
        assert self._process.stdin is not None
        try:
            _write(self._process.stdin, letter, content)
        except OSError as error:
            code = self._process.wait()
            raise ProcessLost(f"the process of the objective ended with code {code}") from error

    def __del__(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()


def _pickled(task: Task) -> bytes:
    """As Ray does it, if it is there: functions that have no module go too."""
    try:
        pickler: Any = importlib.import_module("ray.cloudpickle")
    except ImportError:
        pickler = pickle
    pickled: bytes = pickler.dumps(task)
    return pickled


def _write(stream: IO[bytes], letter: bytes, content: bytes) -> None:
    stream.write(_HEAD.pack(letter, len(content)))
    stream.write(content)
    stream.flush()


def _read(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next frame, or nothing where they end."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    letter, length = _HEAD.unpack(head)
    content = stream.read(length)
    return None if len(content) < length else (letter, content)


def _listen(stream: IO[bytes], frames: queue.Queue[tuple[bytes, bytes]]) -> None:
    """Beside the evaluation, so that even one that hangs ends when nobody is there any more."""
    while (frame := _read(stream)) is not None:
        frames.put(frame)
    os._exit(0)


def main() -> None:
    """Evaluates until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    frames: queue.Queue[tuple[bytes, bytes]] = queue.Queue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, frames), daemon=True).start()
    worker: Any = None
    shared = b""
    while True:
        letter, content = frames.get()
        if letter == b"s":
            shared = content
            continue
        try:
            if letter == b"t":
                task = pickle.loads(content)
                ready(task.objective.function)
                worker, answer = task.worker(), b""
            else:
                answer = worker.evaluate(shared, content)
            _write(answers, b"a", answer)
        except Exception as error:
            _write(answers, b"e", f"{type(error).__name__}: {error}".encode())
