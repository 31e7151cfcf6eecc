"""A process that evaluates with a function of Python's, and the handle on it.

It is spoken to in frames on its standard input: a letter, a length, and so many bytes. What the function
prints goes to the standard error. It ends with whoever started it, even if that was killed.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import select
import struct
import sys
import threading
from asyncio.subprocess import PIPE, create_subprocess_exec
from contextlib import suppress
from typing import IO, Any, Self

from esenas.errors import StudyError
from esenas.factory import ready

__all__ = ["Process", "ProcessLost"]

_HEAD = struct.Struct("<cQ")


class ProcessLost(Exception):
    """The process ended before it answered."""


class Process:
    """A process of its own, which evaluates one chunk after the other."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process, self._asks, self._answers = process, process.stdin, process.stdout
        self._last_shared: bytes | None = None

    @classmethod
    async def start(cls, task: bytes) -> Self:
        """A new one for a pickled task, which it has when this returns."""
        paths = os.pathsep.join(path for path in sys.path if path)
        command = [sys.executable, "-c", "from esenas._slot import main; main()"]
        environment = {**os.environ, "PYTHONPATH": paths}
        process = cls(await create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=environment))
        try:
            process._asks.write(_frame(b"t", task))
            await process.answer()
        except BaseException:
            await process.close()
            raise
        return process

    def send(self, shared: bytes, chunk: bytes) -> None:
        """Has a chunk evaluated, after those that were sent before; what an iteration shares is sent once."""
        news = b"" if self._last_shared is shared else _frame(b"s", shared)
        self._last_shared = shared
        # Together: it wakes up once.
        self._asks.write(news + _frame(b"c", chunk))

    async def answer(self) -> bytes:
        """What became of the first chunk that was not answered yet."""
        try:
            letter, length = _HEAD.unpack(await self._answers.readexactly(_HEAD.size))
            content = await self._answers.readexactly(length)
        except (OSError, asyncio.IncompleteReadError) as error:
            code = await self._process.wait()
            raise ProcessLost(f"the process of the objective ended with code {code}") from error
        if letter != b"a":
            raise StudyError(content.decode(errors="replace"))
        return content

    def end(self) -> None:
        """Kills it."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def close(self) -> None:
        """Kills it, and is done when it is gone."""
        self.end()
        self._asks.close()
        await self._process.wait()


def _frame(letter: bytes, content: bytes) -> bytes:
    return _HEAD.pack(letter, len(content)) + content


def _read(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next frame, or nothing where they end."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    letter, length = _HEAD.unpack(head)
    content = stream.read(length)
    return None if len(content) < length else (letter, content)


def _end_with(stream: IO[bytes]) -> None:
    """Beside the evaluation, so that even one that hangs ends when nobody is there any more."""
    end = select.poll()
    end.register(stream, 0)  # Not what is to be read: only that nobody can write it any more.
    end.poll()
    os._exit(0)


def main() -> None:
    """Evaluates until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    asks = sys.stdin.buffer
    threading.Thread(target=_end_with, args=(asks,), daemon=True).start()
    worker: Any = None
    shared = b""
    while (frame := _read(asks)) is not None:
        letter, content = frame
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
            answers.write(_frame(b"a", answer))
        except Exception as error:
            answers.write(_frame(b"e", f"{type(error).__name__}: {error}".encode()))
        answers.flush()
