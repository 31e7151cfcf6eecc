#!/bin/sh
# Measure the speed of the peers: bench/peers/run.sh [--quick]
# Installs into target/peers-venv on first use and writes target/peers/*.jsonl (see README.md).
set -eu
cd "$(dirname "$0")/../.."
here=bench/peers out=target/peers

case "${1-}" in
"" | --quick) ;;
*)
    echo "usage: $0 [--quick]" >&2
    exit 2
    ;;
esac

sh "$here/venv.sh"
mkdir -p "$out"
for bench in overhead pyglove_bench storage; do
    # The results appear under their name only when complete.
    target/peers-venv/bin/python "$here/$bench.py" "$@" | tee "$out/$bench.part"
    mv "$out/$bench.part" "$out/$bench.jsonl"
done
