"""A process that starts, watches and ends other processes, and survives none of their owners.

A :class:`Keeper` is the handle on it. The process has one thread, so it can fork at any time. It
is the parent of all it starts and alone waits for them, so a process number is never mistaken for
another's. Every process it starts has a group of its own, which is killed as a whole. The keeper
ends, and kills them all, when it is told to, when its own parent dies (also by `kill -9`), and
when its socket is closed.

It also runs as a script, so nothing here imports the package.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NoReturn, Self

__all__ = ["Keeper", "KeeperLost"]

#: A letter, the number of a process, and how it ended.
_MESSAGE = struct.Struct("<cqq")
_START, _KILL, _QUIT, _DIED = b"s", b"k", b"q", b"d"
#: How long the keeper waits for those it killed, in seconds; a process in the hands of a device
#: may take longer.
_PATIENCE = 10


class KeeperLost(Exception):
    """The keeper itself is gone, and with it all it started."""


class Keeper:
    """The handle on it. Processes have numbers, which are never used twice."""

    def __init__(self, control: socket.socket, wait: Callable[[], Any]) -> None:
        self._control, self._wait = control, wait
        self._next, self._read = 0, b""

    @classmethod
    def fork(cls, born: Callable[[socket.socket], None]) -> Self:
        """A copy of this process, as it is now. Those it starts call `born(connection)`, and end
        with it."""
        libc = _libc()
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()  # Else the copies would write it again.
        with warnings.catch_warnings():
            # It warns of other threads, whose locks the copy might wait for: it uses nothing of
            # theirs.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            ours.close()
            _keep(theirs, parent, born, libc)
        theirs.close()
        return cls(ours, lambda: os.waitpid(pid, 0))

    @classmethod
    def launch(cls, command: list[str], environment: dict[str, str]) -> Self:
        """A new process, which shares nothing with this one. Those it starts are `command`, with
        the number of a socket's descriptor as one more word."""
        ours, theirs = socket.socketpair()
        with theirs:
            words = [
                sys.executable,
                "-E",
                "-P",
                "-S",
                __file__,
                str(theirs.fileno()),
                str(os.getpid()),
            ]
            process = subprocess.Popen(
                [*words, *command],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=environment,
            )
        return cls(ours, process.wait)

    def fileno(self) -> int:
        """Readable when somebody died."""
        return self._control.fileno()

    def start(self) -> tuple[int, socket.socket]:
        """Another process: its number, and what to talk to it through."""
        self._next += 1
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                message = _MESSAGE.pack(_START, self._next, 0)
                socket.send_fds(self._control, [message], [theirs.fileno()])
        except OSError as error:
            ours.close()
            raise KeeperLost from error
        return self._next, ours

    def kill(self, number: int) -> None:
        """Kills a process and its group; nothing happens if it is gone."""
        with suppress(OSError):
            self._control.sendall(_MESSAGE.pack(_KILL, number, 0))

    def deaths(self) -> Iterator[tuple[int, int]]:
        """Who died, and with which exit code: that of a signal is negative. It waits for one if
        there is none."""
        try:
            news = self._control.recv(1 << 16)
        except OSError as error:
            raise KeeperLost from error
        if not news:
            raise KeeperLost
        self._read += news
        while len(self._read) >= _MESSAGE.size:
            message, self._read = self._read[: _MESSAGE.size], self._read[_MESSAGE.size :]
            _, number, code = _MESSAGE.unpack(message)
            yield number, code

    def close(self) -> None:
        """Ends it and all it started; they are gone when this returns."""
        with suppress(OSError):
            self._control.sendall(_MESSAGE.pack(_QUIT, 0, 0))
        self._control.close()
        with suppress(ChildProcessError):  # Somebody else may have waited for it.
            self._wait()


def _libc() -> Any:
    """What knows of the death of a parent, on Linux."""
    if sys.platform != "linux":
        return None
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _end_with(parent: int, how: signal.Signals, libc: Any) -> None:
    """Has this process get a signal when its parent dies."""
    if libc is not None:
        libc.prctl(1, int(how), 0, 0, 0)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(0)  # It died just before.


def _keep(
    control: socket.socket, parent: int, born: Callable[[socket.socket], None], libc: Any
) -> NoReturn:
    """The life of the keeper."""
    numbers: dict[int, int] = {}
    try:
        # A terminal's signals are the parent's to judge.
        os.setpgid(0, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(ignored, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        news, wake = socket.socketpair()
        news.setblocking(False)
        wake.setblocking(False)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        _end_with(parent, signal.SIGTERM, libc)
        _listen(control, news, wake, numbers, born, libc)
    except BaseException as error:
        if not isinstance(error, SystemExit | OSError):
            sys.excepthook(type(error), error, error.__traceback__)
    finally:
        _end(numbers)
        os._exit(0)


def _listen(
    control: socket.socket,
    news: socket.socket,
    wake: socket.socket,
    numbers: dict[int, int],
    born: Callable[[socket.socket], None],
    libc: Any,
) -> None:
    events = select.poll()
    events.register(control, select.POLLIN)
    events.register(news, select.POLLIN)
    while True:
        ready = {fd for fd, _ in events.poll()}
        if news.fileno() in ready:
            news.recv(1 << 12)
            for number, code in _dead(numbers):
                control.sendall(_MESSAGE.pack(_DIED, number, code))
        if control.fileno() not in ready:
            continue
        message, descriptors, _, _ = socket.recv_fds(control, _MESSAGE.size, 1)
        if len(message) < _MESSAGE.size:
            return  # Nobody can say anything any more.
        letter, number, _ = _MESSAGE.unpack(message)
        if letter == _START:
            with socket.socket(fileno=descriptors[0]) as connection:
                try:
                    numbers[_start(connection, [control, news, wake], born, libc)] = number
                except OSError as error:  # There are as many processes as there may be.
                    control.sendall(_MESSAGE.pack(_DIED, number, error.errno or 1))
        elif letter == _KILL:
            for pid in [pid for pid, its in numbers.items() if its == number]:
                _kill(pid)
        else:
            return


def _start(
    connection: socket.socket,
    ours: list[socket.socket],
    born: Callable[[socket.socket], None],
    libc: Any,
) -> int:
    """A process that is born with a connection."""
    keeper = os.getpid()
    pid = os.fork()
    if pid > 0:
        with suppress(OSError):
            os.setpgid(pid, pid)
        return pid
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for mine in (signal.SIGTERM, signal.SIGCHLD, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(mine, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _end_with(keeper, signal.SIGKILL, libc)
        for each in ours:
            each.close()
        # Who reads from a terminal that is not theirs is stopped by it.
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        born(connection)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(70)


def _dead(numbers: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Those who died, with what is left of their groups."""
    while numbers:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return
        # Before it is waited for: until then nobody else can have its number.
        _kill(found.si_pid)
        _, status = os.waitpid(found.si_pid, 0)
        number = numbers.pop(found.si_pid, None)
        if number is not None:
            yield number, os.waitstatus_to_exitcode(status)


def _kill(pid: int) -> None:
    with suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _end(numbers: dict[int, int]) -> None:
    """Kills all and waits for them, though not for ever."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_PATIENCE)
    for pid in numbers:
        _kill(pid)
    for pid in numbers:
        with suppress(OSError):
            os.waitpid(pid, 0)


def _become(connection: socket.socket, command: list[str]) -> None:
    connection.set_inheritable(True)
    os.execv(command[0], [*command, str(connection.fileno())])


if __name__ == "__main__":
    _keep(
        socket.socket(fileno=int(sys.argv[1])),
        int(sys.argv[2]),
        lambda connection: _become(connection, sys.argv[3:]),
        _libc(),
    )
