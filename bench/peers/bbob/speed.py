"""Evaluations per second of Vizier's functions and of COCO's, one core, one point per call.

    speed.py OURS.txt OUT.md DIM

OURS.txt is what `cargo bench -p esenas-bbob` printed: evaluations per second, one by one and in batches.
Vizier's functions are called as its users call them, f(x, seed=1) with a fresh array; COCO's through
`cocoex`, problem(x). All are the fastest of several rounds: others may use the machine too.
"""

import subprocess
import sys
import time

import numpy as np

# COCO's number of each function of the paper (f15 is the rotated Rastrigin).
COCO = {"Sphere": 1, "Rastrigin": 15, "BuecheRastrigin": 4, "LinearSlope": 5, "AttractiveSector": 6,
        "StepEllipsoidal": 7, "RosenbrockRotated": 9, "Discus": 11, "BentCigar": 12, "SharpRidge": 13,
        "DifferentPowers": 14, "Weierstrass": 16, "SchaffersF7": 17, "SchaffersF7IllConditioned": 18,
        "GriewankRosenbrock": 19, "Schwefel": 20, "Katsuura": 23, "Lunacek": 24, "Gallagher101": 21}


def timed(call, points, least=0.3):
    """CPU seconds of a call, in the fastest of five rounds."""
    rounds = []
    for _ in range(5):
        done, since = 0, time.process_time()
        while time.process_time() - since < least / 5 or done == 0:
            call(points[done % len(points)])
            done += 1
        rounds.append((time.process_time() - since) / done)
    return min(rounds)


def vizier(name, dim):
    from vizier._src.benchmarks.experimenters.synthetic import bbob

    function = getattr(bbob, {"Gallagher101": "Gallagher101Me"}.get(name, name))
    points = [np.random.default_rng(i).uniform(-5, 5, dim) for i in range(16)]
    return timed(lambda x: function(x.copy(), seed=1), points)


def coco(name, dim):
    import cocoex

    number = COCO[name]
    problem = cocoex.BareProblem("bbob", number, dim, 1)
    points = [np.random.default_rng(i).uniform(-5, 5, dim) for i in range(16)]
    return timed(problem, points)


def apart(which, name, dim):
    """In a process of its own: what crashes takes nobody along."""
    said = subprocess.run([sys.executable, __file__, which, name, str(dim)], capture_output=True, text=True)
    if said.returncode == 0:
        return float(said.stdout)
    why = said.stderr.strip().splitlines()[-1:] or [f"exit {said.returncode}"]
    print(f"{which} {name} D={dim}: {why[0]}", file=sys.stderr)
    return None


def main():
    if sys.argv[1] in ("vizier", "coco"):
        print({"vizier": vizier, "coco": coco}[sys.argv[1]](sys.argv[2], int(sys.argv[3])))
        return
    dim = int(sys.argv[3])
    ours = {}
    for line in open(sys.argv[1]):
        words = line.split()
        if len(words) == 3 and words[0] in COCO:
            ours[words[0]] = [1 / float(rate) for rate in words[1:]]
    lines = [f"| D = {dim}, µs | ours | ours, in batches | Vizier | COCO | Vizier / ours, in batches "
             "| COCO / ours, in batches |", "|---|---:|---:|---:|---:|---:|---:|"]
    ratios = {"vizier": [], "coco": []}
    for name in COCO:
        row = [f"{it * 1e6:.2f}" for it in ours[name]]
        seconds = {which: apart(which, name, dim) for which in ratios}
        row += [f"{it * 1e6:.1f}" if it else "—" for it in seconds.values()]
        for which, it in seconds.items():
            of = [it / mine for mine in ours[name]] if it else []
            ratios[which] += [of] if of else []
            row.append(f"{of[0]:.1f}×, {of[1]:.1f}×" if of else "—")
        lines.append(f"| {name} | " + " | ".join(row) + " |")
    for which, of in ratios.items():
        for at, how in enumerate(["one by one", "in batches"]):
            column = sorted(it[at] for it in of)
            if column:
                lines.append(f"\n{which}, ours {how}: least {column[0]:.1f}×, median "
                             f"{column[len(column) // 2]:.1f}× over {len(column)} functions.")
    text = "\n".join(lines) + "\n"
    open(sys.argv[2], "w").write(text)
    print(text)


if __name__ == "__main__":
    main()
