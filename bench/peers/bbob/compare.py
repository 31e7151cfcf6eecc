"""Runs the peers: what `esenas bench peers` then puts beside our own algorithms.

    compare.py PROGRAM OUT [--functions A,B] [--sizes 0x20,10x20] [--seeds FROM..TO] [--budgets 500,2000]
               [--peers NAME,NAME] [--limit SECONDS]

PROGRAM is `esenas`. Lines are added to OUT/peers.jsonl, one for each run: the best cost after each budget. A
run that is there already, with as large a budget, is not made again, so it can be stopped at any time. LIMIT ends a run whose own CPU time
exceeds it: what it reached by then is kept, and it has no result at the budgets beyond.
"""

import argparse
import json
from pathlib import Path

from esenas_client import Counter, Problem, Spent

from peers import PEERS, applies

FUNCTIONS = ["Sphere", "Rastrigin", "BuecheRastrigin", "LinearSlope", "AttractiveSector", "StepEllipsoidal",
             "RosenbrockRotated", "Discus", "BentCigar", "SharpRidge", "DifferentPowers", "Weierstrass",
             "SchaffersF7", "SchaffersF7IllConditioned", "GriewankRosenbrock", "Schwefel", "Katsuura",
             "Lunacek", "Gallagher101"]
SIZES = [(10, 20), (20, 80), (0, 20), (0, 100), (20, 1000)]


def arguments():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--functions", type=words, default=FUNCTIONS)
    parser.add_argument("--sizes", type=lambda text: [tuple(map(int, it.split("x"))) for it in text.split(",")],
                        default=SIZES)
    parser.add_argument("--seeds", type=lambda text: range(*map(int, text.split(".."))), default=range(5))
    parser.add_argument("--budgets", type=lambda text: [int(it) for it in text.split(",")],
                        default=[500, 2000, 20_000])
    # A comma is part of one name.
    parser.add_argument("--peers", action="append", choices=list(PEERS), default=None)
    parser.add_argument("--limit", type=float, default=120.0)
    return parser.parse_args()


def known(path):
    """What was run: the largest budget given to each run, whether it was reached or not."""
    lines = path.read_text().splitlines() if path.exists() else []
    done = {}
    for it in (json.loads(line) for line in lines if line.endswith("}")):
        key = tuple(it["key"])
        done[key] = max(done.get(key, 0), it["budget"])
    return done


def run(program, job, budgets, limit):
    name, function, d_cat, d_con, seed = job
    optimize, _ = PEERS[name]
    problem = Problem(program, function, d_cat, d_con, "instance", seed + 1)
    counter = Counter(problem, seed, budgets, limit)
    failed = None
    try:
        optimize(counter, seed)
    except Spent:
        pass
    except Exception as error:  # A peer that breaks is reported, not hidden.
        failed = f"{type(error).__name__}: {error}"
    seconds = counter.own()
    problem.close()
    costs = {str(mark): best for mark, best in counter.marks.items() if best is not None}
    return {"key": job, "budget": max(budgets), "costs": costs, "evaluations": counter.done, "seconds": round(seconds, 4), "failed": failed}


def main():
    given = arguments()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "peers.jsonl"
    done = known(path)
    jobs = [(name, function, *size, seed)
            for seed in given.seeds for name in given.peers or PEERS for size in given.sizes
            if applies(name, size[0]) for function in given.functions]
    for number, job in enumerate(jobs):
        marks = [it for it in given.budgets if it <= PEERS[job[0]][1]]
        if not marks or done.get(job, 0) >= max(marks):
            continue
        record = run(given.program, job, marks, given.limit)
        with path.open("a") as file:
            file.write(json.dumps(record) + "\n")
        print(f"{number + 1}/{len(jobs)} {job}: {record['costs']} in {record['seconds']} s "
              f"{record['failed'] or ''}", flush=True)


if __name__ == "__main__":
    main()
