"""Prints the medians of lines `ENV NAME THREADS RATE` as one table, with ratios to the first name.

A ratio is the median over rounds of the ratio within a round: rates taken one after the other meet the same other tenants.
"""

import sys
from collections import defaultdict
from statistics import median

rates = defaultdict(list)
for line in open(sys.argv[1]):
    env, name, threads, rate = line.split()
    rates[env, name, int(threads)].append(float(rate))
names = list(dict.fromkeys(name for _, name, _ in rates))
rounds = max(len(values) for values in rates.values())
print(f"environment steps per second, medians of {rounds} interleaved rounds (and of esenas ÷ the row)")
for env in dict.fromkeys(env for env, _, _ in rates):
    print(f"\n{env:<28}{'1 thread':>20}{'2 threads':>20}{'2 ÷ 1':>8}")
    for name in names:
        row, medians = f"{name:<28}", {}
        for threads in (1, 2):
            values = rates.get((env, name, threads))
            if not values:
                row += f"{'–':>20}"
                continue
            medians[threads] = median(values)
            ratio = median(ours / theirs for ours, theirs in zip(rates[env, names[0], threads], values))
            row += f"{medians[threads]:>12,.0f} ({ratio:.2f})"
        print(row + (f"{medians[2] / medians[1]:>8.2f}" if len(medians) == 2 else ""))
