"""Objectives that something happens to, once, somewhere: as `shifted`, but for that.

`TROUBLE` names a directory of marks: what happens once leaves one there. They run in threads of a node's
actor, whose parent is the node's raylet, or in processes, whose parent is the actor.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from objectives import shifted

MARKS = Path(os.environ.get("TROUBLE", "."))


def first(name: str, content: str = "") -> bool:
    """Whether nobody was here before."""
    try:
        with open(MARKS / name, "x") as mark:
            mark.write(content)
    except FileExistsError:
        return False
    return True


def slow(model: Any, theta: np.ndarray) -> float:
    """Leaves the number of its process."""
    time.sleep(0.005)
    first(f"pid-{os.getpid()}")
    return shifted(model, theta)


def kills_itself(model: Any, theta: np.ndarray) -> float:
    """kill -9 of the process that evaluates."""
    if first("killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    return slow(model, theta)


def kills_parent(model: Any, theta: np.ndarray) -> float:
    """kill -9 of whatever that process is a child of."""
    if first("killed"):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(0.05)
    return slow(model, theta)


def _here() -> bool:
    """Whether this is the process where things go wrong: the first one there was."""
    first("bad", str(os.getpid()))
    return (MARKS / "bad").read_text() == str(os.getpid())


def raises_somewhere(model: Any, theta: np.ndarray) -> float:
    """On one node only, and at first."""
    if _here() and (first("raised") or first("raised again")):
        raise OSError("no such device")
    return slow(model, theta)


def hangs_somewhere(model: Any, theta: np.ndarray) -> float:
    """On one node only."""
    if _here():
        time.sleep(3600)
    return slow(model, theta)


def nan_somewhere(model: Any, theta: np.ndarray) -> float:
    """On one node only, for the first evaluation there."""
    if _here() and first("nan"):
        return float("nan")
    return slow(model, theta)


def make() -> Callable[[Any, np.ndarray], float]:
    """A factory: leaves a mark for every process it is called in."""
    assert first(f"made-{os.getpid()}")
    return shifted


def ends(pid: int) -> bool:
    """Whether a process is gone, or soon is."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
