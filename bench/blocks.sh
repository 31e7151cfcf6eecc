#!/usr/bin/env bash
# What named blocks cost at d = 10^6: user time of some ES iterations of 64 pairs in 1, 100 and 10,000 blocks
# beside a flat θ, by turns, the least of ROUNDS (5 unless given). On one thread; a minute or two.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --quiet --release -p esenas --example blocks
program="${CARGO_TARGET_DIR:-target}/release/examples/blocks"
declare -A least
for _ in $(seq "${ROUNDS:-5}"); do
  for blocks in 0 1 100 10000; do
    took=$( { TIMEFORMAT=%U; time RAYON_NUM_THREADS=1 "$program" "$blocks" >/dev/null; } 2>&1)
    least[$blocks]=$(awk -v a="$took" -v b="${least[$blocks]:-1e9}" 'BEGIN { print (a < b) ? a : b }')
  done
done
for blocks in 0 1 100 10000; do
  awk -v n="$blocks" -v t="${least[$blocks]}" -v flat="${least[0]}" \
    'BEGIN { printf "%6d blocks  %6.2f s  × %.3f of flat\n", n, t, t / flat }'
done
