"""ask + tell from Python: see bench/python.sh.

Each is asked for 100 candidates in 1000 dimensions, which are written out as one array, and told their
values; the objective, a sphere in NumPy, is not counted. Ours also proposes a model of ten categories
with each, as CatCMAwM does; evosax has no models. Median of the iterations after the first ones.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

DIM, CANDIDATES, CATEGORIES, CHOICES = 1000, 100, 10, 5


def sphere(points: np.ndarray) -> np.ndarray:
    """To be minimized."""
    return np.einsum("ij,ij->i", points, points)


def measure(step: Callable[[], float], seconds: float = 5.0, least: int = 5) -> float:
    """Milliseconds of an iteration; `step` returns the seconds of its objective."""
    for _ in range(3):
        step()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        start = time.perf_counter()
        objective = step()
        times.append(time.perf_counter() - start - objective)
    return 1e3 * statistics.median(times)


def evaluated(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Values, and how long they took."""
    start = time.perf_counter()
    values = sphere(points)
    return values, time.perf_counter() - start


def ours(weights: str) -> Callable[[], float]:
    """This package."""
    import esenas

    space = esenas.List([esenas.oneof(range(CHOICES))] * CATEGORIES)
    kinds = {
        "es": esenas.ES(sigma=0.1, step_size=0.1, directions=CANDIDATES // 2),
        "sep-cma-es": esenas.SepCMAES(population=CANDIDATES),
    }
    centre = {"evaluations": 0}
    study = esenas.Study(space, dim=DIM, weights=kinds[weights], centre=centre, start={"gaussian": 1.0})

    def step() -> float:
        batch = study.ask()
        points, models = batch.thetas, batch.models
        assert points.shape == (CANDIDATES, DIM) and len(models) == CANDIDATES
        values, seconds = evaluated(points)
        study.tell(-values)
        return seconds

    return step


def catcmawm() -> Callable[[], float]:
    """cmaes: CatCMA with margin."""
    from cmaes import CatCMAwM

    optimizer = CatCMAwM(
        x_space=[[-5.0, 5.0]] * DIM, c_space=[CHOICES] * CATEGORIES, population_size=CANDIDATES
    )

    def step() -> float:
        solutions = [optimizer.ask() for _ in range(CANDIDATES)]
        values, seconds = evaluated(np.array([it.x for it in solutions]))
        optimizer.tell(list(zip(solutions, values.tolist(), strict=True)))
        return seconds

    return step


def evosax() -> Callable[[], float]:
    """evosax: OpenES, compiled."""
    import jax
    from evosax.algorithms import Open_ES

    strategy = Open_ES(population_size=CANDIDATES, solution=np.zeros(DIM, np.float32))
    params = strategy.default_params
    key = jax.random.key(0)
    state = [strategy.init(key, np.zeros(DIM, np.float32), params)]
    ask, tell, keys = jax.jit(strategy.ask), jax.jit(strategy.tell), [key]

    def step() -> float:
        keys[0], one, two = jax.random.split(keys[0], 3)
        points, asked = ask(one, state[0], params)
        array = np.asarray(points)
        values, seconds = evaluated(array)
        state[0], _ = tell(two, points, values.astype(np.float32), asked, params)
        jax.block_until_ready(state[0])
        return seconds

    return step


def main() -> None:
    """All of them, one after the other, and ours again, to see how quiet the machine is."""
    rows = {
        "esenas, ES": lambda: ours("es"),
        "esenas, sep-CMA-ES": lambda: ours("sep-cma-es"),
        "cmaes CatCMAwM": catcmawm,
        "evosax Open_ES": evosax,
        "esenas, ES, again": lambda: ours("es"),
    }
    found: dict[str, float] = {}
    for name, make in rows.items():
        found[name] = measure(make())
        ratio = found[name] / found["esenas, ES"]
        print(f"{name:20} {found[name]:10.3f} ms   {ratio:8.1f}x", flush=True)


if __name__ == "__main__":
    main()
