#!/usr/bin/env python3
"""Whether two builds of the command compute the same bits.

    python3 scripts/same-bits.py OLD/esenas NEW/esenas

Runs studies with both, each for a few iterations: those in `studies/` that need no MuJoCo, and thirty made here over
kinds of weights, controllers, pairings, constraints, grids, and what `auto` chooses. Of each it compares
every recorded evaluation (model, role, value) and `best --json` (θ and all). A study that either refuses is
listed with what it said. Exits with 1 if anything differs. For changes that are to change nothing.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ITERATIONS = 12

SMALL = """
[problem]
kind = "synthetic"
dimension = 6
blocks = 2
"""
BOXED = """
[problem]
kind = "bbob"
function = "Rastrigin"
d_cat = 4
d_con = 6
mode = "instance"
seed = 1
"""
PROGRAM = """
[problem]
kind = "command"
argv = ["python3", "examples/command/objective.py"]
dimension = 4
bounds = [-3.0, 3.0]
"""
SPACE = """
[problem.space]
shape = { oneof = ["sphere", "cone"] }
centre = { oneof = [-1.0, 0.0, 0.5, 1.0] }
"""


def weights(kind: str, more: str = "") -> str:
    return f'[weights]\nkind = "{kind}"\n{more}\n'


def controller(kind: str, more: str = "") -> str:
    return f'[controller]\nkind = "{kind}"\n{more}\n'


def made() -> dict[str, str]:
    """Thirty studies: every optimizer of θ and of m, and every way to join them."""
    es, random = weights("es", "directions = 5"), controller("random")
    cma = weights("cma-es", "population = 8")
    studies = {}
    for kind in ("es", "cma-es", "sep-cma-es", "snes", "lm-ma-es", "line-es", "growing", "restarts"):
        studies[f"weights {kind}"] = BOXED + weights(kind) + random
    for kind in (
        "random",
        "regularized-evolution",
        "hill-climb",
        "neat",
        "asng",
        "policy-gradient",
        "factorized-policy-gradient",
        "nsga2",
        "sweep",
    ):
        studies[f"controller {kind}"] = SMALL + es + controller(kind)
    shared, mirrored = 'pairing = "shared"\n', weights("sep-cma-es", "mirrored = true\npopulation = 10")
    mode = '[centre]\nmodels = "mode"\nevaluations = 2\nteaches = false\n'
    cost = '[constraint]\ncost = "active"\ntarget = 2.0\n'
    studies |= {
        "shared": shared + SMALL + es + controller("asng"),
        "shared, mirrored, clipped": shared + BOXED + mirrored + controller("asng"),
        "held": 'pairing = "held"\n' + BOXED + weights("line-es") + controller("sweep"),
        "mode at the centre": BOXED + cma + controller("asng") + mode,
        "baseline": 'baseline = "additive"\n' + SMALL + es + random,
        "subsample and constraint": "subsample = 4\n" + SMALL + es + controller("asng") + cost,
        "a grid": PROGRAM + "steps = 0.5\n" + SPACE + cma + controller("asng"),
        "hybrid": SMALL + '[hybrid]\npopulation = 10\nevolution = { kind = "random" }\n',
        "auto": BOXED,
        "auto, noise": BOXED + "[auto]\nnoise = true\n",
        "auto, batches": BOXED + "[auto]\nbatch = 32\n",
        "auto, a grid": PROGRAM + "steps = 1.0\n" + SPACE,
        "orthogonal, ranks": SMALL
        + weights("es", 'directions = 6\nsampling = "orthogonal"\nnormalize = "ranks"\nrule = { adam = {} }')
        + random,
    }
    return studies


def result(program: str, study: Path, out: Path) -> tuple[str, str]:
    """What a build makes of a study: its records, or what it says against it."""
    limits = f"stop={{iterations={ITERATIONS}}}"
    run = [program, "run", str(study), "--out", str(out), "--quiet", "--set", limits, "--set", "record.every=1"]
    ran = subprocess.run(run, cwd=ROOT, capture_output=True, text=True)
    if ran.returncode != 0:
        return "refused", ran.stderr.strip().splitlines()[0].replace(str(study), study.name)
    export = [program, "export", str(out), "--format", "jsonl", "--rows", "evaluations"]
    rows = subprocess.run(export, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    best = [program, "best", str(out), "--json"]
    best = json.loads(subprocess.run(best, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    # Roles were renamed once; what they mean was not.
    rows = rows.replace('"role":"probe"', '"role":"candidate"')
    return "ran", rows + json.dumps(best, sort_keys=True)


def needs_nothing(study: str) -> bool:
    return 'kind = "rl"' not in study or '"Pendulum"' in study


def main() -> int:
    old, new = (str(Path(program).resolve()) for program in sys.argv[1:3])
    counts = {"equal": 0, "different": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        studies = [path for path in sorted((ROOT / "studies").rglob("*.toml")) if needs_nothing(path.read_text())]
        for at, (name, text) in enumerate(made().items()):
            study = here / f"{at:02} {name}.toml"
            study.write_text(f"seed = {at}\n{text}")
            studies.append(study)
        for at, study in enumerate(studies):
            said = [result(program, study, here / f"{at}-{end}") for end, program in (("old", old), ("new", new))]
            if any(kind == "refused" for kind, _ in said):
                verdict, why = "refused", "; ".join(text for kind, text in said if kind == "refused")
            else:
                verdict, why = ("equal" if said[0] == said[1] else "different"), ""
            counts[verdict] += 1
            print(f"{verdict:10} {study.stem} {why}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
