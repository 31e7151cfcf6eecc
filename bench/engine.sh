#!/usr/bin/env bash
# Measures the peers and the engine one after the other and prints one table of both.
# Arguments go to bench/peers/run.sh (--quick for four minutes instead of half an hour).
set -euo pipefail
cd "$(dirname "$0")/.."

bash bench/peers/run.sh "$@"
sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | sort | uniq -c
cargo bench --locked -p esenas --bench engine
cargo bench --locked -p esenas-run --bench overhead
