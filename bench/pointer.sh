#!/usr/bin/env bash
# The pointer network here and in PyTorch, in turn on the same cores: one table of both.
# VENV (default target/pointer-venv) is made on first use; ROUNDS (default 3) is how often each is run;
# the least of all rounds counts. `--prepare` only installs and builds.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${VENV:-target/pointer-venv} rounds=${ROUNDS:-3}
requirements=bench/peers/requirements-pointer.txt

if ! cmp -s "$requirements" "$venv/installed.txt"; then
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check -r "$requirements"
    cp "$requirements" "$venv/installed.txt"
fi
bench=$(cargo bench --locked --no-run -p esenas --bench policy_gradient --message-format json |
    sed -n 's/.*"name":"policy_gradient".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
[ "${1-}" = --prepare ] && exit

lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | sort | uniq -c
for _ in $(seq "$rounds"); do
    for threads in 1 2; do
        OMP_NUM_THREADS=$threads "$venv/bin/python" bench/peers/pointer_bench.py --threads "$threads" >>"$lines"
        "$bench" --json --threads "$threads" >>"$lines"
    done
done
"$venv/bin/python" bench/peers/pointer_table.py "$lines"
