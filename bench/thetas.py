"""All weights of an iteration written out, beside NumPy with kept buffers: see bench/python.sh.

An iteration asks for 100 candidates as one matrix and tells their values; there is no objective. CPU
milliseconds, the median of several iterations after two first ones, and how much memory the process has
taken at most since it had imported all. Every figure is of a process of its own.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from collections.abc import Callable

import numpy as np

CANDIDATES, PAIRS = 100, 50
VALUES = np.random.default_rng(0).standard_normal(CANDIDATES)


def numpy_es(dim: int, dtype: type) -> Callable[[], None]:
    """Antithetic ES on kept arrays: the fastest generator, blocks of rows that stay in cache."""
    rng = np.random.Generator(np.random.SFC64(0))
    theta, noise = np.zeros(dim, dtype), np.empty((PAIRS, dim), dtype)
    candidates = np.empty((2, PAIRS, dim), dtype)
    rows, values = max(1, min(PAIRS, 16384 // dim)), VALUES.reshape(2, PAIRS)

    def step() -> None:
        for first in range(0, PAIRS, rows):
            directions = noise[first : first + rows]
            rng.standard_normal(out=directions, dtype=dtype)
            np.multiply(directions, dtype(0.1), out=directions)
            np.add(theta, directions, out=candidates[0, first : first + rows])
            np.subtract(theta, directions, out=candidates[1, first : first + rows])
        theta[:] += ((values[0] - values[1]) / values.std()).astype(dtype) @ noise

    return step


def ours(dim: int, dtype: type, keeps: bool) -> Callable[[], None]:
    """This package: `batch.thetas`, or `write_thetas` into an array of the caller's."""
    import esenas

    weights = esenas.ES(sigma=0.1, step_size=0.1, directions=PAIRS)
    controller, centre = esenas.Random(), {"evaluations": 0}
    study = esenas.Study(
        esenas.boolean(), dim=dim, weights=weights, controller=controller, centre=centre
    )
    out = np.empty((CANDIDATES, dim), dtype) if keeps else None

    def step() -> None:
        batch = study.ask()
        points = batch.thetas if out is None else batch.write_thetas(out)
        assert points.shape == (CANDIDATES, dim)
        study.tell(VALUES)

    return step


MADE: dict[str, Callable[[int], Callable[[], None]]] = {
    "esenas, thetas": lambda dim: ours(dim, np.float64, False),
    "esenas, out of float64": lambda dim: ours(dim, np.float64, True),
    "esenas, out of float32": lambda dim: ours(dim, np.float32, True),
    "NumPy, float64": lambda dim: numpy_es(dim, np.float64),
    "NumPy, float32": lambda dim: numpy_es(dim, np.float32),
}


def spent() -> float:
    """CPU seconds of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(name: str, dim: int) -> tuple[float, float]:
    """CPU milliseconds of an iteration, and megabytes."""
    import esenas  # noqa: F401 - so that all begin alike

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    step, times = MADE[name](dim), []
    for _ in range(2 + max(5, min(300, 10_000_000 // (CANDIDATES * dim)))):
        start = spent()
        step()
        times.append(1e3 * (spent() - start))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return statistics.median(times[2:]), peak / 1024


def main() -> None:
    """A table; or one figure, where its name and dimension are given."""
    if len(sys.argv) == 3:
        print(*measure(sys.argv[1], int(sys.argv[2])))
        return
    print("| CPU ms per iteration; MB | d = 1,000 | 100,000 | 1,000,000 |\n|---|---:|---:|---:|")
    for name in MADE:
        cells = []
        for dim in (1_000, 100_000, 1_000_000):
            command = [sys.executable, __file__, name, str(dim)]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            milliseconds, megabytes = map(float, said.split())
            cells.append(f"{milliseconds:.3g}; {megabytes:.0f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
