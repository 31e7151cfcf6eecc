"""The peers: each function optimizes a Counter until its budget is spent.

All begin at the counter's start, use the defaults of their library unless a line says otherwise, and are
told a box of [-5, 5] where they know boxes; where they do not, the problem itself clips.
"""

import math
import os
import subprocess
import warnings
from pathlib import Path

import numpy as np

warnings.filterwarnings("ignore")


def _cma(counter, make):
    """Ask, tell and restart with twice the population, for the classes of `cmaes`."""
    larger = 1
    while True:
        optimizer = make(larger)
        while not optimizer.should_stop():
            asked = [optimizer.ask() for _ in range(optimizer.population_size)]
            points = [counter.read(it) for it in asked]
            costs = counter.batch(points)
            optimizer.tell(list(zip(asked, costs)))
        larger *= 2


def _population(dim, larger):
    return larger * (4 + int(3 * math.log(dim)))


def cmaes_continuous(name):
    """cmaes.CMA, or cmaes.SepCMA with a diagonal covariance: only where nothing is categorical."""

    def run(counter, seed):
        import cmaes

        dim = counter.problem.d_con
        bounds = np.array([[-5.0, 5.0]] * dim)
        counter.read = lambda x: ([], x)

        def make(larger):
            return getattr(cmaes, name)(mean=np.array(counter.start[1]), sigma=2.0, bounds=bounds, seed=seed,
                                        population_size=_population(dim, larger), n_max_resampling=1)

        _cma(counter, make)

    return run


def cmaes_cmawm(counter, seed):
    """cmaes.CMAwM: categories as integers, in the order of their numbers."""
    import cmaes

    d_cat, d_con = counter.problem.d_cat, counter.problem.d_con
    dim = d_cat + d_con
    bounds = np.array([[0.0, 10.0]] * d_cat + [[-5.0, 5.0]] * d_con)
    steps = np.array([1.0] * d_cat + [0.0] * d_con)
    mean = np.array([*map(float, counter.start[0]), *counter.start[1]])
    larger = 1
    while True:
        optimizer = cmaes.CMAwM(mean=mean, sigma=2.0, bounds=bounds, steps=steps, seed=seed,
                                population_size=_population(dim, larger), n_max_resampling=1)
        while not optimizer.should_stop():
            asked = [optimizer.ask() for _ in range(optimizer.population_size)]
            costs = counter.batch([(np.rint(x[:d_cat]).clip(0, 10), x[d_cat:]) for x, _ in asked])
            optimizer.tell([(told, cost) for (_, told), cost in zip(asked, costs)])
        larger *= 2


def cmaes_catcma(counter, seed, middle=False):
    """cmaes.CatCMA: categories as categories. `middle`: from the middle of the box, as `auto` in a study."""
    import cmaes

    d_cat, d_con = counter.problem.d_cat, counter.problem.d_con
    bounds = np.array([[-5.0, 5.0]] * d_con)
    counter.read = lambda it: (it[1].argmax(axis=1), it[0])
    mean = np.zeros(d_con) if middle else np.array(counter.start[1])

    def make(larger):
        return cmaes.CatCMA(mean=mean.copy(), sigma=2.0, cat_num=np.full(d_cat, 11),
                            bounds=bounds, seed=seed, n_max_resampling=1,
                            population_size=_population(d_cat + d_con, larger))

    _cma(counter, make)


def cmaes_catcma_middle(counter, seed):
    """CatCMA from the middle of the box."""
    cmaes_catcma(counter, seed, middle=True)


def cmaes_catcmawm(counter, seed, space=(-5.0, 5.0), given=False):
    """cmaes.CatCMAwM, as its documentation has it: a bounded x_space, whose middle it begins in, with a sixth of
    half its width for standard deviation. `given`: from the start and with the deviation that all others get."""
    import cmaes

    d_cat, d_con = counter.problem.d_cat, counter.problem.d_con
    counter.read = lambda it: ([list(c).index(1) if hasattr(c, "__len__") else int(c) for c in it.c]
                               if d_cat else [], it.x)
    options = {"x_space": [list(space)] * d_con, "seed": seed}
    if d_cat:
        options["c_space"] = [11] * d_cat

    def make(larger):
        # It moves the mean it is given in place.
        start = {"mean": np.array(counter.start[1]), "sigma": 2.0, "cov": np.eye(d_con)} if given else {}
        return cmaes.CatCMAwM(**options, **start, population_size=_population(d_cat + d_con, larger))

    _cma(counter, make)


def cmaes_catcmawm_unbounded(counter, seed):
    """The same without its boundary penalty: the problem itself clips."""
    cmaes_catcmawm(counter, seed, space=(-math.inf, math.inf))


def cmaes_catcmawm_given(counter, seed):
    """CatCMAwM from the start and with the deviation that all others get."""
    cmaes_catcmawm(counter, seed, given=True)


def pycma(counter, seed):
    """pycma with rounded categories (integer_variables), in the order of their numbers; IPOP restarts."""
    import cma

    d_cat, d_con = counter.problem.d_cat, counter.problem.d_con
    start = [*map(float, counter.start[0]), *counter.start[1]]
    larger = 1
    while True:
        options = {"bounds": [[0] * d_cat + [-5] * d_con, [10] * d_cat + [5] * d_con], "verbose": -9,
                   "seed": seed + 1, "integer_variables": list(range(d_cat)),
                   "popsize": _population(d_cat + d_con, larger)}
        optimizer = cma.CMAEvolutionStrategy(start, 2.0, options)
        while not optimizer.stop():
            asked = optimizer.ask()
            costs = counter.batch([(np.rint(x[:d_cat]).clip(0, 10), x[d_cat:]) for x in asked])
            optimizer.tell(asked, costs)
        larger *= 2


def nevergrad(counter, seed):
    """nevergrad.NGOpt, with a Choice for each category."""
    import nevergrad as ng

    d_cat = counter.problem.d_cat
    weights = ng.p.Array(init=np.array(counter.start[1])).set_bounds(-5, 5)
    choices = [ng.p.Choice(list(range(11))) for _ in range(d_cat)]
    space = ng.p.Instrumentation(*choices, x=weights)
    space.random_state.seed(seed)
    optimizer = ng.optimizers.NGOpt(parametrization=space, budget=counter.budget)
    while True:
        asked = optimizer.ask()
        optimizer.tell(asked, counter(asked.args, asked.kwargs["x"]))


def optuna_tpe(counter, seed):
    """optuna.samplers.TPESampler, the start enqueued."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    d_cat, d_con = counter.problem.d_cat, counter.problem.d_con
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    start = {f"c{i}": c for i, c in enumerate(counter.start[0])}
    study.enqueue_trial(start | {f"x{i}": x for i, x in enumerate(counter.start[1])})

    def objective(trial):
        categories = [trial.suggest_categorical(f"c{i}", list(range(11))) for i in range(d_cat)]
        return counter(categories, [trial.suggest_float(f"x{i}", -5, 5) for i in range(d_con)])

    study.optimize(objective, n_trials=None)


def pymoo(counter, seed):
    """pymoo's MixedVariableGA, a genetic algorithm."""
    from pymoo.core.mixed import MixedVariableGA
    from pymoo.core.problem import ElementwiseProblem
    from pymoo.core.variable import Choice, Real
    from pymoo.optimize import minimize

    d_cat, d_con = counter.problem.d_cat, counter.problem.d_con
    space = {f"c{i}": Choice(options=list(range(11))) for i in range(d_cat)}
    space |= {f"x{i}": Real(bounds=(-5, 5)) for i in range(d_con)}

    class Hybrid(ElementwiseProblem):
        def __init__(self):
            super().__init__(vars=space, n_obj=1)

        def _evaluate(self, point, out, *_, **__):
            categories = [point[f"c{i}"] for i in range(d_cat)]
            out["F"] = counter(categories, [point[f"x{i}"] for i in range(d_con)])

    minimize(Hybrid(), MixedVariableGA(pop_size=50), ("n_gen", 10**9), seed=seed, verbose=False)


def optimizer(sampler):
    """The Rust crate `optimizer`, in a program of its own that run.sh builds: a line for each point, and for each cost."""
    program = os.environ.get("OPTIMIZER_PEER", Path(__file__).parent / "optimizer/target/release/optimizer-peer")

    def run(counter, seed):
        d_cat, d_con = counter.problem.d_cat, counter.problem.d_con
        with subprocess.Popen([program, sampler, str(d_cat), str(d_con), str(seed)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            used = Path(f"/proc/{process.pid}/schedstat")

            def say(*numbers):
                process.stdin.write(" ".join(map(repr, numbers)) + "\n")
                process.stdin.flush()
                counter.elsewhere = int(used.read_text().split()[0]) * 1e-9
                return process.stdout.readline().split()

            try:
                # The start is evaluated once more, as its first trial.
                point = say(*map(float, counter.start[0]), *map(float, counter.start[1]))
                while point:
                    point = say(float(counter([int(c) for c in point[:d_cat]], [float(x) for x in point[d_cat:]])))
            finally:
                process.stdin.close()

    return run


# Name, function, and the most evaluations it can be given: some need tens of milliseconds for each.
PEERS = {
    "cmaes CatCMA": (cmaes_catcma, math.inf),
    "cmaes CatCMA, from the middle": (cmaes_catcma_middle, math.inf),
    "pycma": (pycma, math.inf),
    "cmaes CMA": (cmaes_continuous("CMA"), math.inf),
    "cmaes SepCMA": (cmaes_continuous("SepCMA"), math.inf),
    "cmaes CMAwM": (cmaes_cmawm, math.inf),
    "cmaes CatCMAwM": (cmaes_catcmawm, math.inf),
    "cmaes CatCMAwM, unbounded": (cmaes_catcmawm_unbounded, math.inf),
    "cmaes CatCMAwM, given start": (cmaes_catcmawm_given, math.inf),
    "pymoo MixedVariableGA": (pymoo, math.inf),
    "Nevergrad NGOpt": (nevergrad, 500),
    "Optuna TPE": (optuna_tpe, 500),
    "optimizer TPE": (optimizer("tpe"), 500),
    "optimizer CMA-ES": (optimizer("cma-es"), math.inf),
}


def applies(name, d_cat):
    """Whether a peer has a place where so many coordinates are categorical."""
    flat = ("cmaes CMA", "cmaes SepCMA", "optimizer CMA-ES")
    hybrid = ("cmaes CatCMA", "cmaes CatCMA, from the middle", "cmaes CMAwM", "cmaes CatCMAwM", "cmaes CatCMAwM, unbounded",
              "cmaes CatCMAwM, given start")
    return d_cat == 0 if name in flat else d_cat > 0 if name in hybrid else True
