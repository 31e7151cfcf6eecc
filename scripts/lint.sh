#!/usr/bin/env bash
# What is not Rust: Python's lints, the format of examples and scripts, and the workflows. Takes a second; needs
# Python with pip the first time.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="${CARGO_TARGET_DIR:-$PWD/target}/lint-tools"
[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
wanted="ruff==0.17.5 zizmor==1.32.0"
if [ "$(cat "$tools/wanted" 2>/dev/null)" != "$wanted" ]; then
  # shellcheck disable=SC2086
  "$tools/bin/python" -m pip install --quiet --disable-pip-version-check $wanted
  echo "$wanted" > "$tools/wanted"
fi
"$tools/bin/ruff" check --quiet
"$tools/bin/ruff" format --check --quiet examples scripts
"$tools/bin/zizmor" --offline --quiet .github/workflows
