"""What must work of an installed package, with nothing but the standard library and NumPy: run by
`scripts/try-wheel.sh` and by the tests, in a process of its own.

Prints the version, and what importing costs beside NumPy.
"""

from __future__ import annotations

import subprocess
import sys
import time

ROUNDS = 7


def seconds(statement: str) -> float:
    """What a new interpreter takes for it, in processor time: the least of some, which others on the machine
    disturb the least."""
    program = f"import time; before = time.process_time(); {statement}; print(time.process_time() - before)"
    return min(
        float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout)
        for _ in range(ROUNDS)
    )


def main() -> None:
    began = time.perf_counter()
    import esenas

    space = esenas.Dict(op=esenas.oneof(["tanh", "relu"]), x=esenas.real(-1.0, 1.0))
    best = esenas.Study(space, seed=1).optimize(lambda design: -design["x"] ** 2, evaluations=200)
    assert best.value > -1e-3, best
    print(f"esenas {esenas.__version__}, first result after {time.perf_counter() - began:.1f} s")
    numpy, own = seconds("import numpy"), seconds("import numpy; import esenas")
    print(f"import: numpy {numpy:.3f} s, with esenas {own:.3f} s")
    # Its own share is no more than NumPy's, with room for a noisy clock.
    assert own < 2.2 * numpy, "importing esenas costs more than importing NumPy"


if __name__ == "__main__":
    main()
