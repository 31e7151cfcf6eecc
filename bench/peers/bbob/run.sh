#!/bin/sh
# Compare with other optimizers on the same functions and instances: bench/peers/bbob/run.sh [--quick]
# Builds esenas, makes target/peers-bbob-venv on first use, runs the peers and then `esenas bench peers`, which
# prints the tables. Results are kept in target/peers-bbob[-quick], and what is there is not run again.
set -eu
cd "$(dirname "$0")/../../.."
here=bench/peers/bbob

case "${1-}" in
"") out=target/peers-bbob ours="--preset paper" theirs="" ;;
--quick) out=target/peers-bbob-quick ours="--preset smoke" theirs="--functions Sphere,Rastrigin,BentCigar --sizes 0x20,10x20 --seeds 0..2 --budgets 500" ;;
*)
    echo "usage: $0 [--quick]" >&2
    exit 2
    ;;
esac

. "$here/venv.sh"
cargo build --release
OPTIMIZER_PEER=target/peers-bbob-optimizer/release/optimizer-peer
CARGO_TARGET_DIR=target/peers-bbob-optimizer cargo build --release --locked --manifest-path "$here/optimizer/Cargo.toml"
export OPTIMIZER_PEER
program=${CARGO_TARGET_DIR:-target}/release/esenas
# One thread each: the others are ours to use.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# shellcheck disable=SC2086
"$venv/bin/python" "$here/compare.py" "$program" "$out" $theirs
# shellcheck disable=SC2086
"$program" bench peers $ours --out "$out"
