#!/usr/bin/env python3
"""The program of studies/beam.toml: the lightest steel cantilever that bears its load.

A beam of 1 m with a rectangular section carries 10 kN at its tip. Its mass is minimized; how much
stress there is in it, and how slender it is, have limits in the study, and are measured here.
"""

import json
import sys

LOAD, LENGTH, DENSITY = 10_000.0, 1.0, 7_850.0  # N, m, kg/m³


def measure(design):
    width, height = design["width"], design["height"]
    return {
        "value": DENSITY * LENGTH * width * height,  # kg
        "constraints": {
            "stress": 6e-6 * LOAD * LENGTH / (width * height**2),  # MPa
            "slenderness": height / width,
        },
    }


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], **measure(request["model"])}), flush=True)
