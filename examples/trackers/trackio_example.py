"""A study in Trackio: `trackio show` opens it in the browser."""

import os
import sys

place = sys.argv[1] if len(sys.argv) > 1 else "tracked"
os.environ.setdefault("TRACKIO_DIR", place)

import trackio

from problem import measure, study

trackio.init(project="beams", config=study.settings)
study.optimize(measure, callbacks=[lambda it: trackio.log(it.last, step=it.iterations)])
trackio.finish()
