#!/usr/bin/env python3
"""The program of studies/units.toml: numbers and arrays stand in the model, in their own units."""

import json
import math
import sys


def profit(model):
    value = 40 * math.log1p(model["tubes"]) - 0.9 * model["tubes"]
    value -= 60 * (math.log10(model["flow"]) + 2.5) ** 2
    value -= sum((x - 0.05) ** 2 for row in model["gains"] for x in row)
    if model["material"] != "steel":
        value += 30 - ((model["material"]["angle"] - 35) / 20) ** 2 - 2 * model["material"]["layers"]
    return value


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "value": profit(request["model"])}), flush=True)
