#!/bin/sh
# Compare with other optimizers on the same functions and instances: bench/peers/bbob/run.sh [--quick]
# Builds esenas, makes target/peers-bbob-venv on first use, runs our algorithms and the peers at
# equal budgets, and prints one table; results are kept in target/peers-bbob[-quick] and not run again.
set -eu
cd "$(dirname "$0")/../../.."
here=bench/peers/bbob

case "${1-}" in
"") out=target/peers-bbob ours="--preset paper --seeds 2 --functions Sphere,Rastrigin,BentCigar,RosenbrockRotated,SchaffersF7,Lunacek" ;;
--quick) out=target/peers-bbob-quick ours="--preset smoke --functions Sphere,Rastrigin,RosenbrockRotated --evaluations 1500" ;;
*)
    echo "usage: $0 [--quick]" >&2
    exit 2
    ;;
esac

. "$here/venv.sh"
cargo build --release
program=${CARGO_TARGET_DIR:-target}/release/esenas
# shellcheck disable=SC2086
"$program" bench bbob --mode instance $ours --out "$out/ours" >/dev/null
# One thread each: the others are ours to use.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
"$venv/bin/python" "$here/compare.py" "$program" "$out/ours" "$out" "$@"
