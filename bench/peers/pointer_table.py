"""One table of the lines that pointer_bench.py and the bench policy_gradient print: the least
milliseconds of all rounds, and how many times as long PyTorch takes."""

import json
import sys

best, shares = {}, {}
for line in open(sys.argv[1]):
    entry = json.loads(line)
    key = entry["lib"], entry["case"], entry["what"], entry["threads"]
    seconds = entry["wall_s"], entry["cpu_s"]
    best[key] = tuple(map(min, best.get(key, seconds), seconds))
    shares[key] = max(shares.get(key, 0.0), entry.get("share_of_peak") or 0.0)

print("| case | what | threads | esenas, wall ms | CPU ms | of peak | torch, wall ms | CPU ms | ratio | by hand, wall ms | ratio |")
print("|---|---|---|---|---|---|---|---|---|---|---|")
for case in "QEB":
    for what in ["sample", "step"]:
        for threads in [1, 2]:
            ours = best["esenas-recurrent", case, what, threads]
            share = shares["esenas-recurrent", case, what, threads]
            torch = best["torch", case, what, threads]
            cells = [case, what, threads, f"{ours[0] * 1e3:.1f}", f"{ours[1] * 1e3:.1f}", f"{share:.2f}"]
            cells += [f"{torch[0] * 1e3:.1f}", f"{torch[1] * 1e3:.1f}", f"{torch[0] / ours[0]:.1f}"]
            hand = best.get(("torch", case, what + "-table", threads))
            cells += [f"{hand[0] * 1e3:.1f}", f"{hand[0] / ours[0]:.1f}"] if hand else ["", ""]
            print("| " + " | ".join(map(str, cells)) + " |")
