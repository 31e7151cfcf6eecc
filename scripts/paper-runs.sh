#!/usr/bin/env bash
# Goes on with whatever is missing of the paper's tables of policies, in the order of studies/rl/paper.toml, at
# the lowest priority. Each result is written to results/rl as its study ends; what has one is not run again.
#
#     bash scripts/paper-runs.sh [RUNS]      # RUNS: where unfinished studies are, runs/paper by default
#
# ESENAS names a program to use instead of a release build of this tree, JOBS how many studies run at a time (2).
# Any signal stops it after the iteration; the same command goes on.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -z ${ESENAS:-} ]]; then
    cargo build --release --locked -p esenas-cli
    ESENAS=${CARGO_TARGET_DIR:-target}/release/esenas
fi
lowest=(nice -n 19)
if command -v chrt > /dev/null; then lowest=(chrt -i 0 nice -n 19); fi
exec "${lowest[@]}" "$ESENAS" bench rl --queue --jobs "${JOBS:-2}" --workers 1 --episodes 100 \
    --out "${1:-runs/paper}" --commit "${COMMIT:-$(git rev-parse --short HEAD)}"
