"""Writes `mujoco.json` beside this file: what Gymnasium's own classes do from where ours begin.

    python3 -m venv venv
    venv/bin/pip install mujoco==2.3.7 gymnasium==1.4.0 imageio numpy .     # esenas itself, from the root of the clone
    venv/bin/python python/tests/reference/make.py

Nothing observes how far along these have come, and nothing depends on it: all else of where an episode begins
is in its first observation, and Gymnasium's environment is put there.
"""

import json
import pathlib

import gymnasium
import numpy as np

import esenas

#: How many positions are not observed.
HIDDEN = {"HalfCheetah-v4": 1, "Hopper-v4": 1, "Swimmer-v4": 2, "Walker2d-v4": 1, "Hopper-v5": 1}
SEED, STEPS = 7, 24


def main():
    gymnasium.logger.min_level = 50
    found = []
    for name, hidden in HIDDEN.items():
        first, _ = esenas.Environment(name).reset(seed=SEED)
        theirs = gymnasium.make(name).unwrapped
        theirs.reset(seed=0)
        state = np.concatenate([np.zeros(hidden), first])
        theirs.set_state(state[: theirs.model.nq], state[theirs.model.nq :])
        size = theirs.action_space.shape[0]
        actions = [[round(float(np.sin(1.7 * t + 2.3 * i)), 3) for i in range(size)] for t in range(STEPS)]
        steps = [theirs.step(np.array(action)) for action in actions]
        found.append(
            {
                "env": name,
                "seed": SEED,
                "first": first.tolist(),
                "actions": actions,
                "reward": [float(step[1]) for step in steps],
                "terminated": [bool(step[2]) for step in steps],
                "last": steps[-1][0].tolist(),
            }
        )
    lines = ",\n".join(json.dumps(each) for each in found)
    (pathlib.Path(__file__).parent / "mujoco.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
