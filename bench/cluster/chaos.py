"""A bad day: five machines as network namespaces on a bridge, which are killed, cut off and added.

Every machine has namespaces of its own for network and processes, so that it can be cut off without anybody
being told, and killed as a whole. The head is in the outer one, which has no way out either. What is shown:
how long every iteration took, and that the result is the one of a single process, to the last bit.

`python chaos.py threads|processes|policies`: a function that sleeps, in threads of each node's actor or in
processes, or policies that share the filter of their observations, evaluated natively.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from namespaces import keep_to, leave_network

HEAD = "10.77.0.1"
ITERATIONS = 70
WORKERS = 4
EVALUATIONS = 200


def ip(*words: str) -> None:
    """iproute2."""
    subprocess.run(["ip", *words], check=True)


class Machine:
    """A machine with an address, a cable and a raylet."""

    def __init__(self, number: int) -> None:
        self.address, self.cable = f"10.77.0.{number}", f"cable{number}"
        ray = f"{Path(sys.executable).parent}/ray start --block --disable-usage-stats"
        starts = f"{ray} --address={HEAD}:6379 --node-ip-address={self.address} --num-cpus={WORKERS}"
        script = (
            # Disks of their own, too: nodes that share one get in each other's way.
            f"mount -t tmpfs tmpfs {os.environ['HOME']}; mount -t tmpfs tmpfs /dev/shm\n"
            "until ip link show inside > /dev/null 2>&1; do sleep 0.05; done\n"
            f"ip link set lo up; ip addr add {self.address}/24 dev inside; ip link set inside up\n"
            f"exec {starts} --object-store-memory=80000000 > /dev/null 2>&1\n"
        )
        alone = ["unshare", "--net", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc"]
        self.process = subprocess.Popen([*alone, "sh", "-c", script])
        while self._network() == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        ip("link", "add", self.cable, "type", "veth", "peer", "name", "inside")
        ip("link", "set", "inside", "netns", str(self.process.pid))
        ip("link", "set", self.cable, "master", "bridge0", "up")

    def _network(self) -> str:
        return os.readlink(f"/proc/{self.process.pid}/ns/net")

    def kill_actor(self) -> None:
        """kill -9 of the node's actor."""
        for pid in self._running(b"ray::Node"):
            os.kill(pid, signal.SIGKILL)

    def kill_process(self) -> None:
        """kill -9 of one that evaluates."""
        os.kill(self._running(b"esenas._slot")[0], signal.SIGKILL)

    def _running(self, name: bytes) -> list[int]:
        """The processes of this machine with something in their command; not those that keep others."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes()
                if os.readlink(entry / "ns/net") == self._network() and name in words:
                    found.append(int(entry.name))
            except (OSError, ValueError):
                continue
        return [pid for pid in found if b"_keeper.py" not in Path(f"/proc/{pid}/cmdline").read_bytes()]

    def cut(self) -> None:
        """Nobody is told."""
        ip("link", "set", self.cable, "down")

    def heal(self) -> None:
        """The cable is back."""
        ip("link", "set", self.cable, "up")

    def kill(self) -> None:
        """Everything on it, at once."""
        self.process.kill()
        self.process.wait()


def main() -> None:
    """The whole day."""
    what = sys.argv[1] if len(sys.argv) > 1 else "threads"
    leave_network()
    ip("link", "add", "bridge0", "type", "bridge")
    ip("addr", "add", f"{HEAD}/24", "dev", "bridge0")
    ip("link", "set", "bridge0", "up")
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as home:
        keep_to(home)
        ray = [f"{Path(sys.executable).parent}/ray", "start", "--block", "--head", "--port=6379"]
        options = f"--node-ip-address={HEAD} --num-cpus=0 --include-dashboard=false"
        small = "--object-store-memory=80000000 --disable-usage-stats"
        head = subprocess.Popen(
            [*ray, *options.split(), *small.split()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        machines: dict[int, Machine] = {}
        try:
            time.sleep(6)
            machines |= {n: Machine(n) for n in range(2, 6)}
            day(machines, what)
        finally:
            for machine in machines.values():
                machine.kill()
            os.killpg(head.pid, signal.SIGTERM)
            head.wait()


def day(machines: dict[int, Machine], what: str) -> None:
    """What happens, and what came of it."""
    from sleepers import forty, value

    import esenas

    done: Counter[str] = Counter()

    class Noting(esenas.RayExecutor):
        def _settle(self, work: Any, member: Any, answers: Any) -> None:
            done[member.name.split()[0]] += len(answers)
            super()._settle(work, member, answers)

    def add() -> None:
        machines[6] = Machine(6)

    events = {
        10: ("an actor is killed on .2", lambda: machines[2].kill_actor()),
        20: (".3 is cut off", lambda: machines[3].cut()),
        35: (".3 is connected again", lambda: machines[3].heal()),
        45: (".4 is killed as a whole", lambda: machines[4].kill()),
        50: (".6 is added", add),
    }
    if what == "processes":
        events[5] = ("a process is killed on .5", lambda: machines[5].kill_process())
    made: dict[str, Any] = {
        "weights": esenas.ES(directions=EVALUATIONS // 2),
        "centre": {"evaluations": 0},
        "seed": 1,
        "iterations": ITERATIONS,
    }
    if what == "policies":
        policy = {"kind": "toeplitz", "hidden": [16]}
        made["problem"] = esenas.RL("Pendulum", policy, horizon=200)
    else:
        made |= {"space": esenas.oneof([0, 1]), "dim": 1000}
    slept, whole = ([], []) if what == "policies" else ([forty], [value])
    study, notes = esenas.Study(**made), {}

    ideal = -(-EVALUATIONS // (4 * WORKERS)) * 0.040
    if slept:
        print(f"ideal on four machines {ideal:.3f} s\n")
    print("| iteration | wall | answers by machine | |\n|---|---|---|---|")

    def note(it: Any) -> None:
        i, wall = it.iterations - 1, it.history["seconds_evaluate"][-1]
        who = ", ".join(f"{name[-2:]}: {n}" for name, n in sorted(done.items()))
        print(f"| {i} | {wall:.3f} s | {who} | {notes.get(i, '')} |", flush=True)
        done.clear()
        if it.iterations in events:
            what, act = events[it.iterations]
            notes[it.iterations] = what
            threading.Timer(0.2, act).start()

    executor = Noting(f"{HEAD}:6379", processes=what == "processes", patience=120)
    import ray

    ray.init(address=f"{HEAD}:6379", log_to_driver=False)
    while sum(node["Alive"] for node in ray.nodes()) < 5:
        time.sleep(0.5)
    study.optimize(*slept, executor=executor, callbacks=[note], progress=False)
    walls = study.history["seconds_evaluate"]
    alone = esenas.Study(**made)
    alone.optimize(*whole, progress=False)
    assert study.theta is not None and alone.theta is not None
    same = study.theta.tobytes() == alone.theta.tobytes()
    worst, median = max(walls[5:]), sorted(walls[5:])[len(walls[5:]) // 2]
    usual = ideal if slept else median
    name = "ideal" if slept else "median"
    print(f"\nmedian {median:.3f} s, worst after the fifth {worst:.3f} s", end=" ")
    print(f"(2 × {name} + 1 s = {2 * usual + 1:.3f} s), load {os.getloadavg()[0]:.1f}")
    print(f"the bits of one process: {'yes' if same else 'NO'}")
    executor.close()
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
