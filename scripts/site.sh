#!/usr/bin/env bash
# The documentation as a site, in target/site. Red when a link leads nowhere. Needs Python with pip.
set -euo pipefail
cd "$(dirname "$0")/.."
venv="${CARGO_TARGET_DIR:-$PWD/target}/site-tools"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check zensical==0.0.70
"$venv/bin/zensical" build --strict
