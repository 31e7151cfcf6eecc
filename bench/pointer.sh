#!/usr/bin/env bash
# The pointer network here, in PyTorch and, with `--tch`, through tch (libtorch from Rust), in turn on the same
# cores: one table of all. VENV (default target/pointer-venv) is made on first use, and tch is built with its
# PyTorch; ROUNDS (default 3) is how often each is run; the least of all rounds counts. `--prepare`, the last
# argument, only installs and builds.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$(realpath -m "${VENV:-target/pointer-venv}") rounds=${ROUNDS:-3}
requirements=bench/peers/requirements-pointer.txt

if ! cmp -s "$requirements" "$venv/installed.txt"; then
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check -r "$requirements"
    cp "$requirements" "$venv/installed.txt"
fi
bench=$(cargo bench --locked --no-run -p esenas --bench policy_gradient --message-format json |
    sed -n 's/.*"name":"policy_gradient".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
tch=
if [ "${1-}" = --tch ]; then
    shift
    target=$(realpath -m "${CARGO_TARGET_DIR:-target}/pointer-tch")
    # tch asks the first `python` for its PyTorch.
    VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH LIBTORCH_USE_PYTORCH=1 CARGO_TARGET_DIR=$target \
        cargo build -q --release --locked --manifest-path bench/peers/pointer-tch/Cargo.toml
    tch=$target/release/pointer-tch
    libraries=$("$venv/bin/python" -c 'import torch; print(torch.__path__[0] + "/lib")')
fi
[ "${1-}" = --prepare ] && exit

lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | sort | uniq -c
for _ in $(seq "$rounds"); do
    for threads in 1 2; do
        OMP_NUM_THREADS=$threads "$venv/bin/python" bench/peers/pointer_bench.py --threads "$threads" >>"$lines"
        if [ -n "$tch" ]; then
            LD_LIBRARY_PATH=$libraries OMP_NUM_THREADS=$threads "$tch" --threads "$threads" >>"$lines"
        fi
        "$bench" --json --threads "$threads" >>"$lines"
    done
done
"$venv/bin/python" bench/peers/pointer_table.py "$lines"
