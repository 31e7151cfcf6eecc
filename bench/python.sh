#!/usr/bin/env bash
# ask + tell from Python at d = 1000 and 100 candidates, beside CatCMAwM (cmaes) and OpenES (evosax), in one
# run: bash bench/python.sh [--prepare]. With --prepare only the environment and the wheel are made. With
# --thetas: all weights written out, beside NumPy with kept buffers, at d = 1,000 to 1,000,000.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
venv="$target/python-bench"
if [ ! -x "$venv/bin/python" ] || [ "${1:-}" = "--prepare" ]; then
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet maturin==1.16.0 numpy==2.4.6 cmaes==0.13.1 evosax==0.3.2
  rm -f "$target"/wheels/esenas-*.whl
  "$venv/bin/maturin" build --release --locked --quiet --out "$target/wheels" --interpreter "$venv/bin/python"
  "$venv/bin/python" -m pip install --quiet --force-reinstall --no-deps "$target"/wheels/esenas-*.whl
fi
[ "${1:-}" != "--thetas" ] || exec "$venv/bin/python" bench/thetas.py
[ "${1:-}" = "--prepare" ] || exec "$venv/bin/python" bench/python.py "$@"
