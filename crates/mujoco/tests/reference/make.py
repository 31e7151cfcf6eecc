"""Writes the reference trajectories beside this file, with environments that nobody here wrote.

    python3 -m venv venv
    venv/bin/pip install mujoco==2.3.7 gymnasium==1.4.0 numpy scipy imageio cloudpickle
    venv/bin/pip install --no-deps gym==0.17.3
    venv/bin/python make.py

v4 and v5 are Gymnasium's classes as they are. Striker and Thrower (v2) are gym's classes as they are, on
a stand-in for mujoco-py: as there, positions are handed out as live views of the engine's arrays.
"""

import json
import pathlib
import sys
import types
import warnings

import mujoco
import numpy as np

warnings.filterwarnings("ignore")
HERE = pathlib.Path(__file__).parent
STEPS = 30


class Simulation:
    """What gym's classes ask of mujoco_py.MjSim."""

    def __init__(self, model):
        self.model = model
        self.engine = mujoco.MjData(model)
        self.data = types.SimpleNamespace(
            qpos=self.engine.qpos,
            qvel=self.engine.qvel,
            ctrl=self.engine.ctrl,
            get_body_xpos=lambda name: self.engine.body(name).xpos,
        )

    def reset(self):
        mujoco.mj_resetData(self.model, self.engine)

    def step(self):
        mujoco.mj_step(self.model, self.engine)

    def forward(self):
        mujoco.mj_forward(self.model, self.engine)

    def get_state(self):
        return types.SimpleNamespace(time=self.engine.time, act=None, udd_state=None)

    def set_state(self, state):
        self.engine.qpos[:] = state.qpos
        self.engine.qvel[:] = state.qvel


def gym_class(name):
    fake = types.ModuleType("mujoco_py")
    fake.load_model_from_path = mujoco.MjModel.from_xml_path
    fake.MjSim = Simulation
    fake.MjSimState = lambda time, qpos, qvel, act, udd: types.SimpleNamespace(qpos=qpos, qvel=qvel)
    sys.modules["mujoco_py"] = fake
    np.bool, np.float = bool, float
    from gym.envs.mujoco.striker import StrikerEnv
    from gym.envs.mujoco.thrower import ThrowerEnv

    return {"Striker-v2": StrikerEnv, "Thrower-v2": ThrowerEnv}[name]


def make(name):
    if name.endswith("v2"):
        env = gym_class(name)()
        env.seed(0)
        return env
    import gymnasium

    gymnasium.logger.min_level = 50
    return gymnasium.make(name).unwrapped


def start(name, env, rng):
    """A start of the environment's own, from a seed of its own."""
    if name.endswith("v2"):
        env.seed(int(rng.integers(1 << 30)))
        env.reset()
        return env.sim.data.qpos.copy(), env.sim.data.qvel.copy()
    env.reset(seed=int(rng.integers(1 << 30)))
    return env.data.qpos.copy(), env.data.qvel.copy()


def step(name, env, action):
    if name.endswith("v2"):
        obs, reward, terminated, _ = env.step(action)
    else:
        obs, reward, terminated, _, _ = env.step(action)
    return [float(x) for x in obs], float(reward), bool(terminated)


def strike(env, rng):
    """Puts Striker's ball at the hand, so that it is hit."""
    hand = env.get_body_com("tips_arm").copy()
    qpos, qvel = env.sim.data.qpos.copy(), env.sim.data.qvel.copy()
    ball = env.get_body_com("object")
    qpos[7] += hand[1] - ball[1] + 0.06
    qpos[8] += hand[0] - ball[0] + 0.02
    env.sim.reset()
    env._min_strike_dist, env._striked = np.inf, False
    env.set_state(qpos, qvel)
    return qpos, qvel


def record(name, case, scale, rng):
    env = make(name)
    qpos, qvel = start(name, env, rng)
    if case == "hit":
        qpos, qvel = strike(env, rng)
    low, high = (env.model.actuator_ctrlrange[:, i] for i in (0, 1))
    # Few digits, to keep the files small; they are read back as the same doubles.
    actions = np.round(rng.uniform(low, high, size=(STEPS, len(low))) * scale, 3)
    if name.startswith(("Hopper", "Walker2d")):
        actions[:10] *= 0.1
    steps = [step(name, env, action) for action in actions]
    obs, reward, terminated = (list(column) for column in zip(*steps))
    text = json.dumps(
        dict(env=name, init_qpos=qpos.tolist(), init_qvel=qvel.tolist(), actions=actions.tolist(),
             obs=[obs[i] for i in (0, 9, STEPS - 1)], at=[0, 9, STEPS - 1],
             reward=reward, terminated=terminated),
        separators=(",", ":"),
    )
    (HERE / f"{name}-{case}.json").write_text(text + "\n")
    print(f"{name}-{case}: return {sum(reward):.3f}, terminated {sum(terminated)} of {STEPS}")


def main():
    rng = np.random.default_rng(20240607)
    for env in ["Swimmer", "Reacher", "Hopper", "HalfCheetah", "Walker2d", "Pusher"]:
        for version in ["v4", "v5"]:
            record(f"{env}-{version}", "plain", 1.0, rng)
    for env in ["Hopper-v5", "HalfCheetah-v4", "Pusher-v4"]:
        record(env, "beyond", 3.0, rng)
    for env in ["Striker-v2", "Thrower-v2"]:
        record(env, "plain", 1.0, rng)
        record(env, "beyond", 3.0, rng)
    record("Striker-v2", "hit", 1.0, rng)


main()
