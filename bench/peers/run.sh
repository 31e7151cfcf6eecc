#!/bin/sh
# Measure the speed of the peers: bench/peers/run.sh [--quick]
# Installs into target/peers-venv on first use and writes target/peers/*.jsonl (see README.md).
set -eu
cd "$(dirname "$0")/../.."
here=bench/peers venv=target/peers-venv out=target/peers

case "${1-}" in
"" | --quick) ;;
*)
    echo "usage: $0 [--quick]" >&2
    exit 2
    ;;
esac

mkdir -p "$out"
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
    "${PYTHON:-python3}" -m venv "$venv"
    grep -v '^#' "$here/requirements.txt" | while read -r package; do
        "$venv/bin/pip" install -q --disable-pip-version-check "$package" </dev/null ||
            echo "skipped: $package cannot be installed" >&2
    done
    cp "$here/requirements.txt" "$venv/installed.txt"
fi

for bench in overhead storage pyglove_bench; do
    # The results appear under their name only when complete.
    nice -n 10 "$venv/bin/python" "$here/$bench.py" "$@" | tee "$out/$bench.part"
    mv "$out/$bench.part" "$out/$bench.jsonl"
done
