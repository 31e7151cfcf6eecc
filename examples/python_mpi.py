"""A study over MPI, through mpi4py's pool: rank 0 is the study, all others evaluate.

    pip install mpi4py mpich          # or the MPI that the machine has
    mpiexec -n 9 python -m mpi4py.futures examples/python_mpi.py

MPI ends the whole job when one of its processes dies. Give the study a directory, and it goes on from there
when it is run again.
"""

import numpy as np
from mpi4py.futures import MPIPoolExecutor

import esenas

SPACE = esenas.Dict(frequency=esenas.oneof([1.0, 2.0, 3.0]), shape=esenas.oneof(["sin", "cos"]))
X = np.linspace(-3.0, 3.0, 200)


def fit(model: dict, theta: np.ndarray) -> float:
    """How well a wave with an offset and an amplitude is 0.5 + 2 sin 3x."""
    wave = getattr(np, model["shape"])(model["frequency"] * X)
    return -float(np.mean((theta[0] + theta[1] * wave - 0.5 - 2.0 * np.sin(3.0 * X)) ** 2))


def main() -> None:
    made = {"weights": esenas.ES(sigma=0.1, step_size=0.5, directions=16), "seed": 1, "iterations": 200}
    there = esenas.Study(SPACE, dim=2, **made)
    with MPIPoolExecutor() as executor:
        best = there.optimize(fit, executor=executor)
    print(f"mean squared error {-best.value:.4f} with {best.model}")

    here = esenas.Study(SPACE, dim=2, **made)
    here.optimize(fit)
    assert here.theta is not None and there.theta is not None
    assert here.theta.tobytes() == there.theta.tobytes()
    print("the same bits as in one process")


if __name__ == "__main__":
    main()
