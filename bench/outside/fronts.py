"""Several goals: the dominated volume beside that of others.

    python bench/outside/fronts.py [--evaluations 2000] [--seeds 3] [--with esenas,pymoo,optuna]

ZDT1 to 4 and 6 (Zitzler, Deb and Thiele 2000), DTLZ2 with three goals (Deb et al. 2005), and two of
ZDT with four categories beside the numbers, of which one of three is best for each. The
volume is that of all that was evaluated, from a reference point a tenth beyond the worst of the
known front, as a share of what the known front dominates.

Others: pymoo's NSGA-II and Optuna's, each by its defaults. pymoo's has no categories: they are numbers
there that are rounded.
"""

import argparse
import math
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


class Spent(Exception):
    """The evaluations are used up."""


def zdt(g, h, first=lambda x: x[0], low=0.0, high=1.0):
    """Two goals of x₀ and of how far the others are from their best."""

    def f(x):
        one, rest = first(x), g(x)
        return [one, rest * h(one, rest)]

    return f, low, high


def _mean(x):
    return 1 + 9 * x[1:].sum() / (len(x) - 1)


def _rastrigin(x):
    return 1 + 10 * (len(x) - 1) + (x[1:] ** 2 - 10 * np.cos(4 * np.pi * x[1:])).sum()


def _six(x):
    return 1 - math.exp(-4 * x[0]) * math.sin(6 * math.pi * x[0]) ** 6


def dtlz2(x):
    g = ((x[2:] - 0.5) ** 2).sum()
    a, b = x[0] * math.pi / 2, x[1] * math.pi / 2
    return [(1 + g) * math.cos(a) * math.cos(b), (1 + g) * math.cos(a) * math.sin(b), (1 + g) * math.sin(a)]


def _root(one, rest):
    return 1 - math.sqrt(one / rest)


class Problem:
    """Goals of numbers, minimized, with so many categories of three that each add a half unless right."""

    def __init__(self, name, f, low, high, worst, whole, kinds=0):
        self.name, self.f, self.worst, self.whole, self.kinds = name, f, worst, whole, kinds
        self.low, self.high = np.array(low, float), np.array(high, float)
        self.begin(0)

    def begin(self, evaluations):
        self.left, self.seen = evaluations, []

    def __call__(self, genes, x):
        if self.left == 0:
            raise Spent
        self.left -= 1
        values = self.f(np.clip(np.asarray(x, float), self.low, self.high))
        wrong = 0.5 * sum(int(gene) != at % 3 for at, gene in enumerate(genes))
        values = [float(value + wrong) for value in values]
        self.seen.append(values)
        return values

    def share(self):
        from pymoo.indicators.hv import HV

        front = np.array(self.seen)
        front = front[(front < self.worst).all(axis=1)]
        if len(front) == 0:
            return 0.0
        from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

        front = front[NonDominatedSorting().do(front, only_non_dominated_front=True)]
        return float(HV(ref_point=np.array(self.worst))(front) / self.whole)


def problems():
    """All, each with the volume that its known front dominates."""
    from pymoo.indicators.hv import HV
    from pymoo.problems import get_problem

    def whole(name, worst, **given):
        front = get_problem(name, **given).pareto_front()
        return float(HV(ref_point=np.array(worst))(front))

    def of(name, f, dim, low=0.0, high=1.0, kinds=0):
        f, low, high = zdt(*f) if isinstance(f, tuple) else (f, low, high)
        lows, highs = [0.0] + [low] * (dim - 1), [1.0] + [high] * (dim - 1)
        worst = [1.1, 1.1]
        known = whole(name, worst)
        return Problem(name + ("+" if kinds else ""), f, lows, highs, worst, known, kinds)

    one = (_mean, _root)
    two = (_mean, lambda a, g: 1 - (a / g) ** 2)
    three = (_mean, lambda a, g: 1 - math.sqrt(a / g) - a / g * math.sin(10 * math.pi * a))
    four = (_rastrigin, _root, lambda x: x[0], -5.0, 5.0)
    six = (lambda x: 1 + 9 * (x[1:].sum() / (len(x) - 1)) ** 0.25, lambda a, g: 1 - (a / g) ** 2, _six)
    all_of = [of("zdt1", one, 30), of("zdt2", two, 30), of("zdt3", three, 30), of("zdt4", four, 10)]
    all_of += [of("zdt6", six, 10), of("zdt1", one, 10, kinds=4), of("zdt2", two, 10, kinds=4)]
    ball = 1.1**3 - math.pi / 6  # of the front, an eighth of a sphere
    all_of.append(Problem("dtlz2", dtlz2, [0.0] * 12, [1.0] * 12, [1.1] * 3, ball))
    return all_of


def esenas(problem, evaluations, seed):
    """What a user writes, and nothing set."""
    import esenas

    numbers = {f"x{at}": esenas.real(a, b) for at, (a, b) in enumerate(zip(problem.low, problem.high))}
    kinds = {f"k{at}": esenas.oneof([0, 1, 2]) for at in range(problem.kinds)}
    goals = [f"-f{at}" for at in range(len(problem.worst))]
    study = esenas.Study(esenas.Dict(numbers | kinds), objectives=goals, seed=seed, evaluations=evaluations)

    def f(design):
        return problem([design[name] for name in kinds], [design[name] for name in numbers])

    while True:
        study.tell([f(candidate.design) for candidate in study.ask()])


def pymoo(problem, evaluations, seed):
    """pymoo's NSGA-II."""
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.problem import ElementwiseProblem
    from pymoo.optimize import minimize

    kinds = problem.kinds

    class Ours(ElementwiseProblem):
        def __init__(self):
            low = np.concatenate([np.zeros(kinds), problem.low])
            high = np.concatenate([np.full(kinds, 3 - 1e-9), problem.high])
            super().__init__(n_var=len(low), n_obj=len(problem.worst), xl=low, xu=high)

        def _evaluate(self, x, out, *args, **kwargs):
            out["F"] = problem(np.floor(x[:kinds]), x[kinds:])

    minimize(Ours(), NSGA2(pop_size=100), ("n_eval", 10**9), seed=seed)


def optuna(problem, evaluations, seed):
    """Optuna's NSGA-II."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def f(trial):
        genes = [trial.suggest_categorical(f"k{at}", [0, 1, 2]) for at in range(problem.kinds)]
        sides = enumerate(zip(problem.low, problem.high, strict=True))
        return problem(genes, [trial.suggest_float(f"x{at}", a, b) for at, (a, b) in sides])

    directions = ["minimize"] * len(problem.worst)
    sampler = optuna.samplers.NSGAIISampler(seed=seed)
    optuna.create_study(directions=directions, sampler=sampler).optimize(f, n_trials=10**9)


ALGORITHMS = {"esenas": esenas, "pymoo": pymoo, "optuna": optuna}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evaluations", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--problems", default="")
    parser.add_argument("--with", dest="algorithms", default="esenas,pymoo,optuna")
    given = parser.parse_args()
    names = given.algorithms.split(",")
    print(f"Share of the known front's volume after {given.evaluations} evaluations,")
    print(f"mean of {given.seeds} seeds; CPU seconds of all of a run.\n")
    print(f"| problem | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    seconds = dict.fromkeys(names, 0.0)
    for problem in problems():
        if given.problems and problem.name not in given.problems.split(","):
            continue
        shares = {}
        for name in names:
            for seed in range(1, given.seeds + 1):
                problem.begin(given.evaluations)
                begun = time.process_time()
                try:
                    ALGORITHMS[name](problem, given.evaluations, seed)
                except Spent:
                    pass
                seconds[name] += time.process_time() - begun
                shares.setdefault(name, []).append(problem.share())
        print(f"| {problem.name} | {' | '.join(f'{np.mean(shares[it]):.4f}' for it in names)} |", flush=True)
    print(f"| CPU s | {' | '.join(f'{seconds[it]:.0f}' for it in names)} |")


if __name__ == "__main__":
    main()
