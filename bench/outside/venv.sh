#!/bin/sh
# Make target/outside-venv: the peers of requirements.txt, and this package built from the working tree.
set -eu
cd "$(dirname "$0")/../.."
wanted=bench/outside/requirements.txt venv=target/outside-venv

if ! cmp -s "$wanted" "$venv/installed.txt"; then
    "${PYTHON:-python3}" -m venv "$venv"
    grep -v '^#' "$wanted" | while read -r package; do
        # A line may carry options of pip.
        # shellcheck disable=SC2086
        "$venv/bin/pip" install -q --disable-pip-version-check $package </dev/null ||
            echo "skipped: $package cannot be installed" >&2
    done
    "$venv/bin/pip" install -q --disable-pip-version-check "maturin>=1.16,<2" </dev/null
    cp "$wanted" "$venv/installed.txt"
fi
VIRTUAL_ENV="$venv" "$venv/bin/maturin" develop --locked --quiet "$@"
