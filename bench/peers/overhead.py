#!/usr/bin/env python3
"""Time one iteration of a continuous optimizer when the objective costs nothing.

An iteration asks for all candidates, materialized as vectors, and tells as many fixed values. The
population is 128 (64 antithetic pairs where the algorithm mirrors); CMA takes its own default.
One JSON line per library and dimension, described in README.md. One thread, pinned to one core.
"""
import argparse
import json
import logging
import os
import statistics
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy as np

PAIRS = 64
CANDIDATES = 2 * PAIRS
VALUES = np.random.default_rng(0).standard_normal(CANDIDATES)


# Each maker takes the dimension and gives back (step, number of candidates).


def numpy_es(d, dtype):
    """Antithetic ES on preallocated arrays: the fastest generator, blocks of rows that stay in cache."""
    rng = np.random.Generator(np.random.SFC64(0))
    theta, noise = np.zeros(d, dtype), np.empty((PAIRS, d), dtype)
    candidates = np.empty((2, PAIRS, d), dtype)
    sigma, rate, values = dtype(0.5), 1.0 / PAIRS, VALUES.reshape(2, PAIRS)
    rows = max(1, min(PAIRS, 16384 // d))

    def step():
        for i in range(0, PAIRS, rows):
            g = noise[i : i + rows]
            rng.standard_normal(out=g, dtype=dtype)
            np.multiply(g, sigma, out=g)
            np.add(theta, g, out=candidates[0, i : i + rows])
            np.subtract(theta, g, out=candidates[1, i : i + rows])
        z = (values - values.mean()) / values.std()
        theta[:] += ((z[0] - z[1]) * (0.5 * rate / sigma)).astype(dtype) @ noise
        np.clip(theta, -5, 5, out=theta)

    return step, CANDIDATES


def evosax(d, name):
    import jax
    import jax.numpy as jnp
    from evosax import algorithms

    es = getattr(algorithms, name)(population_size=CANDIDATES, solution=jnp.zeros(d))
    params, values = es.default_params, jnp.asarray(VALUES, jnp.float32)

    @jax.jit
    def ask(key, state):
        key, now = jax.random.split(key)
        return key, *es.ask(now, state, params)

    tell = jax.jit(lambda key, x, state: es.tell(key, x, values, state, params)[0])
    key = jax.random.key(0)
    run = {"key": key, "state": es.init(key, jnp.zeros(d), params)}

    def step():
        run["key"], x, state = ask(run["key"], run["state"])
        run["state"] = jax.block_until_ready(tell(run["key"], x, state))

    return step, CANDIDATES


def evotorch_pgpe(d):
    import torch
    from evotorch.algorithms.functional import pgpe, pgpe_ask, pgpe_tell

    torch.set_num_threads(1)
    values = torch.as_tensor(VALUES, dtype=torch.float32)
    rates = {"center_learning_rate": 0.5, "stdev_learning_rate": 0.1, "stdev_init": 0.5}
    run = {"state": pgpe(center_init=torch.zeros(d), objective_sense="max", **rates)}

    def step():
        x = pgpe_ask(run["state"], popsize=CANDIDATES)
        run["state"] = pgpe_tell(run["state"], x, values)

    return step, CANDIDATES


def evotorch_snes(d):
    import torch
    from evotorch import Problem
    from evotorch.algorithms import SNES

    torch.set_num_threads(1)
    values = torch.as_tensor(VALUES, dtype=torch.float32)
    problem = Problem("max", lambda x: values, solution_length=d, initial_bounds=(-1, 1), vectorized=True)
    return SNES(problem, stdev_init=0.5, popsize=CANDIDATES).step, CANDIDATES


def cmaes(d, name):
    import cmaes as package

    es = getattr(package, name)(mean=np.ones(d), sigma=0.5, seed=1)
    n = es.population_size
    return lambda: es.tell([(es.ask(), float(v)) for v in VALUES[:n]]), n


def pycma(d):
    import cma

    es = cma.CMAEvolutionStrategy(np.ones(d), 0.5, {"verbose": -10, "verb_log": 0, "seed": 1})
    n = es.popsize
    return lambda: es.tell(es.ask(), list(VALUES[:n])), n


# name: (maker, largest dimension worth waiting for)
LIBRARIES = {
    "numpy-f64": (lambda d: numpy_es(d, np.float64), 10**6),
    "numpy-f32": (lambda d: numpy_es(d, np.float32), 10**6),
    "evosax-open-es": (lambda d: evosax(d, "Open_ES"), 10**6),
    "evosax-snes": (lambda d: evosax(d, "SNES"), 10**6),
    "evosax-sep-cma": (lambda d: evosax(d, "Sep_CMA_ES"), 10**6),
    "evotorch-pgpe": (evotorch_pgpe, 10**6),
    "evotorch-snes": (evotorch_snes, 10**6),
    "cmaes-cma": (lambda d: cmaes(d, "CMA"), 10**3),
    "cmaes-sep": (lambda d: cmaes(d, "SepCMA"), 10**5),
    "pycma": (pycma, 10**3),
}


def measure(step, seconds):
    """Iterations until `seconds` have passed, at least three after two to warm up."""
    step(), step()
    times, cpu = [], time.process_time()
    while len(times) < 3 or sum(times) < seconds:
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    cpu = (time.process_time() - cpu) / len(times)
    return {"median_s": statistics.median(times), "min_s": min(times), "cpu_mean_s": cpu, "iterations": len(times)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libs", default=",".join(LIBRARIES))
    parser.add_argument("--dims", default="100,1000,10000,100000,1000000")
    parser.add_argument("--seconds", type=float, help="per measurement; default 3, or 0.3 with --quick")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    seconds = args.seconds or (0.3 if args.quick else 3.0)
    for lib in args.libs.split(","):
        make, largest = LIBRARIES[lib]
        for d in [int(d) for d in args.dims.split(",") if int(d) <= largest]:
            try:
                step, candidates = make(d)
                line = {"lib": lib, "d": d, "candidates": candidates, **measure(step, seconds)}
            except Exception as error:
                line = {"lib": lib, "d": d, "skipped": f"{type(error).__name__}: {error}"[:160]}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
