"""A study on a Ray cluster: here one that is started on this machine, elsewhere the one you have.

python examples/python_ray.py                     # a cluster of this machine alone
python examples/python_ray.py 10.0.0.1:6379       # one that is there; it should ask for a token
"""

import sys

import esenas


def main() -> None:
    address = sys.argv[1] if len(sys.argv) > 1 else None
    # Environment and policy are native: on every node, all cores work on them.
    problem = esenas.RL("Pendulum", {"kind": "toeplitz", "hidden": [8]}, horizon=100)
    made = {"problem": problem, "weights": esenas.ES(directions=20), "seed": 1, "iterations": 10}
    there = esenas.Study(**made)
    with esenas.RayExecutor(address) as executor:
        best = there.optimize(executor=executor)
    print(f"best value {best.value:.3f}, with the model {best.model}")

    here = esenas.Study(**made)
    here.optimize()
    assert here.theta is not None and there.theta is not None
    assert here.theta.tobytes() == there.theta.tobytes()
    print("the same bits as on one machine")


if __name__ == "__main__":
    main()
