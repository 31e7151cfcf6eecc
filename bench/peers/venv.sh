#!/bin/sh
# Make target/peers-venv from requirements.txt, unless it is there and up to date (about 7 GB, most of it torch).
set -eu
cd "$(dirname "$0")/../.."
wanted=bench/peers/requirements.txt venv=target/peers-venv

cmp -s "$wanted" "$venv/installed.txt" && exit
"${PYTHON:-python3}" -m venv "$venv"
grep -v '^#' "$wanted" | while read -r package; do
    "$venv/bin/pip" install -q --disable-pip-version-check "$package" </dev/null ||
        echo "skipped: $package cannot be installed" >&2
done
cp "$wanted" "$venv/installed.txt"
