"""A policy: a small network with few weights, learned by itself, that swings up a pendulum.

    pip install . && python examples/python_policy.py [DIRECTORY]

The environment and the network are native, so that all cores work without processes. Every other
environment is named the same way: `esenas env list` prints them, `esenas mujoco install` fetches MuJoCo.
"""

import statistics
import sys
import tempfile

import esenas


def main(directory: str) -> None:
    # A Toeplitz matrix has one weight for each diagonal. All candidates begin episodes alike.
    policy = {"kind": "toeplitz", "hidden": [8]}
    problem = esenas.RL("Pendulum", policy, horizon=150, starts="iteration")
    study = esenas.Study(problem=problem, seed=3, directory=directory)
    for iterations in (1, 400):
        study.optimize(iterations=iterations)
        # What counts is how the policy where the search stands does on starts it has not seen.
        policy_now = esenas.Policy.load(directory, which="centre")
        print(f"after {iterations:3}: mean return {fresh(policy_now):.0f} over 20 fresh episodes")


def fresh(policy: esenas.Policy) -> float:
    """The mean return over episodes that no candidate was evaluated in."""
    return statistics.mean(episode(policy, seed) for seed in range(20))


def episode(policy: esenas.Policy, seed: int) -> float:
    """The return of one episode."""
    env = esenas.Environment(policy.env, horizon=150)
    observation, _ = env.reset(seed=1000 + seed)
    total, ended = 0.0, False
    while not ended:
        observation, reward, terminated, truncated, _ = env.step(policy.act(observation))
        total, ended = total + reward, terminated or truncated
    return total


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(folder + "/run")
