#!/bin/sh
# Time the functions beside Vizier's (D = 100 and 40) and COCO's (D = 40, the largest of its suite; beyond 44
# it crashes), one core: bench/peers/bbob/speed.sh
# Everything is built and installed first; RUN=… is put before what is timed (nice, taskset, …).
set -eu
cd "$(dirname "$0")/../../.."
here=bench/peers/bbob
out=target/peers-bbob

. "$here/venv.sh"
mkdir -p "$out"
cargo bench -p esenas-bbob --bench functions --no-run
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 HERE="$here" OUT="$out" PYTHON="$venv/bin/python"
# shellcheck disable=SC2016,SC2086
${RUN-} sh -c 'for dim in 100 40; do
    cargo bench -q -p esenas-bbob --bench functions -- "$dim" >"$OUT/ours-$dim.txt" &&
        "$PYTHON" "$HERE/speed.py" "$OUT/ours-$dim.txt" "$OUT/speed-$dim.md" "$dim"
done'
