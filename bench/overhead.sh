#!/usr/bin/env bash
# What the driver and the store cost, beside Optuna's and cmaes's own loops with SQLite, in one run.
# Makes target/peers-storage-venv on first use, with the three packages that needs.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=target/peers-storage-venv
packages=$(grep -E '^(numpy|cmaes|optuna)==' bench/peers/requirements.txt)
if [ "$packages" != "$(cat "$venv/installed.txt" 2>/dev/null)" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
    # shellcheck disable=SC2086
    "$venv/bin/pip" install -q --disable-pip-version-check $packages
    echo "$packages" >"$venv/installed.txt"
fi
sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | sort | uniq -c
PEERS_PYTHON=$PWD/$venv/bin/python cargo bench --locked -p esenas-run --bench overhead
