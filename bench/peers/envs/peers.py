"""Environment steps of others: peers.py PEER ENV COURSE [MODEL.xml]

PEER is gymnasium, envpool or rollout. Reads a number of threads from each line of its input, takes about as many
steps on each as the course has, and answers how many. All get the actions of the course. mujoco.rollout gets its states as
well, as open loops of 20 steps that begin on the course; the others draw starts of their own, and begin anew when an episode ends.
"""

import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
peer, env = sys.argv[1:3]
course = [(line[0], np.array(line.split()[1:], float)) for line in open(sys.argv[3])]
actions = np.array([numbers for kind, numbers in course if kind == "a"])


def gymnasium(_threads):
    import gymnasium

    gymnasium.logger.min_level = 50
    one = gymnasium.make(f"{env}-v4")
    one.reset(seed=0)

    def play():
        for action in actions:
            _, _, terminated, truncated, _ = one.step(action)
            if terminated or truncated:
                one.reset()
        return len(actions)

    return play


def envpool(threads):
    import envpool

    many = envpool.make(f"{env}-v4", env_type="gymnasium", num_envs=64, num_threads=threads, seed=0)
    many.reset()
    batches = np.resize(actions, (len(actions) * threads // 64, 64, actions.shape[1]))

    def play():
        for batch in batches:
            many.step(batch)
        return 64 * len(batches)

    return play


def rollout(threads):
    import mujoco
    from mujoco import rollout

    model = mujoco.MjModel.from_xml_path(sys.argv[4])
    data = [mujoco.MjData(model) for _ in range(threads)]
    skip, piece = round(course[0][1][0] / model.opt.timestep), 20
    pieces = []
    for kind, numbers in course:
        if kind == "p":
            pieces.append(([0.0, *numbers], []))  # the time comes first
        elif kind == "a":
            pieces[-1][1].extend([numbers] * skip)
    pieces = [(start, controls) for start, controls in pieces if len(controls) == piece * skip]
    starts, controls = (np.array(part * threads) for part in zip(*pieces))
    state = np.zeros((*controls.shape[:2], starts.shape[1]))
    sensors = np.zeros((*controls.shape[:2], model.nsensordata))
    # Kept alive: its threads end with it.
    pool = rollout.Rollout(nthread=threads if threads > 1 else 0)
    data = data if threads > 1 else data[0]

    def play():
        pool.rollout(model, data, starts, controls, state=state, sensordata=sensors)
        return len(starts) * piece

    return play


plays = {}
for line in sys.stdin:
    threads = int(line)
    if threads not in plays:
        plays[threads] = {"gymnasium": gymnasium, "envpool": envpool, "rollout": rollout}[peer](threads)
    print(plays[threads](), flush=True)
