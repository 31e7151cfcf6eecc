"""A real Ray cluster of three nodes, in a network of its own, and what is tried on it.

`python cluster.py DIRECTORY` runs everything in order on one cluster, since that takes seconds to start, and
prints one line of JSON per trial. `test_ray.py` reads them. The cluster ends by its own handle.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from namespaces import keep_to, leave_network

MARKS = Path(sys.argv[1]) / "marks" if __name__ == "__main__" else Path()
SMALL = {"object_store_memory": 80_000_000}
COMMAND = [sys.executable, "-c", "import sys; from esenas._cli import main; sys.exit(main())"]


def prepare() -> None:
    """Before anything is imported that starts threads."""
    leave_network()
    home = Path(sys.argv[1])
    MARKS.mkdir()
    keep_to(str(home))
    os.environ |= {
        "TROUBLE": str(MARKS),
        # Not how slow a busy machine is to answer, but what happens when somebody is gone.
        "RAY_health_check_timeout_ms": "30000",
    }


class Trials:
    """What is tried, in this order."""

    def __init__(self) -> None:
        import ray
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "include_dashboard": False, **SMALL}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [self.cluster.add_node(num_cpus=2, **SMALL) for _ in range(2)]
        ray.init(address=self.cluster.address, log_to_driver=False)

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

        for mark in MARKS.iterdir():
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

        return RayExecutor(processes=False, **more)

    # -- the trials

    def processes_compute_the_same_bits(self) -> None:
        """Red when a chunk, an answer or what an iteration shares is mistaken for another."""
        from objectives import picky

        from esenas import RayExecutor

        self.same(picky, RayExecutor(workers=1), like=picky, failures={"share": 0.9})

    def a_named_objective_is_made_once_per_process(self) -> None:
        from esenas import RayExecutor

        self.same("troubled:make", RayExecutor(workers=1))
        assert 1 <= len(list(MARKS.glob("made-*"))) <= 2

    def native_problems_compute_the_same_bits(self) -> None:
        """Red when the observation filter is not sent out, or its moments do not come back."""
        from objectives import bits

        import esenas

        policy = {"kind": "toeplitz", "hidden": [4]}
        problem = esenas.RL("Pendulum", policy, horizon=20)
        with esenas.RayExecutor() as executor:
            for weights in (esenas.ES(directions=4), esenas.CMAES(), esenas.SNES()):
                made = {"problem": problem, "weights": weights, "centre": {"evaluations": 2}}
                here, there = esenas.Study(**made, seed=5), esenas.Study(**made, seed=5)
                here.optimize(iterations=3)
                there.optimize(iterations=3, executor=executor)
                assert bits(here) == bits(there)

    def a_large_theta_goes_through_the_object_store(self) -> None:
        from objectives import bits

        import esenas

        problem = esenas.Synthetic(dimension=40_000)
        here, there = (esenas.Study(problem=problem, weights=esenas.ES(directions=6)) for _ in "ab")
        here.optimize(iterations=3)
        with esenas.RayExecutor() as executor:
            there.optimize(iterations=3, executor=executor)
        assert bits(here) == bits(there)

    def the_command_runs_on_the_cluster(self) -> None:
        """The same store and the same bits, from the wheel's console script."""
        from objectives import bits

        import esenas

        path, out = MARKS.parent / "study.toml", MARKS.parent / "run"
        path.write_text(
            "seed = 4\nstop = { iterations = 6 }\n"
            'problem = { kind = "synthetic", dimension = 24 }\n'
            'weights = { kind = "es", directions = 8 }\n'
        )
        ray = f"ray={self.cluster.address}"
        words = ["run", str(path), "--out", str(out), "--executor", ray]
        done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        assert "6 iterations" in done.stdout, done.stdout
        here = esenas.Study.load(path)
        here.optimize()
        assert bits(esenas.Study.open(out)) == bits(here)

    def a_process_is_killed(self) -> None:
        from troubled import kills_itself

        from esenas import RayExecutor

        self.same(kills_itself, RayExecutor(workers=1))
        assert (MARKS / "killed").exists()

    def an_actor_is_killed(self) -> None:
        from troubled import kills_itself

        self.same(kills_itself, self.in_threads())
        assert (MARKS / "killed").exists()

    def an_objective_raises_on_one_node(self) -> None:
        """Elsewhere it does not, and failures are tried again where that is asked for."""
        from troubled import raises_somewhere

        self.same(raises_somewhere, self.in_threads(retry_failed=True))
        assert (MARKS / "raised").exists()

    def an_objective_is_nan_on_one_node(self) -> None:
        """That is an answer, if a bad one: one evaluation failed."""
        from troubled import nan_somewhere

        _, there = self.both(nan_somewhere, self.in_threads(), failures={"share": 0.9})
        assert int(there.history["total_failures"][-1]) == 1

    def an_objective_hangs_on_one_node(self) -> None:
        """Others answer for it: a second without any news is suspicious here."""
        from troubled import hangs_somewhere

        self.same(hangs_somewhere, self.in_threads(unknown=1.0, attempts=20))

    def a_process_that_hangs_is_stopped_in_time(self) -> None:
        from troubled import hangs_somewhere

        from esenas import ES, RayExecutor

        patience = {"timeout": 8.0, "speculation": False, "attempts": 20}
        few = ES(sigma=0.5, step_size=0.1, directions=2)
        made = {"weights": few, "centre": {"evaluations": 0}, "iterations": 2}
        self.same(hangs_somewhere, RayExecutor(workers=1, **patience), **made)

    def threads_that_hang_end_with_their_actor(self) -> None:
        from troubled import hangs_somewhere

        from esenas import ES

        few = ES(sigma=0.5, step_size=0.1, directions=2)
        made = {"weights": few, "centre": {"evaluations": 0}, "iterations": 2}
        self.same(hangs_somewhere, self.in_threads(timeout=3.0, speculation=False), **made)

    def another_version_is_refused(self) -> None:
        import esenas.ray
        from objectives import shifted, study

        real = esenas.ray.version
        esenas.ray.version = lambda: "esenas 99.0, form 7"
        try:
            with esenas.RayExecutor() as executor:
                study().optimize(shifted, iterations=1, executor=executor)
            raise AssertionError("it ran")
        except esenas.StudyError as error:
            said = str(error)
        finally:
            esenas.ray.version = real
        assert real() in said and "99.0" in said and "same esenas" in said, said

    def a_missing_module_is_said(self) -> None:
        import esenas
        from objectives import study

        try:
            with esenas.RayExecutor(workers=1) as executor:
                study().optimize("nowhere:make", iterations=1, executor=executor)
            raise AssertionError("it ran")
        except esenas.StudyError as error:
            assert "No module named 'nowhere'" in str(error) and "take part" in str(error), error

    def a_node_is_added(self) -> None:
        """Until it has done something."""
        from objectives import bits, shifted, study
        from troubled import slow

        for mark in MARKS.iterdir():
            mark.unlink()
        there = study()

        def watch(it: Any) -> bool:
            if it.iterations == 2:
                self.nodes.append(self.cluster.add_node(num_cpus=2, **SMALL))
            return len(list(MARKS.glob("pid-*"))) == 3

        with self.in_threads() as executor:
            there.optimize(slow, iterations=20_000, executor=executor, callbacks=[watch])
        here = study()
        here.optimize(shifted, iterations=20_000, callbacks=[lambda it: it.iterations == there.iterations])
        assert bits(here) == bits(there)

    def a_node_is_killed(self) -> None:
        from troubled import kills_parent

        self.same(kills_parent, self.in_threads())
        assert (MARKS / "killed").exists()

    def the_driver_is_killed_and_resumed(self) -> None:
        from objectives import bits, shifted, study

        run = str(MARKS.parent / "resumed")
        program = [sys.executable, __file__, "--driver", run, self.cluster.address]
        driver = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
        assert driver.stdout is not None
        for line in driver.stdout:
            if line.startswith("iteration 3"):
                break
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        driver.stdout.close()
        there = study(iterations=400, directory=run)
        assert there.iterations >= 3
        most = there.iterations + 5
        with self.in_threads() as executor:
            there.optimize(
                shifted, executor=executor, callbacks=[lambda it: it.iterations == most]
            )
        here = study(iterations=400)
        here.optimize(shifted, callbacks=[lambda it: it.iterations == most])
        assert bits(here) == bits(there)

    def end(self) -> None:
        """By its own handle."""
        import ray

        ray.shutdown()
        self.cluster.shutdown()

    def one_is_started_here(self) -> None:
        """After the cluster has ended: the last trial."""
        self.end()
        import ray
        from objectives import shifted

        import esenas

        self.same(shifted, esenas.RayExecutor(workers=2, processes=False))
        assert not ray.is_initialized()


def driver(run: str, address: str) -> None:
    """A study that is about to be killed."""
    import esenas
    from objectives import study
    from troubled import slow

    def say(it: Any) -> None:
        print(f"iteration {it.iterations}", flush=True)

    executor = esenas.RayExecutor(address, processes=False)
    study(iterations=400, directory=run).optimize(slow, executor=executor, callbacks=[say])


TRIALS = [
    name
    for name, it in vars(Trials).items()
    if not name.startswith("_") and name not in ("both", "same", "in_threads", "end")
]


def attempt(trial: Callable[[], None]) -> str:
    """What went wrong, if anything."""
    try:
        trial()
    except BaseException:
        return traceback.format_exc()
    return ""


def main() -> None:
    """All of them, or those that are named."""
    prepare()
    trials = Trials()
    for name in sys.argv[2:] or TRIALS:
        began = time.monotonic()
        wrong = attempt(getattr(trials, name))
        said = {"trial": name, "wrong": wrong, "seconds": round(time.monotonic() - began, 1)}
        print(json.dumps(said), flush=True)
    attempt(trials.end)


if __name__ == "__main__":
    if sys.argv[1] == "--driver":
        driver(*sys.argv[2:])
    else:
        main()
