"""The cluster of `cluster.py`, and how something is tried on it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

SMALL = {"object_store_memory": 80_000_000}
#: For as long as it takes: whoever runs this has a limit of their own.
PATIENCE = 1e6


def patiently(start: Callable[[], Any]) -> Any:
    """Starts a part of Ray. It has 30 s for that, which Ray lets nobody change, and a busy machine takes more."""
    for _ in range(5):
        try:
            return start()
        except AssertionError:
            raise
        except Exception:
            traceback.print_exc()
    return start()


class Harness:
    """A head without cores, and two nodes with two each; `marks` is where troubled objectives leave theirs."""

    def __init__(self, marks: Path) -> None:
        import ray
        from ray.cluster_utils import Cluster

        self.marks = marks
        head = {"num_cpus": 0, "include_dashboard": False, **SMALL}
        self.cluster = patiently(lambda: Cluster(initialize_head=True, head_node_args=head))
        for _ in range(2):
            self.add_node()
        patiently(lambda: ray.init(address=self.cluster.address, log_to_driver=False))

    def add_node(self, **more: Any) -> Any:
        """One more, with two cores."""
        return patiently(lambda: self.cluster.add_node(num_cpus=2, **SMALL, **more))

    def both(
        self,
        function: Any,
        executor: Any,
        like: Any = None,
        iterations: int = 4,
        **settings: Any,
    ) -> tuple[Any, Any]:
        """The study here, of what the function would be without its trouble, and there."""
        from objectives import shifted, study

        for mark in self.marks.iterdir():
            mark.unlink()
        here, there = study(**settings), study(**settings)
        here.optimize(like or shifted, iterations=iterations)
        with executor:
            there.optimize(function, iterations=iterations, executor=executor)
        return here, there

    def same(self, *args: Any, **more: Any) -> None:
        """The same bits, whatever happened."""
        from objectives import bits

        here, there = self.both(*args, **more)
        assert bits(here) == bits(there)

    def in_threads(self, **more: Any) -> Any:
        """On every node, in threads of the actor."""
        from esenas import RayExecutor

        return RayExecutor(processes=False, patience=PATIENCE, **more)

    def in_processes(self, **more: Any) -> Any:
        """On every node, in a process beside the actor."""
        from esenas import RayExecutor

        return RayExecutor(workers=1, patience=PATIENCE, **more)

    def until(self, executor: Any, act: Callable[[], None], done: Callable[[], bool]) -> None:
        """Something happens after the second iteration; the study goes on until that is done, with the same bits."""
        from objectives import bits, shifted, study
        from troubled import slow

        for mark in self.marks.iterdir():
            mark.unlink()

        def watch(it: Any) -> bool:
            if it.iterations == 2:
                act()
            return done()

        here, there = study(), study()
        with executor:
            there.optimize(slow, iterations=100_000, executor=executor, callbacks=[watch])
        here.optimize(shifted, iterations=there.iterations)
        assert bits(here) == bits(there)

    def few_hang(self, executor: Any) -> None:
        """The innocent may be late, too; that costs them an attempt, of which there are many."""
        from esenas import ES
        from troubled import hangs_somewhere

        few = ES(sigma=0.5, step_size=0.1, directions=2)
        made = {"weights": few, "centre": {"evaluations": 0}, "iterations": 2}
        self.same(hangs_somewhere, executor, **made)

    def end(self) -> None:
        """By its own handle."""
        import ray

        ray.shutdown()
        for node in self.cluster.list_all_nodes()[::-1]:
            self.cluster.remove_node(node, allow_graceful=False)
        self.cluster.shutdown()
