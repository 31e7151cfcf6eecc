"""Orders: tours of 50 cities, quadratic assignment, flow shops. Instances are drawn, from seeds 0 on to
tune with and from 100 on to report."""

import math

import evolution
import numpy as np
from common import Kept, Problem, digest, monotone, run

OURS, BUDGETS = "esenas", (500, 2_000, 10_000)
KINDS = ("tour", "assignment", "flow shop")


def searched(**told):
    """esenas over a permutation; `auto` where nothing is told."""

    def search(f, evaluations, seed):
        from esenas import Study, permutation

        order = permutation(range(len(f.problem.arities)))
        study = Study(order, 0, seed=seed, direction="minimize", **told)
        study.optimize(lambda m, _: f(m, []), evaluations=evaluations)

    return search


def hill_climb(f, evaluations, seed):
    """Our own hill climb."""
    from esenas import ES, HillClimb

    told = {"weights": ES(directions=1), "centre": {"evaluations": 0}}
    searched(controller=HillClimb(), **told)(f, evaluations, seed)


ALGORITHMS = {
    OURS: searched(),
    "esenas hill-climb": hill_climb,
    "annealing, reversals": evolution.annealing(evolution.reversal),
    "annealing, exchanges": evolution.annealing(evolution.exchange),
    "2-opt": evolution.climbing(evolution.reversal),
    "exchanges": evolution.climbing(evolution.exchange),
    "insertions": evolution.climbing(evolution.insertion),
}


def problem(kind, seed):
    """One instance."""
    rng = np.random.default_rng(seed)
    if kind == "tour":
        cities = rng.random((50, 2))
        far = np.linalg.norm(cities[:, None] - cities[None], axis=2)
        return Problem(kind, lambda m, _: far[m, np.roll(m, 1)].sum(), arities=[50] * 50)
    if kind == "assignment":
        places = np.array([(i // 6, i % 6) for i in range(30)])
        far = np.abs(places[:, None] - places[None]).sum(axis=2)
        flow = np.triu(rng.integers(0, 10, (30, 30)) * (rng.random((30, 30)) < 0.5), 1)
        return Problem(kind, lambda m, _: 2 * (flow * far[np.ix_(m, m)]).sum(), arities=[30] * 30)
    times = rng.integers(1, 100, (50, 10)).tolist()

    def makespan(m, _):
        ends = [0] * 10
        for job in m:
            before = 0
            for machine, time in enumerate(times[job]):
                before = max(before, ends[machine]) + time
                ends[machine] = before
        return ends[-1]

    return Problem(kind, makespan, arities=[50] * 50)


def suite(out, quick, first=100):
    """The tables of all budgets."""
    kept, said = Kept(out / "orders.jsonl"), []
    seeds = range(first, first + (3 if quick else 10))
    for kind in KINDS:
        at = {}
        for budget in BUDGETS:
            for name in ALGORITHMS:
                for seed in seeds:

                    def make(name=name, seed=seed, budget=budget, kind=kind):
                        where = digest("orders", kind, seed)
                        found, cpu = run(ALGORITHMS[name], problem(kind, seed), budget, where)
                        return {"value": found[-1], "cpu": cpu}

                    row = kept.get(("orders", name, kind, budget, seed), make)
                    at.setdefault(name, {}).setdefault(budget, {})[seed] = row["value"]
        said.append(beside(kind, at, seeds))
        said.append(monotone(kind, at[OURS], BUDGETS))
    return "\n".join(said)


def beside(kind, at, seeds):
    """Means over the instances, and what ours is a multiple of; what is shorter than ours is bold."""
    lines = [f"### {kind}, {len(seeds)} instances: mean, in brackets ours over it", ""]
    lines += ["| | " + " | ".join(f"{b} evaluations" for b in BUDGETS) + " |"]
    lines += ["|---|" + "---:|" * len(BUDGETS)]
    for name, rows in at.items():
        cells = []
        for budget in BUDGETS:
            mean = sum(rows[budget].values()) / len(seeds)
            logs = [math.log(at[OURS][budget][s] / rows[budget][s]) for s in seeds]
            ratio = math.exp(sum(logs) / len(logs))
            cell = f"{mean:.5g} ({ratio:.3f})"
            cells.append(f"**{cell}**" if ratio > 1 and name != OURS else cell)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
