"""One table of the lines that pointer_bench.py, pointer-tch and the bench policy_gradient print: the
least milliseconds of all rounds, and how many times as long PyTorch and tch take."""

import json
import sys

best, shares = {}, {}
for line in open(sys.argv[1]):
    entry = json.loads(line)
    key = entry["lib"], entry["case"], entry["what"], entry["threads"]
    seconds = entry["wall_s"], entry["cpu_s"]
    best[key] = tuple(map(min, best.get(key, seconds), seconds))
    shares[key] = max(shares.get(key, 0.0), entry.get("share_of_peak") or 0.0)

# Each as it was run: through the layer, and its cell written out by hand, which is done for
# sampling only.
peers = [(lib, form) for lib in ["torch", "tch"] if any(key[0] == lib for key in best) for form in ["", "-table"]]
names = {"": "nn.LSTM", "-table": "by hand"}
columns = ["case", "what", "threads", "esenas, wall ms", "CPU ms", "of peak"]
columns += [cell for lib, form in peers for cell in (f"{lib}, {names[form]}", "ratio")]
print("| " + " | ".join(columns) + " |")
print("|---" * len(columns) + "|")
for case in "QEB":
    for what in ["sample", "step"]:
        for threads in [1, 2]:
            ours = best["esenas-recurrent", case, what, threads]
            share = shares["esenas-recurrent", case, what, threads]
            cells = [case, what, threads, f"{ours[0] * 1e3:.1f}", f"{ours[1] * 1e3:.1f}", f"{share:.2f}"]
            for lib, form in peers:
                theirs = best.get((lib, case, what + form, threads))
                cells += [f"{theirs[0] * 1e3:.1f}", f"{theirs[0] / ours[0]:.1f}"] if theirs else ["", ""]
            print("| " + " | ".join(map(str, cells)) + " |")
