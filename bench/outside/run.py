#!/usr/bin/env python3
"""Suites that nobody here made: `python bench/outside/run.py SUITE [--quick] [--out DIR]`.

A suite is a module beside this one with `suite(out, quick)`, which returns its tables in Markdown.
What was run is kept in DIR and not run again.
"""

import argparse
import importlib
import os
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ.setdefault(name, "1")

OTHERS = {"run", "common", "peers", "settings", "evolution", "constrained", "fronts"}


def main():
    here = Path(__file__).parent
    suites = sorted(path.stem for path in here.glob("*.py") if path.stem not in OTHERS)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=suites)
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours")
    parser.add_argument("--out", type=Path, default=Path("target/outside"))
    told = parser.parse_args()
    print(importlib.import_module(told.suite).suite(told.out, told.quick))


if __name__ == "__main__":
    main()
