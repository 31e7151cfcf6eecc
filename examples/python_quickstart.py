"""A small network, its shape and its weights, learned together: no gradients, every core.

    pip install . && python examples/python_quickstart.py

The model decides how many hidden units there are and what they compute; θ holds the weights of the
largest network there can be, of which smaller ones use the first. The task is to fit a wave.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

import esenas

LARGEST = 16
X = np.linspace(-2.0, 2.0, 41)
Y = np.sin(2.0 * X) + 0.5 * X
FUNCTIONS = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0.0), "sin": np.sin}

SPACE = esenas.Dict(
    units=esenas.integer(2, LARGEST, 2),
    function=esenas.oneof(list(FUNCTIONS)),
    skip=esenas.boolean(),
)


def fit(model: Any, theta: np.ndarray) -> float:
    """The negative mean squared error of the network that a model and weights make."""
    into, bias, out, slope = np.split(theta, [LARGEST, 2 * LARGEST, 3 * LARGEST])
    n = model["units"]
    hidden = FUNCTIONS[model["function"]](np.outer(X, into[:n]) + bias[:n])
    predicted = hidden @ out[:n] + (slope[0] * X if model["skip"] else 0.0)
    return -float(np.mean((predicted - Y) ** 2))


def main() -> None:
    """Runs the study, in this process or in several."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--iterations", type=int, default=300)
    arguments.add_argument("--processes", type=int, default=1)
    arguments.add_argument("--directory", help="where to keep it; run again to go on")
    chosen = arguments.parse_args()
    study = esenas.Study(
        SPACE,
        dim=3 * LARGEST + 1,
        weights=esenas.ES(sigma=0.1, step_size=0.05, directions=32),
        controller=esenas.RegularizedEvolution(population=32),
        start={"gaussian": 0.5},
        seed=1,
        name="fit a wave",
    )
    executor = None if chosen.processes == 1 else lambda: ProcessPoolExecutor(chosen.processes)
    best = study.optimize(fit, iterations=chosen.iterations, executor=executor, directory=chosen.directory)
    print(f"mean squared error {-best.value:.4f} with {best.model}")


if __name__ == "__main__":
    main()
