"""A heat exchanger: choices, integers and numbers of any scale, with noise, in 20 lines.

pip install . && python examples/python_design.py
"""

import math
import random

import esenas

space = esenas.Dict(
    material=esenas.oneof(
        ["steel", esenas.Dict(kind="composite", layers=esenas.integer(2, 12), angle=esenas.real(0, 90))]
    ),
    tubes=esenas.real(10, 200, step=2),
    flow=esenas.real(1e-5, 10.0, log=True),
    fins=esenas.boolean(),
)


def profit(design, seed):
    """What it earns, measured with noise."""
    area = design["tubes"] * (1.6 if design["fins"] else 1.0)
    heat = 40 * math.log1p(area) - 60 * (math.log10(design["flow"]) + 2.5) ** 2
    cost = 0.9 * area + (30 if design["fins"] else 0)
    if design["material"] != "steel":
        heat += 30 - ((design["material"]["angle"] - 35) / 20) ** 2
        cost += 2 * design["material"]["layers"]
    return heat - cost + random.Random(seed).gauss(0, 0.5)


study = esenas.Study(space, seed=0, noise=True)
study.optimize(profit, evaluations=4000)
answer = study.evaluate_answer(profit, evaluations=50)
print(answer)
