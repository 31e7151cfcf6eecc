"""Optimizers, each a function `(f, evaluations, seed)` that calls `f(genes, x)` until it raises.

All begin in the middle of the box, or where their own defaults say; σ is a share of each side.
"""

import math
import warnings

import numpy as np

warnings.filterwarnings("ignore")
SIGMA = 0.25


def _box(f):
    low, high = np.array(f.problem.low, float), np.array(f.problem.high, float)
    return low, high - low


def esenas(**told):
    """`auto`; integers as grids (`steps`)."""

    def search(f, evaluations, seed):
        from esenas import Study, space

        problem = f.problem
        choices = space.list([space.int(0, n - 1) for n in problem.arities])
        steps = [1.0 if j < problem.integers else 0.0 for j in range(problem.dim)]
        bounds = list(zip(problem.low, problem.high, strict=True))
        with_grid = {"steps": steps} if problem.integers else {}
        given = {"bounds": bounds, **with_grid} if problem.dim else {}
        study = Study(choices, problem.dim, seed=seed, direction="minimize", **given, **told)
        study.optimize(lambda m, x: f(m, x), evaluations=evaluations)

    return search


def integers_as_choices(f, evaluations, seed):
    """`auto`, integers as decisions of the space."""
    problem = f.problem
    k, low = problem.integers, problem.low

    class View:
        pass

    view = View()
    view.problem = type(problem)(
        problem.name,
        None,
        problem.low[k:],
        problem.high[k:],
        0,
        [int(problem.high[j] - low[j]) + 1 for j in range(k)] + list(problem.arities),
    )

    class Seen:
        problem = view.problem

        def __call__(self, genes, x):
            return f(genes[k:], [low[j] + g for j, g in enumerate(genes[:k])] + list(x))

    esenas()(Seen(), evaluations, seed)


def pycma(**options):
    """pycma in restarts (IPOP); choices as rounded numbers."""

    def search(f, evaluations, seed):
        import cma

        low, width = _box(f)
        n, d = len(f.problem.arities), len(low) + len(f.problem.arities)
        integers = list(range(n + f.problem.integers))
        size = np.concatenate([np.array(f.problem.arities, float), width])
        size[n : n + f.problem.integers] += 1
        population = 4 + int(3 * math.log(d))
        rng = np.random.default_rng(seed)

        def cost(u):
            # Each whole number has a cell of the same width.
            cells = np.floor(np.clip(u, 0, 1 - 1e-12) * size)
            x = low + width * np.clip(u[n:], 0, 1)
            x[: f.problem.integers] = low[: f.problem.integers] + cells[n : n + f.problem.integers]
            return f(cells[:n], x)

        start = np.full(d, 0.5)
        while True:
            told = {"bounds": [0, 1], "verbose": -9, "seed": int(rng.integers(1, 2**31))}
            told |= {"popsize": population, "maxfevals": evaluations, **options}
            if integers:
                # It wants integers in cells of one: scales are given instead.
                told["minstd"] = [0.5 / size[j] / 2.5 if j in integers else 0 for j in range(d)]
            es = cma.CMAEvolutionStrategy(start, SIGMA, told)
            while not es.stop():
                points = es.ask()
                es.tell(points, [cost(u) for u in points])
            population, start = 2 * population, rng.random(d)

    return search


def cmaes_margin(f, evaluations, seed):
    """CMAwM of the package cmaes; choices as rounded numbers."""
    from cmaes import CMAwM

    low, width = _box(f)
    n, k = len(f.problem.arities), f.problem.integers
    high = np.concatenate([np.array(f.problem.arities, float) - 1, low + width])
    low = np.concatenate([np.zeros(n), low])
    steps = np.array([1.0] * (n + k) + [0.0] * (len(low) - n - k))
    # Its σ is one for all coordinates, so sides are scaled to 1.
    size = high - low
    rng = np.random.default_rng(seed)
    population, mean = None, np.full(len(low), 0.5)
    while True:
        bounds = np.column_stack([np.zeros(len(low)), np.ones(len(low))])
        told = {"population_size": population, "seed": int(rng.integers(2**31))}
        search = CMAwM(mean, SIGMA, bounds, steps / size, **told)
        while not search.should_stop():
            told = []
            for _ in range(search.population_size):
                point, kept = search.ask()
                x = low + size * point
                told.append((kept, f(np.round(x[:n]), x[n:])))
            search.tell(told)
        population, mean = 2 * search.population_size, rng.random(len(low))


def catcmawm(f, evaluations, seed):
    """CatCMAwM of the package cmaes, by its defaults; choices as categories, integers as such."""
    from cmaes import CatCMAwM

    low, high = np.array(f.problem.low, float), np.array(f.problem.high, float)
    k, arities = f.problem.integers, f.problem.arities
    told = {"population_size": None, "seed": seed}
    if k < len(low):
        told["x_space"] = np.column_stack([low[k:], high[k:]])
    if k:
        told["z_space"] = [np.arange(low[j], high[j] + 1) for j in range(k)]
    if arities:
        told["c_space"] = np.array(arities)
    search = CatCMAwM(**told)
    while True:
        solutions = []
        for _ in range(search.population_size):
            point = search.ask()
            genes = np.argmax(point.c, axis=1) if arities else []
            x = np.concatenate([point.z if k else [], point.x if k < len(low) else []])
            solutions.append((point, f(genes, x)))
        search.tell(solutions)


def sep_cma(f, evaluations, seed):
    """SepCMA of the package cmaes, in restarts (IPOP)."""
    from cmaes import SepCMA

    low, width = _box(f)
    rng = np.random.default_rng(seed)
    population, mean = None, np.full(len(low), 0.5)
    while True:
        bounds = np.column_stack([np.zeros(len(low)), np.ones(len(low))])
        told = {"population_size": population, "seed": int(rng.integers(2**31))}
        search = SepCMA(mean, SIGMA, bounds, **told)
        while not search.should_stop():
            points = [search.ask() for _ in range(search.population_size)]
            search.tell([(u, f([], low + width * u)) for u in points])
        population, mean = 2 * search.population_size, rng.random(len(low))


def pypop(name):
    """One of PyPop7's limited-memory strategies, with its own restarts."""

    def search(f, evaluations, seed):
        import importlib

        module = importlib.import_module(f"pypop7.optimizers.es.{name.lower()}")
        low, width = _box(f)
        task = {"fitness_function": lambda u: f([], low + width * u), "ndim_problem": len(low)}
        task |= {"lower_boundary": np.zeros(len(low)), "upper_boundary": np.ones(len(low))}
        options = {"max_function_evaluations": evaluations + 1, "seed_rng": seed}
        options |= {"sigma": SIGMA, "mean": np.full(len(low), 0.5), "verbose": False}
        getattr(module, name)(task, options).optimize()

    return search


def nevergrad(name, workers=1):
    """One of Nevergrad's; choices as `Choice`, integers as whole scalars."""

    def search(f, evaluations, seed):
        import nevergrad as ng

        problem, k = f.problem, f.problem.integers
        parts = {f"c{i}": ng.p.Choice(list(range(n))) for i, n in enumerate(problem.arities)}
        for j, (low, high) in enumerate(zip(problem.low, problem.high, strict=True)):
            scalar = ng.p.Scalar(lower=low, upper=high)
            parts[f"x{j}"] = scalar.set_integer_casting() if j < k else scalar
        space = ng.p.Dict(**parts)
        space.random_state.seed(seed)
        search = ng.optimizers.registry[name](space, budget=evaluations, num_workers=workers)
        genes, numbers = range(len(problem.arities)), range(problem.dim)
        while True:
            point = search.ask()
            v = point.value
            search.tell(point, f([v[f"c{i}"] for i in genes], [v[f"x{j}"] for j in numbers]))

    return search


def tpe(f, evaluations, seed):
    """Optuna's TPE, by its defaults."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    problem = f.problem

    def objective(trial):
        genes = [
            trial.suggest_categorical(f"c{i}", list(range(n)))
            for i, n in enumerate(problem.arities)
        ]
        sides = list(zip(problem.low, problem.high, strict=True))
        x = [trial.suggest_int(f"x{j}", *map(int, sides[j])) for j in range(problem.integers)]
        x += [trial.suggest_float(f"x{j}", *s) for j, s in enumerate(sides) if j >= problem.integers]
        return f(genes, x)

    sampler = optuna.samplers.TPESampler(seed=seed)
    optuna.create_study(sampler=sampler).optimize(objective, n_trials=evaluations + 1)


def random(f, evaluations, seed):
    """Points anywhere."""
    rng, (low, width) = np.random.default_rng(seed), _box(f)
    arities, k = np.array(f.problem.arities, int), f.problem.integers
    while True:
        x = low + width * rng.random(len(low))
        x[:k] = rng.integers(low[:k].astype(int), (low + width)[:k].astype(int) + 1)
        f(rng.integers(0, arities) if len(arities) else [], x)
