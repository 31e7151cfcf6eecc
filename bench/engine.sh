#!/usr/bin/env bash
# Measures the peers and the engine one after the other and prints all ratios in one table.
# bench/engine.sh [--quick]: a few minutes instead of half an hour, after what has to be installed and
# built, which comes first. (The driver's own: cargo bench -p esenas-run --bench overhead.)
set -euo pipefail
cd "$(dirname "$0")/.."

sh bench/peers/venv.sh
cargo bench --locked --no-run -p esenas --bench engine
sh bench/peers/run.sh "$@"
sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | sort | uniq -c
cargo bench --locked -p esenas --bench engine
