#!/bin/sh
# Time the functions beside Vizier's and COCO's, one core: bench/peers/bbob/speed.sh [DIM, 100 by default]
# Everything is built and installed first; RUN=… is put before what is timed (nice, taskset, …).
set -eu
cd "$(dirname "$0")/../../.."
here=bench/peers/bbob
dim=${1:-100}
out=target/peers-bbob

. "$here/venv.sh"
mkdir -p "$out"
cargo bench -p esenas-bbob --bench functions --no-run
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 HERE="$here" DIM="$dim" OUT="$out" PYTHON="$venv/bin/python"
# shellcheck disable=SC2016,SC2086
${RUN-} sh -c 'cargo bench -q -p esenas-bbob --bench functions -- "$DIM" >"$OUT/ours-$DIM.txt" &&
    "$PYTHON" "$HERE/speed.py" "$OUT/ours-$DIM.txt" "$OUT/speed-$DIM.md" "$DIM"'
