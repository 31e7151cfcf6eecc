#!/usr/bin/env python3
"""Calls per CPU second of PyGlove on three search spaces.

    20x11     twenty choices of one in 11
    736x17    736 choices of one in 17 (an edge of a 17-32-6 network picks a weight class)
    64of736   64 distinct, sorted of 736 (a network keeps 64 of its edges)

Regularized evolution has population 150 and tournament 12. Its population is filled by repeating
a few random members: a proposal costs the same, and the 736x17 space saves minutes.
One JSON line per case and quantity, described in README.md. Runs in one thread.
"""
import argparse
import json
import logging
import random
import time

logging.disable(logging.CRITICAL)

POPULATION, TOURNAMENT = 150, 12


def space(pg, case):
    if case == "20x11":
        return pg.List([pg.oneof(list(range(11))) for _ in range(20)])
    if case == "736x17":
        return pg.Dict({f"edge{i}": pg.oneof(list(range(17))) for i in range(736)})
    return pg.manyof(64, list(range(736)), distinct=True, sorted=True)


def measure(call, seconds, limit=2000):
    """(results, CPU seconds) of call(0), call(1), ... for `seconds`, at least three, after one to warm up."""
    call(0)
    results, begin = [], time.process_time()
    while len(results) < 3 or (time.process_time() - begin < seconds and len(results) < limit):
        results.append(call(len(results)))
    return results, time.process_time() - begin


def evolution(pg, seeds):
    """PyGlove's own regularized evolution, started from `seeds` over and over."""

    @pg.geno.dna_generator
    def repeat(_):
        while True:
            yield from seeds

    ops = pg.evolution
    reproduce = ops.selectors.Random(TOURNAMENT) >> ops.selectors.Top(1) >> ops.mutators.Uniform()
    return ops.Evolution(
        reproduce, population_init=(repeat(), POPULATION), population_update=ops.selectors.Last(POPULATION)
    )


def run(pg, case, seconds):
    """Yields (what, calls, CPU seconds)."""
    begin = time.process_time()
    template = pg.template(space(pg, case))
    spec = template.dna_spec()
    yield "build", 1, time.process_time() - begin

    dnas, cpu = measure(lambda i: pg.random_dna(spec), seconds)
    yield "random", len(dnas), cpu
    texts, cpu = measure(lambda i: pg.to_json_str(dnas[i % len(dnas)]), seconds)
    yield "to_json", len(texts), cpu
    parsed, cpu = measure(lambda i: pg.from_json_str(texts[i % len(texts)]), seconds)
    yield "from_json", len(parsed), cpu
    decoded, cpu = measure(lambda i: template.decode(pg.from_json_str(texts[i % len(texts)])), seconds)
    yield "decode", len(decoded), cpu

    algorithm = evolution(pg, dnas[:5])
    algorithm.setup(spec)
    for _ in range(POPULATION):
        algorithm.feedback(algorithm.propose(), random.random())
    batch, propose = measure(lambda i: algorithm.propose(), seconds, limit=POPULATION - 1)
    yield "propose", len(batch), propose
    begin = time.process_time()
    for dna in batch:
        algorithm.feedback(dna, random.random())
    feedback = time.process_time() - begin
    yield "feedback", len(batch), feedback
    yield "propose_feedback", len(batch), propose + feedback


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="20x11,736x17,64of736")
    parser.add_argument("--seconds", type=float, help="CPU seconds per quantity; default 15, or 1 with --quick")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    seconds = args.seconds or (1.0 if args.quick else 15.0)
    for case in args.cases.split(","):
        try:
            import pyglove as pg

            random.seed(0)
            for what, calls, cpu in run(pg, case, seconds):
                line = {"case": case, "what": what, "per_second": calls / max(cpu, 1e-9), "calls": calls}
                print(json.dumps(line), flush=True)
        except Exception as error:
            print(json.dumps({"case": case, "skipped": f"{type(error).__name__}: {error}"[:160]}), flush=True)


if __name__ == "__main__":
    main()
