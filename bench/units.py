"""Whether units matter: the same problems in boxes of other sides, and with names instead of a flat θ.

    python bench/units.py boxes       # gaps in boxes with sides 10^±0, 10^±1, 10^±2 beside the equal box
    python bench/units.py integers    # integers from 0 to 1000 beside reals from 0 to 1, likewise
    python bench/units.py named       # processor time of 10^5 evaluations with 50 named reals, beside a flat θ

Medians over ten instances; a few minutes on one core. Gaps below 1e-8 count as 1e-8.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import esenas

D, EVALUATIONS, INSTANCES = 20, 2_000, range(10)
COCO = ["Discus", "BentCigar", "SharpRidge", "DifferentPowers", "Weierstrass"]
Function = Callable[[np.ndarray], np.ndarray]


def sphere(z: np.ndarray) -> np.ndarray:
    return (z**2).sum(1)


def ellipsoid(z: np.ndarray) -> np.ndarray:
    return (10 ** (6 * np.arange(D) / (D - 1)) * z**2).sum(1)


def rosenbrock(z: np.ndarray) -> np.ndarray:
    z = z + 1
    return (100 * (z[:, 1:] - z[:, :-1] ** 2) ** 2 + (z[:, :-1] - 1) ** 2).sum(1)


def rastrigin(z: np.ndarray) -> np.ndarray:
    return (z**2 - 10 * np.cos(2 * np.pi * z) + 10).sum(1)


def coco(name: str, instance: int) -> Function:
    f = esenas.bbob.Function(name, d_cat=0, d_con=D, mode="instance", seed=instance + 1)
    return lambda z: np.array([-f([], np.clip(row, -5, 5)) for row in z])


def problems(instance: int) -> dict[str, Function]:
    """Functions of points in [-5, 5]^D; the best value is 0."""
    best = np.random.default_rng(1000 + instance).uniform(-3, 3, D)
    plain = {f.__name__: f for f in (sphere, ellipsoid, rosenbrock, rastrigin)}
    shifted = {name: lambda x, f=f: f(x - best) for name, f in plain.items()}
    return shifted | {name: coco(name, instance) for name in COCO}


def gap(f: Function, low: np.ndarray, high: np.ndarray, seed: int, steps: Any = None) -> float:
    """What `auto` reaches where coordinate i goes from low to high."""

    def objective(_: Any, thetas: np.ndarray) -> np.ndarray:
        return f(10 * (thetas - low) / (high - low) - 5)

    bounds = np.column_stack([low, high])
    study = esenas.Study(
        esenas.constant("one"), dim=D, bounds=bounds, steps=steps, seed=seed, direction="minimize",
        record={"every": 0},
    )  # fmt: skip
    best = study.optimize(objective, evaluations=EVALUATIONS, vectorized=True, progress=False)
    return max(best.value, 1e-8)


def report(name: str, gaps: dict[str, list[float]]) -> None:
    """A row: medians, and what the others are of the first."""
    medians = {kind: float(np.median(all)) for kind, all in gaps.items()}
    first = next(iter(medians.values()))
    cells = [f"{median:.3g} (× {median / first:.2f})" for median in medians.values()]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def boxes() -> None:
    """Sides drawn evenly in the logarithm."""
    widths = {"equal": None, "10^±0": 0, "10^±1": 1, "10^±2": 2}
    print(f"| d = {D}, {EVALUATIONS} evaluations | {' | '.join(widths)} |\n|---|---|---|---|---|")
    for name in problems(0):
        gaps: dict[str, list[float]] = {kind: [] for kind in widths}
        for instance in INSTANCES:
            rng = np.random.default_rng(instance)
            share, place = rng.uniform(-1, 1, D), rng.uniform(-1, 1, D)
            for kind, width in widths.items():
                side = np.full(D, 10.0) if width is None else 10 ** (width * share)
                low = np.full(D, -5.0) if width is None else side * place
                gaps[kind].append(gap(problems(instance)[name], low, low + side, instance))
        report(name, gaps)


def integers() -> None:
    """Every other coordinate is on a grid of 1001."""
    print("| d = 20, every other on a grid | all from 0 to 1 | the grid from 0 to 1000 |\n|---|---|---|")
    grid = np.arange(D) % 2 == 0
    for name in problems(0):
        gaps: dict[str, list[float]] = {"equal": [], "wide": []}
        for instance in INSTANCES:
            for kind, top in (("equal", 1.0), ("wide", 1000.0)):
                high = np.where(grid, top, 1.0)
                steps, f = np.where(grid, top / 1000, 0.0), problems(instance)[name]
                gaps[kind].append(gap(f, np.zeros(D), high, instance, steps))
        report(name, gaps)


def named(evaluations: int = 100_000, reals: int = 50) -> None:
    """Both kinds by turns, the least of three."""
    names = [f"x{at:02}" for at in range(reals)]
    space = esenas.Dict({name: esenas.real(0, 1) for name in names})

    def seconds(study: esenas.Study, f: Callable[..., Any]) -> float:
        begun = time.process_time()
        study.optimize(f, evaluations=evaluations, progress=False)
        return time.process_time() - begun

    least: dict[str, float] = {}
    for _ in range(3):
        flat = esenas.Study(esenas.constant("one"), dim=reals, bounds=(0, 1), seed=0)
        for kind, took in (
            ("flat", seconds(flat, lambda _, theta: -theta[0])),
            ("named", seconds(esenas.Study(space, seed=0), lambda design: -design["x00"])),
        ):
            least[kind] = min(took, least.get(kind, np.inf))
    ratio = least["named"] / least["flat"]
    print(f"flat {least['flat']:.2f} s, named {least['named']:.2f} s of processor time: × {ratio:.2f}")


if __name__ == "__main__":
    chosen = {f.__name__: f for f in (boxes, integers, named)}
    if len(sys.argv) != 2 or sys.argv[1] not in chosen:
        sys.exit(__doc__)
    chosen[sys.argv[1]]()
