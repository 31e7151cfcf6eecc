#!/usr/bin/env python3
"""Evaluations to 1e-8 of ours (the example `target` of crate esenas) and of pycma, on the same functions, from the same starts.

    target.py PROGRAM DIMENSION SEEDS MOST FUNCTION...

PROGRAM is the built example: cargo build --release -p esenas --example target. Functions: sphere, ellipsoid, discus, cigar, and
rotated- before any of them. pycma gets the box, sigma 2 and the default population; it may restart with twice the population,
as ours may. Prints a table of medians, with the least and the most, and the runs that failed to get there in MOST evaluations.
"""
import json
import math
import os
import statistics
import subprocess
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import cma
import numpy as np

TARGET = 1e-8


def cost(function, x):
    y = np.asarray(x, float) - np.resize([2.0, -2.0], len(x))
    d = len(y)
    name = function.removeprefix("rotated-")
    if name != function:
        sin, cos = math.sin(0.7), math.cos(0.7)
        for j in range(2 * d):
            a, b = j % d, (j * 7 + 1) % d
            if a != b:
                y[a], y[b] = cos * y[a] - sin * y[b], sin * y[a] + cos * y[b]
    squares = y * y
    if name == "sphere":
        return squares.sum()
    if name == "ellipsoid":
        return (1e6 ** (np.arange(d) / (d - 1)) * squares).sum()
    if name == "discus":
        return 1e6 * squares[0] + squares[1:].sum()
    if name == "cigar":
        return squares[0] + 1e6 * squares[1:].sum()
    raise SystemExit(f"{function} is no function of this script")


def pycma(function, dim, seed, most):
    start = 4.0 * np.sin(seed + 1.7 * np.arange(dim))
    done, larger = 0, 1
    while done < most:
        population = larger * (4 + int(3 * math.log(dim)))
        options = {"bounds": [-5, 5], "verbose": -9, "seed": seed + 1, "popsize": population}
        optimizer = cma.CMAEvolutionStrategy(start, 2.0, options)
        while not optimizer.stop() and done < most:
            asked, costs = optimizer.ask(), []
            for x in asked:
                costs.append(cost(function, x))
                done += 1
                if costs[-1] <= TARGET:
                    return done
            optimizer.tell(asked, costs)
        larger *= 2
    return None


def said(found):
    reached = sorted(it for it in found if it is not None)
    failed = len(found) - len(reached)
    if not reached:
        return "none"
    text = f"{statistics.median(reached):.0f} ({reached[0]} – {reached[-1]})"
    return text + (f", {failed} failed" if failed else "")


def main():
    program, dim, seeds, most, *functions = sys.argv[1:]
    dim, seeds, most = int(dim), int(seeds), int(most)
    print("| d | function | auto | CMA-ES of ours | pycma | auto / pycma | CMA-ES / pycma |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for function in functions:
        lines = subprocess.run([program, str(dim), str(seeds), str(most), function], check=True, capture_output=True,
                               text=True).stdout.splitlines()
        found = {"auto": [], "cma-es": [], "pycma": [pycma(function, dim, seed, most) for seed in range(seeds)]}
        for line in map(json.loads, lines):
            found[line["who"]].append(line["evaluations"])
        middle = {who: statistics.median([it or math.inf for it in runs]) for who, runs in found.items()}
        shares = [f"{middle[who] / middle['pycma']:.2f}" for who in ("auto", "cma-es")]
        print(f"| {dim} | {function} | " + " | ".join([*map(said, found.values()), *shares]) + " |", flush=True)


if __name__ == "__main__":
    main()
