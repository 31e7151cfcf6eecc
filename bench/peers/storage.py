"""Evaluations per second of ask, tell and keep: an objective that costs nothing, every evaluation in SQLite.

    python storage.py [--quick]

Each loop runs for some seconds and for at least some hundred evaluations, whichever is longer. Optuna keeps
its trials in its own SQLite storage; `cmaes` has none, so its points go to a table, one transaction per
generation. One JSON line per loop: {"lib", "d", "evaluations_per_second", "evaluations"}, by wall time, or
{"lib", "d", "skipped"} where a package is missing.
"""

import argparse
import json
import os
import sqlite3
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"


LEAST = 300  # evaluations of a loop: Optuna's takes a second for a handful


def optuna_loop(sampler, d, seconds, folder):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = {"random": optuna.samplers.RandomSampler(seed=0), "cma": optuna.samplers.CmaEsSampler(seed=0)}
    storage = "sqlite:///" + os.path.join(folder, sampler + ".db")
    study = optuna.create_study(storage=storage, sampler=samplers[sampler], direction="maximize")
    space = {f"x{i}": optuna.distributions.FloatDistribution(-5, 5) for i in range(d)}
    count, start = 0, time.perf_counter()
    while count < LEAST or time.perf_counter() - start < seconds:
        trial = study.ask(space)
        study.tell(trial, trial.params["x0"])
        count += 1
    return count, time.perf_counter() - start


def cmaes_loop(d, seconds, folder):
    import cmaes
    import numpy as np

    db = sqlite3.connect(os.path.join(folder, "cmaes.db"))
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=NORMAL")
    db.execute("CREATE TABLE evaluation (generation INTEGER, value REAL, x BLOB)")
    optimizer = cmaes.CMA(mean=np.zeros(d), sigma=0.5, seed=0)
    count, start = 0, time.perf_counter()
    while count < LEAST or time.perf_counter() - start < seconds:
        points = [optimizer.ask() for _ in range(optimizer.population_size)]
        values = [abs(float(x[0])) for x in points]  # bounded, or it would walk until it overflows
        with db:
            rows = [(optimizer.generation, v, x.tobytes()) for x, v in zip(points, values)]
            db.executemany("INSERT INTO evaluation VALUES (?, ?, ?)", rows)
        optimizer.tell(list(zip(points, values)))
        count += len(points)
    return count, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    seconds = 3.0 if parser.parse_args().quick else 10.0
    loops = {
        "optuna-random": lambda folder: optuna_loop("random", 100, seconds, folder),
        "optuna-cma": lambda folder: optuna_loop("cma", 100, seconds, folder),
        "cmaes-sqlite": lambda folder: cmaes_loop(100, seconds, folder),
    }
    for lib, loop in loops.items():
        try:
            with tempfile.TemporaryDirectory() as folder:
                count, took = loop(folder)
            line = {"lib": lib, "d": 100, "evaluations_per_second": count / took, "evaluations": count}
        except ImportError as missing:
            line = {"lib": lib, "d": 100, "skipped": str(missing)}
        print(json.dumps(line), flush=True)


main()
