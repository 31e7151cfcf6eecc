"""Environment steps per second of others: peers.py PEER ENV THREADS SECONDS [MODEL.xml]

PEER is gymnasium, envpool or rollout. Uniform actions throughout; gymnasium and envpool begin anew when an
episode ends, mujoco.rollout runs 200 steps from a start, open loop, whatever happens.
"""

import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
peer, env, threads, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
rng = np.random.default_rng(0)


def gymnasium():
    import gymnasium

    gymnasium.logger.min_level = 50
    one = gymnasium.make(f"{env}-v4")
    one.reset(seed=0)
    actions = rng.uniform(-1, 1, size=(1000, one.action_space.shape[0])).astype(np.float32)

    def some():
        for action in actions[:100]:
            _, _, terminated, truncated, _ = one.step(action)
            if terminated or truncated:
                one.reset()
        return 100

    return some


def envpool():
    import envpool

    many = envpool.make(f"{env}-v4", env_type="gymnasium", num_envs=64, num_threads=threads, seed=0)
    many.reset()
    actions = rng.uniform(-1, 1, size=(50, 64, many.action_space.shape[0]))

    def some():
        for action in actions[:5]:
            many.step(action)
        return 5 * 64

    return some


def rollout():
    import mujoco
    from mujoco import rollout

    skip, steps, batch = {"HalfCheetah": 5}.get(env, 4), 200, 4 * threads
    model = mujoco.MjModel.from_xml_path(sys.argv[5])
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    data = [mujoco.MjData(model) for _ in range(threads)]
    starts = np.zeros((batch, mujoco.mj_stateSize(model, spec.value)))
    for start in starts:
        mujoco.mj_resetData(model, data[0])
        data[0].qpos[:] += rng.uniform(-0.005, 0.005, model.nq)
        data[0].qvel[:] = rng.uniform(-0.005, 0.005, model.nv)
        mujoco.mj_getState(model, data[0], start, spec.value)
    controls = np.repeat(rng.uniform(-1, 1, size=(batch, steps, model.nu)), skip, axis=1)
    state = np.zeros((batch, steps * skip, starts.shape[1]))
    sensors = np.zeros((batch, steps * skip, model.nsensordata))
    # Kept alive: its threads end with it.
    pool = rollout.Rollout(nthread=threads if threads > 1 else 0)
    data = data if threads > 1 else data[0]

    def some():
        pool.rollout(model, data, starts, controls, state=state, sensordata=sensors)
        return batch * steps

    return some


some = {"gymnasium": gymnasium, "envpool": envpool, "rollout": rollout}[peer]()
some()
steps, begun = 0, time.perf_counter()
while time.perf_counter() - begun < seconds:
    steps += some()
print(round(steps / (time.perf_counter() - begun)))
