"""Wall time, bytes and the driver's cost on Ray clusters of this machine, as Markdown."""

from __future__ import annotations

import itertools
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from namespaces import keep_to, leave_network

#: Bytes; for every node.
STORE = 80_000_000


@contextmanager
def cluster(nodes: int, cores: int) -> Iterator[None]:
    """A Ray cluster of so many nodes, which believe to have so many cores."""
    import ray
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": STORE}
    made = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(nodes):
        made.add_node(num_cpus=cores, object_store_memory=STORE)
    ray.init(address=made.address, log_to_driver=False)
    try:
        yield
    finally:
        ray.shutdown()
        made.shutdown()


def counting(processes: bool = False) -> Any:
    """An executor that counts what it sends and takes, and the processor time that needs."""
    import esenas

    class Counting(esenas.RayExecutor):
        sent = taken = messages = common = 0
        cpu = 0.0

        def evaluate(self, work: esenas.Work) -> None:
            self.common = len(work.shared())
            before = time.process_time()
            super().evaluate(work)
            self.cpu = time.process_time() - before

        def _send(self, member: Any, shared: Any, chunks: Any) -> None:
            if member.told < self._iteration:
                self.sent += self.common
            self.sent += sum(len(chunk) for _, chunk in chunks)
            self.messages += 1
            super()._send(member, shared, chunks)

        def _settle(self, work: Any, member: Any, answers: Any) -> None:
            self.taken += sum(len(said) for _, _, said in answers)
            super()._settle(work, member, answers)

    return Counting(processes=processes)


def run(
    executor: Any, function: Callable[..., float], evaluations: int, dim: int, iterations: int
) -> dict[str, float]:
    """Medians over the iterations after the first three."""
    import esenas

    weights = esenas.ES(directions=evaluations // 2)
    study = esenas.Study(
        esenas.oneof([0, 1]), dim=dim, weights=weights, centre={"evaluations": 0}, seed=1
    )
    rows: list[tuple[float, ...]] = []

    def note(_: Any) -> None:
        rows.append((executor.cpu, executor.messages, executor.sent, executor.taken))
        executor.messages = executor.sent = executor.taken = 0

    study.optimize(function, iterations=iterations, executor=executor, callbacks=[note], progress=False)
    columns = list(zip(study.history["seconds_evaluate"], *zip(*rows, strict=True), strict=True))[3:]
    names = ("wall", "cpu", "messages", "sent", "taken")
    return {n: statistics.median(c) for n, c in zip(names, zip(*columns, strict=True), strict=True)}


def _sleep_on_demand(pipe: Any) -> None:
    """Evaluates as often as it is told to, until it is told 0."""
    import numpy as np
    from sleepers import ten

    while count := pipe.recv():
        pipe.send([ten(0, np.zeros(1000)) for _ in range(count)])


def floor(evaluations: int, workers: int, iterations: int) -> dict[str, float]:
    """What this machine can do at best: bare processes on pipes, each told its even share at once. No Ray, no
    study, nobody to help whoever is late."""
    spawn = multiprocessing.get_context("spawn")
    pipes, processes, rows = [], [], []
    for _ in range(workers):
        ours, theirs = spawn.Pipe()
        processes.append(spawn.Process(target=_sleep_on_demand, args=(theirs,), daemon=True))
        processes[-1].start()
        pipes.append(ours)
    for _ in range(iterations):
        began, before = time.perf_counter(), time.process_time()
        for worker, pipe in enumerate(pipes):
            pipe.send((evaluations + worker) // workers)
        done = sum(len(pipe.recv()) for pipe in pipes)
        assert done == evaluations
        rows.append((time.perf_counter() - began, time.process_time() - before))
    for pipe, process in zip(pipes, processes, strict=True):
        pipe.send(0)
        process.join()
    wall, cpu = map(statistics.median, zip(*rows[3:], strict=True))
    return {"wall": wall, "cpu": cpu, "messages": workers}


def wall() -> None:
    """200 evaluations of 10 ms on 16 workers."""
    from sleepers import ten

    print("| nodes × workers | slots | ideal | wall, median of 17 | ratio | messages | driver's CPU |")
    print("|---|---|---|---|---|---|---|")

    def row(place: str, slots: str, got: dict[str, float], ideal: float = 0.130) -> None:
        print(
            f"| {place} | {slots} | {ideal:.3f} s | {got['wall']:.4f} s | {got['wall'] / ideal:.3f} | "
            f"{got['messages']:.0f} | {got['cpu'] * 1e3:.1f} ms |",
            flush=True,
        )

    row("16, no Ray", "bare processes", floor(200, 16, 20))
    for nodes, processes in itertools.product((1, 4), (True, False)):
        cores = 16 // nodes
        with cluster(nodes, cores):
            got = run(counting(processes), ten, 200, 1000, 20)
        row(f"{nodes} × {cores}", "processes" if processes else "threads", got)


def bytes_() -> None:
    """What crosses, against d and the number of candidates."""
    from sleepers import value

    print("| d | candidates | to a node | from a node | 8 d | 8 d × candidates |")
    print("|---|---|---|---|---|---|")
    with cluster(4, 2):
        executor = counting()
        for dim in (1_000, 10_000, 100_000):
            for evaluations in (50, 200, 800):
                got = run(executor, value, evaluations, dim, 8)
                print(
                    f"| {dim:,} | {evaluations} | {got['sent'] / 4:,.0f} | {got['taken'] / 4:,.0f} | "
                    f"{8 * dim:,} | {8 * dim * evaluations:,} |",
                    flush=True,
                )


def scale() -> None:
    """Many workers, and a model of what the driver pays."""
    import numpy as np
    from sleepers import hundred

    print("| nodes × workers | evaluations | ideal | wall | messages | driver's CPU |")
    print("|---|---|---|---|---|---|")
    costs = []
    for nodes in (2, 4, 8, 16):
        with cluster(nodes, 64):
            executor = counting()
            for rounds in (1, 2, 4):
                count = nodes * 64 * rounds
                got = run(executor, hundred, count, 1000, 8)
                costs.append((1.0, got["messages"], count, got["cpu"]))
                print(
                    f"| {nodes} × 64 | {count} | {rounds * 0.1:.3f} s | {got['wall']:.3f} s | "
                    f"{got['messages']:.0f} | {got['cpu'] * 1e3:.1f} ms |",
                    flush=True,
                )
    table = np.array(costs)
    (fixed, message, evaluation), *_ = np.linalg.lstsq(table[:, :3], table[:, 3], rcond=None)
    left = table[:, 3] - table[:, :3] @ np.array([fixed, message, evaluation])
    print(
        f"\ndriver's CPU per iteration = {fixed * 1e3:.2f} ms + {message * 1e3:.3f} ms × messages + "
        f"{evaluation * 1e6:.1f} µs × evaluations (residual {left.std() * 1e3:.1f} ms)"
    )


def main() -> None:
    """One of them."""
    leave_network()
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as home:
        keep_to(home)
        {"wall": wall, "bytes": bytes_, "scale": scale}[sys.argv[1]]()


if __name__ == "__main__":
    main()
