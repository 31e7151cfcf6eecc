"""Runs the peers and reads our own cells: one table of normalized gaps, all at equal budgets.

    compare.py PROGRAM OURS OUT [--quick]

PROGRAM is `esenas`, OURS the folder of `esenas bench bbob --mode instance`, OUT where results go. What is in
OUT/peers.jsonl is not run again.
"""

import json
import statistics
import sys
import time
from pathlib import Path

from esenas_client import Counter, Problem, Spent
from peers import PEERS, applies

QUICK = {"functions": ["Sphere", "Rastrigin", "RosenbrockRotated"], "sizes": [(0, 20), (10, 20)], "seeds": 1,
         "budgets": [300, 1500]}
FULL = {"functions": ["Sphere", "Rastrigin", "BentCigar", "RosenbrockRotated", "SchaffersF7", "Lunacek"],
        "sizes": [(0, 20), (0, 100), (10, 20), (20, 100)], "seeds": 2, "budgets": [600, 2000, 10_000]}


def read(path):
    if not path.exists():
        return {}
    lines = (json.loads(line) for line in path.read_text().splitlines() if line.endswith("}"))
    return {tuple(it["key"]): it for it in lines}


def ours(folder):
    """Our cells: {(algorithm, function, d_cat, d_con, seed): gaps}, the settings, the scales."""
    lines = (Path(folder) / "cells.jsonl").read_text().splitlines()
    settings, cells, scales = json.loads(lines[0]), {}, {}
    for key, outcome in map(json.loads, lines[1:]):
        it = key["problem"]
        place = (it["function"], it["d_cat"], it["d_con"], it["instance"])
        if key["run"] is None:
            scales[place] = outcome["scale"]
        else:
            algorithm, seed = key["run"]
            cells[(algorithm, *place[:3], seed)] = outcome["gaps"]
    return settings, cells, scales


def run(program, plan, scales, settings, out):
    done = read(out)
    jobs = [(name, function, *size, seed)
            for function in plan["functions"] for size in plan["sizes"] for seed in range(plan["seeds"])
            for name in PEERS if applies(name, size[0])]
    for number, job in enumerate(jobs):
        if job in done:
            continue
        name, function, d_cat, d_con, seed = job
        optimize, most = PEERS[name]
        instance = seed + 1 if settings["mode"] == "instance" else 0
        problem = Problem(program, function, d_cat, d_con, settings["mode"], instance)
        scale = scales.get((function, d_cat, d_con, instance))
        largest, least = ((scale["largest"], scale["least"]) if scale else
                          problem.scale(settings["scale_budget"], settings["scale_seed"]))
        marks = [budget for budget in plan["budgets"] if budget <= most]
        counter, since, failed = Counter(problem, seed, marks), time.process_time(), None
        try:
            optimize(counter, seed)
        except Spent:
            pass
        except Exception as error:  # A peer that breaks is reported, not hidden.
            failed = f"{type(error).__name__}: {error}"
        seconds = time.process_time() - since
        problem.close()
        gaps = {str(mark): (best - least) / largest for mark, best in counter.marks.items() if best is not None}
        record = {"key": job, "gaps": gaps, "evaluations": counter.done, "seconds": round(seconds, 3),
                  "failed": failed}
        with out.open("a") as file:
            file.write(json.dumps(record) + "\n")
        done[job] = record
        print(f"{number + 1}/{len(jobs)} {job}: {gaps} in {seconds:.1f} s {failed or ''}", flush=True)
    return done


def table(plan, settings, cells, done):
    """Markdown: means over functions and seeds, in brackets the medians."""
    budget_of = lambda at: at * settings["evaluations"] // 50
    lines = []
    for budget in plan["budgets"]:
        lines += [f"\n### After {budget} evaluations\n",
                  "| algorithm | " + " | ".join(f"{a} × {b}" for a, b in plan["sizes"]) + " |",
                  "|---|" + "---:|" * len(plan["sizes"])]
        at = next((i for i in range(1, 51) if budget_of(i) >= budget), None)
        at = at if at and budget_of(at) == budget else None
        rows = {}
        for size in plan["sizes"]:
            for name in PEERS:
                found = [done.get((name, f, *size, s), {"gaps": {}})["gaps"].get(str(budget))
                         for f in plan["functions"] for s in range(plan["seeds"])]
                if None not in found:
                    rows.setdefault(name, {})[size] = found
            for name in sorted({key[0] for key in cells}):
                found = [cells.get((name, f, *size, s)) for f in plan["functions"] for s in range(plan["seeds"])]
                if at and all(found):
                    rows.setdefault(f"esenas {name}", {})[size] = [gaps[at] for gaps in found]
        for name, of in rows.items():
            said = [f"{statistics.fmean(of[s]):.1e} ({statistics.median(of[s]):.0e})" if s in of else ""
                    for s in plan["sizes"]]
            lines.append(f"| {name} | " + " | ".join(said) + " |")
    return "\n".join(lines) + "\n"


def main():
    program, folder, out = sys.argv[1:4]
    plan = QUICK if "--quick" in sys.argv else FULL
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    settings, cells, scales = ours(folder)
    done = run(program, plan, scales, settings, out / "peers.jsonl")
    failed = {key: it["failed"] for key, it in done.items() if it["failed"]}
    text = (f"Mean gap over {len(plan['functions'])} functions and {plan['seeds']} seeds, mode "
            f"`{settings['mode']}` (median in brackets); d_cat × d_con.\n" + table(plan, settings, cells, done))
    for key, reason in sorted(failed.items()):
        text += f"\nfailed: {key}: {reason}"
    (out / "table.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
