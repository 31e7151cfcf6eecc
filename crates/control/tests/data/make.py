"""Records trajectories of Gymnasium's classic environments: `python make.py > classic.json`.

Needs `gymnasium`. States are set, not drawn; every action is applied, also past termination.
"""

import json
import warnings

import gymnasium
import numpy as np

warnings.filterwarnings("ignore")


def record(name, state, actions, convert):
    env = gymnasium.make(name).unwrapped
    env.reset(seed=0)
    env.state = np.array(state, dtype=np.float64)
    if hasattr(env, "steps_beyond_terminated"):
        env.steps_beyond_terminated = None
    states, rewards, ended = [], [], []
    for action in actions:
        _, reward, terminated, _, _ = env.step(convert(action))
        states.append([float(x) for x in env.state])
        rewards.append(float(reward))
        ended.append(bool(terminated))
    return {"env": name, "state": list(state), "actions": list(actions), "states": states, "rewards": rewards, "terminated": ended}


random = np.random.default_rng(5)
vector = lambda action: np.array([action], dtype=np.float64)
cases = [
    record("Pendulum-v1", [2.5, -0.7], [float(a) for a in random.uniform(-3, 3, 60)], vector),
    record("Pendulum-v1", [-9.0, 7.9], [2.0] * 20, vector),
    record("MountainCarContinuous-v0", [-0.5, 0.0], [float(a) for a in random.uniform(-1, 1, 60)], vector),
    record("MountainCarContinuous-v0", [-1.15, -0.06], [-1.0] * 5, vector),
    record("MountainCarContinuous-v0", [0.3, 0.07], [1.0] * 5, vector),
    record("CartPole-v1", [0.1, -0.2, 3.0, 0.4], [float(a) for a in random.choice([-1, 1], 60)], lambda a: int(a > 0)),
]
print(json.dumps(cases, indent=None))
