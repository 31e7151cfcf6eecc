"""Limits that are measured: the best feasible value beside that of others.

    python bench/outside/constrained.py [--evaluations 5000] [--seeds 5] [--problems g06,spring]
        [--with esenas,pycma,...] [--keep FILE]

Problems are those of CEC 2006 with inequalities and at most 20 variables (Liang et al. 2006), three
of its equalities (|h| ≤ 10⁻⁴), and four of engineering (spring, vessel, beam, reducer: the last
with integers and grids). `known` is the best value that is known of each.

Others: pycma's augmented Lagrangian (fmin_con2), pymoo's ISRES and its GA (feasibility first), and
Optuna's TPE and NSGA-II with `constraints_func`; each by its defaults.
"""

import argparse
import json
import math
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

warnings.filterwarnings("ignore")


class Spent(Exception):
    """The evaluations are used up."""


@dataclass
class Problem:
    """A function of x that says (value, excesses): minimized, feasible where none is above 0."""

    name: str
    f: object
    low: list
    high: list
    known: float
    steps: dict = field(default_factory=dict)  # coordinate: step of its grid

    def __post_init__(self):
        self.left, self.best, self.least = 0, math.inf, math.inf

    def __call__(self, x):
        if self.left == 0:
            raise Spent
        self.left -= 1
        x = np.clip(np.asarray(x, float), self.low, self.high)
        for at, step in self.steps.items():
            x[at] = self.low[at] + step * round((x[at] - self.low[at]) / step)
        value, excesses = self.f(x)
        excess = float(np.maximum(excesses, 0).sum())
        self.least = min(self.least, excess)
        if excess <= 0 and value < self.best:
            self.best = float(value)
        return float(value), [float(g) for g in excesses]


def g01(x):
    value = 5 * x[:4].sum() - 5 * (x[:4] ** 2).sum() - x[4:].sum()
    g = [2 * x[0] + 2 * x[1] + x[9] + x[10] - 10, 2 * x[0] + 2 * x[2] + x[9] + x[11] - 10]
    g += [2 * x[1] + 2 * x[2] + x[10] + x[11] - 10, -8 * x[0] + x[9], -8 * x[1] + x[10]]
    g += [-8 * x[2] + x[11], -2 * x[3] - x[4] + x[9], -2 * x[5] - x[6] + x[10]]
    return value, [*g, -2 * x[7] - x[8] + x[11]]


def g02(x):
    i = np.arange(1, len(x) + 1)
    top = (np.cos(x) ** 4).sum() - 2 * np.prod(np.cos(x) ** 2)
    value = -abs(top / math.sqrt((i * x**2).sum() + 1e-300))
    return value, [0.75 - np.prod(x), x.sum() - 7.5 * len(x)]


def g03(x):
    return -(math.sqrt(len(x)) ** len(x)) * np.prod(x), [abs((x**2).sum() - 1) - 1e-4]


def g04(x):
    value = 5.3578547 * x[2] ** 2 + 0.8356891 * x[0] * x[4] + 37.293239 * x[0] - 40792.141
    u = 85.334407 + 0.0056858 * x[1] * x[4] + 0.0006262 * x[0] * x[3] - 0.0022053 * x[2] * x[4]
    v = 80.51249 + 0.0071317 * x[1] * x[4] + 0.0029955 * x[0] * x[1] + 0.0021813 * x[2] ** 2
    w = 9.300961 + 0.0047026 * x[2] * x[4] + 0.0012547 * x[0] * x[2] + 0.0019085 * x[2] * x[3]
    return value, [u - 92, -u, v - 110, 90 - v, w - 25, 20 - w]


def g06(x):
    value = (x[0] - 10) ** 3 + (x[1] - 20) ** 3
    near = (x[0] - 6) ** 2 + (x[1] - 5) ** 2 - 82.81
    return value, [100 - (x[0] - 5) ** 2 - (x[1] - 5) ** 2, near]


def g07(x):
    a, b, c, d, e, f, g, h, i, j = x
    value = a * a + b * b + a * b - 14 * a - 16 * b + (c - 10) ** 2 + 4 * (d - 5) ** 2
    value += (e - 3) ** 2 + 2 * (f - 1) ** 2 + 5 * g * g + 7 * (h - 11) ** 2
    value += 2 * (i - 10) ** 2 + (j - 7) ** 2 + 45
    limits = [-105 + 4 * a + 5 * b - 3 * g + 9 * h, 10 * a - 8 * b - 17 * g + 2 * h]
    limits += [-8 * a + 2 * b + 5 * i - 2 * j - 12]
    limits += [3 * (a - 2) ** 2 + 4 * (b - 3) ** 2 + 2 * c * c - 7 * d - 120]
    limits += [5 * a * a + 8 * b + (c - 6) ** 2 - 2 * d - 40]
    limits += [a * a + 2 * (b - 2) ** 2 - 2 * a * b + 14 * e - 6 * f]
    limits += [0.5 * (a - 8) ** 2 + 2 * (b - 4) ** 2 + 3 * e * e - f - 30]
    return value, [*limits, -3 * a + 6 * b + 12 * (i - 8) ** 2 - 7 * j]


def g08(x):
    bottom = x[0] ** 3 * (x[0] + x[1])
    top = math.sin(2 * math.pi * x[0]) ** 3 * math.sin(2 * math.pi * x[1])
    value = -top / bottom if bottom > 1e-12 else 0.0
    return value, [x[0] ** 2 - x[1] + 1, 1 - x[0] + (x[1] - 4) ** 2]


def g09(x):
    a, b, c, d, e, f, g = x
    value = (a - 10) ** 2 + 5 * (b - 12) ** 2 + c**4 + 3 * (d - 11) ** 2 + 10 * e**6 + 7 * f * f
    value += g**4 - 4 * f * g - 10 * f - 8 * g
    limits = [-127 + 2 * a * a + 3 * b**4 + c + 4 * d * d + 5 * e]
    limits += [-282 + 7 * a + 3 * b + 10 * c * c + d - e, -196 + 23 * a + b * b + 6 * f * f - 8 * g]
    return value, [*limits, 4 * a * a + b * b - 3 * a * b + 2 * c * c + 5 * f - 11 * g]


def g10(x):
    a, b, c, d, e, f, g, h = x
    limits = [-1 + 0.0025 * (d + f), -1 + 0.0025 * (e + g - d), -1 + 0.01 * (h - e)]
    limits += [-a * f + 833.33252 * d + 100 * a - 83333.333]
    limits += [-b * g + 1250 * e + b * d - 1250 * d, -c * h + 1_250_000 + c * e - 2500 * e]
    return a + b + c, limits


def g11(x):
    return x[0] ** 2 + (x[1] - 1) ** 2, [abs(x[1] - x[0] ** 2) - 1e-4]


def g13(x):
    h = [(x**2).sum() - 10, x[1] * x[2] - 5 * x[3] * x[4], x[0] ** 3 + x[1] ** 3 + 1]
    return math.exp(np.prod(x)), [abs(it) - 1e-4 for it in h]


def g18(x):
    a, b, c, d, e, f, g, h, i = x
    value = -0.5 * (a * d - b * c + c * i - e * i + e * h - f * g)
    limits = [c * c + d * d - 1, i * i - 1, e * e + f * f - 1, a * a + (b - i) ** 2 - 1]
    limits += [(a - e) ** 2 + (b - f) ** 2 - 1, (a - g) ** 2 + (b - h) ** 2 - 1]
    limits += [(c - e) ** 2 + (d - f) ** 2 - 1, (c - g) ** 2 + (d - h) ** 2 - 1]
    return value, [*limits, g * g + (h - i) ** 2 - 1, b * c - a * d, -c * i, e * i, f * g - e * h]


def g24(x):
    a, b = x
    one = -2 * a**4 + 8 * a**3 - 8 * a**2 + b - 2
    return -a - b, [one, -4 * a**4 + 32 * a**3 - 88 * a**2 + 96 * a + b - 36]


def spring(x):
    """The weight of a spring: wire, coil, number of coils."""
    d, coil, n = x
    limits = [1 - coil**3 * n / (71785 * d**4), 1 - 140.45 * d / (coil**2 * n), (d + coil) / 1.5 - 1]
    shear = (4 * coil**2 - d * coil) / (12566 * (coil * d**3 - d**4)) + 1 / (5108 * d**2) - 1
    return (n + 2) * coil * d**2, [*limits, shear]


def vessel(x):
    """The cost of a pressure vessel: shell and head in sixteenths of an inch, radius, length."""
    s, h, r, length = x
    value = 0.6224 * s * r * length + 1.7781 * h * r**2 + 3.1661 * s**2 * length + 19.84 * s**2 * r
    volume = 1_296_000 - math.pi * r**2 * length - 4 / 3 * math.pi * r**3
    return value, [-s + 0.0193 * r, -h + 0.00954 * r, volume / 1_296_000, length - 240]


def beam(x):
    """The cost of a welded beam."""
    h, length, t, b = x
    load, span, young, shear = 6000, 14, 30e6, 12e6
    r = math.sqrt(length**2 / 4 + ((h + t) / 2) ** 2)
    inertia = 2 * (math.sqrt(2) * h * length * (length**2 / 12 + ((h + t) / 2) ** 2))
    one, two = load / (math.sqrt(2) * h * length), load * (span + length / 2) * r / inertia
    tau = math.sqrt(one**2 + one * two * length / r + two**2)
    sigma, bend = 6 * load * span / (b * t**2), 4 * load * span**3 / (young * t**3 * b)
    buckle = 4.013 * young * math.sqrt(t**2 * b**6 / 36) / span**2
    buckle *= 1 - t / (2 * span) * math.sqrt(young / (4 * shear))
    value = 1.10471 * h**2 * length + 0.04811 * t * b * (14 + length)
    limits = [tau / 13600 - 1, sigma / 30000 - 1, h - b, bend / 0.25 - 1, 1 - buckle / load]
    return value, [*limits, 0.125 - h, 0.10471 * h**2 + 0.04811 * t * b * (14 + length) - 5]


def reducer(x):
    """The weight of a speed reducer; the number of teeth is whole."""
    a, b, c, d, e, f, g = x
    value = 0.7854 * a * b**2 * (3.3333 * c**2 + 14.9334 * c - 43.0934)
    value += -1.508 * a * (f**2 + g**2) + 7.4777 * (f**3 + g**3) + 0.7854 * (d * f**2 + e * g**2)
    limits = [27 / (a * b**2 * c) - 1, 397.5 / (a * b**2 * c**2) - 1]
    limits += [1.93 * d**3 / (b * c * f**4) - 1, 1.93 * e**3 / (b * c * g**4) - 1]
    limits += [math.sqrt((745 * d / (b * c)) ** 2 + 16.9e6) / (110 * f**3) - 1]
    limits += [math.sqrt((745 * e / (b * c)) ** 2 + 157.5e6) / (85 * g**3) - 1, b * c / 40 - 1]
    limits += [5 * b / a - 1, a / (12 * b) - 1, (1.5 * f + 1.9) / d - 1, (1.1 * g + 1.9) / e - 1]
    return value, limits


def problems():
    """All of them, each with its box and the best value that is known."""
    of = Problem
    nine = ([-10.0] * 8 + [0.0], [10.0] * 8 + [20.0])
    tenth = ([100.0, 1000, 1000] + [10.0] * 5, [10000.0] * 3 + [1000.0] * 5)
    return [
        of("g01", g01, [0.0] * 13, [1.0] * 9 + [100.0] * 3 + [1.0], -15.0),
        of("g02", g02, [0.0] * 20, [10.0] * 20, -0.80361910),
        of("g03", g03, [0.0] * 10, [1.0] * 10, -1.00050010),
        of("g04", g04, [78.0, 33, 27, 27, 27], [102.0, 45, 45, 45, 45], -30665.53867),
        of("g06", g06, [13.0, 0], [100.0, 100], -6961.81388),
        of("g07", g07, [-10.0] * 10, [10.0] * 10, 24.30620907),
        of("g08", g08, [0.0] * 2, [10.0] * 2, -0.0958250415),
        of("g09", g09, [-10.0] * 7, [10.0] * 7, 680.6300574),
        of("g10", g10, *tenth, 7049.24802),
        of("g11", g11, [-1.0] * 2, [1.0] * 2, 0.7499),
        of("g13", g13, [-2.3, -2.3, -3.2, -3.2, -3.2], [2.3, 2.3, 3.2, 3.2, 3.2], 0.05394151),
        of("g18", g18, *nine, -0.8660254),
        of("g24", g24, [0.0, 0], [3.0, 4], -5.50801327),
        of("spring", spring, [0.05, 0.25, 2.0], [2.0, 1.3, 15.0], 0.0126652328),
        of("vessel", vessel, [0.0625] * 2 + [10.0] * 2, [6.1875] * 2 + [200.0] * 2, 6059.714335,
           {0: 0.0625, 1: 0.0625}),
        of("beam", beam, [0.1, 0.1, 0.1, 0.1], [2.0, 10, 10, 2], 1.724852309),
        of("reducer", reducer, [2.6, 0.7, 17, 7.3, 7.3, 2.9, 5.0], [3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5],
           2994.470, {2: 1.0}),
    ]


def esenas(problem, evaluations, seed):
    """What a user writes, and nothing set."""
    import esenas

    parts = {}
    for at, (low, high) in enumerate(zip(problem.low, problem.high, strict=True)):
        parts[f"x{at}"] = esenas.real(low, high, step=problem.steps.get(at))
    limits = len(problem.f(np.array(problem.low) + 0.4 * (np.array(problem.high) - problem.low))[1])

    def f(design):
        value, excesses = problem([design[f"x{at}"] for at in range(len(parts))])
        return {"value": value, "constraints": {f"g{at:02}": g for at, g in enumerate(excesses)}}

    study = esenas.Study(
        esenas.Dict(parts),
        seed=seed,
        direction="minimize",
        constraints={f"g{at:02}": {"at_most": 0.0} for at in range(limits)},
        failures={"share": 1.0},
        evaluations=evaluations,
    )
    while True:  # until the problem says that it is over
        batch = study.ask()
        study.tell([f(candidate.design) for candidate in batch])


def pycma(problem, evaluations, seed):
    """cma.fmin_con2, again from elsewhere when it ends."""
    import cma

    low, high = np.array(problem.low), np.array(problem.high)
    rng, start = np.random.default_rng(seed), np.full(len(low), 0.5)
    while True:
        last = {}

        def f(u):
            u = np.asarray(u)
            last[u.tobytes()] = problem(low + (high - low) * u)
            return last[u.tobytes()][0]

        def g(u):
            u = np.asarray(u)
            return last.pop(u.tobytes(), None)[1] if u.tobytes() in last else problem.f(
                np.clip(low + (high - low) * u, low, high)
            )[1]

        options = {"bounds": [0, 1], "verbose": -9, "seed": int(rng.integers(1, 2**31))}
        cma.fmin_con2(f, start, 0.25, constraints=g, options=options)
        start = rng.random(len(low))


def _pymoo(algorithm, problem, seed):
    from pymoo.core.problem import ElementwiseProblem
    from pymoo.optimize import minimize

    class Ours(ElementwiseProblem):
        def __init__(self):
            low, high = np.array(problem.low), np.array(problem.high)
            limits = len(problem.f(low + 0.4 * (high - low))[1])
            super().__init__(n_var=len(low), n_obj=1, n_ieq_constr=limits, xl=low, xu=high)

        def _evaluate(self, x, out, *args, **kwargs):
            value, excesses = problem(x)
            out["F"], out["G"] = [value], excesses

    while True:
        minimize(Ours(), algorithm(), ("n_eval", 10**9), seed=seed)


def isres(problem, evaluations, seed):
    """pymoo's ISRES."""
    from pymoo.algorithms.soo.nonconvex.isres import ISRES

    _pymoo(ISRES, problem, seed)


def ga(problem, evaluations, seed):
    """pymoo's GA, feasibility first."""
    from pymoo.algorithms.soo.nonconvex.ga import GA

    _pymoo(lambda: GA(pop_size=100), problem, seed)


def _optuna(sampler, problem):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def f(trial):
        x = []
        for at, (low, high) in enumerate(zip(problem.low, problem.high, strict=True)):
            x.append(trial.suggest_float(f"x{at}", low, high, step=problem.steps.get(at)))
        value, excesses = problem(x)
        trial.set_user_attr("g", excesses)
        return value

    optuna.create_study(sampler=sampler(lambda it: it.user_attrs["g"])).optimize(f, n_trials=10**9)


def tpe(problem, evaluations, seed):
    """Optuna's TPE."""
    from optuna.samplers import TPESampler

    _optuna(lambda g: TPESampler(seed=seed, constraints_func=g), problem)


def optuna_nsga2(problem, evaluations, seed):
    """Optuna's NSGA-II."""
    from optuna.samplers import NSGAIISampler

    _optuna(lambda g: NSGAIISampler(seed=seed, constraints_func=g), problem)


ALGORITHMS = {
    "esenas": esenas, "pycma": pycma, "isres": isres, "ga": ga, "tpe": tpe, "optuna-nsga2": optuna_nsga2,
}


def run(name, problem, evaluations, seed):
    problem.__post_init__()
    problem.left, begun = evaluations, time.process_time()
    try:
        ALGORITHMS[name](problem, evaluations, seed)
    except Spent:
        pass
    gap = problem.best - problem.known
    row = {"algorithm": name, "problem": problem.name, "evaluations": evaluations, "seed": seed}
    feasible = math.isfinite(gap)
    return row | {
        "gap": max(gap, 0.0) / max(1.0, abs(problem.known)) if feasible else None,
        "excess": problem.least,
        "seconds": time.process_time() - begun,
    }


def rank_of(row):
    """Feasible ones by their gap, of which 10⁻⁶ is as good as none; then by what is exceeded."""
    return (1, row["excess"]) if row["gap"] is None else (0, max(row["gap"], 1e-6))


def report(rows, names):
    """Mean ranks, how often each was feasible, and the median gap of each problem."""
    runs = {}
    for row in rows:
        key = (row["problem"], row["evaluations"], row["seed"])
        runs.setdefault(key, {})[row["algorithm"]] = row
    runs = {key: found for key, found in runs.items() if set(names) <= set(found)}
    print(f"| {len(runs)} runs | mean rank | ahead of it | feasible | CPU s |\n|---|---:|---:|---:|---:|")
    for name in names:
        total = ahead = 0
        for found in runs.values():
            own = rank_of(found[name])
            others = [rank_of(found[other]) for other in names]
            total += sum(it < own for it in others) + (sum(it == own for it in others) + 1) / 2
            ahead += rank_of(found[names[0]]) < own
        feasible = sum(found[name]["gap"] is not None for found in runs.values())
        seconds = sum(found[name]["seconds"] for found in runs.values()) / max(1, len(runs))
        count = max(1, len(runs))
        print(f"| {name} | {total / count:.2f} | {ahead} | {feasible} | {seconds:.2f} |")
    print(f"\n| median gap | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    for problem in dict.fromkeys(key[0] for key in runs):
        cells = []
        for name in names:
            gaps = [found[name]["gap"] for key, found in runs.items() if key[0] == problem]
            gaps = sorted(math.inf if gap is None else gap for gap in gaps)
            cells.append(f"{gaps[len(gaps) // 2]:.1e}")
        print(f"| {problem} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evaluations", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--problems", default="")
    parser.add_argument("--with", dest="algorithms", default="esenas,pycma,isres,ga")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    kept = given.keep.read_text().splitlines() if given.keep and given.keep.exists() else []
    rows = [json.loads(line) for line in kept]
    done = {(it["algorithm"], it["problem"], it["evaluations"], it["seed"]) for it in rows}
    names = given.algorithms.split(",")
    for problem in problems():
        if given.problems and problem.name not in given.problems.split(","):
            continue
        for seed in range(1, given.seeds + 1):
            for name in names:
                if (name, problem.name, given.evaluations, seed) in done:
                    continue
                rows.append(run(name, problem, given.evaluations, seed))
                if given.keep:
                    with given.keep.open("a") as out:
                        out.write(json.dumps(rows[-1]) + "\n")
    report([it for it in rows if it["evaluations"] == given.evaluations], names)


if __name__ == "__main__":
    main()
