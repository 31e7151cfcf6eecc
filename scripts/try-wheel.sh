#!/usr/bin/env bash
# Tries a wheel or a source distribution as somebody would who has nothing: in an empty environment, away
# from the repository. Prints what an import costs beside NumPy's.
#
#     bash scripts/try-wheel.sh dist/esenas-0.2.0-….whl
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
package="$(realpath "$1")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
python="$folder/venv/bin/python"
"$python" -m pip install --quiet --disable-pip-version-check "$package"
cd "$folder"
"$python" "$root/python/tests/installed.py"
"$python" "$root/examples/python_quickstart.py" --iterations 40
PATH="$folder/venv/bin:$PATH" esenas --version
PATH="$folder/venv/bin:$PATH" esenas run "$root/studies/quickstart.toml" --out run --quiet --set 'stop={iterations=20}'
PATH="$folder/venv/bin:$PATH" esenas best run > /dev/null
# MuJoCo is fetched from a package index: not where there is none.
if [ "${ESENAS_TRY_MUJOCO:-1}" = 1 ]; then
  PATH="$folder/venv/bin:$PATH" esenas mujoco install
  PATH="$folder/venv/bin:$PATH" esenas run "$root/studies/swimmer-mask.toml" --out policy --quiet \
    --set 'stop={iterations=1}' --set problem.horizon=20
fi
echo "installed, imported and run: $(basename "$package")"
