"""How much to hand out at a time: sizes, never results.

Half of what is left is shared out evenly, then half of the rest, and so on (factoring: Hummel, Schonberg and
Flynn 1992): few messages while there is much to do, and everybody done at about the same time.
"""

from __future__ import annotations

import time

__all__ = ["Pace"]

#: Evaluations quicker than this, in seconds, are worth a lease that waits for its turn on the node,
# or two.
_QUICK, _QUICKER = 0.1, 0.03


class Pace:
    """The pace of a study's evaluations, from one iteration to the next.

    >>> pace = Pace()
    >>> pace.begin(200)
    >>> def lease():
    ...     size = min(pace.size(16), pace.fresh)
    ...     pace.handed(size)
    ...     return size
    >>> sizes = [lease() for _ in range(72)]
    >>> sizes == [6] * 16 + [4] * 16 + [1] * 40
    True
    """

    def __init__(self) -> None:
        #: How many evaluations were never handed out, as far as is known.
        self.fresh = 0
        #: How many leases a worker has at once.
        self.leases = 2
        self._all, self._size, self._round, self._began = 0, 1, 0, 0.0

    def begin(self, evaluations: int) -> None:
        """An iteration begins."""
        self.fresh = self._all = evaluations
        self._round, self._began = 0, time.monotonic()

    def size(self, workers: int) -> int:
        """How large the next lease should be; even, since a pair ±g is drawn once."""
        if self._round == 0:
            share = self.fresh // (2 * workers)
            self._size = share + share % 2 if share > 1 else 1
            self._round = workers
        return self._size

    def handed(self, evaluations: int) -> None:
        """A lease was handed out."""
        self.fresh = max(0, self.fresh - evaluations)
        self._round -= 1

    def end(self, workers: int) -> None:
        """The iteration is over."""
        seconds = time.monotonic() - self._began
        each = seconds * workers / max(1, self._all)
        self.leases = 1 + (each < _QUICK) + (each < _QUICKER)
