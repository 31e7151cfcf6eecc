"""A network of one's own: Ray listens on every interface, so its tests have none but the loopback."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_SET_FLAGS, _UP_AND_RUNNING, _SET_ADDRESS = 0x8914, 0x41, 0x8916


def leave_network(address: str | None = None) -> None:
    """Moves this process, and all it starts from now on, into a network namespace of its own.

    With `address` it has that one too, beside 127.0.0.1. It must have no threads yet. Raises
    `OSError` where that is not allowed.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_NET) != 0 and libc.unshare(_NEW_USER | _NEW_NET) != 0:
        raise OSError(ctypes.get_errno(), "no network namespace can be made here")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP_AND_RUNNING))
        if address is not None:
            # A second name of the same interface.
            family = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(any_socket, _SET_ADDRESS, struct.pack("16s16s8x", b"lo:1", family))


def keep_to(home: str) -> None:
    """Has Ray write below `home` alone, ask for a token, and tell nobody that it is used."""
    os.environ |= {
        "HOME": home,
        "RAY_TMPDIR": home,
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": os.urandom(32).hex(),
        "RAY_memory_monitor_refresh_ms": "0",
    }


def has_namespaces() -> bool:
    """Whether that would work."""
    child = os.fork()
    if child == 0:
        try:
            leave_network()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0
