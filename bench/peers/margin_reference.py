#!/usr/bin/env python3
"""Evaluations that `cmaes.CMAwM` needs to reach f <= 1e-9 where half of the coordinates are on a grid.

The figures that `crates/esenas/tests/margin.rs` is held against: Hamano, Saito, Nomura and Shirakawa,
"CMA-ES with margin" (GECCO 2022), as its authors' package has it. Of d coordinates the first half is
continuous, in [-100, 100], and the second half on a grid:

    function       formula (x: all coordinates, z: those on the grid)     grid             start
    sphere-int     sum x_i^2                                              -10, -9, ..., 10  all 3.0
    ellipsoid-int  sum (1000^(i/(d-1)) x_i)^2, i = 0..d-1                 -10, -9, ..., 10  all 3.0
    reversed-int   the same with x_0 the last and x_(d-1) the first      -10, -9, ..., 10  all 3.0
    tablet-int     sum of the continuous x_i^2 + sum (100 z_i)^2          -10, -9, ..., 10  all 3.0
    one-max        sum of the continuous x_i^2 + sum (1 - z_i)            0, 1              3.0 and 0.0

sigma is 1, the population 4 + floor(3 ln d). A run ends at the target or after 10^4 d evaluations. `rounding` is
`cmaes.CMA` on the rounded function: what margins are for. Seeds are 1, 2, ..., n. One JSON line per row.
"""
import argparse
import json
import math
import statistics
import warnings
from importlib.metadata import version

import numpy as np
from cmaes import CMA, CMAwM

TARGET = 1e-9


def ellipsoid_int(x):
    return float(np.sum((1000.0 ** (np.arange(len(x)) / (len(x) - 1)) * x) ** 2))


def tablet_int(x):
    half = len(x) // 2
    return float(np.sum(x[:half] ** 2) + np.sum((100.0 * x[half:]) ** 2))


def one_max(x):
    half = len(x) // 2
    return float(np.sum(x[:half] ** 2) + np.sum(1.0 - x[half:]))


# name: (function, the ends of the grid, where coordinates on it start)
PROBLEMS = {
    "sphere-int": (lambda x: float(np.sum(x**2)), (-10.0, 10.0), 3.0),
    "ellipsoid-int": (ellipsoid_int, (-10.0, 10.0), 3.0),
    "reversed-int": (lambda x: ellipsoid_int(x[::-1]), (-10.0, 10.0), 3.0),
    "tablet-int": (tablet_int, (-10.0, 10.0), 3.0),
    "one-max": (one_max, (0.0, 1.0), 0.0),
}


def run(algorithm, function, d, seed):
    """Evaluations up to the first point that is good enough, None if there is none."""
    f, (low, high), start = PROBLEMS[function]
    half, population = d // 2, 4 + math.floor(3 * math.log(d))
    mean = np.array([3.0] * half + [start] * half)
    bounds = np.array([[-100.0, 100.0]] * half + [[low, high]] * half)
    common = {"mean": mean, "sigma": 1.0, "bounds": bounds, "seed": seed, "population_size": population}
    if algorithm == "margin":
        es = CMAwM(steps=np.array([0.0] * half + [1.0] * half), **common)
        ask = es.ask
    else:
        es = CMA(**common)

        def ask():
            x = es.ask()
            on_grid = low + np.round(x[half:] - low)
            return np.concatenate([x[:half], on_grid.clip(low, high)]), x

    count = 0
    while count < 10_000 * d:
        told = []
        for _ in range(population):
            x, raw = ask()
            value = f(x)
            count += 1
            if value <= TARGET:
                return count
            told.append((raw, value))
        es.tell(told)
        if algorithm == "rounding" and es.should_stop():
            return None
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algorithms", default="margin,rounding")
    parser.add_argument("--functions", default=",".join(PROBLEMS))
    parser.add_argument("--dims", default="20,40")
    parser.add_argument("--seeds", type=int, default=15)
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    for d in map(int, args.dims.split(",")):
        for function in args.functions.split(","):
            for algorithm in args.algorithms.split(","):
                counts = [run(algorithm, function, d, seed) for seed in range(1, args.seeds + 1)]
                hit = [count for count in counts if count is not None]
                row = {"algorithm": algorithm, "function": function, "d": d, "runs": args.seeds, "successes": len(hit)}
                row |= {"median": statistics.median(hit) if hit else None, "cmaes": version("cmaes"), "counts": counts}
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
