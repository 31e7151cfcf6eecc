"""Supernets without a box: what `auto` chooses beside what two lines choose.

    python bench/supernet.py          # a table: test error over three seeds, minutes on one core

Each is a network with two layers whose model chooses both activations, the wiring between the
layers, a shortcut, and which inputs are seen; all models share θ. Fitted is a known function at 96
points; the figure is the mean squared error of the best candidate, 1 being the variance.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import esenas

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
    "sin": np.sin,
    "linear": lambda x: x,
}
#: Inputs, hidden units, evaluations.
NETS = [(8, 16, 20_000), (10, 40, 10_000), (20, 140, 6_000)]
SEARCHES: dict[str, dict[str, Any]] = {
    "auto": {},
    "paper": {"preset": "paper"},
    "SepCMAES × ASNG": {"weights": esenas.SepCMAES(), "controller": esenas.ASNG()},
    "SNES × ASNG": {"weights": esenas.SNES(), "controller": esenas.ASNG()},
    "auto, bounds ±3": {"bounds": (-3, 3)},
}


def supernet(inputs: int, hidden: int, seed: int) -> tuple[Any, int, Callable[..., float]]:
    """The space, d, and what to maximize."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (96, inputs))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.5 * np.tanh(3 * x[:, 3])
    y = (y - y.mean()) / y.std()
    shapes = {
        "first": (inputs, hidden),
        "bias": (hidden,),
        "full": (hidden, hidden),
        "diagonal": (hidden,),
        "last": (hidden,),
    }
    ends = np.cumsum([np.prod(shape) for shape in shapes.values()])
    names = list(ACTIVATIONS)
    space = esenas.Dict(
        a=esenas.oneof(names),
        b=esenas.oneof(names),
        wiring=esenas.oneof(["full", "diagonal", "none"]),
        shortcut=esenas.boolean(),
        seen=esenas.List([esenas.boolean() for _ in range(inputs)]),
    )

    def objective(model: Any, theta: np.ndarray) -> float:
        parts = zip(shapes, np.split(theta, ends[:-1]), strict=True)
        w = {name: part.reshape(shapes[name]) for name, part in parts}
        layer = ACTIVATIONS[model["a"]]((x * np.array(model["seen"], float)) @ w["first"] + w["bias"])
        wired = {
            "full": lambda: layer @ w["full"],
            "diagonal": lambda: layer * w["diagonal"],
            "none": lambda: layer,
        }
        out = ACTIVATIONS[model["b"]](wired[model["wiring"]]())
        out = out + layer if model["shortcut"] else out
        return -float(min(np.mean((out @ w["last"] - y) ** 2), 1e6))

    return space, int(ends[-1]), objective


def main() -> None:
    """Prints the table."""
    chosen = sys.argv[1:] or list(SEARCHES)
    print("| d | evaluations | search | three seeds | median |\n|---|---|---|---|---|")
    for inputs, hidden, evaluations in NETS:
        for name in chosen:
            errors = []
            for seed in range(3):
                space, dim, objective = supernet(inputs, hidden, 100 + seed)
                study = esenas.Study(space, dim, seed=seed, start={"gaussian": 0.1}, **SEARCHES[name])
                errors.append(-study.optimize(objective, evaluations=evaluations, progress=False).value)
            row = " ".join(f"{error:.3f}" for error in errors)
            print(f"| {dim} | {evaluations} | {name} | {row} | {np.median(errors):.3f} |", flush=True)


if __name__ == "__main__":
    main()
