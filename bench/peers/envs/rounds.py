"""Has all contenders play in turn, many times, and prints how they compare: rounds.py ROUNDS BIN WORK CACHE

Each contender is a process of its own that plays when it is told to: a tenth of a second or two, in an order drawn anew each round. A ratio is
the median over rounds of the ratio within one, with a 95 % bootstrap interval: turns taken one after the other meet the same other
tenants. Steps per second of CPU time (of all threads) leave out the time in which others had the core.
"""

import pathlib
import random
import subprocess
import sys
import time
from statistics import median

rounds, (binaries, work, cache) = int(sys.argv[1]), map(pathlib.Path, sys.argv[2:])
MODELS = {"HalfCheetah": "half_cheetah", "Hopper": "hopper", "Swimmer": "swimmer"}
peers = pathlib.Path(__file__).parent / "peers.py"


class Contender:
    def __init__(self, *command):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([str(part) for part in command], stdin=pipe, stdout=pipe, text=True)

    def cpu(self):
        # The clock of that process (clock_getcpuclockid): all its threads, also those that ended.
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def play(self, threads):
        """Steps per second, and steps per second of CPU time."""
        cpu, wall = self.cpu(), time.perf_counter()
        print(threads, file=self.process.stdin, flush=True)
        steps = int(self.process.stdout.readline())
        wall = time.perf_counter() - wall
        return steps / wall, steps / (self.cpu() - cpu)


def contenders(env):
    model, course = cache / "gymnasium-1.4.0" / f"{MODELS[env]}.xml", work / f"{env}.course"
    subprocess.run([binaries / "examples/steps", env, course], check=True)
    peer = lambda venv, name: (work / venv / "bin/python", peers, name, env, course, model)
    return {
        "esenas": Contender(binaries / "examples/steps", env),
        "bare C": Contender(work / "bare", model, course),
        "bare C, no midphase": Contender(work / "bare", model, course, "nomid"),
        "mujoco.rollout 3.2.7": Contender(*peer("rollout", "rollout")),
        "EnvPool 1.2.5": Contender(*peer("peers", "envpool")),
        "Gymnasium 1.4.0": Contender(*peer("peers", "gymnasium")),
    }


def interval(values):
    """The median, and a 95 % interval of it."""
    drawn = sorted(median(random.choices(values, k=len(values))) for _ in range(1000))
    return f"{median(values):.3f} [{drawn[25]:.3f}, {drawn[974]:.3f}]"


random.seed(0)
everyone = {env: contenders(env) for env in MODELS}
turns = [
    (env, name, threads)
    for env, named in everyone.items()
    for name in named
    for threads in ((1,) if name.startswith("Gymnasium") else (1, 2))
]
rates = {turn: [] for turn in turns}
for round in range(-1, rounds):  # the first warms up
    # Environments one after the other: what is compared lies close together.
    order = random.sample(turns, len(turns))
    for env, name, threads in sorted(order, key=lambda turn: turn[0]):
        rate = everyone[env][name].play(threads)
        if round >= 0:
            rates[env, name, threads].append(rate)

print(f"{rounds} rounds; medians with 95 % intervals; each ratio is of rates within a round")
for env, named in everyone.items():
    print(f"\n{env:<24}{'steps/s':>9}  {'esenas ÷, by CPU time':<24}{'by the clock':<24}{'2 threads, by the clock':<24}2 threads ÷ 1")
    for name in named:
        of = lambda threads, clock, name=name: [rate[clock] for rate in rates.get((env, name, threads), [])]
        ratio = lambda above, below: interval([a / b for a, b in zip(above, below)]) if above and below else "–"
        ours = lambda threads, clock: ratio(of(threads, clock, "esenas"), of(threads, clock))
        cells = [ours(1, 1), ours(1, 0), ours(2, 0), ratio(of(2, 0), of(1, 0))]
        print(f"{name:<24}{median(of(1, 0)):>9,.0f}  " + "".join(f"{cell:<24}" for cell in cells).rstrip())
