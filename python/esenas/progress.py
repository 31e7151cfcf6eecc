"""A line that says how far a study is: in a terminal, or below the cell of a notebook."""

from __future__ import annotations

import contextlib
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from esenas.study import Study

__all__ = ["Progress", "shown"]

_EVERY = 0.1  # seconds between two updates


class Progress(Protocol):
    """Whoever shows it."""

    def update(self, study: Study) -> None:
        """An iteration is done."""

    def end(self, study: Study) -> None:
        """No more is to come."""


class Silent:
    """Shows nothing."""

    def update(self, study: Study) -> None:
        """Nothing."""

    def end(self, study: Study) -> None:
        """Nothing."""


class Line(ABC):
    """A line that is written over again and again; `write` shows it."""

    def __init__(self, study: Study) -> None:
        self._start = time.monotonic()
        self._first = study.iterations
        self._next = 0.0
        if study.choice is not None and study.iterations == 0:
            self.say(f"auto: {study.choice}")

    def update(self, study: Study) -> None:
        """Shows it, unless it was shown just now."""
        now = time.monotonic()
        if now >= self._next:
            self.write(self.line(study))
            self._next = now + _EVERY

    def end(self, study: Study) -> None:
        """Shows how it ended."""
        self.write(self.line(study))
        self.close()

    def line(self, study: Study) -> str:
        """What is shown."""
        done = study.iterations
        limit = study.limits.get("iterations")
        seconds = max(1e-9, time.monotonic() - self._start)
        rate = (done - self._first) / seconds
        best = study.best
        parts = [f"{done}" if limit is None else f"{_bar(done / limit)} {done}/{limit}"]
        parts.append(f"{rate:.3g} iterations/s")
        if best is not None and best.feasible:
            parts.append(f"best {best.reported:.6g}")
        last = study.last
        if "total_feasible" in last:
            parts.append(f"{last['total_feasible']:.0f} of {last['total_evaluations']:.0f} feasible")
        return "  ".join(parts)

    @abstractmethod
    def write(self, text: str) -> None:
        """Shows a line in place of the last."""

    @abstractmethod
    def say(self, text: str) -> None:
        """Shows a line that stays."""

    def close(self) -> None:  # noqa: B027 — most have nothing to leave
        """Leaves it there."""


class Terminal(Line):
    """On standard error."""

    def say(self, text: str) -> None:
        """Shows a line that stays."""
        sys.stderr.write(f"{text}\n")

    def write(self, text: str) -> None:
        """Shows a line in place of the last."""
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    def close(self) -> None:
        """Leaves it there."""
        sys.stderr.write("\n")


class Notebook(Line):
    """Below the cell."""

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        from IPython.display import display

        self._handle: Any = display({"text/plain": ""}, raw=True, display_id=True)

    def say(self, text: str) -> None:
        """Shows a line that stays."""
        from IPython.display import display

        display({"text/plain": text}, raw=True)

    def write(self, text: str) -> None:
        """Shows a line in place of the last."""
        self._handle.update({"text/plain": text}, raw=True)


@contextlib.contextmanager
def shown(study: Study, wanted: bool | None) -> Iterator[Progress]:
    """Shows progress while it lasts; unless told otherwise, where somebody is watching."""
    notebook = "IPython" in sys.modules and _in_notebook()
    watched = notebook or sys.stderr.isatty()
    bar: Progress = Silent()
    if wanted or (wanted is None and watched):
        bar = Notebook(study) if notebook else Terminal(study)
    try:
        yield bar
    finally:
        bar.end(study)


def _in_notebook() -> bool:
    from IPython import get_ipython

    return type(get_ipython()).__name__ == "ZMQInteractiveShell"


def _bar(share: float, width: int = 20) -> str:
    full = int(width * min(1.0, share))
    return "█" * full + "░" * (width - full)
