"""A study in Weights & Biases, offline: `wandb sync` sends it when you like."""

import os
import sys

os.environ.setdefault("WANDB_MODE", "offline")

import wandb

from problem import measure, study

place = sys.argv[1] if len(sys.argv) > 1 else "tracked"
with wandb.init(project="beams", dir=place, config=study.settings) as run:
    best = study.optimize(measure, callbacks=[lambda it: run.log(it.last, step=it.iterations)])
    run.summary["best design"] = best.design
