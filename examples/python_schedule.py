"""An order: jobs on one machine, so that as little as possible is late.

    pip install . && python examples/python_schedule.py

The design is a permutation and nothing else. Forty jobs have a length, a day when they are due, and a price
per day late. The best order by two rules of thumb stands beside what is found.
"""

import random

import esenas

draw = random.Random(7)
JOBS = [
    {"name": f"job {i}", "days": draw.randint(1, 9), "due": draw.randint(10, 160), "price": draw.randint(1, 5)}
    for i in range(40)
]


def late(order: list[int]) -> float:
    """What an order costs: the days late of each job, times its price."""
    day, cost = 0, 0
    for job in order:
        day += JOBS[job]["days"]
        cost += JOBS[job]["price"] * max(0, day - JOBS[job]["due"])
    return float(cost)


numbers = list(range(len(JOBS)))
by_date = sorted(numbers, key=lambda job: JOBS[job]["due"])
by_price = sorted(numbers, key=lambda job: JOBS[job]["days"] / JOBS[job]["price"])
print(f"by date {late(by_date):.0f}, by price per day {late(by_price):.0f}")

space = esenas.Dict(order=esenas.permutation(numbers))
study = esenas.Study(space, direction="minimize", seed=1)
best = study.optimize(lambda design: late(design["order"]), evaluations=20_000)
print(f"found {best.value:.0f}, first {', '.join(JOBS[job]['name'] for job in best.design['order'][:5])}")
