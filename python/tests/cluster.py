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
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import PATIENCE, Harness, patiently
from namespaces import keep_to, leave_network

MARKS = Path(sys.argv[1]) / "marks" if __name__ == "__main__" else Path()
COMMAND = [sys.executable, "-c", "import sys; from esenas._cli import main; sys.exit(main())"]


def prepare() -> None:
    """Before anything is imported that starts threads."""
    leave_network()
    home = Path(sys.argv[1])
    MARKS.mkdir()
    keep_to(str(home))
    os.environ |= {
        "TROUBLE": str(MARKS),
        # Not how slow a busy machine is to answer or to start something, but what happens when
        # somebody is gone.
        "RAY_health_check_timeout_ms": "30000",
        "RAY_worker_niceness": "0",
        "RAY_worker_register_timeout_seconds": "300",
        "RAY_agent_register_timeout_ms": "300000",
        "RAY_gcs_server_port_wait_time_s": "300",
        "RAY_DASHBOARD_STARTUP_TIMEOUT_S": "300",
    }


class Trials(Harness):
    """What is tried, in this order."""

    def processes_compute_the_same_bits(self) -> None:
        """Red when a chunk, an answer or what an iteration shares is mistaken for another."""
        from objectives import picky

        self.same(picky, self.in_processes(), like=picky, failures={"share": 0.9})

    def a_named_objective_is_made_once_per_process(self) -> None:
        """Red when it is made for every chunk. Whoever makes it twice in a process fails."""
        self.same("troubled:make", self.in_processes())
        assert 1 <= len(list(MARKS.glob("made-*"))) <= 4

    def native_problems_compute_the_same_bits(self) -> None:
        """Red when the observation filter is not sent out, or its moments do not come back."""
        import esenas
        from objectives import bits

        policy = {"kind": "toeplitz", "hidden": [4]}
        problem = esenas.RL("Pendulum", policy, horizon=20)
        with esenas.RayExecutor(patience=PATIENCE) as executor:
            for weights in (esenas.ES(directions=4), esenas.CMAES(), esenas.SNES()):
                made = {"problem": problem, "weights": weights, "centre": {"evaluations": 2}}
                here, there = esenas.Study(**made, seed=5), esenas.Study(**made, seed=5)
                here.optimize(iterations=3)
                there.optimize(iterations=3, executor=executor)
                assert bits(here) == bits(there)

    def a_large_theta_goes_through_the_object_store(self) -> None:
        import esenas
        from objectives import bits

        problem = esenas.Synthetic(dimension=40_000)
        here, there = (esenas.Study(problem=problem, weights=esenas.ES(directions=6)) for _ in "ab")
        here.optimize(iterations=3)
        with esenas.RayExecutor(patience=PATIENCE) as executor:
            there.optimize(iterations=3, executor=executor)
        assert bits(here) == bits(there)

    def the_command_runs_on_the_cluster(self) -> None:
        """The same store and the same bits, from the wheel's console script."""
        import esenas
        from objectives import bits

        path, out = MARKS.parent / "study.toml", MARKS.parent / "run"
        path.write_text(
            "seed = 4\nstop = { iterations = 6 }\n"
            'problem = { kind = "synthetic", dimension = 24 }\n'
            'weights = { kind = "es", directions = 8 }\n'
        )
        ray = f"ray={self.cluster.address}"
        words = ["run", str(path), "--out", str(out), "--executor", ray]
        done = subprocess.run([*COMMAND, *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "6 iterations" in done.stdout, done.stdout
        here = esenas.Study.load(path)
        here.optimize()
        assert bits(esenas.Study.open(out)) == bits(here)

    def the_example_runs(self) -> None:
        example = str(Path(__file__).resolve().parents[2] / "examples/python_ray.py")
        words = [sys.executable, example, self.cluster.address]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith("the same bits as on one machine\n"), done.stdout

    def a_process_is_killed(self) -> None:
        from troubled import kills_itself

        self.same(kills_itself, self.in_processes())
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
        """That is an answer, if a bad one: one evaluation failed. Were it late, a copy might answer first."""
        from troubled import nan_somewhere

        executor = self.in_threads(speculation=False)
        _, there = self.both(nan_somewhere, executor, failures={"share": 0.9})
        assert int(there.history["total_failures"][-1]) == 1

    def an_objective_hangs_on_one_node(self) -> None:
        """Others answer for it: a second without any news is suspicious here."""
        from troubled import hangs_somewhere

        self.same(hangs_somewhere, self.in_threads(unknown=1.0, attempts=100))

    def a_process_that_hangs_is_stopped_in_time(self) -> None:
        self.few_hang(self.in_processes(timeout=8.0, speculation=False, attempts=100))

    def threads_that_hang_end_with_their_actor(self) -> None:
        self.few_hang(self.in_threads(timeout=3.0, speculation=False, attempts=100))

    def another_version_is_refused(self) -> None:
        import esenas.ray
        from objectives import shifted, study

        real = esenas.ray.version
        esenas.ray.version = lambda: "esenas 99.0, form 7"
        try:
            with esenas.RayExecutor(patience=PATIENCE) as executor:
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
            with esenas.RayExecutor(workers=1, patience=PATIENCE) as executor:
                study().optimize("nowhere:make", iterations=1, executor=executor)
            raise AssertionError("it ran")
        except esenas.StudyError as error:
            assert "No module named 'nowhere'" in str(error) and "take part" in str(error), error

    def a_node_falls_silent_and_comes_back(self) -> None:
        """Red when an iteration waits until Ray has noticed, or a node that is back gets no more work."""
        import ray

        stopped: list[int] = []
        done = {"iterations": 0, "by it": 0}
        alive = sum(node["Alive"] for node in ray.nodes())

        def stop() -> None:
            actor = int(min(MARKS.glob("pid-*")).name.removeprefix("pid-"))
            raylet = Path(f"/proc/{actor}/stat").read_text().rpartition(")")[2].split()[1]
            stopped.extend([actor, int(raylet)])
            for process in stopped:
                os.kill(process, signal.SIGSTOP)

        def worked() -> bool:
            done["iterations"] += 1
            mark = MARKS / f"pid-{stopped[0]}" if stopped else MARKS / "nobody"
            if done["iterations"] == 12:
                assert sum(node["Alive"] for node in ray.nodes()) == alive, "Ray believes in it still"
                for process in stopped:
                    os.kill(process, signal.SIGCONT)
            if done["iterations"] > 12 and mark.exists():
                done["by it"] += 1
            mark.unlink(missing_ok=True)
            # What it had before it was stopped is no sign: it takes more than that.
            return done["by it"] > 10

        self.until(self.in_threads(), stop, worked)

    def a_node_is_added(self) -> None:
        """Until it has done something."""
        self.until(self.in_threads(), self.add_node, lambda: len(list(MARKS.glob("pid-*"))) >= 3)

    def a_node_of_another_version_is_added(self) -> None:
        """Red when it is given work, is not heard of, or ends a study that can do without it."""
        import esenas.ray

        older = MARKS.parent / "older"
        (older / "esenas").mkdir(parents=True)
        for part in Path(esenas.__file__).parent.iterdir():
            (older / "esenas" / part.name).symlink_to(part)
        node = older / "esenas/_node.py"
        text = node.read_text()
        node.unlink()
        node.write_text(f'{text}\n\ndef version() -> str:\n    return "esenas 0.0.1, form 1"\n')
        path = os.pathsep.join([str(older), os.environ.get("PYTHONPATH", "")])
        added: list[Any] = []

        def add() -> None:
            added.append(self.add_node(env_vars={"PYTHONPATH": path}))

        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.until(self.in_threads(), add, lambda: any("0.0.1" in str(it.message) for it in said))
        (refusal,) = {str(it.message) for it in said if "0.0.1" in str(it.message)}
        assert "cannot take part" in refusal and esenas.ray.version() in refusal, refusal
        self.cluster.remove_node(added[0], allow_graceful=False)

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

    def one_is_started_here(self) -> None:
        """After the cluster has ended: the last trial."""
        self.end()
        import ray

        from objectives import shifted

        patiently(lambda: self.same(shifted, self.in_threads(workers=2)))
        assert not ray.is_initialized()


def driver(run: str, address: str) -> None:
    """A study that is about to be killed."""
    import esenas
    from objectives import study
    from troubled import slow

    def say(it: Any) -> None:
        print(f"iteration {it.iterations}", flush=True)

    executor = esenas.RayExecutor(address, processes=False, patience=PATIENCE)
    study(iterations=400, directory=run).optimize(slow, executor=executor, callbacks=[say])


TRIALS = [name for name in vars(Trials) if not name.startswith("_")]


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
    trials = Trials(MARKS)
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
